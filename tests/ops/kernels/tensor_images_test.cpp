// crop, flip, resize, rotate and normalize on tensors of height x width x channels, compared with
// plain references, and with the kernels of images.
#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_tensor_images_test {

using testing::make_image;

// The element as a double; noise with neighbors that differ, over the whole range of the type.
template <class T>
double element(int y, int x, int c) {
  const std::uint32_t noise =
      (static_cast<std::uint32_t>(y * 7919 + x * 104729 + c * 1299709) * 2654435761U) >> 8;
  const double share = noise / static_cast<double>((1U << 24) - 1);
  if constexpr (std::is_integral_v<T>) {
    constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    return std::floor(kLow + share * (kHigh - kLow));
  } else {
    return static_cast<double>(static_cast<float>(share * 10 - 3));
  }
}

template <class T>
Tensor make_tensor(int height, int width, int channels, Layout layout = Layout::none) {
  Tensor made({height, width, channels}, dtype_of<T>::value, layout);
  T* to = made.data<T>();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) *to++ = static_cast<T>(element<T>(y, x, c));
    }
  }
  return made;
}

template <class T>
double at(const Tensor& tensor, int y, int x, int c) {
  const Shape& shape = tensor.shape();
  return static_cast<double>(tensor.data<T>()[(y * shape[1] + x) * shape[2] + c]);
}

// Rounds a number of the reference to the type.
template <class T>
double rounded(double value) {
  if constexpr (std::is_integral_v<T>) {
    constexpr double kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
    return std::floor(std::clamp(value, kLow, kHigh) + 0.5);
  } else {
    return value;
  }
}

// expected(y, x, c) for all elements, within `tolerance`.
template <class T, class F>
void expect_elements(const Tensor& found, int height, int width, int channels, double tolerance,
                     const F& expected) {
  ASSERT_EQ(found.shape(), (Shape{height, width, channels}));
  ASSERT_EQ(found.dtype(), dtype_of<T>::value);
  EXPECT_EQ(found.layout(), Layout::hwc);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        ASSERT_NEAR(at<T>(found, y, x, c), expected(y, x, c), tolerance)
            << y << " " << x << " " << c;
    }
  }
}

template <class F>
void on_types(const F& f) {
  f(std::type_identity<std::uint8_t>());
  f(std::type_identity<std::uint16_t>());
  f(std::type_identity<std::int16_t>());
  f(std::type_identity<float>());
}

TEST(TensorImages, CropsAreParts) {
  on_types([]<class T>(std::type_identity<T>) {
    for (const int channels : {1, 3, 16}) {
      const Tensor in = make_tensor<T>(9, 11, channels, Layout::hwc);
      Tensor out;
      struct Case {
        Rectangle region;
        OutOfBounds out_of_bounds;
        Rectangle shown;
      };
      for (const auto& [region, how, shown] :
           {Case{{2, 3, 4, 5}, OutOfBounds::error, {2, 3, 4, 5}},
            {{-2, 8, 5, 9}, OutOfBounds::trim, {0, 8, 3, 3}},
            {{-2, 8, 5, 9}, OutOfBounds::pad, {-2, 8, 5, 9}},
            {{-1, -1, 11, 13}, OutOfBounds::pad, {-1, -1, 11, 13}},
            {{20, 3, 2, 2}, OutOfBounds::pad, {20, 3, 2, 2}}}) {
        kernels::crop_tensor(in, region, how, 77, out);
        const Rectangle& from = shown;
        expect_elements<T>(out, from.height, from.width, channels, 0, [&](int y, int x, int c) {
          const int row = from.y + y, column = from.x + x;
          const bool inside = row >= 0 && row < 9 && column >= 0 && column < 11;
          return inside ? element<T>(row, column, c) : 77;
        });
      }
    }
  });
}

TEST(TensorImages, FlipsMirror) {
  on_types([]<class T>(std::type_identity<T>) {
    for (const int channels : {1, 4, 7}) {
      for (const bool horizontal : {false, true}) {
        for (const bool vertical : {false, true}) {
          Tensor out;
          kernels::flip_tensor(make_tensor<T>(5, 8, channels), horizontal, vertical, out);
          expect_elements<T>(out, 5, 8, channels, 0, [&](int y, int x, int c) {
            return element<T>(vertical ? 4 - y : y, horizontal ? 7 - x : x, c);
          });
        }
      }
    }
  });
}

