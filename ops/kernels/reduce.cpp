#include <sluice/ops/kernels/reduce.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/compute.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// The number of values processed at once, so that the sum of their squares fits in 32 bits.
constexpr std::int64_t kPiece = 65536;

void add_sum(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += levels[i];
  sums.sum += sum;
}

void add_squares(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint32_t squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t level = levels[i];
    squares += level * level;
  }
  sums.squares += squares;
}

void add_lowest(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint8_t lowest = 255;
  for (std::int64_t i = 0; i < count; ++i) lowest = std::min(lowest, levels[i]);
  sums.lowest = std::min<std::uint32_t>(sums.lowest, lowest);
}

void add_highest(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint8_t highest = 0;
  for (std::int64_t i = 0; i < count; ++i) highest = std::max(highest, levels[i]);
  sums.highest = std::max<std::uint32_t>(sums.highest, highest);
}

void add_piece(Reduction what, const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  switch (what) {
    case Reduction::mean:
      add_sum(levels, count, sums);
      break;
    case Reduction::min:
      add_lowest(levels, count, sums);
      break;
    case Reduction::max:
      add_highest(levels, count, sums);
      break;
    case Reduction::standard_deviation:
      add_sum(levels, count, sums);
      add_squares(levels, count, sums);
      break;
  }
}

// Sums the squared distances from the integer part of the mean, and corrects for its fraction.
double deviation(const LevelSums& sums, std::int64_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  const std::uint64_t whole = sums.sum / n;
  const std::uint64_t squares = sums.squares + whole * whole * n - 2 * whole * sums.sum;
  const double rest = static_cast<double>(sums.sum - whole * n) / static_cast<double>(n);
  const double variance = static_cast<double>(squares) / static_cast<double>(n) - rest * rest;
  return std::sqrt(std::max(variance, 0.0));
}

double number_of(Reduction what, const LevelSums& sums, std::int64_t count) {
  switch (what) {
    case Reduction::mean:
      return static_cast<double>(sums.sum) / static_cast<double>(count);
    case Reduction::min:
      return sums.lowest;
    case Reduction::max:
      return sums.highest;
    case Reduction::standard_deviation:
      return deviation(sums, count);
  }
  return 0;
}

void check_not_empty(Reduction what, const Tensor& in) {
  if (in.empty() || in.elements() == 0)
    throw std::invalid_argument(fmt::format("{}: the value is empty", name_of(what)));
}

double reduced_levels(Reduction what, const LevelRows& rows) {
  LevelSums sums;
  sums.lowest = 255;
  for (std::int64_t y = 0; y < rows.rows; ++y) {
    const std::uint8_t* const row = rows.data + y * rows.stride;
    for (std::int64_t at = 0; at < rows.bytes; at += kPiece)
      add_piece(what, row + at, std::min(kPiece, rows.bytes - at), sums);
  }
  return number_of(what, sums, rows.rows * rows.bytes);
}

double reduced_levels(Reduction what, const Tensor& in) {
  LevelRows rows;
  if (!lies_in_rows(in, rows)) return reduced_levels(what, in.clone());
  return reduced_levels(what, rows);
}

template <class T>
double plain(T x) {
  if constexpr (detail::is_half<T>) {
    return static_cast<float>(x);
  } else {
    return static_cast<double>(x);
  }
}

// Returns the lowest or the highest element, compared in a type that holds it exactly.
template <class T>
auto extreme(bool highest, const T* elements, std::int64_t count) {
  using C = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  const auto number = [](T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<C>(x);
    } else {
      return plain(x);
    }
  };
  C found = number(elements[0]);
  for (std::int64_t i = 1; i < count; ++i) {
    const C next = number(elements[i]);
    // A NaN replaces any result.
    if (next != next || (highest ? next > found : next < found)) found = next;
    if (found != found) break;
  }
  return found;
}

template <class T>
double deviation_of(const T* elements, std::int64_t count, double mean) {
  double squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double distance = plain(elements[i]) - mean;
    squares += distance * distance;
  }
  return std::sqrt(squares / static_cast<double>(count));
}

// Whole numbers are exact; fractions are rounded.
template <class To, class C>
To result_as(Reduction what, C number) {
  To made{};
  const bool exact = !std::is_integral_v<C> || detail::is_number_of<To>(number);
  if (!exact || !detail::fits(number, made)) {
    throw std::overflow_error(fmt::format("{}: {} is no {}; ask for {}", name_of(what), number,
                                          sluice::name_of(dtype_of<To>::value),
                                          std::is_integral_v<C> ? "i64" : "f64"));
  }
  return made;
}

}  // namespace

const char* name_of(Reduction what) {
  switch (what) {
    case Reduction::mean:
      return "mean";
    case Reduction::min:
      return "min";
    case Reduction::max:
      return "max";
    case Reduction::standard_deviation:
      return "standard_deviation";
  }
  return "?";
}

float reduced(Reduction what, const LevelSums& sums, std::int64_t count) {
  return static_cast<float>(number_of(what, sums, count));
}

