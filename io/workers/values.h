// How the values of a sample travel from a worker to the process that started it: which types can,
// and how a type is written and read. Users need not include this.
//
// Numbers, short texts and whatever is small stand in the message. The elements of a larger Image,
// Tensor or Bytes lie in shared memory: the reader's, if it made them while it ran, as memory that
// it takes then is shared; else the worker copies them there. The process that started it refers to
// them, and gives them back when the last handle on them goes.
//
// Ownership: a ReplyWriter keeps what it is given until the other side gives it back. A ReplyReader
// refers to a message, and what it gives owns a share of its segment. Threads: one. Errors: what
// the writer throws is the sample's error; the reader throws Nonsense for what cannot be.
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

// The value that comes next.
std::uint64_t read_number(ReplyReader& from);
void read_value(ReplyReader& from, std::string& text);
void read_value(ReplyReader& from, Bytes& bytes);
void read_value(ReplyReader& from, Tensor& tensor);
void read_value(ReplyReader& from, Image& image);

// "i64", "bytes"; empty for a type that cannot travel.
template <class T>
constexpr std::string_view travelling_name() {
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
struct travelling {
  static constexpr bool check() {
    constexpr bool travels = !travelling_name<T>().empty();
    static_assert(travels,
                  "a worker gives Image, Tensor, Bytes, std::string, bool, Half, float, double and "
                  "whole numbers such as std::int64_t, or a std::tuple of such");
    return travels;
  }
  static std::string names() { return std::string(travelling_name<T>()); }
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
struct travelling<std::tuple<Ts...>> {
  static constexpr bool check() { return (travelling<Ts>::check() && ...); }
  static std::string names() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + travelling<Ts>::names()), ...);
    return all;
  }
  static void write(ReplyWriter& to, std::tuple<Ts...>&& values) {
    std::apply([&](Ts&... each) { (travelling<Ts>::write_one(to, std::move(each)), ...); }, values);
  }
  static std::tuple<Ts...> read(ReplyReader& from) {
    return std::tuple<Ts...>{travelling<Ts>::read_one(from)...};  // in this order
  }
};

}  // namespace sluice::detail