// One axis after the other, rounded in between, as resize.h describes it.
template <class T>
std::vector<std::vector<double>> resized(int height, int width, int c, const kernels::Box& box,
                                         const ImageSize& size,
                                         const kernels::ResizeFilter& filter) {
  std::vector<std::vector<double>> rows, out(static_cast<std::size_t>(size.height));
  for (int y = 0; y < height; ++y) {
    std::vector<double> row;
    for (int x = 0; x < width; ++x) row.push_back(element<T>(y, x, c));
    rows.push_back(testing::reference_line(row, box.x, box.width, size.width, filter));
    for (double& value : rows.back()) value = rounded<T>(value);
  }
  for (int x = 0; x < size.width; ++x) {
    std::vector<double> column;
    for (const auto& row : rows) column.push_back(row[static_cast<std::size_t>(x)]);
    const auto line = testing::reference_line(column, box.y, box.height, size.height, filter);
    for (std::size_t y = 0; y < line.size(); ++y) out[y].push_back(rounded<T>(line[y]));
  }
  return out;
}

constexpr Interpolation kFilters[] = {Interpolation::nearest,  Interpolation::box,
                                      Interpolation::bilinear, Interpolation::hamming,
                                      Interpolation::bicubic,  Interpolation::lanczos};

TEST(TensorImages, ResizesFollowTheFilters) {
  on_types([]<class T>(std::type_identity<T>) {
    for (const int channels : {1, 5}) {
      if (channels == 1 && sizeof(T) == 1) continue;  // see EightBitsAreThoseOfImages
      const Tensor in = make_tensor<T>(19, 23, channels);
      for (const ImageSize size : {ImageSize{7, 9}, {40, 11}, {19, 50}, {19, 23}, {1, 1}}) {
        for (const Interpolation interpolation : kFilters) {
          for (const bool antialias : {false, true}) {
            SCOPED_TRACE(::testing::Message()
                         << name_of(in.dtype()) << " x " << channels << " to " << size.height
                         << " x " << size.width << ", " << name_of(interpolation) << antialias);
            Tensor out;
            kernels::resize_tensor(in, {.height = size.height, .width = size.width},
                                   {interpolation, antialias}, out);
            std::vector<std::vector<std::vector<double>>> expected;
            for (int c = 0; c < channels; ++c) {
              expected.push_back(
                  resized<T>(19, 23, c, {0, 0, 19, 23}, size, {interpolation, antialias}));
            }
            // A half of the reference may be rounded in the other direction.
            const double tolerance = interpolation == Interpolation::nearest ? 0
                                     : std::is_integral_v<T>                 ? 1
                                                                             : 1e-5;
            expect_elements<T>(
                out, size.height, size.width, channels, tolerance, [&](int y, int x, int c) {
                  return expected[static_cast<std::size_t>(c)][static_cast<std::size_t>(y)]
                                 [static_cast<std::size_t>(x)];
                });
          }
        }
      }
    }
  });
}

// The image of the first elements.
Image image_of(const Tensor& tensor) { return Image(tensor.clone()); }

TEST(TensorImages, EightBitsAreThoseOfImages) {
  for (const int channels : {1, 3, 4}) {
    const Tensor in = make_tensor<std::uint8_t>(31, 45, channels, Layout::hwc);
    const Image image = image_of(in);
    Tensor out;
    Image expected;
    for (const Interpolation interpolation : kFilters) {
      for (const ImageSize size : {ImageSize{12, 17}, {64, 30}, {33, 99}}) {
        kernels::resize_tensor(in, {.height = size.height, .width = size.width}, interpolation,
                               out);
        kernels::resize(image, size.height, size.width, interpolation, expected);
        EXPECT_EQ(testing::largest_difference(image_of(out), expected), 0)
            << name_of(interpolation);
      }
    }
    kernels::resize_tensor(
        in, {.shorter = 20, .roi_start_y = 0.2f, .roi_end_x = 0.7f, .roi_relative = true},
        Interpolation::bilinear, out);
    const auto [box, size] = kernels::plan_resize(
        {.shorter = 20, .roi_start_y = 0.2f, .roi_end_x = 0.7f, .roi_relative = true}, 31, 45);
    kernels::resize(image, box, size.height, size.width, Interpolation::bilinear, expected);
    EXPECT_EQ(testing::largest_difference(image_of(out), expected), 0);
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
      for (const float degrees : {0.f, 10.5f, -33.f, 90.f, 180.f, 270.f, 359.9f, 1000.f}) {
        for (const bool keep_size : {false, true}) {
          kernels::rotate_tensor(in, degrees, {keep_size, 5, interpolation}, out);
          kernels::rotate(image, degrees, {keep_size, Fill(5), interpolation}, expected);
          EXPECT_EQ(testing::largest_difference(image_of(out), expected), 0)
              << name_of(interpolation) << " by " << degrees << ", " << keep_size;
        }
      }
    }
  }
}

