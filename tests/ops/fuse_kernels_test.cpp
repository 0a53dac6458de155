// Consecutive plain operators are fused: the pixels, errors and counts equal those of single steps,
// for each order in which a program may put them.
#include "tests/ops/fuse_kernels.h"

#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace fuse_kernels_test {

using testing::Digest;
using testing::digest;
using testing::expect_as_inspected;
using testing::NumberedImage;

struct Case {
  const char* name;
  std::function<Value<Digest>(Graph&, NumberedImage)> describe;
  std::vector<std::string> fused;
};

const CropMirrorNormalizeOptions kNormalize{.mean = kImageNetMean, .std = kImageNetStd};

// Below 1 for some samples, which may be illegal.
Value<int> number(Graph& g, const NumberedImage& p) {
  return g.map(
      "number", [](int i) { return 9 - i; }, p.index);
}

const Case kCases[] = {
    {"resize, flip, normalize",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 13, .width = 17});
       return digest(
           g, crop_mirror_normalize(flip(small, {.horizontal = g.coin_flip(0.5f)}), kNormalize));
     },
     {"resize + flip + crop_mirror_normalize"}},
    {"the middle, mirrored by normalize, half precision",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.shorter = 18, .interpolation = Interpolation::bicubic});
       auto middle = center_crop(small, {.height = 15, .width = 16});
       return digest(g, crop_mirror_normalize(middle, {.mirror = g.coin_flip(0.5f),
                                                       .dtype = DType::f16,
                                                       .layout = Layout::hwc}));
     },
     {"resize + center_crop + crop_mirror_normalize"}},
    {"whole numbers, padded",
     [](Graph& g, NumberedImage p) {
       auto small = flip(resize(p.image, {.height = 14, .width = 19}));
       return digest(g, crop_mirror_normalize(small, {.dtype = DType::i8,
                                                      .layout = Layout::hwc,
                                                      .scale = 300,
                                                      .shift = -150,
                                                      .pad_output = true}));
     },
     {"resize + flip + crop_mirror_normalize"}},
    {"normalize cuts the middle",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.shorter = 18});
       return digest(g, crop_mirror_normalize(small, {.height = 11, .width = 9}));
     },
     {"resize + crop_mirror_normalize"}},
    {"a random region",
     [](Graph& g, NumberedImage p) {
       auto small = random_resized_crop(p.image, {.height = 9, .width = 12});
       return digest(g,
                     flip(small, {.horizontal = g.coin_flip(0.5f), .vertical = g.coin_flip(0.5f)}));
     },
     {"crop + resize + flip"}},
    {"a region in another size as a tensor",
     [](Graph& g, NumberedImage p) {
       auto part = crop(p.image, Rectangle{2, 3, 15, 16});
       return digest(g, resize_mirror_normalize(part, {.height = 9, .width = 8, .mirror = true}));
     },
     {"crop + resize_mirror_normalize"}},
    {"what is mirrored is resized by itself",
     [](Graph& g, NumberedImage p) {
       return digest(g, resize(flip(p.image), {.height = 9, .width = 8}));
     },
     {}},
    {"resized twice",
     [](Graph& g, NumberedImage p) {
       auto small = resize(crop(p.image, Rectangle{1, 1, 14, 12}), {.height = 9, .width = 8});
       return digest(g, flip(resize(small, {.height = 20, .width = 30}), {.vertical = true}));
     },
     {"crop + resize", "resize#2 + flip"}},
    {"tables of levels",
     [](Graph& g, NumberedImage p) {
       auto x = g.uniform(0.5f, 2.f);
       auto lighter = brightness_contrast(p.image, {.brightness = x, .contrast = 0.7f});
       auto few = posterize(solarize(gamma_correction(lighter, x), 99.f), 3);
       return digest(g, invert(few));
     },
     {"brightness_contrast + gamma_correction + solarize + posterize + invert"}},
    {"levels among the others",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 12, .width = 11});
       auto upside = flip(invert(small), {.horizontal = false, .vertical = true});
       auto part = crop(posterize(upside, 5), Rectangle{1, 2, 8, 7});
       return digest(g, crop_mirror_normalize(flip(part), kNormalize));
     },
     {"resize + invert + flip + posterize + crop + flip#2 + crop_mirror_normalize"}},
    {"illegal numbers of some samples",
     [](Graph& g, NumberedImage p) {
       auto n = number(g, p);
       auto small = resize(p.image, {.height = 12, .width = n + 6});
       auto few = posterize(invert(small), n + 3);
       auto part = center_crop(few, {.height = n + 2, .width = n + 9});
       return digest(g, crop_mirror_normalize(part, {.height = 1, .width = n}));
     },
     {"resize + invert + posterize + center_crop + crop_mirror_normalize"}},
    {"a value that two read",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 12, .width = 11});
       auto mirrored = digest(g, flip(small));
       auto upside_down = flip(small, {.vertical = true});
       return g.map(
           "sum", [](Digest a, Digest b) { return a ^ (b * 3); }, mirrored,
           digest(g, crop_mirror_normalize(upside_down, kNormalize)));
     },
     {"flip#2 + crop_mirror_normalize"}},
    {"looked at in between",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 12, .width = 11});
       auto seen = g.tap(
           "look", [](const Image& in) { ASSERT_EQ(in.width(), 11); }, small);
       return digest(g, flip(seen));
     },
     {}},
    {"other steps in between, which may fail",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = number(g, p), .width = 20});
       auto odd = g.map(
           "odd",
           [](int i) {
             if (i % 5 == 0) throw std::runtime_error("a fifth of all");
             return i % 2 == 1;
           },
           p.index);
       auto turned = flip(small, {.horizontal = odd});
       auto part = crop(turned, Rectangle{0, 0, 2, 15});
       return digest(g, crop_mirror_normalize(part, kNormalize));
     },
     {"resize + flip + crop + crop_mirror_normalize"}},
    {"in branches",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 16, .width = 20});
       auto middle = center_crop(small, {.height = 10, .width = 10});
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return flip(middle); },
                            [&] { return invert(posterize(small, number(g, p))); }));
     },
     {"center_crop + flip", "posterize + invert"}},
    {"the result of a choice",
     [](Graph& g, NumberedImage p) {
       auto either = g.if_else(
           g.coin_flip(0.5f), [&] { return rotate(p.image, 20.f); }, [&] { return p.image; });
       auto small = resize(either, {.height = 16, .width = 20});
       return digest(g, crop_mirror_normalize(small, kNormalize));
     },
     {"resize + crop_mirror_normalize"}},
    {"across a choice",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 16, .width = 20});
       auto angle = g.if_else(
           g.coin_flip(0.5f), [&] { return g.uniform(0.f, 9.f); }, [&] { return g.constant(1.f); });
       return digest(g, rotate(flip(small, {.horizontal = g.map(
                                                "low", [](float a) { return a < 4; }, angle)}),
                               angle));
     },
     {}},
    {"what a branch gives as well",
     [](Graph& g, NumberedImage p) {
       const auto [small, other] = g.if_else(
           g.coin_flip(0.5f),
           [&] {
             auto made = resize(p.image, {.height = 16, .width = 20});
             return std::tuple{made, flip(made)};
           },
           [&] {
             return std::tuple{p.image, invert(p.image)};
           });
       return g.map(
           "sum", [](Digest a, Digest b) { return a ^ (b * 3); }, digest(g, small),
           digest(g, other));
     },
     {}},
    {"what a loop begins with as well",
     [](Graph& g, NumberedImage p) {
       auto small = resize(p.image, {.height = 16, .width = 20});
       auto mirrored = digest(g, flip(small));
       auto turned = g.for_loop(
           2, small, [&](Value<std::int64_t>, Value<Image> image) { return rotate(image, 10.f); });
       return g.map(
           "sum", [](Digest a, Digest b) { return a ^ (b * 3); }, mirrored, digest(g, turned));
     },
     {}},
    {"in a loop",
     [](Graph& g, NumberedImage p) {
       auto again = g.for_loop(3, p.image, [&](Value<std::int64_t> i, Value<Image> image) {
         auto small = resize(image, {.height = 16, .width = 20});
         return flip(small, {.horizontal = g.map(
                                 "odd", [](std::int64_t k) { return k % 2 == 1; }, i)});
       });
       return digest(g, again);
     },
     {"resize + flip"}},
};

