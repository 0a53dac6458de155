// Operators whose parameters differ from sample to sample: their results are the kernels'. A sample
// with invalid parameters fails alone, with the kernel's message.
#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/noise.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace per_sample_test {

Image drawn() { return testing::make_image(12, 17, 3); }

struct Case {
  std::string name;
  std::function<Value<Image>(Value<Image>, Value<int>, Value<float>, Value<Rectangle>)> describe;
  std::function<void(const Image&, int, Image&)> make;  // of sample 1, 2 and 3
  int fails = 0;                                        // the first sample that does
  std::string words = {};
};

std::vector<Case> cases() {
  return {
      {"crop padded",
       [](auto image, auto, auto, auto region) {
         return crop(image, region, {.out_of_bounds = OutOfBounds::pad, .fill = 7});
       },
       [](const Image& in, int i, Image& out) {
         kernels::crop_padded(in, {i - 1, -3, 9, 12}, 7, out);
       }},
      {"crop trimmed",
       [](auto image, auto, auto, auto region) {
         return crop(image, region, {.out_of_bounds = OutOfBounds::trim});
       },
       [](const Image& in, int i, Image& out) {
         kernels::crop(in, {i - 1, 0, 9, 9}, out);
       }},
      {"crop",
       [](auto image, auto, auto, auto region) { return crop(image, region); },
       {},
       1,
       "crop: "},
      {"expand",
       [](auto image, auto, auto number, auto) {
         return expand(image, {.ratio = number, .y = 0.f, .fill = 3});
       },
       [](const Image& in, int i, Image& out) {
         kernels::expand(in, {static_cast<float>(i), 0, 0.5f}, 3, out);
       }},
      {"paste",
       [](auto image, auto whole, auto, auto) {
         return paste(image, invert(image), {.y = whole, .x = -2, .alpha = 0.5f});
       },
       [](const Image& in, int i, Image& out) {
         Image inverted(in.height(), in.width(), 3);
         for (int y = 0; y < in.height(); ++y) {
           for (std::size_t k = 0; k < in.row_bytes(); ++k)
             inverted.row(y)[k] = static_cast<std::uint8_t>(255 - in.row(y)[k]);
         }
         kernels::paste(in, inverted, nullptr, {i, -2, 0.5f}, out);
       }},
      {"perspective",
       [](auto image, auto, auto number, auto) {
         return perspective(image, {0, 0, 17, 0, 17, 12, 0, 12}, {number, 0, 17, 1, 16, 12, 3, 12},
                            {.fill = 9});
       },
       [](const Image& in, int i, Image& out) {
         const auto map =
             kernels::map_of_points("", {{{static_cast<double>(i), 0}, {17, 1}, {16, 12}, {3, 12}}},
                                    {{{0, 0}, {17, 0}, {17, 12}, {0, 12}}});
         kernels::warp_perspective("", in, map, 12, 17, {.fill = 9}, out);
       }},
      {"perspective of points on a line",
       [](auto image, auto, auto number, auto) {
         return perspective(image, {0, 0, 17, 0, 17, 12, 0, 12}, {number, 0, 2, 5, 2, 12, 0, 12});
       },
       {},
       2,
       "perspective: three of the points (2, 0) (2, 5) (2, 12) (0, 12) lie on a line"},
      {"motion_blur",
       [](auto image, auto whole, auto number, auto) {
         return motion_blur(image, {.length = whole, .degrees = number});
       },
       [](const Image& in, int i, Image& out) {
         kernels::motion_blur(in, i, static_cast<float>(i), out);
       }},
      {"laplacian",
       [](auto image, auto whole, auto, auto) { return laplacian(image, {.window_size = whole}); },
       {},
       2,
       "laplacian: window_size must be 1, 3, 5 or 7, not 2"},
      {"jitter",
       [](auto image, auto whole, auto, auto) { return jitter(image, whole); },
       {},
       2,
       "jitter: window_size must be an odd number between 1 and 255, not 2"},
  };
}

TEST(PerSample, KernelsAndTheirWords) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [&](Graph& g) {
      auto whole = g.source(
          3, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch) + 1; });
      auto number = g.map(
          "number", [](int i) { return static_cast<float>(i); }, whole);
      auto region = g.map(
          "region",
          [](int i) {
            return Rectangle{i - 1, -3, 9, 12};
          },
          whole);
      auto image = g.map(
          "image", [](int) { return drawn(); }, whole);
      return std::tuple{whole, one.describe(image, whole, number, region)};
    });
    const auto batch = pipeline.epoch().next();
    if (one.make) {
      ASSERT_EQ(batch->size(), 3u);
      for (std::size_t k = 0; k < 3; ++k) {
        Image expected;
        one.make(drawn(), batch->get<0>()[k], expected);
        EXPECT_EQ(batch->get<1>()[k], expected) << k;
      }
    } else {
      ASSERT_FALSE(batch->errors().empty());
      const SampleError& error = batch->errors()[0];
      EXPECT_EQ(error.key.index, one.fails - 1);
      EXPECT_EQ(error.what.rfind(one.words, 0), 0u) << error.what;
    }
  }
}

TEST(PerSample, ConstantsThatCannotBeAreRefusedWhenTheGraphIsBuilt) {
  const auto told = [](const std::function<Value<Image>(Value<Image>)>& describe) {
    return error_of<BuildError>([&] {
      (void)make_pipeline({}, [&](Graph& g) {
        return describe(g.source(1, [](const SampleInfo&) { return drawn(); }));
      });
    });
  };
  const auto expect = [&](const std::string& part,
                          const std::function<Value<Image>(Value<Image>)>& describe) {
    EXPECT_NE(told(describe).find(part), std::string::npos) << part;
  };
  expect("jitter: window_size must be an odd number", [](auto image) { return jitter(image, 4); });
  expect("laplacian: window_size must be 1, 3, 5 or 7",
         [](auto image) { return laplacian(image, {.window_size = 2}); });
  expect("expand: ratio", [](auto image) { return expand(image, {.ratio = 0.5f}); });
  expect("paste: alpha", [](auto image) { return paste(image, image, {.alpha = 2.f}); });
  expect("clahe: tiles_x", [](auto image) { return clahe(image, {.tiles_x = 0}); });
  expect("jpeg_distortion: quality", [](auto image) { return jpeg_distortion(image, 0); });
  expect("elastic: sigma", [](auto image) { return elastic(image, {.sigma = 65.f}); });
  expect("motion_blur: length", [](auto image) { return motion_blur(image, {.length = 0}); });
  expect("dilate: window_width", [](auto image) { return dilate(image, {.window_width = 256}); });
  expect("lens_distortion: interpolation", [](auto image) {
    return lens_distortion(image, {.interpolation = Interpolation::lanczos});
  });
}

}  // namespace per_sample_test
}  // namespace sluice
