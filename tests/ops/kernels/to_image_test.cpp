// Images from tensors, number by number against the rule.
#include "tests/error_of.h"
#include "tests/ops/kernels/every_target.h"
#include <sluice/ops/kernels/to_image.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/visit_dtype.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace to_image_test {

using testing::on_every_target;

int level_of(double x) {
  if (!(x > 0)) return 0;
  return x >= 255 ? 255 : static_cast<int>(std::floor(x + 0.5));
}

TEST(ToImage, RoundsAndCutsOffNumbersOfEveryType) {
  const std::vector<double> numbers{-1e9, -1,  -0.5,  0,     0.25, 0.49999997, 0.5,
                                    1,    1.5, 2.5,   99.49, 127,  127.5,      254.5,
                                    255,  256, 65504, 70000, 1e18, 3};
  const auto count = static_cast<std::int64_t>(numbers.size());
  for (const DType type : {DType::boolean, DType::u8, DType::i8, DType::i16, DType::i32, DType::i64,
                           DType::f16, DType::f32, DType::f64}) {
    SCOPED_TRACE(name_of(type));
    Tensor in({1, count}, type);
    std::vector<int> expected;
    detail::visit_dtype(type, [&]<class T>(std::type_identity<T>) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        double held = numbers[i];
        if constexpr (std::is_same_v<T, Half>) {
          in.data<T>()[i] = T(static_cast<float>(held));
          held = static_cast<float>(in.data<T>()[i]);
        } else if constexpr (std::is_same_v<T, float>) {
          in.data<T>()[i] = static_cast<T>(held);
          held = in.data<T>()[i];
        } else if constexpr (std::is_same_v<T, double>) {
          in.data<T>()[i] = held;
        } else {
          const auto low = static_cast<double>(std::numeric_limits<T>::min());
          const auto high = static_cast<double>(std::numeric_limits<T>::max());
          held = std::trunc(held < low ? low : held > high ? high : held);
          in.data<T>()[i] = static_cast<T>(held);
        }
        expected.push_back(level_of(held));
      }
    });
    on_every_target([&] {
      Image out;
      kernels::to_image(in, out);
      ASSERT_EQ(out.channels(), 1);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_EQ(out.at(0, static_cast<int>(i), 0), expected[i]) << numbers[i];
    });
  }
}

TEST(ToImage, InfinitiesAreCutOffAndNaNIsRefused) {
  constexpr int kCount = 50;
  for (const DType type : {DType::f16, DType::f32, DType::f64}) {
    for (const Layout layout : {Layout::hwc, Layout::chw}) {
      SCOPED_TRACE(name_of(type));
      Tensor in(layout == Layout::chw ? Shape{2, 1, kCount} : Shape{1, kCount, 2}, type, layout);
      detail::visit_dtype(type, [&]<class T>(std::type_identity<T>) {
        const auto set = [&](std::int64_t i, double number) {
          if constexpr (std::is_integral_v<T>) {
            static_cast<void>(number);
          } else {
            in.data<T>()[i] = T(static_cast<float>(number));
          }
        };
        const double infinity = std::numeric_limits<double>::infinity();
        for (std::int64_t i = 0; i < 2 * kCount; ++i) set(i, i % 2 == 0 ? infinity : -infinity);
        on_every_target([&] {
          Image out;
          kernels::to_image(in, out);
          const bool planes = layout == Layout::chw;
          EXPECT_EQ(out.at(0, 2, 0), 255);
          EXPECT_EQ(out.at(0, 2, 1), planes ? 255 : 0);
        });
        set(2 * kCount - 3, std::nan(""));
      });
      Image out;
      EXPECT_EQ(
          error_of<std::invalid_argument>([&] { kernels::to_image(in, out); }),
          "to_image: an element of the tensor is NaN, which is no pixel value; replace it first");
    }
  }
}

TEST(ToImage, TakesEachLayout) {
  constexpr int kHeight = 5, kWidth = 7;
  for (const int channels : {1, 2, 3, 4}) {
    for (const bool planes : {false, true}) {
      const Shape shape =
          planes ? Shape{channels, kHeight, kWidth} : Shape{kHeight, kWidth, channels};
      Tensor in(shape, DType::i16, planes ? Layout::chw : Layout::none);
      for (std::int64_t i = 0; i < in.elements(); ++i)
        in.data<std::int16_t>()[i] = static_cast<std::int16_t>(i);
      Image out;
      kernels::to_image(in, out);
      ASSERT_EQ(out.height(), kHeight);
      ASSERT_EQ(out.width(), kWidth);
      ASSERT_EQ(out.channels(), channels);
      for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
          for (int c = 0; c < channels; ++c) {
            EXPECT_EQ(out.at(y, x, c),
                      planes ? (c * kHeight + y) * kWidth + x : (y * kWidth + x) * channels + c);
          }
        }
      }
    }
  }
}

TEST(ToImage, NumbersAreMultipliedSoThatWhiteIsWhite) {
  const DType dtypes[] = {DType::boolean, DType::u8,  DType::i32,
                          DType::f16,     DType::f32, DType::f64};
  for (const DType dtype : dtypes) {
    for (const Layout layout : {Layout::none, Layout::chw}) {
      Tensor in(layout == Layout::chw ? Shape{3, 1, 2} : Shape{1, 2, 3}, dtype, layout);
      detail::visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < in.elements(); ++i)
          in.data<T>()[i] = static_cast<T>(static_cast<float>(i % 2));
      });
      Image out;
      kernels::to_image(in, out, 1);
      for (int c = 0; c < 3; ++c) {
        for (int x = 0; x < 2; ++x) {
          const int place = layout == Layout::chw ? 2 * c + x : 3 * x + c;
          EXPECT_EQ(out.at(0, x, c), place % 2 * 255) << name_of(dtype) << x << c;
        }
      }
    }
  }
}

TEST(ToImage, OfAView) {
  std::array<std::uint8_t, 12> pixels{};
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
  const Tensor view = Tensor::view(reinterpret_cast<std::byte*>(pixels.data()) + 1,
                                   {{3, 2}, DType::u8, Layout::none}, {4, 1});
  Image out;
  kernels::to_image(view, out);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 2; ++x) EXPECT_EQ(out.at(y, x, 0), 4 * y + x + 1);
  }
}

TEST(ToImage, RefusesOtherShapes) {
  for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 3, 4, 3}, Shape{0, 3, 3}, Shape{3, 0},
                             Shape{3, 4, 5}, Shape{3, 4, 0}, Shape{70000, 1}}) {
    SCOPED_TRACE(to_string(shape));
    const Tensor in(shape, DType::u8);
    Image out;
    EXPECT_NE(error_of<std::invalid_argument>([&] {
                kernels::to_image(in, out);
              }).find("to_image: a tensor of " + to_string(shape) + " is no picture"),
              std::string::npos);
  }
  const Tensor planes({5, 4, 3}, DType::u8, Layout::chw);
  Image out;
  EXPECT_NE(error_of<std::invalid_argument>([&] {
              kernels::to_image(planes, out);
            }).find("layout CHW, is no picture"),
            std::string::npos);
}

}  // namespace to_image_test
}  // namespace sluice
