// Number: a number of any of the types that plans know by name. A saved plan can name these types
// for slots and constants, and operators on numbers take them. The functions below compute with
// Numbers.
//
// Ownership: a Number is a plain value. Threads: pure functions. Errors: Number::as() throws
// std::bad_variant_access for another type. computed() and cast_number() throw the errors of
// runtime/compute.h, check_constant() throws BuildError.
#pragma once

#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/half.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

namespace sluice::detail {

// Calls visit(std::type_identity<T>(), name) for each of the types.
template <class Visit>
constexpr void for_each_number_type(Visit&& visit) {
  visit(std::type_identity<bool>(), "bool");
  visit(std::type_identity<std::int8_t>(), "i8");
  visit(std::type_identity<std::uint8_t>(), "u8");
  visit(std::type_identity<std::int16_t>(), "i16");
  visit(std::type_identity<std::uint16_t>(), "u16");
  visit(std::type_identity<std::int32_t>(), "i32");
  visit(std::type_identity<std::uint32_t>(), "u32");
  visit(std::type_identity<std::int64_t>(), "i64");
  visit(std::type_identity<std::uint64_t>(), "u64");
  visit(std::type_identity<Half>(), "f16");
  visit(std::type_identity<float>(), "f32");
  visit(std::type_identity<double>(), "f64");
}

// True for the types above. A step on numbers of another type is a user function, not an operator.
template <class T>
inline constexpr bool is_known_number = false;
template <class T>
requires is_number<T>
inline constexpr bool is_known_number<T> = std::is_same_v<T, number_t<number_type_of<T>()>>;

// "i64"; empty for other types.
template <class T>
constexpr std::string_view known_number_name() {
  if constexpr (is_known_number<T>) {
    return name_of(number_type_of<T>());
  } else {
    return {};
  }
}

// Converts a Half or a BFloat16 to float; returns other numbers unchanged.
template <class T>
constexpr auto plain(const T& x) {
  if constexpr (is_half<T>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

class Number {
 public:
  Number() : Number(false) {}
  template <class T>
  requires is_known_number<T> Number(T x)  // NOLINT(google-explicit-constructor): it is the same
      : type_(number_type_of<T>()) {
    std::memcpy(bytes_.data(), &x, sizeof(T));
  }

  NumberType type() const { return type_; }
  // Returns null if the number has another type.
  template <class T>
  const T* get_if() const {
    static_assert(is_known_number<T>);
    if (type_ != number_type_of<T>()) return nullptr;
    return std::launder(reinterpret_cast<const T*>(bytes_.data()));
  }
  template <class T>
  T as() const {
    if (const T* const number = get_if<T>()) return *number;
    throw_other_type();
  }

  // Calls visit(x) with the number in its own type.
  template <class Visit>
  decltype(auto) visit(Visit&& visit) const {
    switch (type_) {
      case NumberType::boolean:
        return visit(as<bool>());
      case NumberType::i8:
        return visit(as<std::int8_t>());
      case NumberType::u8:
        return visit(as<std::uint8_t>());
      case NumberType::i16:
        return visit(as<std::int16_t>());
      case NumberType::u16:
        return visit(as<std::uint16_t>());
      case NumberType::i32:
        return visit(as<std::int32_t>());
      case NumberType::u32:
        return visit(as<std::uint32_t>());
      case NumberType::i64:
        return visit(as<std::int64_t>());
      case NumberType::u64:
        return visit(as<std::uint64_t>());
      case NumberType::f16:
        return visit(as<Half>());
      case NumberType::f32:
        return visit(as<float>());
      case NumberType::f64:
        break;
    }
    return visit(as<double>());
  }
  // Calls visit(x) with a std::int64_t, std::uint64_t or double that holds the number exactly.
  // Prefer it to visit(): the compiler instantiates three functions, not twelve.
  template <class Visit>
  decltype(auto) visit_wide(Visit&& visit) const {
    if (is_fraction(type_)) return visit(as_f64());
    if (type_ == NumberType::u64) return visit(as<std::uint64_t>());
    return visit(as_i64());
  }

  // True if both the type and the number are equal.
  friend bool operator==(const Number& a, const Number& b) {
    return a.type_ == b.type_ &&
           (is_fraction(a.type_) ? a.as_f64() == b.as_f64() : a.bytes_ == b.bytes_);
  }

 private:
  [[noreturn]] static void throw_other_type();
  std::int64_t as_i64() const;  // for bool and whole numbers except u64
  double as_f64() const;        // for fractions

  NumberType type_;
  alignas(std::uint64_t) std::array<std::byte, sizeof(std::uint64_t)> bytes_{};
};
static_assert(std::is_trivially_copyable_v<Number>);

// Converts a number to the named type of the same size and signedness: char to i8 or u8, long long
// to i64.
template <class T>
Number known_number(const T& x) {
  return static_cast<number_t<number_type_of<T>()>>(x);
}

// Computes `what` for x and y. For an operation on one number, pass it as both. `result` must be
// result_type() of the operation; bitwise operations take whole numbers only.
Number computed(NumberOperation what, const Number& x, const Number& y, NumberType result);
template <class R>
R computed(NumberOperation what, const Number& x, const Number& y) {
  constexpr NumberType kType = number_type_of<R>();
  return static_cast<R>(computed(what, x, y, kType).template as<number_t<kType>>());
}
// Converts x to the type `to` by the rules of cast<T>().
Number cast_number(const Number& x, NumberType to);

// Throws BuildError if `beside`, the type of the value beside it, cannot hold the constant, even
// rounded.
void check_constant(NumberOperation what, const Number& constant, NumberType beside);

}  // namespace sluice::detail