bool lies_in_rows(const Tensor& in, LevelRows& rows) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(in.bytes());
  const std::int64_t count = in.elements();
  if (in.contiguous()) {
    rows = {data, 1, count, count};
    return true;
  }
  const std::int64_t height = in.shape()[0];
  const Strides dense = contiguous_strides(in.shape());
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(in.shape().rank); ++axis) {
    if (in.shape().dims[axis] != 1 && in.strides()[axis] != dense[axis]) return false;
  }
  rows = {data, height, count / height, in.strides()[0]};
  return true;
}

void check_levels(Reduction what, const Tensor& in) {
  check_not_empty(what, in);
  if (in.dtype() != DType::u8) {
    throw std::invalid_argument(
        fmt::format("{}: on a GPU the elements are u8, not {}; move the tensor with cpu()",
                    name_of(what), sluice::name_of(in.dtype())));
  }
}

void check_reduction(Reduction what, DType elements, DType to) {
  const bool extreme = what == Reduction::min || what == Reduction::max;
  if (to != DType::i64 || (extreme && !detail::is_fraction(elements))) return;
  throw std::invalid_argument(
      fmt::format("{}: to is i64, but the result of elements of {} is a fraction; it can be f32 or "
                  "f64",
                  name_of(what), sluice::name_of(elements)));
}

template <class To>
To reduce(Reduction what, const Tensor& in) {
  check_not_empty(what, in);
  check_reduction(what, in.dtype(), dtype_of<To>::value);
  if (in.dtype() == DType::u8) return static_cast<To>(reduced_levels(what, in));
  if (!in.contiguous()) return reduce<To>(what, in.clone());
  To result{};
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const elements = in.data<T>();
    if (what == Reduction::min || what == Reduction::max) {
      result = result_as<To>(what, extreme(what == Reduction::max, elements, in.elements()));
      return;
    }
    double number = sum<double>(in) / static_cast<double>(in.elements());
    if (what == Reduction::standard_deviation)
      number = deviation_of(elements, in.elements(), number);
    result = result_as<To>(what, number);
  });
  return result;
}

template std::int64_t reduce<std::int64_t>(Reduction what, const Tensor& in);
template float reduce<float>(Reduction what, const Tensor& in);
template double reduce<double>(Reduction what, const Tensor& in);

namespace {

// True if an element is zero or, with `zero` false, not zero.
bool has(bool zero, const Tensor& in) {
  if (in.elements() == 0) return false;
  if (!in.contiguous()) return has(zero, in.clone());
  bool found = false;
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const elements = in.data<T>();
    found = std::any_of(elements, elements + in.elements(),
                        [zero](T x) { return (plain(x) == 0) == zero; });
  });
  return found;
}

}  // namespace

bool any(const Tensor& in) { return has(false, in); }
bool all(const Tensor& in) { return !has(true, in); }

namespace {

// Elements are added in pieces: short sums stay exact longer than one long sum.
constexpr std::int64_t kSumPiece = 4096;
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
  if constexpr (detail::is_half<T>) {
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

template <class To, class T>
To sum_of(const T* elements, std::int64_t count) {
  using W = Sum<To, T>;
  W total{};
  for (std::int64_t at = 0; at < count; at += kSumPiece)
    total += sum_of_piece<W>(elements + at, std::min(kSumPiece, count - at));
  To result = 0;
  if (!detail::fits(total, result)) {
    throw std::overflow_error(
        fmt::format("sum: {} does not hold it; ask for f64, or cast the elements to f64",
                    name_of(dtype_of<To>::value)));
  }
  return result;
}

}  // namespace

void check_sum(DType elements, DType to) {
  if (!detail::is_fraction(elements) || detail::is_fraction(to)) return;
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
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    result = sum_of<To>(in.data<T>(), in.elements());
  });
  return result;
}

template std::int64_t sum<std::int64_t>(const Tensor& in);
template float sum<float>(const Tensor& in);
template double sum<double>(const Tensor& in);

