// ReplyReader: reads the values of a sample that a worker has sent, or, in a worker, the values of
// a request. Internal; see values.h.
//
// Nothing in the message is trusted: the constructor checks all offsets, lengths, types and ranks.
// The content of the shared memory is not checked.
//
// Ownership: see values.h. Threads: one at a time. Errors: Nonsense for an invalid message.
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

// The segments that a worker shares, by number; null if this process could not map one.
using Segments = std::unordered_map<std::uint64_t, std::shared_ptr<Segment>>;

class ReplyReader {
 public:
  // Reads `count` values from the rest of the message. Throws Nonsense. Values that are not taken
  // are given back through `returns`; null: they are not given back.
  ReplyReader(MessageReader message, std::size_t count, const Segments& segments,
              const std::shared_ptr<Returns>& returns);

  std::uint64_t number() { return next(ValueKind::number).wire.offset; }
  std::string text();
  Bytes bytes();
  Tensor tensor(ValueKind kind = ValueKind::tensor);
  // Call it after the last value: throws Nonsense if the sample has more.
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
              const std::shared_ptr<Returns>& returns);
  Value& next(ValueKind kind);

  std::vector<Value> values_;
  std::size_t next_ = 0;
  std::size_t shared_bytes_ = 0;
};

}  // namespace sluice::detail
