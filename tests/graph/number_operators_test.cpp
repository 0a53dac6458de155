// Operators on numbers of all pairs of types that plans know, against exact arithmetic.
#include "tests/error_of.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace number_operators_test {

using detail::Constant;
using detail::NumberType;
using detail::SlotArgument;
using detail::Wide;

// A number of any type: a whole one, or else a fraction.
struct Number {
  bool whole = true;
  Wide as_whole = 0;
  double fraction = 0;

  double real() const { return whole ? static_cast<double>(as_whole) : fraction; }
};
template <class T>
Number number_of(const T& x) {
  Number made;
  made.whole = std::is_integral_v<T>;
  if constexpr (std::is_integral_v<T>) {
    made.as_whole = x;  // NOLINT(bugprone-signed-char-misuse): a number, not a character
  } else {
    made.fraction = static_cast<double>(detail::plain(x));
  }
  return made;
}

struct Range {
  Wide low = 0, high = 0;
};
Range range_of(NumberType type) {
  Range range;
  detail::for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
    if constexpr (std::is_integral_v<T>) {
      if (detail::number_type_of<T>() == type)
        range = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    }
  });
  return range;
}

// The type of a result: written down as a table would be, not as the rule computes it.
NumberType narrowest(NumberType x, NumberType y) {
  using enum NumberType;
  if (is_fraction(x) || is_fraction(y))
    return !is_fraction(x) ? y : !is_fraction(y) ? x : std::max(x, y);
  if (x == boolean || y == boolean) return x == y ? i64 : std::max(x, y);
  for (const NumberType type : {i8, u8, i16, u16, i32, u32, i64, u64}) {
    const Range own = range_of(type), a = range_of(x), b = range_of(y);
    if (own.low <= a.low && own.low <= b.low && own.high >= a.high && own.high >= b.high)
      return type;
  }
  return i64;  // beside u64
}

// Returns the exact result; nothing if the operation has none.
std::optional<Wide> exact(std::string_view name, Wide x, Wide y) {
  if (name == "add") return x + y;
  if (name == "subtract") return x - y;
  if (name == "multiply") return x * y;
  if (name == "minimum") return x < y ? x : y;
  if (name == "maximum") return x < y ? y : x;
  if (name == "bitwise_and") return x & y;
  if (name == "bitwise_or") return x | y;
  if (name == "bitwise_xor") return x ^ y;
  if (y == 0) return {};
  if (name == "divide") return x / y;
  if (name == "remainder") return x % y;
  Wide down = x / y;
  if (down * y != x && (x < 0) != (y < 0)) --down;
  return name == "floor_divide" ? down : x - down * y;
}

struct Outcome {
  Number number;
  std::string error;
};

// The result of the operator for two values.
template <class X, class Y>
Outcome outcome(std::string_view name, const X& x, const Y& y, NumberType expected) {
  detail::PlanBuilder builder;
  const detail::SlotId left = builder.add_slot(detail::slot_type<X>(), "x");
  const detail::SlotId right = builder.add_slot(detail::slot_type<Y>(), "y");
  const detail::SlotId out =
      builder.add(detail::arithmetic_operator(name), {SlotArgument{left}, SlotArgument{right}})[0];
  const detail::Plan plan = builder.take();
  detail::Sample sample(plan);
  sample.get<X>(left) = x;
  sample.get<Y>(right) = y;
  Outcome made;
  try {
    for (const detail::Node& node : plan.top.nodes)
      std::get<detail::Stage>(node).steps.front().run(sample);
  } catch (const std::exception& error) {
    made.error = error.what();
    return made;
  }
  bool found = false;
  detail::for_each_number_type([&]<class R>(std::type_identity<R>, std::string_view) {
    if (plan.slots[out].type != detail::slot_type<R>()) return;
    found = detail::number_type_of<R>() == expected;
    made.number = number_of(sample.get<R>(out));
  });
  EXPECT_TRUE(found) << "another type of the result";
  return made;
}

