// warp_affine, shear, translate and random_perspective in a pipeline: with parameters of samples,
// the results are the kernels', and errors name the sample.
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace warp_test {

constexpr int kSamples = 9;

Image image_of(std::int64_t i) {
  const int n = static_cast<int>(i);
  return testing::make_image(11 + n % 4, 17 + n % 3, 1 + n % 4, static_cast<std::uint32_t>(n));
}

// Each sample's number, an image of it and a number like it: 0, 0.25, 0.5, ...
struct Sources {
  explicit Sources(Graph& g)
      : index(g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; })),
        image(g.map(
            "image", [](std::int64_t i) { return image_of(i); }, index)),
        part(g.map(
            "part", [](std::int64_t i) { return 0.25f * static_cast<float>(i); }, index)) {}
  Value<std::int64_t> index;
  Value<Image> image;
  Value<float> part;
};

TEST(Warps, RandomPerspectiveIsTheSameOnAnyNumberOfThreads) {
  const auto results = [](int threads) {
    const Image in = testing::make_image(30, 40, 3);
    auto pipeline = make_pipeline({.batch_size = 8, .seed = 7, .threads = threads}, [&](Graph& g) {
      return random_perspective(g.source(40, [&](const SampleInfo&) { return in.clone(); }),
                                {.probability = 0.5f, .fill = 9});
    });
    std::vector<Image> all;
    for (const auto& [images] : pipeline.epoch()) {
      for (std::size_t k = 0; k < images.size(); ++k) all.push_back(images[k].clone());
    }
    return all;
  };
  const std::vector<Image> first = results(1);
  EXPECT_EQ(first, results(4));
  const Image in = testing::make_image(30, 40, 3);
  const auto same = std::count(first.begin(), first.end(), in);
  EXPECT_GT(same, 8);
  EXPECT_LT(same, 32);
}

TEST(Warps, ParametersMayDifferFromSampleToSample) {
  const auto describe = [](Graph& g) {
    const Sources from(g);
    auto size = g.map(
        "size", [](std::int64_t i) { return static_cast<int>(5 + i); }, from.index);
    return std::tuple{
        warp_affine(from.image, {1.f, from.part, 0.5f, 0.f, 1.f, from.part},
                    {.height = 6, .width = size, .border = Border::edge}),
        warp_affine(from.image, {.x0 = from.part}, {.inverse_map = false, .fill = 5}),
        shear(from.image, {.x = from.part, .center_y = 0.5f, .fill = 99}),
        translate(from.image, {.y = -1, .x = from.part, .border = Border::edge}),
        translate(from.image,
                  {.y = 0.5f, .relative = true, .interpolation = Interpolation::nearest})};
  };
  for (const int threads : {1, 4}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = threads}, describe);
    std::int64_t i = 0;
    for (const auto& [warped, forward, sheared, moved, half] : pipeline.epoch()) {
      for (std::size_t k = 0; k < warped.size(); ++k, ++i) {
        const Image in = image_of(i);
        const double part = 0.25 * static_cast<double>(i);
        Image out;
        kernels::warp_affine("warp_affine", in, {1, part, 0.5, 0, 1, part}, 6,
                             static_cast<int>(5 + i), {.border = Border::edge}, out);
        EXPECT_EQ(warped[k], out) << i;
        kernels::translate(in, part, 0, false, {.fill = 5}, out);
        EXPECT_EQ(forward[k], out) << i;
        kernels::shear(in, {part, 0, 0, 0.5}, {.fill = 99}, out);
        EXPECT_EQ(sheared[k], out) << i;
        kernels::translate(in, part, -1, false, {.border = Border::edge}, out);
        EXPECT_EQ(moved[k], out) << i;
        kernels::translate(in, 0, 0.5 * in.height(), false,
                           {.interpolation = Interpolation::nearest}, out);
        EXPECT_EQ(half[k], out) << i;
      }
    }
    EXPECT_EQ(i, kSamples);
  }
}

TEST(Warps, AWrongSampleSaysWhatIsWrong) {
  const auto errors_of = [](auto describe) {
    auto pipeline = make_pipeline({.batch_size = kSamples, .on_error = OnError::skip},
                                  [&](Graph& g) { return describe(Sources(g)); });
    auto epoch = pipeline.epoch();
    const auto batch = epoch.next();
    std::vector<std::string> errors;
    for (const auto& error : batch->errors()) errors.push_back(error.what);
    return errors;
  };
  const std::vector<std::string> one_is_wrong = errors_of([](const Sources& from) {
    return shear(from.image, {.y = 0.5f, .x = from.part});  // sample 8: 2 * 0.5
  });
  ASSERT_EQ(one_is_wrong.size(), 1u);
  EXPECT_EQ(one_is_wrong[0],
            "shear: x = 2 and y = 0.5 collapse the image to a line; x * y must not be 1");
  const std::vector<std::string> out_of_range = errors_of(
      [](const Sources& from) { return translate(from.image, {.x = from.part * 32768.f}); });
  ASSERT_EQ(out_of_range.size(), 1u);
  EXPECT_EQ(out_of_range[0], "translate: x must lie between -65535 and 65535, not 65536");
  const std::vector<std::string> too_far = errors_of(
      [](const Sources& from) { return warp_affine(from.image, {.x0 = from.part * 8388608.f}); });
  ASSERT_EQ(too_far.size(), 1u);
  EXPECT_EQ(too_far[0].rfind("warp_affine: the map [1 0 1.67772e+07; 0 1 0] takes", 0), 0u)
      << too_far[0];
  EXPECT_EQ(errors_of([](const Sources& from) {
              return warp_affine(from.image, {.xx = from.part}, {.inverse_map = false});
            }).size(),
            1u);  // sample 0: a matrix of zeros
}

TEST(Warps, WrongConstantsAreRefusedWhenTheGraphIsBuilt) {
  const auto error_of = [](auto describe) -> std::string {
    try {
      (void)make_pipeline({}, [&](Graph& g) { return describe(Sources(g)); });
    } catch (const BuildError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of([](const Sources& from) { return shear(from.image, {.y = 0.5f, .x = 2}); }),
            "shear: x * y must not be 1, which collapses the image to a line");
  EXPECT_EQ(error_of([](const Sources& from) { return shear(from.image, {.y = 0.25f, .x = 2}); }),
            "no error");
  EXPECT_EQ(
      error_of([](const Sources& from) {
        return warp_affine(from.image, {1.f, 2.f, 0.f, 2.f, 4.f, 0.f}, {.inverse_map = false});
      }),
      "warp_affine: the map [1 2 0; 2 4 0] collapses the image to a line, so it has no inverse");
  EXPECT_EQ(error_of([](const Sources& from) {
              return warp_affine(from.image, {1.f, 2.f, 0.f, 2.f, 4.f, 0.f});
            }),
            "no error");
  EXPECT_EQ(
      error_of([](const Sources& from) { return warp_affine(from.image, {}, {.width = -1}); }),
      "warp_affine: width must lie between 1 and 65535, not -1");
  EXPECT_EQ(error_of([](const Sources& from) {
              return translate(from.image, {.interpolation = Interpolation::lanczos});
            }),
            "translate: interpolation is 5, but must be one of nearest, bilinear, bicubic");
}

}  // namespace warp_test
}  // namespace sluice