namespace {

// Reduces `count` elements in a row.
template <AxisReduction kWhat, class R, class T>
R reduced_row(const T* elements, std::int64_t count) {
  if constexpr (kWhat == AxisReduction::any) {
    return std::any_of(elements, elements + count, [](T x) { return plain(x) != 0; });
  } else if constexpr (kWhat == AxisReduction::all) {
    return std::all_of(elements, elements + count, [](T x) { return plain(x) != 0; });
  } else if constexpr (kWhat == AxisReduction::sum) {
    return sum_of<R>(elements, count);
  } else if constexpr (kWhat == AxisReduction::min || kWhat == AxisReduction::max) {
    const auto found = extreme(kWhat == AxisReduction::max, elements, count);
    if constexpr (detail::is_half<R>) {
      return R(static_cast<float>(found));
    } else {
      return static_cast<R>(found);
    }
  } else {
    constexpr bool kMean = kWhat == AxisReduction::mean;
    if constexpr (std::is_same_v<T, std::uint8_t>) {
      return static_cast<R>(reduced_levels(kMean ? Reduction::mean : Reduction::standard_deviation,
                                           {elements, 1, count, count}));
    } else {
      const double mean = sum_of<double>(elements, count) / static_cast<double>(count);
      return static_cast<R>(kMean ? mean : deviation_of(elements, count, mean));
    }
  }
}

// The type of reduced elements of type T; see reduced_type().
template <AxisReduction kWhat, class T>
using Reduced = std::conditional_t<
    kWhat == AxisReduction::any || kWhat == AxisReduction::all, bool,
    std::conditional_t<
        kWhat == AxisReduction::min || kWhat == AxisReduction::max, T,
        std::conditional_t<kWhat == AxisReduction::sum && std::is_integral_v<T>, std::int64_t,
                           std::conditional_t<std::is_same_v<T, double>, double, float>>>>;

// Reduces rows of `count` elements.
template <AxisReduction kWhat>
void reduce_rows(const Tensor& rows, std::int64_t count, Tensor& out) {
  detail::visit_dtype(rows.dtype(), [&]<class T>(std::type_identity<T>) {
    using R = Reduced<kWhat, T>;
    const T* row = rows.data<T>();
    R* const to = out.data<R>();
    for (std::int64_t i = 0; i < out.elements(); ++i, row += count)
      to[i] = reduced_row<kWhat, R>(row, count);
  });
}

// Returns for each dimension whether it is reduced.
std::array<bool, Shape::kMaxRank> reduced_dimensions(const char* op, const ReducedAxes& axes,
                                                     int rank) {
  std::array<bool, Shape::kMaxRank> reduced{};
  for (int i = 0; i < axes.count; ++i) {
    const int axis = dimension_of(op, axes.axes[static_cast<std::size_t>(i)], rank);
    bool& named = reduced[static_cast<std::size_t>(axis)];
    if (named) throw std::invalid_argument(fmt::format("{}: axis {} is named twice", op, axis));
    named = true;
  }
  return reduced;
}

}  // namespace

const char* name_of(AxisReduction what) {
  switch (what) {
    case AxisReduction::mean:
      return "mean";
    case AxisReduction::min:
      return "min";
    case AxisReduction::max:
      return "max";
    case AxisReduction::standard_deviation:
      return "standard_deviation";
    case AxisReduction::sum:
      return "sum";
    case AxisReduction::any:
      return "any";
    case AxisReduction::all:
      return "all";
  }
  return "?";
}

DType reduced_type(AxisReduction what, DType elements) {
  if (what == AxisReduction::any || what == AxisReduction::all) return DType::boolean;
  if (what == AxisReduction::min || what == AxisReduction::max) return elements;
  if (what == AxisReduction::sum && !detail::is_fraction(elements)) return DType::i64;
  return elements == DType::f64 ? DType::f64 : DType::f32;
}

void check_reduced_axes(AxisReduction what, const ReducedAxes& axes, int rank) {
  reduced_dimensions(name_of(what), axes, rank);
}

void reduce_axes(AxisReduction what, const Tensor& in, const ReducedAxes& axes, Tensor& out) {
  const char* const op = name_of(what);
  const int rank = in.shape().rank;
  const auto reduced = reduced_dimensions(op, axes, rank);
  // Move the reduced dimensions behind the others, so that each result comes from a row.
  Axes order{.rank = rank};
  std::size_t next = 0;
  std::int64_t count = 1;
  Shape shape;
  const auto dimensions = static_cast<std::size_t>(rank);
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    if (reduced[axis]) {
      count *= in.shape().dims[axis];
    } else {
      order.axes[next++] = static_cast<int>(axis);
    }
    if (!reduced[axis] || axes.keep)
      shape.dims[static_cast<std::size_t>(shape.rank++)] =
          reduced[axis] ? 1 : in.shape().dims[axis];
  }
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    if (reduced[axis]) order.axes[next++] = static_cast<int>(axis);
  }
  out.create(shape, reduced_type(what, in.dtype()), axes.keep ? in.layout() : Layout::none);
  const bool has_empty =
      what == AxisReduction::sum || what == AxisReduction::any || what == AxisReduction::all;
  if (out.elements() == 0) return;
  if (count == 0 && !has_empty) {
    throw std::invalid_argument(fmt::format("{}: a tensor of {} has no elements along these axes",
                                            op, to_string(in.shape())));
  }
  Tensor rows;
  permute(in, order, rows);
  switch (what) {
    case AxisReduction::mean:
      return reduce_rows<AxisReduction::mean>(rows, count, out);
    case AxisReduction::min:
      return reduce_rows<AxisReduction::min>(rows, count, out);
    case AxisReduction::max:
      return reduce_rows<AxisReduction::max>(rows, count, out);
    case AxisReduction::standard_deviation:
      return reduce_rows<AxisReduction::standard_deviation>(rows, count, out);
    case AxisReduction::sum:
      return reduce_rows<AxisReduction::sum>(rows, count, out);
    case AxisReduction::any:
      return reduce_rows<AxisReduction::any>(rows, count, out);
    case AxisReduction::all:
      return reduce_rows<AxisReduction::all>(rows, count, out);
  }
}

}  // namespace sluice::kernels
