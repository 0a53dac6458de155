// RequestInputs: the values of a sample that a worker's function is called with. Internal.
//
// Small values are sent inline. The others are copied into one segment of shared memory, whose
// descriptor is sent with the message. The worker maps the pages copy-on-write, so a second try
// finds the values unchanged.
//
// seal() makes that copy when a worker takes the request, since a process has few descriptors.
//
// Ownership: refers to the values that were added until seal() has copied them. Threads: one at a
// time. Errors: seal() throws Error if there are too many values or no shared memory.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/io/workers/descriptor.h>
#include <sluice/io/workers/wire_values.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace sluice::detail {

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

}  // namespace sluice::detail
