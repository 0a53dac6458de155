#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/kernels/pad_tensor.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
using detail::is_fraction;
using detail::visit_dtype;
namespace {

// Sizes up to this limit can be added and rounded up without overflow.
constexpr std::int64_t kLargest = Shape::kMaxElements;

void check_fill(DType type, double fill) {
  if (type == DType::f64) return;
  if (is_fraction(type)) {
    const double most = type == DType::f16 ? 65504 : std::numeric_limits<float>::max();
    if (std::abs(fill) <= most) return;
    throw std::invalid_argument(
        fmt::format("pad_tensor: fill is {}; for a tensor of {}, numbers from {} to {} are "
                    "possible",
                    fill, name_of(type), -most, most));
  }
  visit_dtype(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (fill >= static_cast<double>(kLow) && fill < beyond && fill == std::trunc(fill)) return;
      throw std::invalid_argument(
          fmt::format("pad_tensor: fill is {}; for a tensor of {}, whole numbers from {} to {} are "
                      "possible",
                      fill, name_of(type), +kLow, +kHigh));
    }
  });
}

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

void pad_tensor(const Tensor& in, const TensorMargin& margin, Tensor& out) {
  const int along = dimension_of("pad_tensor", margin.axis, in.shape().rank);
  check_fill(in.dtype(), margin.fill);
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