// Keys' cubic with a = -0.75.
double cubic(double d) {
  d = std::abs(d);
  if (d < 1) return 1.25 * d * d * d - 2.25 * d * d + 1;
  return d < 2 ? -0.75 * (d * d * d - 5 * d * d + 8 * d - 4) : 0;
}

TEST(TensorImages, RotationsInterpolate) {
  constexpr int kHeight = 17, kWidth = 26;
  on_types([]<class T>(std::type_identity<T>) {
    for (const int channels : {1, 5, 16}) {
      const Tensor in = make_tensor<T>(kHeight, kWidth, channels);
      for (const Interpolation interpolation : {Interpolation::bilinear, Interpolation::bicubic}) {
        for (const bool keep_size : {false, true}) {
          Tensor out;
          kernels::rotate_tensor(in, 27.5f, {keep_size, 9, interpolation}, out);
          const int height = static_cast<int>(out.shape()[0]);
          const int width = static_cast<int>(out.shape()[1]);
          EXPECT_EQ(height == kHeight && width == kWidth, keep_size);
          const double angle = 27.5 * std::numbers::pi / 180;
          expect_elements<T>(
              out, height, width, channels, std::is_integral_v<T> ? 1 : 1e-4,
              [&](int y, int x, int c) {
                // From the center of the canvas back to the center of the tensor.
                const double right = x + 0.5 - width / 2.0, down = y + 0.5 - height / 2.0;
                const double from_x =
                    std::cos(angle) * right - std::sin(angle) * down + kWidth / 2.0;
                const double from_y =
                    std::sin(angle) * right + std::cos(angle) * down + kHeight / 2.0;
                if (from_x < 0 || from_x >= kWidth || from_y < 0 || from_y >= kHeight) return 9.0;
                double sum = 0;
                const int top = static_cast<int>(std::floor(from_y - 0.5));
                const int left = static_cast<int>(std::floor(from_x - 0.5));
                for (int row = top - 1; row < top + 3; ++row) {
                  for (int column = left - 1; column < left + 3; ++column) {
                    const double dy = row + 0.5 - from_y, dx = column + 0.5 - from_x;
                    const double weight =
                        interpolation == Interpolation::bicubic
                            ? cubic(dy) * cubic(dx)
                            : std::max(0.0, 1 - std::abs(dy)) * std::max(0.0, 1 - std::abs(dx));
                    sum += weight * element<T>(std::clamp(row, 0, kHeight - 1),
                                               std::clamp(column, 0, kWidth - 1), c);
                  }
                }
                return rounded<T>(sum);
              });
        }
      }
    }
  });
}

TEST(TensorImages, NormalizingFollowsTheFormula) {
  const auto check = [](const Tensor& in, double white, const auto& value) {
    const int channels = static_cast<int>(in.shape()[2]);
    std::vector<float> mean, std;
    for (int c = 0; c < channels; ++c) {
      mean.push_back(0.05f * static_cast<float>(c));
      std.push_back(1 / (2.f + static_cast<float>(c)));
    }
    for (const bool each : {false, true}) {
      const std::vector<float> means = each ? mean : std::vector{0.25f};
      const std::vector<float> deviations = each ? std : std::vector{0.5f};
      Tensor hwc, chw, half;
      kernels::normalize_tensor(in, {means, deviations, DType::f32, Layout::hwc}, hwc);
      kernels::normalize_tensor(in, {means, deviations, DType::f32, Layout::chw}, chw);
      kernels::normalize_tensor(in, {means, deviations, DType::f16, Layout::chw}, half);
      ASSERT_EQ(hwc.spec(), (ValueSpec{{4, 6, channels}, DType::f32, Layout::hwc}));
      ASSERT_EQ(chw.spec(), (ValueSpec{{channels, 4, 6}, DType::f32, Layout::chw}));
      ASSERT_EQ(half.spec(), (ValueSpec{{channels, 4, 6}, DType::f16, Layout::chw}));
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 6; ++x) {
          for (int c = 0; c < channels; ++c) {
            const std::size_t which = each ? static_cast<std::size_t>(c) : 0;
            const double expected = (value(y, x, c) / white - static_cast<double>(means[which])) /
                                    static_cast<double>(deviations[which]);
            const double near = 1e-5 * (1 + std::abs(expected));
            ASSERT_NEAR(at<float>(hwc, y, x, c), expected, near);
            ASSERT_EQ(chw.data<float>()[(c * 4 + y) * 6 + x],
                      hwc.data<float>()[(y * 6 + x) * channels + c]);
            ASSERT_EQ(static_cast<float>(half.data<Half>()[(c * 4 + y) * 6 + x]),
                      static_cast<float>(Half(chw.data<float>()[(c * 4 + y) * 6 + x])));
          }
        }
      }
    }
  };
  for (const int channels : {1, 3, 16}) {
    check(make_tensor<std::uint8_t>(4, 6, channels), 255, element<std::uint8_t>);
    check(make_tensor<std::uint16_t>(4, 6, channels), 65535, element<std::uint16_t>);
    check(make_tensor<std::int16_t>(4, 6, channels), 1, element<std::int16_t>);
    check(make_tensor<float>(4, 6, channels), 1, element<float>);
  }
}

