// The messages between a process and its workers. Internal.
//
// A message is one packet of at most kMostMessage bytes: a Header and its data. Both sides run on
// the same machine; the first message checks that their versions match. Requests are numbered as
// they are sent to a worker, and answered in that order. "Inline" values are part of the message
// itself.
//
//   to a worker                              from a worker
//   setup      SetupFields, name, argument   hello    it runs, and is about to be set up
//                                            ready    the types of its samples, as text
//   fetch      `count` SampleInfos           failed   why it cannot be set up; `count` is 1
//   call       a SampleInfo, `count`                  if retrying cannot help
//              WireValues, inline values;    segment  with a descriptor of shared memory
//              perhaps a descriptor of       gone     a segment is no longer used
//              shared memory                 sample   `count` WireValues, inline values
//                                            error    what the reader threw
//   give_back  `count` ids of values         end      the reader threw EndOfEpoch
//   cancel                                   cancelled  `count` requests are left out
//
// Ownership: plain data. MessageReader refers to the message. Threads: like a vector. Errors:
// ProtocolError for an invalid message.
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
// Values up to this size are sent inline.
inline constexpr std::size_t kMostInline = 1024;
// The most segments of a worker. A process may have 65,530 mappings.
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
  std::uint64_t number = 0;  // of a request or a segment, or the protocol version
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
  std::uint64_t segment = 0;  // 0: inline, or without bytes
  std::uint64_t id = 0;       // identifies the value in give_back
  std::uint64_t offset = 0;   // in the segment or the inline bytes; for a number, its bits
  std::uint64_t bytes = 0;
  std::array<std::int64_t, Shape::kMaxRank> dims{};
};

// The other side sent an invalid message.
class ProtocolError : public std::runtime_error {
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
    if (rest_.size() < sizeof(T)) throw ProtocolError("a message that is too short");
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

// WireValues: the values of a message, including its inline bytes.
class WireValues {
 public:
  static constexpr std::size_t kMostInlineOfAll = kMostMessage / 4;
  static constexpr std::size_t kMostValues = kMostMessage / 2 / sizeof(WireValue);

  // The description of a tensor, without its elements. The rank is -1 for a Tensor that holds
  // nothing, not even a shape.
  static WireValue of(const Tensor& tensor, ValueKind kind) {
    WireValue value;
    value.kind = kind;
    value.rank = tensor.empty() ? -1 : tensor.shape().rank;
    if (tensor.empty()) return value;
    value.dtype = tensor.dtype();
    value.layout = tensor.layout();
    value.dims = tensor.shape().dims;
    value.read_only = tensor.read_only() ? 1 : 0;
    value.bytes = tensor.nbytes();
    return value;
  }

  void add(const WireValue& value) { values_.push_back(value); }
  void add_number(std::uint64_t bits) {
    WireValue value;
    value.offset = bits;
    add(value);
  }
  // Returns false and adds nothing if the message has no room for the elements.
  bool add_inline(WireValue& value, std::span<const std::byte> elements) {
    value.bytes = elements.size();
    if (elements.size() > kMostInline || inline_.size() + elements.size() > kMostInlineOfAll)
      return false;
    value.offset = inline_.size();
    inline_.append(reinterpret_cast<const char*>(elements.data()), elements.size());
    add(value);
    return true;
  }

  const std::vector<WireValue>& values() const { return values_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }
  void write(MessageWriter& to) const {
    for (const WireValue& value : values_) to.add(value);
    to.add_text(inline_);
  }
  void clear() {
    values_.clear();
    inline_.clear();
  }

 private:
  std::vector<WireValue> values_;
  std::string inline_;
};

}  // namespace sluice::detail
