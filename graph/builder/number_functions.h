// What arithmetic and comparison do with two plain numbers, and how a step does it for any types
// that operators know. arithmetic.h tells users what it means.
//
// Threads: pure functions. Errors: those of the sample, as arithmetic.h says.
#pragma once

#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/plan/sample.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {

[[noreturn]] void throw_division_by_zero();
[[noreturn]] void throw_quotient_too_large();
[[noreturn]] void throw_cast(double number, std::string_view type);

// f, which adds, subtracts or multiplies, of both numbers as the type that C++ computes with; whole
// results wrap around where they do not fit.
template <class F, class X, class Y>
auto wrapped(F f, X x, Y y) {
  using R = decltype(x + y);
  if constexpr (std::is_integral_v<R> && std::is_signed_v<R>) {
    using U = std::make_unsigned_t<R>;
    return static_cast<R>(f(static_cast<U>(x), static_cast<U>(y)));
  } else {
    return f(static_cast<R>(x), static_cast<R>(y));
  }
}

template <class X, class Y>
void check_division(X x, Y y) {
  if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
    using R = decltype(x / y);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a letter
    const R dividend = static_cast<R>(x), divisor = static_cast<R>(y);
    if (divisor == 0) throw_division_by_zero();
    if constexpr (std::is_signed_v<R>) {
      if (dividend == std::numeric_limits<R>::min() && divisor == -1) throw_quotient_too_large();
    }
  }
}

template <class To, class X>
To number_as(X x) {
  if constexpr (std::is_floating_point_v<X> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    const X whole = std::trunc(x);
    // The least number that is too large: a power of two, which X holds exactly.
    const X beyond = std::ldexp(X{1}, std::numeric_limits<To>::digits);
    const X least = std::is_signed_v<To> ? -beyond : X{0};
    if (!(whole >= least && whole < beyond))
      throw_cast(static_cast<double>(x), detail::type_name<To>());
  }
  if constexpr (std::is_same_v<To, Half>) {
    return Half(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

// Comparisons of whole numbers of different signedness mean what they say (std::cmp_less and
// friends).
template <class X, class Y>
constexpr bool both_whole =
    std::is_integral_v<X>&& std::is_integral_v<Y> && !std::is_same_v<X, bool> &&
    !std::is_same_v<Y, bool> && !std::is_same_v<X, char> && !std::is_same_v<Y, char>;
template <class X, class Y>
bool is_less(X x, Y y) {
  if constexpr (both_whole<X, Y>) {
    return std::cmp_less(x, y);
  } else {
    return static_cast<std::common_type_t<X, Y>>(x) < static_cast<std::common_type_t<X, Y>>(y);
  }
}
template <class X, class Y>
bool is_equal(X x, Y y) {
  if constexpr (both_whole<X, Y>) {
    return std::cmp_equal(x, y);
  } else {
    return static_cast<std::common_type_t<X, Y>>(x) == static_cast<std::common_type_t<X, Y>>(y);
  }
}

struct Add {
  template <class X, class Y>
  auto operator()(X x, Y y) const {
    return wrapped([](auto p, auto q) { return p + q; }, x, y);
  }
};
struct Subtract {
  template <class X, class Y>
  auto operator()(X x, Y y) const {
    return wrapped([](auto p, auto q) { return p - q; }, x, y);
  }
};
struct Multiply {
  template <class X, class Y>
  auto operator()(X x, Y y) const {
    return wrapped([](auto p, auto q) { return p * q; }, x, y);
  }
};
struct Divide {
  template <class X, class Y>
  auto operator()(X x, Y y) const {
    check_division(x, y);
    using R = decltype(x / y);
    return static_cast<R>(x) / static_cast<R>(y);
  }
};
struct Remainder {
  template <class X, class Y>
  requires(std::is_integral_v<X>&& std::is_integral_v<Y>) auto operator()(X x, Y y) const {
    check_division(x, y);
    using R = decltype(x % y);
    return static_cast<R>(x) % static_cast<R>(y);
  }
};
// F of the bits of both numbers as the type that C++ computes with.
template <class F>
struct Bitwise {
  template <class X, class Y>
  requires(std::is_integral_v<X>&& std::is_integral_v<Y>) auto operator()(X x, Y y) const {
    using R = decltype(x & y);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a letter
    return static_cast<R>(F()(static_cast<R>(x), static_cast<R>(y)));
  }
};
using BitwiseAnd = Bitwise<std::bit_and<>>;
using BitwiseOr = Bitwise<std::bit_or<>>;
using BitwiseXor = Bitwise<std::bit_xor<>>;
struct Less {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return is_less(x, y);
  }
};
struct Greater {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return is_less(y, x);
  }
};
struct LessEqual {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return is_less(x, y) || is_equal(x, y);
  }
};
struct GreaterEqual {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return is_less(y, x) || is_equal(x, y);
  }
};
struct Equal {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return is_equal(x, y);
  }
};
struct NotEqual {
  template <class X, class Y>
  bool operator()(X x, Y y) const {
    return !is_equal(x, y);
  }
};
struct Negate {
  template <class X>
  auto operator()(X x) const {
    if constexpr (std::is_integral_v<X>) {
      return Subtract()(decltype(-x){0}, x);
    } else {
      return -x;
    }
  }
};
struct Not {
  template <class X>
  bool operator()(X x) const {
    return !(x != X{});
  }
};

