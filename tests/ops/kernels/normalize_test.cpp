// Images as tensors of numbers, and back.
#include "tests/error_of.h"
#include "tests/every_target.h"
#include "tests/ops/kernels/normalizings.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_normalize_test {

using kernels::crop_mirror_normalize;
using kernels::NormalizeParams;
using kernels::resize_mirror_normalize;
using testing::make_image;

NormalizeParams image_net(DType dtype, Layout layout) {
  return {.mean = {0.485f, 0.456f, 0.406f, 0.5f},
          .std = {0.229f, 0.224f, 0.225f, 0.25f},
          .dtype = dtype,
          .layout = layout};
}

template <class F>
void for_all_params(int channels, const F& f) {
  for (int i = 0; i < testing::kNormalizings; ++i) {
    const NormalizeParams params = testing::test_normalizing(i, channels);
    SCOPED_TRACE(testing::text_of(params));
    f(params);
  }
}

// Returns the formula's value, clamped to the type's range. Sets `tolerance` to the allowed
// difference.
double expected_number(DType dtype, double formula, double& tolerance) {
  const bool is_signed = dtype == DType::i8;
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      tolerance = 0.5 + 1e-4;
      return std::clamp(formula, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
    case DType::f16:  // 11 significant bits, and the values stay below 4
      tolerance = 1.1e-3;
      return formula;
    case DType::bf16:  // 8 significant bits
      tolerance = 8.8e-3;
      return formula;
    default:
      tolerance = 1e-5;
      return formula;
  }
}

TEST(CropMirrorNormalize, FollowsTheFormula) {
  const Rectangle regions[] = {
      {0, 0, 1, 1}, {3, 2, 5, 1}, {1, 4, 1, 15}, {2, 3, 9, 16}, {0, 1, 20, 37}};
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_image(20, 40, channels);
    for (const Rectangle& w : regions) {
      for_all_params(channels, [&](const NormalizeParams& params) {
        Tensor out;
        crop_mirror_normalize(in, w, params, out);
        const bool planar = params.layout == Layout::chw;
        const int made = params.pad_output && channels == 3 ? 4 : channels;
        EXPECT_EQ(out.shape(),
                  planar ? Shape({made, w.height, w.width}) : Shape({w.height, w.width, made}));
        EXPECT_EQ(out.layout(), params.layout);
        for (int y = 0; y < w.height; ++y) {
          for (int x = 0; x < w.width; ++x) {
            for (int c = 0; c < made; ++c) {
              const std::int64_t at = planar ? (std::int64_t{c} * w.height + y) * w.width + x
                                             : (std::int64_t{y} * w.width + x) * made + c;
              if (c == channels) {
                ASSERT_EQ(testing::number_at(out, at), 0) << y << " " << x;
                continue;
              }
              const int from = w.x + (params.mirror ? w.width - 1 - x : x);
              const std::size_t k = static_cast<std::size_t>(c);
              const double formula = params.scale *
                                         (in.at(w.y + y, from, c) / 255.0 - params.mean[k]) /
                                         params.std[k] +
                                     params.shift;
              double tolerance = 0;
              const double expected = expected_number(params.dtype, formula, tolerance);
              ASSERT_NEAR(testing::number_at(out, at), expected, tolerance)
                  << y << " " << x << " " << c;
            }
          }
        }
      });
    }
  }
}

// All pixel values, to numbers that lie half way between two whole ones.
TEST(CropMirrorNormalize, RoundsHalvesToEvenAndCutsOff) {
  Image in(1, 256, 1);
  for (int x = 0; x < 256; ++x) in.data()[x] = static_cast<std::uint8_t>(x);
  for (const float scale : {1.0f, -1.0f, 255.0f, -255.0f, 127.5f, 1e30f, -1e30f}) {
    for (const float shift : {0.0f, 0.5f, -0.5f, -100.25f, 1e30f}) {
      NormalizeParams params{.scale = scale, .shift = shift};
      Tensor numbers, levels, signed_levels;
      crop_mirror_normalize(in, {0, 0, 1, 256}, params, numbers);
      params.dtype = DType::u8;
      crop_mirror_normalize(in, {0, 0, 1, 256}, params, levels);
      params.dtype = DType::i8;
      crop_mirror_normalize(in, {0, 0, 1, 256}, params, signed_levels);
      for (int x = 0; x < 256; ++x) {
        const float number = numbers.data<float>()[x];
        ASSERT_EQ(levels.data<std::uint8_t>()[x], std::nearbyint(std::clamp(number, 0.f, 255.f)));
        ASSERT_EQ(signed_levels.data<std::int8_t>()[x],
                  std::nearbyint(std::clamp(number, -128.f, 127.f)));
      }
    }
  }
}