template <class T>
std::vector<T> numbers_of() {
  if constexpr (std::is_same_v<T, Half>) {
    return {Half(-2.5f), Half(0.f), Half(3.f), Half(2048.f)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {T{-2.5}, T{0}, T{3}, T{16777216}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else {
    std::vector<T> all{0, 1, 2, 7, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    if constexpr (std::is_signed_v<T>) all.insert(all.end(), {T{-1}, T{-5}});
    return all;
  }
}

template <class Check>
void for_each_pair_of_numbers(const Check& check) {
  detail::for_each_number_type([&]<class X>(std::type_identity<X>, std::string_view x_name) {
    detail::for_each_number_type([&]<class Y>(std::type_identity<Y>, std::string_view y_name) {
      for (const X x : numbers_of<X>()) {
        for (const Y y : numbers_of<Y>()) {
          SCOPED_TRACE(std::string(x_name) + " " + std::to_string(number_of(x).real()) + ", " +
                       std::string(y_name) + " " + std::to_string(number_of(y).real()));
          check(x, y);
        }
      }
    });
  });
}

void expect_whole(std::string_view name, const Outcome& got, std::optional<Wide> expected,
                  NumberType type) {
  if (!expected) {
    EXPECT_EQ(got.error, "integer division by zero") << name;
    return;
  }
  const Range range = range_of(type);
  if (*expected < range.low || *expected > range.high) {
    EXPECT_NE(got.error.find("does not fit into " + std::string(name_of(type))), std::string::npos)
        << name << got.error;
  } else {
    EXPECT_EQ(got.error, "") << name;
    EXPECT_TRUE(got.number.as_whole == *expected) << name;
  }
}

TEST(NumberOperators, WholeNumbersAreExactOrAnError) {
  for_each_pair_of_numbers([]<class X, class Y>(X x, Y y) {
    if constexpr (std::is_integral_v<X> && std::is_integral_v<Y>) {
      const NumberType type = narrowest(detail::number_type_of<X>(), detail::number_type_of<Y>());
      for (const char* name : {"add", "subtract", "divide", "remainder", "floor_divide", "modulo",
                               "minimum", "maximum"})
        expect_whole(name, outcome(name, x, y, type), exact(name, x, y), type);
      if (sizeof(X) + sizeof(Y) < 16) {  // 128 bits hold the products of others
        expect_whole("multiply", outcome("multiply", x, y, type), exact("multiply", x, y), type);
      }
      const bool bools = std::is_same_v<X, bool> && std::is_same_v<Y, bool>;
      const NumberType bits = bools ? NumberType::boolean : type;
      for (const char* name : {"bitwise_and", "bitwise_or", "bitwise_xor"})
        expect_whole(name, outcome(name, x, y, bits), exact(name, x, y), bits);
    }
  });
}

TEST(NumberOperators, FractionsFollowTheirType) {
  for_each_pair_of_numbers([]<class X, class Y>(X x, Y y) {
    const NumberType type = narrowest(detail::number_type_of<X>(), detail::number_type_of<Y>());
    if (!is_fraction(type)) return;
    const auto rounded = [&](auto f) {
      if (type == NumberType::f64) return f(number_of(x).real(), number_of(y).real());
      const float made =
          f(static_cast<float>(detail::plain(x)), static_cast<float>(detail::plain(y)));
      return static_cast<double>(type == NumberType::f16 ? static_cast<float>(Half(made)) : made);
    };
    EXPECT_EQ(outcome("add", x, y, type).number.fraction,
              rounded([](auto a, auto b) { return a + b; }));
    EXPECT_EQ(outcome("multiply", x, y, type).number.fraction,
              rounded([](auto a, auto b) { return a * b; }));
    const double divisor = number_of(y).real();
    if (divisor == 0 || std::abs(number_of(x).real()) > 1e4 || std::abs(divisor) > 1e4) return;
    const double down = std::floor(number_of(x).real() / divisor);
    EXPECT_EQ(outcome("floor_divide", x, y, type).number.fraction, down);
    EXPECT_NEAR(outcome("modulo", x, y, type).number.fraction, number_of(x).real() - down * divisor,
                1e-3 * std::abs(divisor));
  });
}

TEST(NumberOperators, ComparisonsAreExact) {
  for_each_pair_of_numbers([]<class X, class Y>(X x, Y y) {
    const Number a = number_of(x), b = number_of(y);
    const bool whole = a.whole && b.whole;
    // long double holds 64 bits.
    const auto real = [](const Number& n) {
      return n.whole ? static_cast<long double>(n.as_whole) : static_cast<long double>(n.fraction);
    };
    const bool less = whole ? a.as_whole < b.as_whole : real(a) < real(b);
    const bool equal = whole ? a.as_whole == b.as_whole : real(a) == real(b);
    const auto is = [&](const char* name) {
      return outcome(name, x, y, NumberType::boolean).number.as_whole != 0;
    };
    EXPECT_EQ(is("less"), less);
    EXPECT_EQ(is("less_equal"), less || equal);
    EXPECT_EQ(is("greater"), !less && !equal);
    EXPECT_EQ(is("greater_equal"), !less);
    EXPECT_EQ(is("equal"), equal);
    EXPECT_EQ(is("not_equal"), !equal);
  });
}

// Between all pairs of types: the number, or the error of the sample.
TEST(NumberOperators, CastsKeepTheNumberOrFail) {
  const auto check = []<class From, class To>(From x, std::type_identity<To>) {
    detail::PlanBuilder builder;
    const detail::SlotId from = builder.add_slot(detail::slot_type<From>(), "x");
    const std::string to(detail::known_number_name<To>());
    const detail::SlotId out =
        builder.add(detail::cast_operator(), {SlotArgument{from}, Constant(to)})[0];
    const detail::Plan plan = builder.take();
    detail::Sample sample(plan);
    sample.get<From>(from) = x;
    bool failed = false;
    try {
      std::get<detail::Stage>(plan.top.nodes.front()).steps.front().run(sample);
    } catch (const std::range_error&) {
      failed = true;
    }
    const Number before = number_of(x), after = number_of(sample.get<To>(out));
    if constexpr (std::is_same_v<To, bool>) {
      EXPECT_EQ(failed, false);
      EXPECT_EQ(after.as_whole != 0, before.real() != 0);
    } else if constexpr (std::is_integral_v<To>) {
      const Wide whole =
          before.whole ? before.as_whole : static_cast<Wide>(std::trunc(before.fraction));
      const Range range = range_of(detail::number_type_of<To>());
      EXPECT_EQ(failed, whole < range.low || whole > range.high) << to;
      EXPECT_TRUE(failed || after.as_whole == whole) << to;
    } else {
      const bool large = std::is_same_v<To, Half> && std::abs(before.real()) > 65520;
      EXPECT_EQ(failed, large) << to;
      const double off = failed ? 0 : after.fraction - before.real();
      EXPECT_LE(std::abs(off), std::abs(before.real()) * 1e-3) << to;
    }
  };
  detail::for_each_number_type([&]<class X>(std::type_identity<X>, std::string_view) {
    detail::for_each_number_type([&]<class Y>(std::type_identity<Y> to, std::string_view) {
      for (const X x : numbers_of<X>()) check(x, to);
    });
  });
}

TEST(NumberOperators, BitsAreThoseOfWholeNumbers) {
  const detail::OperatorPtr& op = detail::arithmetic_operator("bitwise_xor");
  EXPECT_EQ(error_of<BuildError>([&] {
              detail::PlanBuilder builder;
              const detail::SlotId x = builder.add_slot(detail::slot_type<float>(), "x");
              (void)builder.add(op, {SlotArgument{x}, Constant(1)});
            }),
            "bitwise_xor: x and y must be whole numbers; cast them");
}

// The types of C++'s values.
TEST(NumberOperators, AConstantTakesTheTypeOfTheValueBesideIt) {
  using Int = Value<int>;
  using Small = Value<std::int8_t>;
  static_assert(std::is_same_v<decltype(Int() & std::int64_t{1}), Int>);
  static_assert(std::is_same_v<decltype(true ^ Int()), Int>);
  static_assert(std::is_same_v<decltype(-Small()), Small>);
  static_assert(std::is_same_v<decltype(Small() + 1), Small>);
  static_assert(std::is_same_v<decltype(Small() + Value<std::uint8_t>()), Value<std::int16_t>>);
  static_assert(std::is_same_v<decltype(Int() + Value<std::uint32_t>()), Value<std::int64_t>>);
  static_assert(std::is_same_v<decltype(Value<std::uint64_t>() - Int()), Value<std::int64_t>>);
  static_assert(std::is_same_v<decltype(Value<bool>() + 1), Value<std::int64_t>>);
  static_assert(std::is_same_v<decltype(Value<bool>() + Value<bool>()), Value<std::int64_t>>);
  static_assert(std::is_same_v<decltype(Value<float>() * 0.5), Value<float>>);
  static_assert(std::is_same_v<decltype(Value<Half>() * 2), Value<Half>>);
  static_assert(std::is_same_v<decltype(Int() * 0.5f), Value<float>>);
  static_assert(std::is_same_v<decltype(Int() * 0.5), Value<double>>);
  static_assert(std::is_same_v<decltype(Value<long long>() + 1), Value<long long>>);
  static_assert(std::is_same_v<decltype(Param<int>() >= 300), Value<bool>>);
  static_assert(std::is_same_v<decltype(Param<int>() * 0.5f), Value<float>>);
  static_assert(std::is_same_v<decltype(-Param<int>()), Int>);
  static_assert(!detail::bits_pair<Int, float>);
  static_assert(!detail::bits_pair<Value<bool>, bool>);
}

TEST(NumberOperators, AConstantThatDoesNotFitIsABuildError) {
  // Returns its error; empty if there is none.
  const auto add = [](auto type, const Constant& constant, const char* name) -> std::string {
    detail::PlanBuilder builder;
    using T = typename decltype(type)::type;
    const detail::SlotId x = builder.add_slot(detail::slot_type<T>(), "x");
    try {
      (void)builder.add(detail::arithmetic_operator(name), {SlotArgument{x}, constant});
    } catch (const BuildError& error) {
      return error.what();
    }
    return {};
  };
  const std::type_identity<std::int8_t> small;
  EXPECT_EQ(add(small, Constant(128), "add"),
            "add: the constant 128 does not fit into i8, the type of the value beside it; cast the "
            "value to a wider type first");
  EXPECT_EQ(add(small, Constant(-128), "add"), "");
  EXPECT_EQ(add(small, Constant(128), "less"), "");
  EXPECT_NE(add(std::type_identity<std::uint32_t>(), Constant(-1), "multiply"), "");
  EXPECT_NE(add(std::type_identity<Half>(), Constant(70000), "multiply"), "");
  EXPECT_NE(add(std::type_identity<float>(), Constant(1e300), "multiply"), "");
  EXPECT_EQ(add(std::type_identity<float>(), Constant(16777217), "multiply"), "");
}

}  // namespace number_operators_test
}  // namespace sluice
