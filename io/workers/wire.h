// The values of messages: RequestInputs holds those that a worker's function is called with,
// ReplyWriter turns a sample into a message in a worker, and ReplyReader reads the values of
// either. Internal; see values.h.
//
// Small values are sent inline. RequestInputs copies the others into one segment of shared memory,
// whose descriptor is sent with the message. The worker maps the pages copy-on-write, so a second
// try finds the values unchanged. RequestInputs::seal() makes that copy when a worker takes the
// request, since a process has few descriptors.
//
// ReplyReader trusts nothing in the message: its constructor checks all offsets, lengths, types and
// ranks. The content of the shared memory is not checked.
//
// Ownership: RequestInputs refers to the values that were added until seal() has copied them; for
// the others see values.h. Threads: one at a time. Errors: seal() throws Error if there are too
// many values or no shared memory; ReplyReader throws ProtocolError for an invalid message.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sluice::detail {

// RequestInputs: the values of a sample that a worker's function is called with.
class RequestInputs {
 public:
  // The number of the segment, for WireValue.
  static constexpr std::uint64_t kSegment = 1;

  void add_number(std::uint64_t bits) { wires_.add_number(bits); }
  void add(std::span<const std::uint8_t> bytes, ValueKind kind);
  void add(const Tensor& tensor, ValueKind kind);
  // Copies the values; later calls do nothing.
  void seal();

  std::uint32_t count() const { return wires_.count(); }
  void write(MessageWriter& to) const { wires_.write(to); }
  // The descriptor to send; negative if all values are inline.
  int descriptor() const { return memory_.number(); }

 private:
  void place(WireValue value, std::span<const std::byte> elements);

  struct Copy {
    std::span<const std::byte> from;
    std::size_t offset;
  };
  WireValues wires_;
  std::vector<Copy> copies_;
  std::vector<Tensor> made_;  // copies of tensors that are not contiguous
  std::size_t bytes_ = 0;
  Descriptor memory_;
};

template <class T>
requires is_known_number<T>
void add_input(RequestInputs& to, T number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(number));
  to.add_number(bits);
}
inline void add_input(RequestInputs& to, const std::string& text) {
  to.add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, ValueKind::text);
}
inline void add_input(RequestInputs& to, const Bytes& bytes) { to.add(bytes, ValueKind::bytes); }
inline void add_input(RequestInputs& to, const Tensor& tensor) {
  to.add(tensor, ValueKind::tensor);
}
inline void add_input(RequestInputs& to, const Image& image) {
  to.add(image.tensor(), ValueKind::image);
}

// ReplyWriter: turns a sample into a message, in a worker.
class ReplyWriter {
 public:
  explicit ReplyWriter(const SharedMemory& memory) : memory_(&memory) {}

  void add_number(std::uint64_t bits) { wires_.add_number(bits); }
  void add_text(const std::string& text);
  void add(Bytes&& bytes, ValueKind kind = ValueKind::bytes);
  void add(Tensor&& tensor, ValueKind kind);

  // Ends the sample and returns its message, for request `number`.
  MessageWriter finish(std::uint64_t number);
  // Drops the values of the unfinished sample.
  void abandon() noexcept;
  // The other process no longer uses the value.
  void give_back(std::uint64_t id) noexcept { kept_.erase(id); }

 private:
  // If the elements lie in shared memory, sets their place in `value` and returns true.
  bool find(WireValue& value, const std::byte* at, bool is_view) const;
  std::string refusal(std::uint64_t bytes) const;
  template <class T>
  void keep(WireValue& value, T&& object);

  const SharedMemory* memory_;
  WireValues wires_;
  std::unordered_map<std::uint64_t, std::variant<Bytes, Tensor>> kept_;
  std::uint64_t next_id_ = 1;
};

// The segments that a worker shares, by number; null if this process could not map one.
using Segments = std::unordered_map<std::uint64_t, std::shared_ptr<Segment>>;

// ReplyReader: reads the values of a sample that a worker has sent, or, in a worker, the values of
// a request.
class ReplyReader {
 public:
  // Reads `count` values from the rest of the message. Throws ProtocolError. Values that are not
  // taken are given back through `released`; null: they are not given back.
  ReplyReader(MessageReader message, std::size_t count, const Segments& segments,
              const std::shared_ptr<ReleasedValues>& released);

  std::uint64_t number() { return next(ValueKind::number).wire.offset; }
  std::string text();
  Bytes bytes();
  Tensor tensor(ValueKind kind = ValueKind::tensor);
  // Call it after the last value: throws ProtocolError if the sample has more.
  void finish() const;
  // The bytes of the values in shared memory.
  std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  struct Value {
    WireValue wire;
    std::shared_ptr<void> owner;  // gives the value back; null for an inline value
    std::byte* at = nullptr;      // null for a value without bytes, or whose segment is not mapped
  };
  Value check(const WireValue& wire, std::span<const std::byte> inlined, const Segments& segments,
              const std::shared_ptr<ReleasedValues>& released);
  Value& next(ValueKind kind);

  std::vector<Value> values_;
  std::size_t next_ = 0;
  std::size_t shared_bytes_ = 0;
};

}  // namespace sluice::detail