TEST(FuseKernels, GivesTheSameAndSaysWhatItFused) {
  for (const Case& which : kCases) {
    SCOPED_TRACE(which.name);
    for (const int threads : {1, 4})
      EXPECT_EQ(expect_as_inspected(which.describe, threads), which.fused);
  }
}

// Images that end as outputs are written straight into their batch. If another output is made of an
// image, the image exists as well.
TEST(FuseKernels, WritesIntoBatches) {
  auto pipeline = make_pipeline({.batch_size = 8}, [](Graph& g) {
    auto index =
        g.source(40, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int i) { return draw_image(30 + i % 5, 33, 3, static_cast<std::uint64_t>(i)); },
        index);
    auto shown = resize(image, {.height = 20, .width = 24});
    auto small = resize(image, {.height = 10, .width = 12});
    auto mirrored = flip(small, {.horizontal = g.coin_flip(0.5f)});
    return std::tuple{mirrored, crop_mirror_normalize(invert(shown), kNormalize), shown};
  });
  std::int64_t i = 0;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& [mirrored, tensors, shown] : pipeline.epoch()) {
      for (std::size_t k = 0; k < mirrored.size(); ++k, ++i) {
        const Inspection sample = pipeline.inspect(i % 40, i / 40);
        EXPECT_TRUE(mirrored[k] == sample.get<Image>("flip"));
        EXPECT_EQ(tensors[k], sample.get<Tensor>("crop_mirror_normalize"));
        EXPECT_TRUE(shown[k] == sample.get<Image>("resize"));
      }
    }
  }
  EXPECT_EQ(i, 80);
  const std::string plan = to_string(pipeline.plan());
  EXPECT_NE(plan.find("[fused with resize#2; output 0 in place"), std::string::npos) << plan;
  EXPECT_NE(plan.find("[fused with invert; output 1 in place"), std::string::npos) << plan;
  EXPECT_NE(plan.find("[fused into flip]"), std::string::npos) << plan;
}

// While a sample waits, it keeps the small image, not its large source.
TEST(FuseKernels, LeavesWhatIsApartFromEachOther) {
  auto pipeline = make_pipeline({.batch_size = 4, .profile = true}, [](Graph& g) {
    auto index =
        g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int i) { return draw_image(30, 33, 3, static_cast<std::uint64_t>(i)); }, index);
    auto small = resize(image, {.height = 10, .width = 12});
    auto later = g.map_async<bool>(
        "later", [](Completion<bool> done, int n) { done.set(n % 2 == 0); }, index);
    return flip(small, {.horizontal = later});
  });
  for (const auto& [images] : pipeline.epoch()) EXPECT_EQ(images.size(), 4u);
  EXPECT_TRUE(testing::fused(pipeline.stats()).empty()) << to_string(pipeline.plan());
}

}  // namespace fuse_kernels_test
}  // namespace sluice
