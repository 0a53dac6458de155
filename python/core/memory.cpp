// Binds BufferRing: arrays of the user that batches are written into.
#include "memory.h"

#include "text.h"
#include <sluice/runtime/memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

namespace sluice::python {
namespace {

using RingArray = nb::ndarray<>;

using RingArrays = std::vector<RingArray>;

// A ring that keeps its arrays alive. After the interpreter has ended, they are leaked.
class ArrayRing : public BufferRing {
 public:
  ArrayRing(const std::vector<void*>& buffers, std::size_t bytes_each, MemoryPlace place,
            RingArrays arrays)
      : BufferRing(buffers, bytes_each, place),
        arrays_(std::make_unique<RingArrays>(std::move(arrays))) {}
  ArrayRing(const ArrayRing&) = delete;
  ArrayRing& operator=(const ArrayRing&) = delete;
  ~ArrayRing() override {
    if (!Py_IsInitialized()) {
      (void)arrays_.release();
    } else {
      const nb::gil_scoped_acquire lock;
      arrays_.reset();
    }
  }

 private:
  std::unique_ptr<RingArrays> arrays_;
};

[[noreturn]] void refuse_ring(std::size_t i, const std::string& what) {
  throw BuildError(fmt::format("BufferRing: array {} {}", i, what));
}

RingArray ring_array_of(std::size_t i, nb::handle object) {
  RingArray array;
  if (!nb::try_cast(object, array)) {
    refuse_ring(
        i, fmt::format("must be a writable array of NumPy, PyTorch or another library that has "
                       "DLPack or buffers (got {})",
                       message_of(object.type())));
  }
  std::int64_t stride = 1;
  for (std::size_t axis = array.ndim(); axis-- > 0;) {
    const auto size = static_cast<std::int64_t>(array.shape(axis));
    if (size != 1 && array.stride(axis) != stride)
      refuse_ring(i,
                  "must be C-contiguous; pass a new array, or "
                  "array.contiguous() of a tensor");
    stride *= size;
  }
  return array;
}

MemoryPlace place_of_ring(std::size_t i, const RingArray& array) {
  switch (array.device_type()) {
    case nb::device::cpu::value:
      return {};
    case nb::device::cuda_host::value:
      return {MemoryKind::pinned, array.device_id()};
    case nb::device::cuda::value:
      return {MemoryKind::device, array.device_id()};
    default:
      refuse_ring(i,
                  "is in the memory of another kind of device; pass arrays in host memory, or on a "
                  "GPU of CUDA");
  }
}

std::shared_ptr<BufferRing> ring_of(const nb::object& given) {
  if (!nb::isinstance<nb::list>(given) && !nb::isinstance<nb::tuple>(given)) {
    throw BuildError(
        fmt::format("BufferRing takes a list of arrays (got {})", message_of(given.type())));
  }
  std::vector<void*> buffers;
  RingArrays arrays;
  std::size_t bytes = 0;
  MemoryPlace place;
  for (const nb::handle one : given) {
    const std::size_t i = buffers.size();
    const RingArray array = ring_array_of(i, one);
    if (i == 0) {
      bytes = array.nbytes();
      place = place_of_ring(i, array);
    }
    if (array.nbytes() != bytes) {
      refuse_ring(i, fmt::format("has {} bytes, but array 0 has {}; all must have the same number",
                                 array.nbytes(), bytes));
    }
    if (place_of_ring(i, array) != place) {
      refuse_ring(i, fmt::format("is in {}, but array 0 in {}", to_string(place_of_ring(i, array)),
                                 to_string(place)));
    }
    auto* const at = static_cast<std::byte*>(array.data());
    if (bytes == 0) refuse_ring(i, "is empty; it must hold a batch");
    if (reinterpret_cast<std::uintptr_t>(at) % sluice::Buffer::kAlignment != 0) {
      refuse_ring(
          i,
          fmt::format("begins at an address that is not a multiple of {}; memory of torch.empty(), "
                      "numpy.memmap() and multiprocessing.shared_memory does",
                      sluice::Buffer::kAlignment));
    }
    for (std::size_t k = 0; k < i; ++k) {
      const auto* const other = static_cast<std::byte*>(buffers[k]);
      if (at < other + bytes && other < at + bytes)
        refuse_ring(i, fmt::format("shares memory with array {}", k));
    }
    buffers.push_back(at);
    arrays.push_back(array);
  }
  if (buffers.empty())
    throw BuildError("BufferRing: the list has no arrays; pass at least prefetch + 2");
  return std::make_shared<ArrayRing>(buffers, bytes, place, std::move(arrays));
}

}  // namespace

void bind_memory(nb::module_& module) {
  nb::class_<BufferRing>(module, "BufferRing",
                         "Your own arrays that batches are written into: pass it as "
                         "`output_memory` of a pipeline.\n\n"
                         "Each batch takes one array, and the array is used again when the batch "
                         "and all arrays and tensors made of it are gone. Two pipelines may share "
                         "a ring. Two rings must not share an array.")
      .def(nb::new_(&ring_of), nb::arg("arrays"),
           "arrays: a list of writable, C-contiguous arrays with the same number of bytes, each "
           "large enough for a batch. Each begins at a multiple of 64 bytes. They are in host "
           "memory, pinned or not, or on a GPU, as the output is.")
      .def("__len__", &BufferRing::most_blocks, "The number of arrays.")
      .def_prop_ro("bytes_each", &BufferRing::bytes_each, "The bytes of an array.")
      .def_prop_ro("free", &BufferRing::free, "The number of arrays that no batch uses.")
      .def("__repr__",
           [](const BufferRing& self) {
             return fmt::format("<BufferRing of {} arrays, {} bytes each, {} free>",
                                self.most_blocks(), self.bytes_each(), self.free());
           })
      .def("__reduce__", [](const BufferRing&) -> nb::object {
        throw nb::type_error(
            "a BufferRing refers to memory of its process and cannot be pickled or copied; make "
            "one "
            "in each process");
      });
  module.attr("BufferRing").attr("__module__") = "sluice";
}

std::shared_ptr<MemoryResource> memory_of(nb::handle value) {
  if (value.is_none()) return nullptr;
  if (!nb::isinstance<BufferRing>(value)) {
    throw std::invalid_argument(fmt::format(
        "must be a BufferRing or None for each output, not {}; sluice.BufferRing(arrays) "
        "makes one",
        message_of(nb::repr(value))));
  }
  return nb::cast<std::shared_ptr<BufferRing>>(value);
}

}  // namespace sluice::python
