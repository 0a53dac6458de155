#include <sluice/ops/kernels/slice_tensor.h>
#include <sluice/ops/kernels/tensors.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void slice_tensor(const Tensor& in, int axis, std::int64_t start, std::int64_t length,
                  Tensor& out) {
  const int along = dimension_of("slice_tensor", axis, in.shape().rank);
  const std::int64_t size = in.shape()[along];
  if (start < 0 || start > size) {
    throw std::invalid_argument(
        fmt::format("slice_tensor: start is {}; along dimension {} of a tensor of {}, 0 to {} are "
                    "possible",
                    start, along, to_string(in.shape()), size));
  }
  if (length < -1 || length > size - start) {
    throw std::invalid_argument(
        fmt::format("slice_tensor: length is {}; along dimension {} of a tensor of {}, from {} on, "
                    "0 to {} are possible, or -1 for all of them",
                    length, along, to_string(in.shape()), start, size - start));
  }
  ValueSpec spec = in.spec();
  spec.shape.dims[static_cast<std::size_t>(along)] = length == -1 ? size - start : length;
  out.create(spec.shape, spec.dtype, spec.layout);
  if (out.nbytes() == 0) return;

  const std::int64_t first = start * in.strides()[static_cast<std::size_t>(along)];
  const std::byte* const from = in.bytes() + first * static_cast<std::int64_t>(size_of(spec.dtype));
  // A view requires writable memory, but nothing is written to this one.
  copy_elements(Tensor::view(const_cast<std::byte*>(from), spec, in.strides()), out.bytes());
}

}  // namespace sluice::kernels