TEST(CropMirrorNormalize, LevelsComeBackAsTheyAre) {
  const Image in = make_image(9, 41, 3);
  Tensor out;
  crop_mirror_normalize(in, {0, 0, 9, 41},
                        {.dtype = DType::u8, .layout = Layout::hwc, .scale = 255}, out);
  for (int y = 0; y < 9; ++y) {
    for (int i = 0; i < 3 * 41; ++i)
      ASSERT_EQ(out.data<std::uint8_t>()[y * 3 * 41 + i], in.row(y)[i]);
  }
}

TEST(CropMirrorNormalize, SixteenBitsAreTheRoundedFloat) {
  const Image in = make_image(16, 37, 3);
  for (const Layout layout : {Layout::chw, Layout::hwc}) {
    testing::on_every_target([&] {
      Tensor floats, halves, bfloats;
      crop_mirror_normalize(in, {0, 0, 16, 37}, image_net(DType::f32, layout), floats);
      crop_mirror_normalize(in, {0, 0, 16, 37}, image_net(DType::f16, layout), halves);
      crop_mirror_normalize(in, {0, 0, 16, 37}, image_net(DType::bf16, layout), bfloats);
      for (std::int64_t i = 0; i < floats.elements(); ++i) {
        const float number = floats.data<float>()[i];
        ASSERT_EQ(halves.data<Half>()[i].bits, Half(number).bits) << i;
        ASSERT_EQ(bfloats.data<BFloat16>()[i].bits, BFloat16(number).bits) << i;
      }
    });
  }
}

TEST(CropMirrorNormalize, SameBitsOnEveryInstructionSet) {
  const Image in = make_image(5, 71, 3);
  const Rectangle all{0, 0, 5, 71};
  for_all_params(3, [&](const NormalizeParams& params) {
    Tensor expected;
    crop_mirror_normalize(in, all, params, expected);
    testing::on_every_target([&] {
      Tensor out;
      crop_mirror_normalize(in, all, params, out);
      EXPECT_EQ(out, expected);
    });
  });
}

TEST(ResizeMirrorNormalize, EqualsTheThreeStepsOneAfterTheOther) {
  struct Case {
    int height, width, out_height, out_width;
  };
  const Case cases[] = {{1, 1, 3, 5},     {260, 320, 224, 224}, {60, 50, 60, 31},
                        {60, 50, 41, 50}, {33, 47, 33, 47},     {20, 30, 51, 67}};
  for (int channels = 1; channels <= 4; ++channels) {
    for (const Case& c : cases) {
      const Image in = make_image(c.height, c.width, channels);
      for (const Interpolation interpolation :
           {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
            Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos}) {
        for_all_params(channels, [&](NormalizeParams params) {
          Tensor fused;
          resize_mirror_normalize(in, c.out_height, c.out_width, interpolation, params, fused);
          Image resized, flipped;
          kernels::resize(in, c.out_height, c.out_width, interpolation, resized);
          kernels::flip(resized, params.mirror, false, flipped);
          params.mirror = false;
          Tensor steps;
          crop_mirror_normalize(flipped, {0, 0, c.out_height, c.out_width}, params, steps);
          EXPECT_EQ(fused, steps) << name_of(interpolation) << " channels " << channels << " of "
                                  << c.height << "x" << c.width;
        });
      }
    }
  }
}

TEST(ResizeMirrorNormalize, TakesViews) {
  const Image whole = make_image(50, 60, 3);
  const Image view = whole.crop_view(7, 11, 30, 25);
  for_all_params(3, [&](const NormalizeParams& params) {
    Tensor from_view, from_copy;
    resize_mirror_normalize(view, 17, 33, Interpolation::bilinear, params, from_view);
    resize_mirror_normalize(view.clone(), 17, 33, Interpolation::bilinear, params, from_copy);
    EXPECT_EQ(from_view, from_copy);
  });
}

