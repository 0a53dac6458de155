#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/flip.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using kernels::crop_mirror_normalize;
using kernels::NormalizeParams;
using kernels::resize_mirror_normalize;
using testing::make_picture;

NormalizeParams image_net(DType dtype, Layout layout, bool mirror) {
  return {.mirror = mirror,
          .mean = {0.485f, 0.456f, 0.406f, 0.5f},
          .std = {0.229f, 0.224f, 0.225f, 0.25f},
          .dtype = dtype,
          .layout = layout};
}

double value_at(const Tensor& tensor, std::int64_t i) {
  return tensor.dtype() == DType::f32 ? tensor.data<float>()[i]
                                      : static_cast<float>(tensor.data<Half>()[i]);
}

// Every combination of type, layout and mirroring, as (name, params).
template <class F>
void for_all_params(const F& f) {
  for (const DType dtype : {DType::f32, DType::f16}) {
    for (const Layout layout : {Layout::chw, Layout::hwc}) {
      for (const bool mirror : {false, true}) {
        SCOPED_TRACE(std::string(name_of(dtype)) + " " + name_of(layout) +
                     (mirror ? " mirrored" : ""));
        f(image_net(dtype, layout, mirror));
      }
    }
  }
}

TEST(CropMirrorNormalize, FollowsTheFormula) {
  const Rectangle regions[] = {
      {0, 0, 1, 1}, {3, 2, 5, 1}, {1, 4, 1, 15}, {2, 3, 9, 16}, {0, 1, 20, 37}};
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = make_picture(20, 40, channels);
    for (const Rectangle& w : regions) {
      for_all_params([&](const NormalizeParams& params) {
        Tensor out;
        crop_mirror_normalize(in, w, params, out);
        const bool planar = params.layout == Layout::chw;
        EXPECT_EQ(out.shape(), planar ? Shape({channels, w.height, w.width})
                                      : Shape({w.height, w.width, channels}));
        EXPECT_EQ(out.layout(), params.layout);
        // Half has 11 significant bits and the values stay below 4.
        const double tolerance = params.dtype == DType::f32 ? 1e-5 : 1.1e-3;
        for (int y = 0; y < w.height; ++y) {
          for (int x = 0; x < w.width; ++x) {
            for (int c = 0; c < channels; ++c) {
              const std::int64_t at = planar ? (std::int64_t{c} * w.height + y) * w.width + x
                                             : (std::int64_t{y} * w.width + x) * channels + c;
              const int from = w.x + (params.mirror ? w.width - 1 - x : x);
              const std::size_t k = static_cast<std::size_t>(c);
              const double expected =
                  (in.at(w.y + y, from, c) / 255.0 - params.mean[k]) / params.std[k];
              ASSERT_NEAR(value_at(out, at), expected, tolerance) << y << " " << x << " " << c;
            }
          }
        }
      });
    }
  }
}

TEST(CropMirrorNormalize, HalfIsTheRoundedFloat) {
  const Image in = make_picture(16, 37, 3);
  for (const Layout layout : {Layout::chw, Layout::hwc}) {
    Tensor floats, halves;
    crop_mirror_normalize(in, {0, 0, 16, 37}, image_net(DType::f32, layout, false), floats);
    crop_mirror_normalize(in, {0, 0, 16, 37}, image_net(DType::f16, layout, false), halves);
    for (std::int64_t i = 0; i < floats.elements(); ++i) {
      ASSERT_EQ(halves.data<Half>()[i].bits, Half(floats.data<float>()[i]).bits) << i;
    }
  }
}

TEST(CropMirrorNormalize, SameBitsOnEveryInstructionSet) {
  const Image in = make_picture(5, 71, 3);
  const Rectangle all{0, 0, 5, 71};
  for_all_params([&](const NormalizeParams& params) {
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
      const Image in = make_picture(c.height, c.width, channels);
      for (const Interpolation interpolation :
           {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
            Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos}) {
        for_all_params([&](NormalizeParams params) {
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
  const Image whole = make_picture(50, 60, 3);
  const Image view = whole.crop_view(7, 11, 30, 25);
  for_all_params([&](const NormalizeParams& params) {
    Tensor from_view, from_copy;
    resize_mirror_normalize(view, 17, 33, Interpolation::bilinear, params, from_view);
    resize_mirror_normalize(view.clone(), 17, 33, Interpolation::bilinear, params, from_copy);
    EXPECT_EQ(from_view, from_copy);
  });
}

TEST(Normalize, RefusesWhatCannotBe) {
  const Image in = make_picture(8, 8, 3);
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
  refuses({.dtype = DType::u8}, all, "must be f32 or f16, not u8");
  refuses({.layout = Layout::none}, all, "must be CHW or HWC");
  refuses({}, {4, 0, 5, 8}, "does not lie inside");
  refuses({}, {0, -1, 5, 8}, "does not lie inside");
  refuses({}, {0, 0, 0, 8}, "does not lie inside");
  EXPECT_THROW(crop_mirror_normalize(Image(), all, {}, out), std::invalid_argument);
  EXPECT_THROW(resize_mirror_normalize(in, 0, 8, Interpolation::bilinear, {}, out),
               std::invalid_argument);
}

}  // namespace
}  // namespace sluice
