// The sums of all elements, against plain loops over them.
#include "tests/error_of.h"
#include "tests/io/pictures.h"
#include <sluice/ops/kernels/sum.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include <gtest/gtest.h>

namespace sluice {
namespace sum_test {

template <class T>
Tensor counted(std::int64_t count, int first) {
  Tensor made({count}, dtype_of<T>::value);
  for (std::int64_t i = 0; i < count; ++i)
    made.data<T>()[i] = static_cast<T>(static_cast<float>(first + i % 7));
  return made;
}

std::int64_t expected(std::int64_t count, int first) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += first + i % 7;
  return sum;
}

template <class T>
void expect_sums() {
  SCOPED_TRACE(name_of(dtype_of<T>::value));
  const int first = std::is_same_v<T, std::uint8_t> ? 200 : -100;
  for (const std::int64_t count : {0, 1, 7, 8, 9, 4095, 4096, 4097, 70'001}) {
    SCOPED_TRACE(count);
    const Tensor tensor = counted<T>(count, first);
    const std::int64_t sum = expected(count, first);
    EXPECT_EQ(kernels::sum<double>(tensor), static_cast<double>(sum));
    EXPECT_EQ(kernels::sum<float>(tensor), static_cast<float>(sum));
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(kernels::sum<std::int64_t>(tensor), sum);
    }
  }
}

TEST(Sum, IsThatOfAllElements) {
  expect_sums<std::uint8_t>();
  expect_sums<std::int8_t>();
  expect_sums<std::int16_t>();
  expect_sums<std::int32_t>();
  expect_sums<std::int64_t>();
  expect_sums<Half>();
  expect_sums<float>();
  expect_sums<double>();
  Tensor bools({5}, DType::boolean);
  for (int i = 0; i < 5; ++i) bools.data<bool>()[i] = i != 2;
  EXPECT_EQ(kernels::sum<std::int64_t>(bools), 4);
  EXPECT_EQ(kernels::sum<std::int64_t>(Tensor()), 0);
  // No i64 holds this one.
  Tensor large({4}, DType::i64);
  std::fill_n(large.data<std::int64_t>(), 4, std::int64_t{1} << 62);
  EXPECT_EQ(kernels::sum<double>(large), 0x1p64);
  EXPECT_EQ(kernels::sum<float>(large), 0x1p64f);
}

// Sums that 32 bits, and the 24 of a float, do not hold.
TEST(Sum, IsWide) {
  Tensor white({4097, 4099}, DType::u8);
  std::fill_n(white.data<std::uint8_t>(), white.elements(), std::uint8_t{255});
  EXPECT_EQ(kernels::sum<std::int64_t>(white), 255 * white.elements());
  Tensor large({3}, DType::i32);
  std::fill_n(large.data<std::int32_t>(), 3, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(kernels::sum<std::int64_t>(large), 3 * 2147483647ll);
  Tensor ones({20'000'001}, DType::f32);
  std::fill_n(ones.data<float>(), ones.elements(), 1.f);
  EXPECT_EQ(kernels::sum<double>(ones), 20'000'001.);
  Tensor beyond({2}, DType::i64);
  std::fill_n(beyond.data<std::int64_t>(), 2, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(error_of<std::overflow_error>([&] { (void)kernels::sum<std::int64_t>(beyond); }),
            "sum: i64 does not hold it; ask for f64");
  beyond.data<std::int64_t>()[1] = -1;
  EXPECT_EQ(kernels::sum<std::int64_t>(beyond), std::numeric_limits<std::int64_t>::max() - 1);
  Tensor huge({1}, DType::f64);
  *huge.data<double>() = 1e300;
  EXPECT_THROW((void)kernels::sum<float>(huge), std::overflow_error);
}

TEST(Sum, IsOfWhatAViewShows) {
  const Image part = draw_picture(40, 50, 3, 4).clone();
  const Image view = part.crop_view(5, 7, 20, 31);
  std::int64_t sum = 0;
  for (int y = 0; y < 20; ++y) {
    for (std::size_t i = 0; i < view.row_bytes(); ++i) sum += view.row(y)[i];
  }
  EXPECT_EQ(kernels::sum<std::int64_t>(view.tensor()), sum);
}

TEST(Sum, OfFractionsIsAFraction) {
  EXPECT_EQ(error_of<std::invalid_argument>(
                [] { (void)kernels::sum<std::int64_t>(Tensor({2}, DType::f16)); }),
            "sum: to is i64, but the elements are f16; their sum can be f32 or f64");
}

}  // namespace sum_test
}  // namespace sluice
