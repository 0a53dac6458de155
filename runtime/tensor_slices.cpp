#include <sluice/runtime/tensor_slices.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {
namespace {

// A shape as seen from one axis: `outer` blocks of elements along the axis, each element of `inner`
// bytes.
struct Split {
  std::size_t outer = 1;
  std::size_t inner = 1;
};
Split split(const ValueSpec& spec, int axis) {
  Split s;
  s.inner = size_of(spec.dtype);
  for (int d = 0; d < spec.shape.rank; ++d)
    (d < axis ? s.outer : s.inner) *= static_cast<std::size_t>(spec.shape[d]);
  return s;
}

void check_axis(int axis, int rank, const char* what) {
  if (axis >= 0 && axis < rank) return;
  throw std::invalid_argument("axis " + std::to_string(axis) + " does not exist in " + what +
                              " of " + std::to_string(rank) + " dimensions");
}

}  // namespace

void take_slice(const Tensor& tensor, int axis, std::int64_t index, Tensor& out) {
  const Shape& shape = tensor.shape();
  check_axis(axis, shape.rank, "a tensor");
  const std::int64_t size = shape[axis];
  if (index < 0 || index >= size) {
    throw std::out_of_range("there is no slice " + std::to_string(index) + " along axis " +
                            std::to_string(axis) + ", which has " + std::to_string(size));
  }
  Shape rest;
  for (int d = 0; d < shape.rank; ++d) {
    if (d != axis) rest.dims[static_cast<std::size_t>(rest.rank++)] = shape[d];
  }
  Strides strides{};
  for (int d = 0, to = 0; d < shape.rank; ++d) {
    if (d != axis)
      strides[static_cast<std::size_t>(to++)] = tensor.strides()[static_cast<std::size_t>(d)];
  }
  out.create(rest, tensor.dtype());
  if (out.elements() == 0) return;
  const std::int64_t before = tensor.strides()[static_cast<std::size_t>(axis)] * index *
                              static_cast<std::int64_t>(size_of(tensor.dtype()));
  // A view needs a pointer to writable bytes; these are only read.
  copy_elements(Tensor::view(const_cast<std::byte*>(tensor.bytes()) + before, out.spec(), strides,
                             tensor.place()),
                out.bytes());
}

void stack_slices(const std::vector<Tensor>& slices, int axis, Tensor& out) {
  std::vector<const Tensor*> all;
  all.reserve(slices.size());
  for (const Tensor& slice : slices) all.push_back(slice.empty() ? nullptr : &slice);
  stack_slices(all, axis, out);
}

void stack_slices(std::span<const Tensor* const> slices, int axis, Tensor& out) {
  out.release();
  const auto found = std::find_if(slices.begin(), slices.end(), [](const Tensor* t) { return t; });
  if (found == slices.end()) return;
  const Tensor& first = **found;
  const Shape& shape = first.shape();
  if (shape.rank >= Shape::kMaxRank)
    throw std::invalid_argument("tensors of " + std::to_string(Shape::kMaxRank) +
                                " dimensions cannot be stacked");
  check_axis(axis, shape.rank + 1, "the stack");
  Shape stacked;
  stacked.rank = shape.rank + 1;
  for (int d = 0; d < stacked.rank; ++d) {
    stacked.dims[static_cast<std::size_t>(d)] =
        d == axis ? static_cast<std::int64_t>(slices.size()) : shape[d < axis ? d : d - 1];
  }
  out.create(stacked, first.dtype());
  const bool nothing = out.elements() == 0;
  const Split s = split(first.spec(), axis);
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const auto at = [&](std::size_t o) { return out.bytes() + (o * slices.size() + k) * s.inner; };
    if (slices[k] == nullptr) {
      for (std::size_t o = 0; o < s.outer && !nothing; ++o) std::memset(at(o), 0, s.inner);
      continue;
    }
    require_on_host(slices[k]->place());
    const Tensor copy = slices[k]->contiguous() ? Tensor() : slices[k]->clone();
    const Tensor& slice = copy.empty() ? *slices[k] : copy;
    if (slice.shape() != shape || slice.dtype() != first.dtype()) {
      throw std::invalid_argument("slice " + std::to_string(k) + " is " + to_string(slice.shape()) +
                                  " of " + name_of(slice.dtype()) + ", but the first one is " +
                                  to_string(shape) + " of " + name_of(first.dtype()));
    }
    for (std::size_t o = 0; o < s.outer && !nothing; ++o)
      std::memcpy(at(o), slice.bytes() + o * s.inner, s.inner);
  }
}

}  // namespace sluice
