#include <sluice/ops/kernels/elementwise.h>
#include <sluice/runtime/compute.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace sluice::kernels {
using detail::compute;
using detail::is_bitwise;
using detail::is_comparison;
using detail::is_fraction;
using detail::is_whole;
using detail::NumberType;
using detail::visit_dtype;
namespace {

// The number of elements processed at once; they stay in the cache.
constexpr std::int64_t kElements = 512;
template <class C>
using Piece = std::array<C, kElements>;

// Results of bf16 are f32: no number of a graph has that type.
NumberType number_type(DType type) {
  NumberType found{};
  visit_dtype(type, [&]<class T>(std::type_identity<T>) {
    using Number = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;
    found = detail::number_type_of<Number>();
  });
  return found;
}
// The type must be one that tensors have.
DType dtype_of_numbers(NumberType type) {
  DType found{};
  for (const DType one : {DType::boolean, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32,
                          DType::i64, DType::f16, DType::f32, DType::f64}) {
    if (number_type(one) == type) found = one;
  }
  return found;
}

template <class To, class From>
To converted(From x) {
  if constexpr (detail::is_half<From>) {
    return static_cast<To>(static_cast<float>(x));
  } else if constexpr (detail::is_half<To>) {
    return To(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// Loads `count` elements from number `first` on, `step` apart.
template <class C>
void load(const Tensor& from, std::int64_t first, std::int64_t step, std::int64_t count, C* to) {
  visit_dtype(from.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const elements = from.data<T>() + first;
    if (step == 1) {  // the compiler vectorizes this loop
      for (std::int64_t i = 0; i < count; ++i) to[i] = converted<C>(elements[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = converted<C>(elements[i * step]);
    }
  });
}
// Returns false if the type does not hold an element. Fractions are rounded.
template <class C>
bool store(const C* from, std::int64_t count, Tensor& to, std::int64_t first) {
  bool good = true;
  visit_dtype(to.dtype(), [&]<class T>(std::type_identity<T>) {
    T* const elements = to.data<T>() + first;
    for (std::int64_t i = 0; i < count; ++i) {
      elements[i] = converted<T>(from[i]);
      if constexpr (is_whole<C> && std::is_integral_v<T>)
        good = good & (static_cast<C>(elements[i]) == from[i]);
    }
  });
  return good;
}

// Returns false if C does not hold a result.
template <Elementwise kWhat, bool kRoom, class C>
bool compute_each(const C* a, const C* b, std::int64_t count, C* to) {
  bool good = true;
  for (std::int64_t i = 0; i < count; ++i) good = good & compute<kWhat, kRoom>(a[i], b[i], to[i]);
  return good;
}

template <bool kRoom, class C>
bool combine(Elementwise what, const C* a, const C* b, std::int64_t count, C* to) {
  switch (what) {
    case Elementwise::add:
      return compute_each<Elementwise::add, kRoom>(a, b, count, to);
    case Elementwise::subtract:
      return compute_each<Elementwise::subtract, kRoom>(a, b, count, to);
    case Elementwise::multiply:
      return compute_each<Elementwise::multiply, kRoom>(a, b, count, to);
    case Elementwise::divide:
      return compute_each<Elementwise::divide, kRoom>(a, b, count, to);
    case Elementwise::remainder:
      return compute_each<Elementwise::remainder, kRoom>(a, b, count, to);
    case Elementwise::floor_divide:
      return compute_each<Elementwise::floor_divide, kRoom>(a, b, count, to);
    case Elementwise::modulo:
      return compute_each<Elementwise::modulo, kRoom>(a, b, count, to);
    case Elementwise::power:
      return compute_each<Elementwise::power, kRoom>(a, b, count, to);
    case Elementwise::minimum:
      return compute_each<Elementwise::minimum, kRoom>(a, b, count, to);
    case Elementwise::maximum:
      return compute_each<Elementwise::maximum, kRoom>(a, b, count, to);
    case Elementwise::bitwise_and:
      return compute_each<Elementwise::bitwise_and, kRoom>(a, b, count, to);
    case Elementwise::bitwise_or:
      return compute_each<Elementwise::bitwise_or, kRoom>(a, b, count, to);
    case Elementwise::bitwise_xor:
      return compute_each<Elementwise::bitwise_xor, kRoom>(a, b, count, to);
    case Elementwise::absolute:
      return compute_each<Elementwise::absolute, kRoom>(a, b, count, to);
    case Elementwise::square_root:
      return compute_each<Elementwise::square_root, kRoom>(a, b, count, to);
    case Elementwise::exponential:
      return compute_each<Elementwise::exponential, kRoom>(a, b, count, to);
    case Elementwise::logarithm:
      return compute_each<Elementwise::logarithm, kRoom>(a, b, count, to);
    default:  // comparisons are handled elsewhere
      return false;
  }
}

template <Elementwise kWhat, class X, class Y>
void compare_each(const X* a, const Y* b, std::int64_t count, bool* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = detail::compare<kWhat>(a[i], b[i]);
}

template <class X, class Y>
void compare_all(Elementwise what, const X* a, const Y* b, std::int64_t count, bool* to) {
  switch (what) {
    case Elementwise::less:
      return compare_each<Elementwise::less>(a, b, count, to);
    case Elementwise::less_equal:
      return compare_each<Elementwise::less_equal>(a, b, count, to);
    case Elementwise::greater:
      return compare_each<Elementwise::greater>(a, b, count, to);
    case Elementwise::greater_equal:
      return compare_each<Elementwise::greater_equal>(a, b, count, to);
    case Elementwise::equal:
      return compare_each<Elementwise::equal>(a, b, count, to);
    default:
      return compare_each<Elementwise::not_equal>(a, b, count, to);
  }
}

// Calls f with the type in which an operation with this result type is computed, and whether that
// type holds all sums, differences and products of such numbers.
template <class F>
void visit_computed(Elementwise what, DType type, const F& f) {
  if (type == DType::f64) return f(std::type_identity<double>(), std::true_type());
  if (is_fraction(type)) return f(std::type_identity<float>(), std::true_type());
  if (type == DType::i64 || what == Elementwise::power)
    return f(std::type_identity<std::int64_t>(), std::false_type());
  // The product of two u16 does not fit into an i32.
  if (type == DType::i32 || (type == DType::u16 && what == Elementwise::multiply))
    return f(std::type_identity<std::int64_t>(), std::true_type());
  f(std::type_identity<std::int32_t>(), std::true_type());
}

// Calls f with types that hold both sides of a comparison without loss. They are the same type,
// except for i64 beside fractions.
template <class F>
void visit_compared(DType a, DType b, const F& f) {
  const std::type_identity<std::int64_t> whole;
  const std::type_identity<double> fraction;
  const bool small = (is_fraction(a) || size_of(a) < 4) && (is_fraction(b) || size_of(b) < 4);
  const bool wide = a == DType::f64 || b == DType::f64;
  if (!is_fraction(a) && !is_fraction(b)) {
    if (!small) return f(whole, whole);
    return f(std::type_identity<std::int32_t>(), std::type_identity<std::int32_t>());
  }
  if (small && !wide) return f(std::type_identity<float>(), std::type_identity<float>());
  if (a == DType::i64) return f(whole, fraction);
  if (b == DType::i64) return f(fraction, whole);
  f(fraction, fraction);
}

// A tensor broadcast to the shape of the result, with the strides of its elements there.
struct Operand {
  const Tensor& tensor;
  const Strides& strides;

  std::int64_t step(int axis) const {
    return axis < 0 ? 0 : strides[static_cast<std::size_t>(axis)];
  }
};

Strides broadcast(const Tensor& from, const Shape& shape) {
  Strides strides{};
  const int added = shape.rank - from.shape().rank;
  for (int axis = added; axis < shape.rank; ++axis) {
    const auto own = static_cast<std::size_t>(axis - added);
    if (from.shape().dims[own] != 1) strides[static_cast<std::size_t>(axis)] = from.strides()[own];
  }
  return strides;
}

// Merges dimensions where possible, so that rows are long. Elements keep their order.
void merge(ElementwisePlan& plan) {
  auto& [x, y] = plan.strides;
  Shape made;
  Strides of_x{}, of_y{};
  for (int axis = 0; axis < plan.shape.rank; ++axis) {
    const auto from = static_cast<std::size_t>(axis);
    const std::int64_t size = plan.shape[axis];
    if (size == 1) continue;
    const auto last = static_cast<std::size_t>(made.rank - 1);
    const bool merges =
        made.rank > 0 && of_x[last] == x[from] * size && of_y[last] == y[from] * size;
    if (!merges) ++made.rank;
    const auto at = static_cast<std::size_t>(made.rank - 1);
    made.dims[at] = merges ? made.dims[at] * size : size;
    of_x[at] = x[from];
    of_y[at] = y[from];
  }
  plan.rows = made;
  x = of_x;
  y = of_y;
}

Shape common_shape(Elementwise what, const Tensor& a, const Tensor& b) {
  Shape shape;
  shape.rank = std::max(a.shape().rank, b.shape().rank);
  for (int axis = 0; axis < shape.rank; ++axis) {
    const auto size_of = [&](const Tensor& tensor) {
      const int own = axis - (shape.rank - tensor.shape().rank);
      return own < 0 ? 1 : tensor.shape()[own];
    };
    const std::int64_t one = size_of(a), other = size_of(b);
    if (one != other && one != 1 && other != 1) {
      throw std::invalid_argument(
          fmt::format("{}: tensors of {} and {} cannot be broadcast; aligned at the last "
                      "dimension, sizes must be the same, or one of them 1",
                      name_of(what), to_string(a.shape()), to_string(b.shape())));
    }
    shape.dims[static_cast<std::size_t>(axis)] = one == 1 ? other : one;
  }
  return shape;
}

// Calls row(first of a, first of b) for each row of the last dimension, in the order of the result.
template <class F>
void for_each_row(const Shape& shape, const Operand& a, const Operand& b, const F& row) {
  std::array<std::int64_t, Shape::kMaxRank> place{};
  std::int64_t first_a = 0, first_b = 0;
  while (true) {
    row(first_a, first_b);
    int axis = shape.rank - 2;
    for (; axis >= 0; --axis) {
      auto& at = place[static_cast<std::size_t>(axis)];
      first_a += a.step(axis);
      first_b += b.step(axis);
      if (++at < shape[axis]) break;
      first_a -= a.step(axis) * at;
      first_b -= b.step(axis) * at;
      at = 0;
    }
    if (axis < 0) return;
  }
}

// Calls piece(begin, count) for pieces of a row of `width` elements.
template <class F>
void for_each_piece(std::int64_t width, const F& piece) {
  for (std::int64_t i = 0; i < width; i += kElements) piece(i, std::min(kElements, width - i));
}

std::int64_t row_width(const Shape& shape) { return shape.rank == 0 ? 1 : shape[shape.rank - 1]; }

}  // namespace

DType elementwise_type(Elementwise what, DType a, DType b) {
  if (is_bitwise(what) && (is_fraction(a) || is_fraction(b))) {
    throw std::invalid_argument(
        fmt::format("{}: the elements are {} and {}; whole numbers and bool are possible",
                    name_of(what), name_of(a), name_of(b)));
  }
  if (what == Elementwise::divide && !is_fraction(a) && !is_fraction(b)) return DType::f32;
  return dtype_of_numbers(detail::result_type(what, {number_type(a)}, {number_type(b)}));
}

DType type_beside(DType tensor, bool whole) {
  if (is_fraction(tensor)) return tensor;
  if (!whole) return DType::f32;
  return tensor == DType::boolean ? DType::i64 : tensor;
}

Tensor number_beside(Elementwise what, DType tensor, double number, bool whole) {
  const auto made_as = [number](DType type) {
    Tensor made({}, type);
    bool good = true;
    visit_dtype(type, [&]<class T>(std::type_identity<T>) {
      good = detail::fits(number, *made.data<T>());
    });
    return good ? std::move(made) : Tensor();
  };
  const DType type = type_beside(tensor, whole);
  Tensor made = made_as(type);
  // Beside fractions the number is rounded; beside whole numbers it is exact.
  const bool differs =
      !is_fraction(tensor) && !whole && static_cast<double>(static_cast<float>(number)) != number;
  if (is_comparison(what) && (made.empty() || differs)) return made_as(DType::f64);
  if (made.empty()) {
    throw std::invalid_argument(
        fmt::format("a tensor of {} and the number {}: {} does not hold it; cast the tensor",
                    name_of(tensor), number, name_of(type)));
  }
  return made;
}

namespace {

// Loads the elements of a row, from `first` on, as type C.
template <class C>
void load_piece(const Operand& from, int last, std::int64_t first, std::int64_t begin,
                std::int64_t count, Piece<C>& to) {
  load(from.tensor, first + begin * from.step(last), from.step(last), count, to.data());
}

// Calls piece(first of x, first of y, begin in the row, count, position in the output).
template <class F>
void for_each_piece_of(const Shape& shape, const Operand& x, const Operand& y, const F& piece) {
  std::int64_t to = 0;
  for_each_row(shape, x, y, [&](std::int64_t first_x, std::int64_t first_y) {
    for_each_piece(row_width(shape), [&](std::int64_t begin, std::int64_t count) {
      piece(first_x, first_y, begin, count, to);
      to += count;
    });
  });
}

// Throws the error of the first element that `type` does not hold.
template <bool kRoom, class C>
[[noreturn]] void throw_first(Elementwise what, const Piece<C>& a, const Piece<C>& b, DType type) {
  Tensor one({}, type);
  const bool unary = what >= Elementwise::negate;
  for (std::size_t i = 0;; ++i) {
    C result{};
    if (!combine<kRoom>(what, &a.at(i), &b.at(i), 1, &result) || !store(&result, 1, one, 0)) {
      detail::throw_overflow(what, detail::text_of(a.at(i)),
                             unary ? std::string() : detail::text_of(b.at(i)), number_type(type));
    }
  }
}

void compute_elements(Elementwise what, const Shape& shape, const Operand& x, const Operand& y,
                      Tensor& out) {
  const int last = shape.rank - 1;
  visit_computed(what, out.dtype(), [&]<class C, class Room>(std::type_identity<C>, Room) {
    Piece<C> left, right, result;
    for_each_piece_of(shape, x, y,
                      [&](std::int64_t first_x, std::int64_t first_y, std::int64_t begin,
                          std::int64_t count, std::int64_t to) {
                        load_piece(x, last, first_x, begin, count, left);
                        load_piece(y, last, first_y, begin, count, right);
                        const bool good = combine<Room::value>(what, left.data(), right.data(),
                                                               count, result.data());
                        if (!good || !store(result.data(), count, out, to))
                          throw_first<Room::value>(what, left, right, out.dtype());
                      });
  });
}

void compare_elements(Elementwise what, const Shape& shape, const Operand& x, const Operand& y,
                      Tensor& out) {
  const int last = shape.rank - 1;
  visit_compared(x.tensor.dtype(), y.tensor.dtype(),
                 [&]<class X, class Y>(std::type_identity<X>, std::type_identity<Y>) {
                   Piece<X> left;
                   Piece<Y> right;
                   for_each_piece_of(shape, x, y,
                                     [&](std::int64_t first_x, std::int64_t first_y,
                                         std::int64_t begin, std::int64_t count, std::int64_t to) {
                                       load_piece(x, last, first_x, begin, count, left);
                                       load_piece(y, last, first_y, begin, count, right);
                                       compare_all(what, left.data(), right.data(), count,
                                                   out.data<bool>() + to);
                                     });
                 });
}

}  // namespace

ElementwisePlan plan_elementwise(Elementwise what, const Tensor& a, const Tensor& b) {
  ElementwisePlan plan;
  plan.dtype = elementwise_type(what, a.dtype(), b.dtype());
  plan.shape = common_shape(what, a, b);
  plan.layout = a.shape() == plan.shape   ? a.layout()
                : b.shape() == plan.shape ? b.layout()
                                          : Layout::none;
  plan.strides = {broadcast(a, plan.shape), broadcast(b, plan.shape)};
  merge(plan);
  return plan;
}

ElementwisePlan plan_elementwise(const Tensor& in, DType type) {
  ElementwisePlan plan{.dtype = type, .shape = in.shape(), .layout = in.layout()};
  plan.strides = {in.strides(), in.strides()};
  merge(plan);
  return plan;
}

void elementwise(Elementwise what, const Tensor& a, const Tensor& b, Tensor& out) {
  const ElementwisePlan plan = plan_elementwise(what, a, b);
  out.create(plan.shape, plan.dtype, plan.layout);
  if (plan.shape.elements() == 0) return;
  const Operand x{a, plan.strides[0]}, y{b, plan.strides[1]};
  if (is_comparison(what)) {
    compare_elements(what, plan.rows, x, y, out);
  } else {
    compute_elements(what, plan.rows, x, y, out);
  }
}

void elementwise(Elementwise what, const Tensor& in, Tensor& out) {
  const ElementwisePlan plan = plan_elementwise(in, elementwise_type(what, in.dtype(), in.dtype()));
  out.create(plan.shape, plan.dtype, plan.layout);
  if (plan.shape.elements() == 0) return;
  const Operand x{in, plan.strides[0]};
  compute_elements(what, plan.rows, x, x, out);
}

void cast(const Tensor& in, DType type, Tensor& out) {
  const ElementwisePlan plan = plan_elementwise(in, type);
  out.create(plan.shape, type, plan.layout);
  if (plan.shape.elements() == 0) return;
  const Operand x{in, plan.strides[0]};
  const Shape& rows = plan.rows;
  const int last = rows.rank - 1;
  // The operation is ignored: each number is only converted.
  visit_computed(
      Elementwise::add, in.dtype(), [&]<class C, class Room>(std::type_identity<C>, Room) {
        visit_dtype(type, [&]<class T>(std::type_identity<T>) {
          Piece<C> elements;
          for_each_piece_of(
              rows, x, x,
              [&](std::int64_t first, std::int64_t, std::int64_t begin, std::int64_t count,
                  std::int64_t to) {
                load_piece(x, last, first, begin, count, elements);
                T* const made = out.data<T>() + to;
                bool good = true;
                for (std::int64_t i = 0; i < count; ++i)
                  good = detail::fits(elements[static_cast<std::size_t>(i)], made[i]) & good;
                if (good) return;
                T one{};
                const auto bad =
                    std::find_if_not(elements.begin(), elements.begin() + count,
                                     [&](C element) { return detail::fits(element, one); });
                detail::throw_cast(detail::text_of(*bad), number_type(type));
              });
        });
      });
}

}  // namespace sluice::kernels
