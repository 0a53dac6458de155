// What a process and its workers say to each other. Internal.
//
// A message is a Header and what follows it, at most kMostMessage bytes, in one packet. Both sides
// run on one machine; that they are of one version is found at the first message. Requests are
// numbered as they are handed to a worker, and answered in that order.
//
//   to a worker                              from a worker
//   setup      SetupFields, name, argument   hello    it runs, and is about to be set up
//                                            ready    what its samples are, as text
//   fetch      `count` SampleInfos           failed   why it cannot be set up; `count`
//   call       a SampleInfo, `count`                  is 1 where it never can
//              WireValues, what stands       segment  a descriptor of shared memory comes along
//              inline; a descriptor of       gone     a segment is not used any more
//              shared memory may come        sample   `count` WireValues, what stands inline
//              along                         error    what the reader threw
//   give_back  `count` ids of values         end      the reader threw EndOfEpoch
//   cancel                                   cancelled  `count` requests are left out
//
// Ownership: plain data. MessageReader refers to the message. Errors: Nonsense for a message that
// cannot be.
#pragma once

#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sluice::detail {

inline constexpr std::uint32_t kWorkerProtocol = 4;
inline constexpr std::size_t kMostMessage = std::size_t{64} << 10;
// What is not larger stands in the message itself.
inline constexpr std::size_t kMostInline = 1024;
// A worker has no more segments than this: a process may have 65,530 mappings.
inline constexpr std::size_t kMostSegments = 8192;

enum class MessageKind : std::uint32_t {
  setup,
  fetch,
  give_back,
  cancel,
  ready,
  failed,
  segment,
  gone,
  sample,
  error,
  end,
  cancelled,
  hello,
  call
};

struct Header {
  MessageKind kind = MessageKind::setup;
  std::uint32_t count = 0;
  std::uint64_t number = 0;  // of a request, a segment, or the protocol
};

struct SetupFields {
  std::int32_t worker = 0;
  std::int32_t workers = 0;
  std::uint64_t max_bytes = 0;
  std::uint64_t name_bytes = 0;
};

enum class ValueKind : std::uint8_t { number, text, bytes, tensor, image };

// One value of a sample.
struct WireValue {
  ValueKind kind = ValueKind::number;
  DType dtype = DType::u8;
  Layout layout = Layout::none;
  std::uint8_t read_only = 0;
  std::int32_t rank = 0;
  std::uint64_t segment = 0;  // 0: it stands inline, or is empty
  std::uint64_t id = 0;       // to give it back by
  std::uint64_t offset = 0;   // in the segment, or in what stands inline; of a number its bits
  std::uint64_t bytes = 0;
  std::array<std::int64_t, Shape::kMaxRank> dims{};
};

// A worker wrote what cannot be.
class Nonsense : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class MessageWriter {
 public:
  explicit MessageWriter(const Header& header) { add(header); }

  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof(value));
  }
  void add_text(std::string_view text) { append(text.data(), text.size()); }
  std::span<const std::byte> message() const { return std::as_bytes(std::span(text_)); }

 private:
  void append(const void* from, std::size_t bytes) {
    text_.append(static_cast<const char*>(from), bytes);
  }
  std::string text_;
};

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> message) : rest_(message) {}

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    if (rest_.size() < sizeof(T)) throw Nonsense("a message that is too short");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::span<const std::byte> rest() const { return rest_; }
  std::string text() const { return {reinterpret_cast<const char*>(rest_.data()), rest_.size()}; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace sluice::detail
