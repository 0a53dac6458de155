// ReplyWriter: turns a sample into a message, in a worker. Internal; see values.h.
#pragma once

#include <sluice/io/workers/message.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/wire_values.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <variant>

namespace sluice::detail {

class ReplyWriter {
 public:
  explicit ReplyWriter(const SharedMemory& memory) : memory_(&memory) {}

  void add_number(std::uint64_t bits) { wires_.add_number(bits); }
  void add_text(const std::string& text);
  void add(Bytes&& bytes, ValueKind kind = ValueKind::bytes);
  void add(Tensor&& tensor, ValueKind kind);

  // The message, for request `number`; the next value is of the next sample.
  MessageWriter finish(std::uint64_t number);
  // What was added since then is not sent.
  void abandon() noexcept;
  // The other side has let go of a value.
  void give_back(std::uint64_t id) noexcept { kept_.erase(id); }

 private:
  // Whether the elements lie in shared memory, where `value` is told.
  bool find(WireValue& value, const std::byte* at, bool is_view) const;
  std::string refusal(std::uint64_t bytes) const;
  template <class T>
  void keep(WireValue& value, T&& object);

  const SharedMemory* memory_;
  WireValues wires_;
  std::unordered_map<std::uint64_t, std::variant<Bytes, Tensor>> kept_;
  std::uint64_t next_id_ = 1;
};

}  // namespace sluice::detail