TEST(Normalize, RefusesWhatCannotBe) {
  const Image in = make_image(8, 8, 3);
  Tensor out;
  const auto refuses = [&](const NormalizeParams& params, const Rectangle& region,
                           const char* text) {
    try {
      crop_mirror_normalize(in, region, params, out);
      ADD_FAILURE() << "accepted, though: " << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  const Rectangle all{0, 0, 8, 8};
  refuses({.std = {1, 0, 1, 1}}, all, "std of channel 1 is 0");
  refuses({.std = {1, 1, -2, 1}}, all, "std of channel 2 is -2");
  refuses({.mean = {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0}}, all, "mean is nan");
  refuses({.dtype = DType::i16}, all, "must be f32, f16, bf16, u8 or i8, not i16");
  refuses({.scale = std::numeric_limits<float>::infinity()}, all, "scale is inf");
  refuses({.shift = std::numeric_limits<float>::quiet_NaN()}, all, "shift is nan");
  refuses({.std = {1, 1e-3f, 1, 1}, .scale = 3e38f}, all, "of channel 1 produce numbers");
  // f16 ends at 65504; numbers that round to it are valid.
  refuses({.dtype = DType::f16, .scale = 65520.f}, all, "of channel 0 that f16 cannot hold");
  refuses({.dtype = DType::f16, .shift = -70000.f}, all, "that f16 cannot hold");
  refuses({.mean = {1e5f, 0, 0, 0}, .dtype = DType::f16}, all, "that f16 cannot hold");
  // The largest numbers of f32 round to infinity.
  refuses({.dtype = DType::bf16, .shift = 3.4e38f}, all, "that bf16 cannot hold");
  refuses({.scale = 2e38f, .shift = 3e38f}, all, "that f32 cannot hold");
  EXPECT_NO_THROW(crop_mirror_normalize(in, all, {.dtype = DType::f16, .scale = 65519.f}, out));
  refuses({.layout = Layout::none}, all, "must be CHW or HWC");
  refuses({}, {4, 0, 5, 8}, "does not lie inside");
  refuses({}, {0, -1, 5, 8}, "does not lie inside");
  refuses({}, {0, 0, 0, 8}, "does not lie inside");
  EXPECT_THROW(crop_mirror_normalize(Image(), all, {}, out), std::invalid_argument);
  const Image gray = make_image(8, 8, 1);
  EXPECT_EQ(error_of<std::invalid_argument>([&] {
              crop_mirror_normalize(gray, all, {.mean = {0.5f, 0.25f, 0.5f, 0}}, out);
            }),
            "crop_mirror_normalize: mean has several values but the image has 1 channel; pass one "
            "value");
  EXPECT_NO_THROW(crop_mirror_normalize(gray, all, {.mean = {0.5f}, .std = {0.25f}}, out));
  EXPECT_THROW(resize_mirror_normalize(in, 0, 8, Interpolation::bilinear, {}, out),
               std::invalid_argument);
}

}  // namespace kernels_normalize_test

// Images from tensors, number by number against the rule.
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
  for (const DType type : {DType::boolean, DType::u8, DType::i8, DType::i16, DType::u16, DType::i32,
                           DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64}) {
    SCOPED_TRACE(name_of(type));
    Tensor in({1, count}, type);
    std::vector<int> expected;
    detail::visit_dtype(type, [&]<class T>(std::type_identity<T>) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        double held = numbers[i];
        if constexpr (detail::is_half<T>) {
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
  for (const DType type : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
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
      EXPECT_EQ(error_of<std::invalid_argument>([&] { kernels::to_image(in, out); }),
                "to_image: an element of the tensor is NaN, which is not a pixel value; replace it "
                "first");
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
              }).find("to_image: a tensor of " + to_string(shape) + " is not an image"),
              std::string::npos);
  }
  const Tensor planes({5, 4, 3}, DType::u8, Layout::chw);
  Image out;
  EXPECT_NE(error_of<std::invalid_argument>([&] {
              kernels::to_image(planes, out);
            }).find("layout CHW, is not an image"),
            std::string::npos);
}

}  // namespace to_image_test
}  // namespace sluice
