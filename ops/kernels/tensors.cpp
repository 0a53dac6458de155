#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

Shape joined_shape(const Tensor& a, const Tensor& b, int axis) {
  bool fits = a.dtype() == b.dtype() && a.shape().rank == b.shape().rank;
  for (int i = 0; fits && i < a.shape().rank; ++i) fits = i == axis || a.shape()[i] == b.shape()[i];
  if (!fits) {
    throw std::invalid_argument(fmt::format(
        "cat: a tensor of {} {} and one of {} {} cannot be concatenated along dimension {}",
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
    throw std::invalid_argument("reshape: only one size may be -1, to be inferred from the others");
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
    throw std::invalid_argument(fmt::format(
        "reshape: a tensor of {} has {} and cannot become one of {}", to_string(in.shape()),
        counted(elements, "element"), shape.rank == 0 ? "one element" : sizes));
  }
  return to;
}

void reshape(const Tensor& in, const NewShape& shape, Tensor& out) {
  out.create(reshaped(in, shape), in.dtype(), shape.layout);
  copy_elements(in, out.bytes());
}

void check_axes(const Axes& axes) {
  unsigned named = 0;
  for (int i = 0; i < axes.rank; ++i) {
    const int axis = axes.axes[static_cast<std::size_t>(i)];
    if (axis < 0 || axis >= axes.rank) {
      throw std::invalid_argument(
          fmt::format("permute: an axis is {}; for {}, 0 to {} are possible", axis,
                      counted(axes.rank, "dimension"), axes.rank - 1));
    }
    if ((named >> axis & 1) != 0)
      throw std::invalid_argument(fmt::format("permute: axis {} is named twice", axis));
    named |= 1u << axis;
  }
}

ValueSpec permuted(const Tensor& in, const Axes& axes) {
  check_axes(axes);
  ValueSpec spec = in.spec();
  if (spec.shape.rank != axes.rank) {
    throw std::invalid_argument(
        fmt::format("permute: there are {} axes for a tensor of {}; name each dimension once",
                    axes.rank, to_string(spec.shape)));
  }
  bool stays = true;
  for (std::size_t i = 0; i < static_cast<std::size_t>(axes.rank); ++i) {
    const auto from = static_cast<std::size_t>(axes.axes[i]);
    spec.shape.dims[i] = in.shape().dims[from];
    stays = stays && from == i;
  }
  using Order = std::array<int, Shape::kMaxRank>;
  if (spec.layout == Layout::hwc && axes.axes == Order{2, 0, 1}) {
    spec.layout = Layout::chw;
  } else if (spec.layout == Layout::chw && axes.axes == Order{1, 2, 0}) {
    spec.layout = Layout::hwc;
  } else if (!stays) {
    spec.layout = Layout::none;
  }
  return spec;
}

void permute(const Tensor& in, const Axes& axes, Tensor& out) {
  const ValueSpec spec = permuted(in, axes);
  Strides strides{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(axes.rank); ++i)
    strides[i] = in.strides()[static_cast<std::size_t>(axes.axes[i])];
  out.create(spec.shape, spec.dtype, spec.layout);
  if (out.nbytes() == 0) return;
  // A view requires writable memory, but nothing is written to this one.
  copy_elements(Tensor::view(const_cast<std::byte*>(in.bytes()), spec, strides), out.bytes());
}

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

using detail::is_fraction;
using detail::visit_dtype;
namespace {

// Sizes up to this limit can be added and rounded up without overflow.
constexpr std::int64_t kLargest = Shape::kMaxElements;

std::int64_t padded_length(std::int64_t own, const TensorMargin& margin) {
  if (margin.length < 0 || margin.length > kLargest) {
    throw std::invalid_argument(
        fmt::format("pad_tensor: length is {}; 0 to {} are possible", margin.length, kLargest));
  }
  if (margin.align < 1 || margin.align > kLargest) {
    throw std::invalid_argument(
        fmt::format("pad_tensor: align is {}; 1 to {} are possible", margin.align, kLargest));
  }
  const std::int64_t least = std::max(own, margin.length);
  return (least + margin.align - 1) / margin.align * margin.align;
}

// Returns this number of elements of the type, each equal to `fill`.
std::vector<std::byte> filling(DType type, double fill, std::int64_t count) {
  Tensor number({}, DType::f64), element;
  *number.data<double>() = fill;
  cast(number, type, element);
  const std::size_t size = size_of(type);
  std::vector<std::byte> elements(static_cast<std::size_t>(count) * size);
  for (std::size_t at = 0; at < elements.size(); at += size)
    std::copy_n(element.bytes(), size, elements.data() + at);
  return elements;
}

}  // namespace

void check_fill(const char* op, DType type, double fill) {
  if (type == DType::f64) return;
  if (is_fraction(type)) {
    const double most = type == DType::f16    ? 65504
                        : type == DType::bf16 ? std::ldexp(2.0 - 1.0 / 128, 127)
                                              : std::numeric_limits<float>::max();
    if (std::abs(fill) <= most) return;
    throw std::invalid_argument(
        fmt::format("{}: fill is {}; for a tensor of {}, numbers from {} to {} are possible", op,
                    fill, name_of(type), -most, most));
  }
  visit_dtype(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (fill >= static_cast<double>(kLow) && fill < beyond && fill == std::trunc(fill)) return;
      throw std::invalid_argument(fmt::format(
          "{}: fill is {}; for a tensor of {}, whole numbers from {} to {} are possible", op, fill,
          name_of(type), +kLow, +kHigh));
    }
  });
}

void pad_tensor(const Tensor& in, const TensorMargin& margin, Tensor& out) {
  const int along = dimension_of("pad_tensor", margin.axis, in.shape().rank);
  check_fill("pad_tensor", in.dtype(), margin.fill);
  Shape shape = in.shape();
  shape.dims[static_cast<std::size_t>(along)] = padded_length(in.shape()[along], margin);
  out.create(shape, in.dtype(), in.layout());
  if (out.nbytes() == 0) return;

  std::int64_t pieces = 1, inner = 1;
  for (int axis = 0; axis < along; ++axis) pieces *= shape[axis];
  for (int axis = along + 1; axis < shape.rank; ++axis) inner *= shape[axis];
  const Tensor dense = in.contiguous() ? Tensor() : in.clone();
  const std::byte* from = in.contiguous() ? in.bytes() : dense.bytes();
  const std::size_t bytes = in.nbytes() / static_cast<std::size_t>(pieces);
  const std::vector<std::byte> rest =
      filling(in.dtype(), margin.fill, (shape[along] - in.shape()[along]) * inner);
  std::byte* to = out.bytes();
  for (std::int64_t i = 0; i < pieces; ++i, from += bytes) {
    to = std::copy_n(from, bytes, to);
    to = std::copy(rest.begin(), rest.end(), to);
  }
}

}  // namespace sluice::kernels