// Two dimensions are one channel; gaps between the elements are left out.
TEST(TensorImages, AnyStridesAndTwoDimensions) {
  Tensor whole = make_tensor<std::uint16_t>(8, 10, 3);
  const ValueSpec part{{4, 5}, DType::u16, Layout::none};
  const Tensor view = Tensor::view(whole.bytes(), part, Strides{2 * 30, 2 * 3});
  Tensor out;
  kernels::flip_tensor(view, true, false, out);
  expect_elements<std::uint16_t>(out, 4, 5, 1, 0, [](int y, int x, int) {
    return element<std::uint16_t>(2 * y, 2 * (4 - x), 0);
  });
}

TEST(TensorImages, WrongArgumentsAreErrors) {
  Tensor out;
  const auto error = [](const auto& f) { return error_of<std::invalid_argument>(f); };
  const Tensor in = make_tensor<std::uint16_t>(4, 5, 3);
  EXPECT_EQ(error([&] { kernels::flip_tensor(Tensor({4}, DType::u16), true, false, out); }),
            "flip: the tensor has the shape (4); height x width x channels is needed");
  EXPECT_EQ(error([&] {
              kernels::flip_tensor(make_tensor<float>(3, 4, 5, Layout::chw), true, false, out);
            }),
            "flip: the tensor has the layout CHW; make it HWC by permute(tensor, {1, 2, 0})");
  EXPECT_EQ(error([&] {
              kernels::flip_tensor(Tensor({0, 5, 3}, DType::u8), true, false, out);
            }).substr(0, 30),
            "flip: the tensor has the shape");
  EXPECT_EQ(error([&] {
              kernels::resize_tensor(Tensor({2, 2, 1}, DType::i64), {.height = 3, .width = 3},
                                     Interpolation::bilinear, out);
            }),
            "resize: the tensor has elements of type i64; cast it to u8, i8, u16, i16 or f32");
  EXPECT_EQ(error([&] { kernels::rotate_tensor(in, 5, {.fill = 65536}, out); }),
            "rotate: fill is 65536; for a tensor of u16, whole numbers from 0 to 65535 are "
            "possible");
  EXPECT_EQ(error([&] {
              kernels::crop_tensor(in, {0, 0, 4, 4}, OutOfBounds::pad, 0.5, out);
            }),
            "crop: fill is 0.5; for a tensor of u16, whole numbers from 0 to 65535 are possible");
  EXPECT_NE(error([&] { kernels::crop_tensor(in, {0, 0, 4, 6}, OutOfBounds::error, 0, out); }), "");
  EXPECT_NE(error([&] { kernels::rotate_tensor(in, NAN, {}, out); }), "");
  const auto normalizing = [&](std::vector<float> mean, std::vector<float> std) {
    return error([&] { kernels::normalize_tensor(in, {mean, std}, out); });
  };
  EXPECT_EQ(normalizing({0, 0}, {1}),
            "normalize: mean has 2 numbers, but the tensor has 3 channels; pass one number, or one "
            "for each channel");
  EXPECT_EQ(normalizing({0}, {1, 0, 1}), "normalize: std of channel 1 is 0; it must be above 0");
  EXPECT_EQ(normalizing({1350}, {400}),
            "normalize: mean 1350 and std 400 of channel 0 are not in units of 0 .. 1, in which "
            "the numbers of a tensor of u16 are; divide both by 65535, or cast the tensor to f32");
}

}  // namespace kernels_tensor_images_test
}  // namespace sluice
