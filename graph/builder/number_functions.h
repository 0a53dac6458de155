// The functions that the steps of arithmetic.h call, for types that operators know and for others.
// Results follow runtime/arithmetic.h.
//
// Threads: pure functions. Errors: those of the sample, as runtime/arithmetic.h says.
#pragma once

#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/runtime/arithmetic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

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

// Throws BuildError unless T holds the constant after rounding; T is the type of the value beside
// it.
[[noreturn]] void throw_constant(NumberOperation what, const std::string& constant,
                                 NumberType type);
template <class T, class X>
void check_constant(NumberOperation what, const X& constant) {
  T as_value{};
  if (!fits(plain(constant), as_value) && !is_comparison(what))
    throw_constant(what, text_of(exact(constant)), number_type_of<T>());
}

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
  C of_constant() const { return constant_; }

 private:
  C (*load_)(const void*) = nullptr;
  SlotId slot_ = 0;
  C constant_{};
};

}  // namespace sluice::detail