// The type that C++ computes with where it is given one number of type T: an int for what is
// narrower. Each T is one of them.
template <class T>
using plain_t = decltype(+plain(T()));

// The slot type of an argument that is a number of a type with a name; null for any other.
const SlotType* number_type(const Argument& argument);

// Calls visit(std::type_identity<T>()) with the number type of the slot type.
template <class Visit>
void visit_number_type(const SlotType* type, Visit&& visit) {
  for_each_number_type([&]<class T>(std::type_identity<T> which, std::string_view) {
    if (type == slot_type<T>()) visit(which);
  });
}
// The same with the type that C++ computes with.
template <class Visit>
void visit_plain_type(const SlotType* type, Visit&& visit) {
  std::type_identity<int> as_int;
  std::type_identity<unsigned> as_unsigned;
  std::type_identity<std::int64_t> as_wide;
  std::type_identity<std::uint64_t> as_wide_unsigned;
  std::type_identity<float> as_float;
  std::type_identity<double> as_double;
  visit_number_type(type, [&]<class T>(std::type_identity<T>) {
    // Each of these is instantiated once, not for each T.
    if (std::is_same_v<plain_t<T>, int>) return visit(as_int);
    if (std::is_same_v<plain_t<T>, unsigned>) return visit(as_unsigned);
    if (std::is_same_v<plain_t<T>, std::int64_t>) return visit(as_wide);
    if (std::is_same_v<plain_t<T>, std::uint64_t>) return visit(as_wide_unsigned);
    if (std::is_same_v<plain_t<T>, float>) return visit(as_float);
    return visit(as_double);
  });
}

// An argument that is a number, as a C, which can say what it is: a constant, or read from the
// sample.
template <class C>
class NumberOperand {
 public:
  explicit NumberOperand(const Argument& argument) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
      slot_ = slot->slot;
      visit_number_type(slot->type, [&]<class T>(std::type_identity<T>) {
        load_ = [](const void* at) { return static_cast<C>(plain(*static_cast<const T*>(at))); };
      });
    } else {
      std::visit(
          [&]<class T>(const T& constant) {
            // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, not a letter
            if constexpr (is_known_number<T>) constant_ = static_cast<C>(plain(constant));
          },
          std::get<Constant>(argument));
    }
  }
  C of(const Sample& sample) const {
    return load_ == nullptr ? constant_ : load_(sample.address(slot_));
  }

 private:
  C (*load_)(const void*) = nullptr;
  SlotId slot_ = 0;
  C constant_{};
};

}  // namespace sluice::detail
