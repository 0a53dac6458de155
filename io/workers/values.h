// Sends the values of a sample from a worker to the process that started it: the supported types,
// and how they are written and read. Users need not include this.
//
// Numbers, short texts and other small values are sent inline. The elements of a larger Image,
// Tensor or Bytes are sent in shared memory. Memory that the reader allocates while it runs is
// shared already; other values are copied. The receiving process refers to the shared memory and
// gives it back when the last handle is destroyed.
//
// Ownership: a ReplyWriter keeps its values until the other process gives them back. A ReplyReader
// refers to a message; the values it returns share ownership of their segment. Threads: one.
// Errors: an exception from the writer is the sample's error; the reader throws ProtocolError for
// invalid messages.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice::detail {

class ReplyWriter;
class ReplyReader;

void write_number(ReplyWriter& to, std::uint64_t bits);
void write_value(ReplyWriter& to, const std::string& text);
void write_value(ReplyWriter& to, Bytes&& bytes);
void write_value(ReplyWriter& to, Tensor&& tensor);
void write_value(ReplyWriter& to, Image&& image);

// Reads the next value.
std::uint64_t read_number(ReplyReader& from);
void read_value(ReplyReader& from, std::string& text);
void read_value(ReplyReader& from, Bytes& bytes);
void read_value(ReplyReader& from, Tensor& tensor);
void read_value(ReplyReader& from, Image& image);

// The name of a type, such as "i64" or "bytes"; empty for a type that cannot be sent.
template <class T>
constexpr std::string_view wire_type_name() {
  if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return "bytes";
  } else if constexpr (std::is_same_v<T, Tensor>) {
    return "tensor";
  } else if constexpr (std::is_same_v<T, Image>) {
    return "image";
  } else {
    return known_number_name<T>();
  }
}

template <class T>
struct wire_type {
  static constexpr bool check() {
    constexpr bool travels = !wire_type_name<T>().empty();
    static_assert(travels,
                  "a worker returns Image, Tensor, Bytes, std::string, bool, Half, float, double "
                  "and whole numbers such as std::int64_t, or a std::tuple of such");
    return travels;
  }
  static std::string names() { return std::string(wire_type_name<T>()); }
  static void write(ReplyWriter& to, T&& value) { write_one(to, std::move(value)); }
  static T read(ReplyReader& from) { return read_one(from); }

  static void write_one(ReplyWriter& to, T&& value) {
    if constexpr (is_known_number<T>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof(value));
      write_number(to, bits);
    } else {
      write_value(to, std::move(value));
    }
  }
  static T read_one(ReplyReader& from) {
    T value{};
    if constexpr (std::is_same_v<T, bool>) {
      value = read_number(from) != 0;
    } else if constexpr (is_known_number<T>) {
      const std::uint64_t bits = read_number(from);
      std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
    } else {
      read_value(from, value);
    }
    return value;
  }
};
template <class... Ts>
struct wire_type<std::tuple<Ts...>> {
  static constexpr bool check() { return (wire_type<Ts>::check() && ...); }
  static std::string names() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + wire_type<Ts>::names()), ...);
    return all;
  }
  static void write(ReplyWriter& to, std::tuple<Ts...>&& values) {
    std::apply([&](Ts&... each) { (wire_type<Ts>::write_one(to, std::move(each)), ...); }, values);
  }
  static std::tuple<Ts...> read(ReplyReader& from) {
    return std::tuple<Ts...>{wire_type<Ts>::read_one(from)...};  // braces: from left to right
  }
};

}  // namespace sluice::detail
