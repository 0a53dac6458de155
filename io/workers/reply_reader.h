// ReplyReader: the values of a sample that a worker has sent, in the process that started it, or
// those that a request brings along, in a worker. Internal; see values.h.
//
// Nothing that the worker wrote is believed: offsets, lengths, types and ranks are looked at, all
// of them when the reader is made. What the memory holds is the worker's affair.
#pragma once

#include <sluice/io/workers/message.h>
#include <sluice/io/workers/returns.h>
#include <sluice/io/workers/segment.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sluice::detail {

// What a worker shares, by number; null: this process could not have it.
using Segments = std::unordered_map<std::uint64_t, std::shared_ptr<Segment>>;

class ReplyReader {
 public:
  // `count` values, in what is left of the message. Throws Nonsense. Values that nobody takes are
  // given back; without `returns` there is nobody to give them to.
  ReplyReader(MessageReader message, std::size_t count, const Segments& segments,
              const std::shared_ptr<Returns>& returns);

  std::uint64_t number() { return next(ValueKind::number).wire.offset; }
  std::string text();
  Bytes bytes();
  Tensor tensor(ValueKind kind = ValueKind::tensor);
  // After the last value was read: throws Nonsense if the sample has more.
  void finish() const;
  // Of those in shared memory.
  std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  struct Value {
    WireValue wire;
    std::shared_ptr<void> owner;  // gives the value back; null for what stands inline
    std::byte* at = nullptr;      // null for a value without bytes, and for what is lost
  };
  Value check(const WireValue& wire, std::span<const std::byte> inlined, const Segments& segments,
              const std::shared_ptr<Returns>& returns);
  Value& next(ValueKind kind);

  std::vector<Value> values_;
  std::size_t next_ = 0;
  std::size_t shared_bytes_ = 0;
};

}  // namespace sluice::detail
