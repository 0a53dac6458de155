#include <sluice/ops/kernels/tensors.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

Shape joined_shape(const Tensor& a, const Tensor& b, int axis) {
  bool fits = a.dtype() == b.dtype() && a.shape().rank == b.shape().rank;
  for (int i = 0; fits && i < a.shape().rank; ++i) fits = i == axis || a.shape()[i] == b.shape()[i];
  if (!fits) {
    throw std::invalid_argument(fmt::format(
        "cat: a tensor of {} {} and one of {} {} do not fit together along dimension {}",
        name_of(a.dtype()), to_string(a.shape()), name_of(b.dtype()), to_string(b.shape()), axis));
  }
  Shape shape = a.shape();
  shape.dims[static_cast<std::size_t>(axis)] += b.shape()[axis];
  return shape;
}

std::vector<std::byte> elements_of(const Tensor& tensor) {
  std::vector<std::byte> elements(tensor.nbytes());
  copy_elements(tensor, elements.data());
  return elements;
}

}  // namespace

int dimension_of(const char* op, int axis, int rank) {
  const int counted = axis < 0 ? axis + rank : axis;
  if (counted >= 0 && counted < rank) return counted;
  throw std::invalid_argument(fmt::format(
      "{}: there is no dimension {} of {}; count from 0, or back from -1", op, axis, rank));
}

Joined joined(const Tensor& a, const Tensor& b, int axis) {
  axis = dimension_of("cat", axis, a.shape().rank);
  Joined plan{joined_shape(a, b, axis), a.layout() == b.layout() ? a.layout() : Layout::none};
  for (int i = 0; i < axis; ++i) plan.pieces *= plan.shape[i];
  return plan;
}

void cat(const Tensor& a, const Tensor& b, int axis, Tensor& out) {
  const Joined plan = joined(a, b, axis);
  const std::vector<std::byte> first = elements_of(a), second = elements_of(b);
  out.create(plan.shape, a.dtype(), plan.layout);
  if (out.nbytes() == 0) return;
  const auto count = static_cast<std::size_t>(plan.pieces);
  const std::size_t first_bytes = first.size() / count, second_bytes = second.size() / count;
  std::byte* to = out.bytes();
  for (std::size_t i = 0; i < count; ++i) {
    to = std::copy_n(first.data() + i * first_bytes, first_bytes, to);
    to = std::copy_n(second.data() + i * second_bytes, second_bytes, to);
  }
}

void check_new_shape(const NewShape& shape) {
  if (shape.rank < 0 || shape.rank > Shape::kMaxRank) {
    throw std::invalid_argument(fmt::format("reshape: there are {} sizes; 0 to {} are possible",
                                            shape.rank, Shape::kMaxRank));
  }
  if (shape.layout != Layout::none && shape.rank != 3) {
    throw std::invalid_argument(fmt::format("reshape: the layout {} has 3 dimensions, not {}",
                                            name_of(shape.layout), shape.rank));
  }
  int follow = 0;
  for (int i = 0; i < shape.rank; ++i) {
    const std::int64_t size = shape.sizes[static_cast<std::size_t>(i)];
    if (size < -1) throw std::invalid_argument(fmt::format("reshape: a size is {}", size));
    if (size == -1) ++follow;
  }
  if (follow > 1)
    throw std::invalid_argument("reshape: one size may be -1, and follow from the others");
}

Shape reshaped(const Tensor& in, const NewShape& shape) {
  check_new_shape(shape);
  Shape to;
  to.rank = shape.rank;
  std::int64_t others = 1;
  for (int i = 0; i < shape.rank; ++i) {
    const std::int64_t size = shape.sizes[static_cast<std::size_t>(i)];
    to.dims[static_cast<std::size_t>(i)] = size;
    if (size == -1) continue;
    // No tensor has this many elements, so the exact number does not matter.
    others = size > Shape::kMaxElements / std::max<std::int64_t>(others, 1)
                 ? Shape::kMaxElements + 1
                 : others * size;
  }
  const std::int64_t elements = in.shape().elements();
  bool follows = false;
  for (std::int64_t& size : to.dims) {
    if (size != -1) continue;
    follows = true;
    size = others > 0 ? elements / others : 0;
    others *= size;
  }
  // Without elements, the missing size is ambiguous.
  if (others != elements || (follows && elements == 0)) {
    std::string sizes;
    for (int i = 0; i < shape.rank; ++i)
      sizes += fmt::format("{}{}", i == 0 ? "" : " x ", shape.sizes[static_cast<std::size_t>(i)]);
    throw std::invalid_argument(
        fmt::format("reshape: a tensor of {} has {} elements and cannot become one of {}",
                    to_string(in.shape()), elements, shape.rank == 0 ? "one element" : sizes));
  }
  return to;
}

void reshape(const Tensor& in, const NewShape& shape, Tensor& out) {
  out.create(reshaped(in, shape), in.dtype(), shape.layout);
  copy_elements(in, out.bytes());
}

}  // namespace sluice::kernels
