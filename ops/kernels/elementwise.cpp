#include <sluice/ops/kernels/elementwise.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::kernels {
using detail::is_fraction;
using detail::visit_dtype;
namespace {

// Elements at once, which stay in the cache.
constexpr std::int64_t kElements = 512;

bool is_comparison(Elementwise what) { return what >= Elementwise::less; }
bool is_bitwise(Elementwise what) {
  return what >= Elementwise::bitwise_and && what <= Elementwise::bitwise_xor;
}

// What is computed with: what holds all that the elements may be.
template <class F>
void visit_computed(DType type, const F& f) {
  if (type == DType::f64) return f(std::type_identity<double>());
  if (is_fraction(type)) return f(std::type_identity<float>());
  f(std::type_identity<std::int64_t>());
}

template <class To, class From>
To converted(From x) {
  if constexpr (std::is_same_v<From, Half>) {
    return static_cast<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// `count` elements from number `first` on, `step` apart.
template <class C>
void load(const Tensor& from, std::int64_t first, std::int64_t step, std::int64_t count, C* to) {
  visit_dtype(from.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const elements = from.data<T>() + first;
    if (step == 1) {  // which the compiler makes vectors of
      for (std::int64_t i = 0; i < count; ++i) to[i] = converted<C>(elements[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = converted<C>(elements[i * step]);
    }
  });
}
template <class C>
void store(const C* from, std::int64_t count, Tensor& to, std::int64_t first) {
  visit_dtype(to.dtype(), [&]<class T>(std::type_identity<T>) {
    T* const elements = to.data<T>() + first;
    for (std::int64_t i = 0; i < count; ++i) elements[i] = converted<T>(from[i]);
  });
}

template <class C, class F>
void for_each_pair(const C* a, const C* b, std::int64_t count, C* to, const F& f) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<C>(f(a[i], b[i]));
}

// Of whole numbers only.
template <class C, class F>
void bitwise(const C* a, const C* b, std::int64_t count, C* to, const F& f) {
  if constexpr (std::is_integral_v<C>) for_each_pair(a, b, count, to, f);
}

// Whole numbers as unsigned ones, which wrap around.
template <class C, class F>
void wrapping(const C* a, const C* b, std::int64_t count, C* to, const F& f) {
  for_each_pair(a, b, count, to, [&](C x, C y) {
    if constexpr (std::is_integral_v<C>) {
      return f(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
    } else {
      return f(x, y);
    }
  });
}

template <class C>
void combine(Elementwise what, const C* a, const C* b, std::int64_t count, C* to) {
  switch (what) {
    case Elementwise::add:
      return wrapping(a, b, count, to, [](auto x, auto y) { return x + y; });
    case Elementwise::subtract:
      return wrapping(a, b, count, to, [](auto x, auto y) { return x - y; });
    case Elementwise::multiply:
      return wrapping(a, b, count, to, [](auto x, auto y) { return x * y; });
    case Elementwise::divide:
      if constexpr (std::is_floating_point_v<C>)
        for_each_pair(a, b, count, to, [](C x, C y) { return x / y; });
      return;
    case Elementwise::minimum:  // not a number, where one is none
      return for_each_pair(a, b, count, to, [](C x, C y) { return x < y || x != x ? x : y; });
    case Elementwise::maximum:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x > y || x != x ? x : y; });
    case Elementwise::bitwise_and:
      return bitwise(a, b, count, to, [](auto x, auto y) { return x & y; });
    case Elementwise::bitwise_or:
      return bitwise(a, b, count, to, [](auto x, auto y) { return x | y; });
    case Elementwise::bitwise_xor:
      return bitwise(a, b, count, to, [](auto x, auto y) { return x ^ y; });
    case Elementwise::less:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x < y; });
    case Elementwise::less_equal:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x <= y; });
    case Elementwise::greater:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x > y; });
    case Elementwise::greater_equal:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x >= y; });
    case Elementwise::equal:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x == y; });
    case Elementwise::not_equal:
      return for_each_pair(a, b, count, to, [](C x, C y) { return x != y; });
  }
}

// A tensor as one of the result's shape: how far apart its elements are along each dimension.
struct Operand {
  const Tensor& tensor;
  Strides strides{};

  Operand(const Tensor& from, const Shape& shape) : tensor(from) {
    const int added = shape.rank - from.shape().rank;
    for (int axis = added; axis < shape.rank; ++axis) {
      const auto own = static_cast<std::size_t>(axis - added);
      if (from.shape().dims[own] != 1)
        strides[static_cast<std::size_t>(axis)] = from.strides()[own];
    }
  }
  std::int64_t step(int axis) const {
    return axis < 0 ? 0 : strides[static_cast<std::size_t>(axis)];
  }
};

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
      throw std::invalid_argument(fmt::format(
          "{}: tensors of {} and {} do not fit together; aligned at the last dimension, sizes must "
          "be the same, or one of them 1",
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

// Fractions beside whole numbers.
template <class C>
void check_holds(DType to, const C* elements, std::int64_t count) {
  visit_dtype(to, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_floating_point_v<C> && std::is_integral_v<T> &&
                  !std::is_same_v<T, bool>) {
      const C beyond = std::ldexp(C{1}, std::numeric_limits<T>::digits);
      const C least = std::is_signed_v<T> ? -beyond : C{0};
      for (std::int64_t i = 0; i < count; ++i) {
        const C whole = std::trunc(elements[i]);
        if (whole >= least && whole < beyond) continue;
        throw std::invalid_argument(fmt::format("cast: an element is {}, which {} does not hold",
                                                elements[i], name_of(to)));
      }
    }
  });
}

