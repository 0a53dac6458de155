// The functions that the steps of arithmetic.h call, for types that operators know and for others.
// Results follow runtime/arithmetic.h.
//
// Threads: pure functions. Errors: those of the sample, as runtime/arithmetic.h says.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/runtime/arithmetic.h>

#include <cstdint>
#include <type_traits>

namespace sluice::detail {

// The type in which a result is computed, by its own type and those of the operands.
template <NumberType kResult, NumberType kX, NumberType kY>
using computed_in_t = std::conditional_t<
    kResult == NumberType::f64, double,
    std::conditional_t<is_fraction(kResult), float,
                       std::conditional_t<kX == NumberType::u64 || kY == NumberType::u64 ||
                                              kResult == NumberType::u64,
                                          Wide, std::int64_t>>>;

// A result as the type of its slot; fractions are rounded.
template <class T, class C>
bool stored(C result, T& to) {
  if constexpr (is_whole<C>) {
    return fits(result, to);
  } else if constexpr (std::is_same_v<T, Half>) {
    to = Half(static_cast<float>(result));
  } else {
    to = static_cast<T>(result);
  }
  return true;
}

// The number as a type that holds it exactly.
template <class T>
auto exact(const T& x) {
  using C = std::conditional_t<is_fraction(number_type_of<T>()), double, Wide>;
  return static_cast<C>(plain(x));
}

template <NumberOperation kWhat, class R, class X, class Y>
R computed(const X& x, const Y& y) {
  if constexpr (is_comparison(kWhat)) {
    return compare<kWhat>(exact(x), exact(y));
  } else {
    using C = computed_in_t<number_type_of<R>(), number_type_of<X>(), number_type_of<Y>()>;
    // An i8 is a number here, not a character. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    const auto a = static_cast<C>(plain(x)), b = static_cast<C>(plain(y));
    C result{};
    R to{};
    if (!compute<kWhat>(a, b, result) || !stored(result, to))
      throw_overflow(kWhat, text_of(a), text_of(b), number_type_of<R>());
    return to;
  }
}
template <NumberOperation kWhat, class R, class X>
R computed(const X& x) {
  if constexpr (kWhat == NumberOperation::logical_not) {
    return !(plain(x) != decltype(plain(x)){});
  } else {
    using C = computed_in_t<number_type_of<R>(), number_type_of<X>(), number_type_of<X>()>;
    const auto a = static_cast<C>(plain(x));
    C result{};
    R to{};
    if (!compute<kWhat>(a, a, result) || !stored(result, to))
      throw_overflow(kWhat, text_of(a), {}, number_type_of<R>());
    return to;
  }
}

// As cast<To>() has it.
template <class To, class X>
To number_as(const X& x) {
  To to{};
  if (!fits(plain(x), to)) throw_cast(text_of(exact(x)), number_type_of<To>());
  return to;
}

// Throws BuildError if `beside`, the other value's type, cannot hold the constant, even rounded.
void check_constant(NumberOperation what, Wide constant, NumberType beside);
void check_constant(NumberOperation what, double constant, NumberType beside);

}  // namespace sluice::detail
