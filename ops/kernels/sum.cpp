#include <sluice/ops/kernels/sum.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::kernels {
using detail::is_fraction;
using detail::visit_dtype;
namespace {

// Elements are added in pieces: short sums stay exact longer than one long sum.
constexpr std::int64_t kPiece = 4096;
// The number of independent sums.
constexpr std::int64_t kLanes = 8;

// The type in which elements of type T are added for a sum of type To. 64 bits hold all sums of
// shorter whole numbers.
template <class To, class T>
using Sum = std::conditional_t<
    !std::is_integral_v<T>, double,
    std::conditional_t<sizeof(T) < 8, std::int64_t,
                       std::conditional_t<std::is_integral_v<To>, detail::Wide, double>>>;

template <class W, class T>
W wide(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<float>(x);
  } else {
    return static_cast<W>(x);
  }
}

template <class W, class T>
W sum_of_piece(const T* elements, std::int64_t count) {
  std::array<W, kLanes> lanes{};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[static_cast<std::size_t>(lane)] += wide<W>(elements[i + lane]);
  }
  W sum = std::accumulate(lanes.begin(), lanes.end(), W{});
  for (std::int64_t i = whole; i < count; ++i) sum += wide<W>(elements[i]);
  return sum;
}

}  // namespace

void check_sum(DType elements, DType to) {
  if (!is_fraction(elements) || is_fraction(to)) return;
  throw std::invalid_argument(
      fmt::format("sum: to is {}, but the elements are {}; their sum can be f32 or f64",
                  name_of(to), name_of(elements)));
}

template <class To>
To sum(const Tensor& in) {
  check_sum(in.dtype(), dtype_of<To>::value);
  if (in.elements() == 0) return 0;
  if (!in.contiguous()) return sum<To>(in.clone());
  To result = 0;
  visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const elements = in.data<T>();
    using W = Sum<To, T>;
    W total{};
    for (std::int64_t at = 0; at < in.elements(); at += kPiece)
      total += sum_of_piece<W>(elements + at, std::min(kPiece, in.elements() - at));
    if (!detail::fits(total, result)) {
      throw std::overflow_error(
          fmt::format("sum: {} does not hold it; ask for f64", name_of(dtype_of<To>::value)));
    }
  });
  return result;
}

template std::int64_t sum<std::int64_t>(const Tensor& in);
template float sum<float>(const Tensor& in);
template double sum<double>(const Tensor& in);

}  // namespace sluice::kernels
