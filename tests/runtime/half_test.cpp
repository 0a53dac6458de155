#include <sluice/runtime/half.h>

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace half_test {

// The value of a binary16 by its definition.
double by_definition(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(fraction, -24)
                       : sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Half, EveryValueConvertsToFloatAndBack) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double expected = by_definition(half);
    const float value = Half::to_float(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(by_definition(Half::from_float(value))));
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(Half::from_float(value), half) << bits;
  }
}

TEST(Half, RoundsToNearestEven) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const double lo = by_definition(static_cast<std::uint16_t>(bits));
    const double hi = by_definition(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((lo + hi) / 2);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    ASSERT_EQ(Half::from_float(middle), even) << bits;
    ASSERT_EQ(Half::from_float(std::nextafter(middle, 1e9f)), bits + 1) << bits;
    ASSERT_EQ(Half::from_float(std::nextafter(middle, -1e9f)), bits) << bits;
  }
}

TEST(Half, OverflowIsInfinity) {
  EXPECT_EQ(Half::from_float(65504.f), 0x7bff);
  EXPECT_EQ(Half::from_float(65519.f), 0x7bff);
  EXPECT_EQ(Half::from_float(65520.f), 0x7c00);
  EXPECT_EQ(Half::from_float(-1e30f), 0xfc00);
}

// The value of a bfloat16 by its definition.
double of_bfloat(std::uint16_t bits) {
  const int exponent = (bits >> 7) & 255, fraction = bits & 127;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 255)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
  return exponent == 0 ? sign * std::ldexp(fraction, -133)
                       : sign * std::ldexp(128 + fraction, exponent - 134);
}

TEST(BFloat16, EveryValueConvertsToFloatAndBack) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    BFloat16 number;
    number.bits = static_cast<std::uint16_t>(bits);
    const double expected = of_bfloat(number.bits);
    const auto value = static_cast<float>(number);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_TRUE(std::isnan(of_bfloat(BFloat16(value).bits)));
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(BFloat16(value).bits, number.bits) << bits;
  }
}

TEST(BFloat16, RoundsToNearestEven) {
  for (unsigned bits = 0; bits < 0x7f7f; ++bits) {
    const double lo = of_bfloat(static_cast<std::uint16_t>(bits));
    const double hi = of_bfloat(static_cast<std::uint16_t>(bits + 1));
    const auto middle = static_cast<float>((lo + hi) / 2);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    constexpr float kFar = std::numeric_limits<float>::max();
    ASSERT_EQ(BFloat16(middle).bits, even) << bits;
    ASSERT_EQ(BFloat16(std::nextafter(middle, kFar)).bits, bits + 1) << bits;
    ASSERT_EQ(BFloat16(std::nextafter(middle, -kFar)).bits, bits) << bits;
  }
}

TEST(BFloat16, OverflowIsInfinityAndNaNStaysNaN) {
  EXPECT_EQ(BFloat16(3.3895314e38f).bits, 0x7f7f);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  EXPECT_EQ(BFloat16(-std::numeric_limits<float>::infinity()).bits, 0xff80);
  // The lowest bits alone make it a NaN.
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace half_test
}  // namespace sluice