// Calls piece(where it begins, elements) for pieces of a row of `width` elements.
template <class F>
void for_each_piece(std::int64_t width, const F& piece) {
  for (std::int64_t i = 0; i < width; i += kElements) piece(i, std::min(kElements, width - i));
}

std::int64_t row_width(const Shape& shape) { return shape.rank == 0 ? 1 : shape[shape.rank - 1]; }

}  // namespace

const char* name_of(Elementwise what) {
  static constexpr std::array names{"add",           "subtract", "multiply",    "divide",
                                    "minimum",       "maximum",  "bitwise_and", "bitwise_or",
                                    "bitwise_xor",   "less",     "less_equal",  "greater",
                                    "greater_equal", "equal",    "not_equal"};
  return names.at(static_cast<std::size_t>(what));
}

DType elementwise_type(Elementwise what, DType a, DType b) {
  if (is_comparison(what)) return DType::boolean;
  if (is_bitwise(what)) {
    if (is_fraction(a) || is_fraction(b)) {
      throw std::invalid_argument(
          fmt::format("{}: the elements are {} and {}; whole numbers and bool are possible",
                      name_of(what), name_of(a), name_of(b)));
    }
    if (a == DType::boolean && b == DType::boolean) return DType::boolean;
  }
  const auto wider = [](DType x, DType y) { return size_of(x) < size_of(y) ? y : x; };
  if (is_fraction(a) || is_fraction(b))
    return !is_fraction(a) ? b : !is_fraction(b) ? a : wider(a, b);
  if (what == Elementwise::divide) return DType::f32;
  if (a == DType::boolean) return b == DType::boolean ? DType::u8 : b;
  if (b == DType::boolean) return a;
  const bool unsigned_and_signed = (a == DType::u8) != (b == DType::u8);
  return unsigned_and_signed ? wider(DType::i16, wider(a, b)) : wider(a, b);
}

DType type_beside(DType tensor, bool whole) {
  if (is_fraction(tensor)) return tensor;
  if (!whole) return DType::f32;
  return tensor == DType::boolean ? DType::i64 : tensor;
}

Tensor number_beside(DType tensor, double number, bool whole) {
  Tensor made({}, type_beside(tensor, whole));
  visit_dtype(made.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (!(number >= (std::is_signed_v<T> ? -beyond : 0) && number < beyond)) {
        throw std::invalid_argument(
            fmt::format("a tensor of {0} and the number {1}: {0} does not hold it; cast the tensor",
                        name_of(made.dtype()), number));
      }
    }
    *made.data<T>() = converted<T>(number);
  });
  return made;
}

void elementwise(Elementwise what, const Tensor& a, const Tensor& b, Tensor& out) {
  const DType type = elementwise_type(what, a.dtype(), b.dtype());
  const DType inner =
      is_comparison(what) ? elementwise_type(Elementwise::add, a.dtype(), b.dtype()) : type;
  const Shape shape = common_shape(what, a, b);
  const Layout layout = a.shape() == shape   ? a.layout()
                        : b.shape() == shape ? b.layout()
                                             : Layout::none;
  out.create(shape, type, layout);
  if (shape.elements() == 0) return;
  const Operand x(a, shape), y(b, shape);
  const int last = shape.rank - 1;
  visit_computed(inner, [&]<class C>(std::type_identity<C>) {
    std::array<C, kElements> left, right;
    std::int64_t to = 0;
    for_each_row(shape, x, y, [&](std::int64_t first_x, std::int64_t first_y) {
      for_each_piece(row_width(shape), [&](std::int64_t begin, std::int64_t count) {
        load(a, first_x + begin * x.step(last), x.step(last), count, left.data());
        load(b, first_y + begin * y.step(last), y.step(last), count, right.data());
        combine(what, left.data(), right.data(), count, left.data());
        store(left.data(), count, out, to);
        to += count;
      });
    });
  });
}

void cast(const Tensor& in, DType type, Tensor& out) {
  out.create(in.shape(), type, in.layout());
  if (in.shape().elements() == 0) return;
  const Operand x(in, in.shape());
  const int last = in.shape().rank - 1;
  visit_computed(in.dtype(), [&]<class C>(std::type_identity<C>) {
    std::array<C, kElements> elements;
    std::int64_t to = 0;
    for_each_row(in.shape(), x, x, [&](std::int64_t first, std::int64_t) {
      for_each_piece(row_width(in.shape()), [&](std::int64_t begin, std::int64_t count) {
        load(in, first + begin * x.step(last), x.step(last), count, elements.data());
        check_holds(type, elements.data(), count);
        store(elements.data(), count, out, to);
        to += count;
      });
    });
  });
}

}  // namespace sluice::kernels
