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

}  // namespace sluice::detail
