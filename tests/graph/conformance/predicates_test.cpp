// Valid predicates: C30, C31 and C32 of tests/conformance.md. The invalid ones are in
// tests/graph/compile_fail.
#include "tests/graph/conformance/setup.h"
#include <sluice/runtime/half.h>

#include <type_traits>
#include <vector>

namespace sluice::conformance {
namespace predicates_test {

template <class T>
void expect_seven_holds() {
  auto describe = [](Graph& g) {
    auto predicate =
        given(g, [](At a) { return a.i < kBatch / 2 ? static_cast<T>(7) : static_cast<T>(0); });
    return std::tuple{g.if_else(predicate, 42, 0), g.if_else(static_cast<T>(7), 42, 0)};
  };
  expect_same(std::string(detail::type_name<T>()), describe, [](At a) {
    return std::tuple{a.i < kBatch / 2 ? 42 : 0, 42};
  });
}

TEST(Predicates, C31_EveryNumericType) {
  expect_seven_holds<bool>();
  expect_seven_holds<std::uint8_t>();
  expect_seven_holds<std::uint16_t>();
  expect_seven_holds<std::uint32_t>();
  expect_seven_holds<std::uint64_t>();
  expect_seven_holds<std::int8_t>();
  expect_seven_holds<std::int16_t>();
  expect_seven_holds<std::int32_t>();
  expect_seven_holds<std::int64_t>();
  expect_seven_holds<Half>();
  expect_seven_holds<float>();
  expect_seven_holds<double>();
}

// Zero is false with either sign; everything else holds, however small.
TEST(Predicates, C31_OnlyZeroIsFalse) {
  expect_same(
      "floating point",
      [](Graph& g) {
        auto tiny = given(g, [](At a) {
          const std::array<float, 5> values{0.f, -0.f, 1e-45f, -1e-45f, 0.5f};
          return values[static_cast<std::size_t>(a.i % 5)];
        });
        return g.if_else(tiny, true, false);
      },
      [](At a) { return a.i % 5 >= 2; });
  expect_same(
      "half",
      [](Graph& g) {
        auto tiny = given(g, [](At a) {
          Half half;
          half.bits = static_cast<std::uint16_t>(a.i == 0 ? 0x8000 : a.i);
          return half;
        });
        return g.if_else(tiny, true, false);
      },
      [](At a) { return a.i != 0; });
}

// One value for each sample and never an array of them: the type says so.
TEST(Predicates, C30_OnlyScalars) {
  EXPECT_TRUE(detail::is_scalar_argument<Value<bool>>);
  EXPECT_TRUE(detail::is_scalar_argument<Value<Half>>);
  EXPECT_TRUE(detail::is_scalar_argument<Param<float>>);
  EXPECT_FALSE(detail::is_scalar_argument<Value<Tensor>>);
  EXPECT_FALSE(detail::is_scalar_argument<Value<std::vector<bool>>>);
}

TEST(Predicates, C32_AValueIsNoBool) {
  // There is no implicit conversion. A condition that needs one fails in a static_assert, which
  // says what to write.
  EXPECT_FALSE((std::is_convertible_v<Value<bool>, bool>));
  EXPECT_FALSE((std::is_convertible_v<Value<int>, bool>));
}

}  // namespace predicates_test
}  // namespace sluice::conformance
