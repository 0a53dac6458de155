// The scale of mean and standard deviation: numbers for pixels of 0 .. 255 are refused while the
// pipeline is described.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace color_normalize_test {

using Numbers = std::array<float, 4>;

Value<Image> gray(Graph& g) {
  return g.source(1, [](const SampleInfo&) {
    Image image(1, 1, 1);
    image.data()[0] = 255;
    return image;
  });
}

template <class Operator, class Options>
std::string refusal(Operator normalize, const Options& options) {
  try {
    (void)make_pipeline({}, [&](Graph& g) { return normalize(gray(g), options); });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

struct Case {
  const char* name;
  Numbers mean, std;
  const char* wrong;  // empty: it is right
};
const Case kCases[] = {
    {"ImageNet", kImageNetMean, kImageNetStd, ""},
    {"ImageNet in units of 0 .. 255",
     {123.675f, 116.28f, 103.53f},
     {58.395f, 57.12f, 57.375f},
     "mean[0] must lie between -1 and 1, not 123.675"},
    {"a std of 0 .. 255 alone",
     {0, 0, 0, 0},
     {1, 255, 1, 1},
     "std[1] must lie between 0 and 1, not 255"},
    {"to -1 .. 1", {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}, ""},
    {"to 0 .. 255", {0, 0, 0}, {1 / 255.f, 1 / 255.f, 1 / 255.f}, ""},
    {"upwards", {-1, -1, -1, -1}, {1, 1, 1, 1}, ""},
    {"a negative std", {0, 0, 0, 0}, {1, 1, -0.5f, 1}, "std[2] must lie between 0 and 1, not -0.5"},
    {"no number", {NAN, 0, 0, 0}, {1, 1, 1, 1}, "mean[0] must lie between -1 and 1, not nan"},
};

TEST(Normalize, NumbersOfAnotherScaleAreRefused) {
  for (const Case& c : kCases) {
    for (const std::string name : {"crop_mirror_normalize", "resize_mirror_normalize"}) {
      const std::string told =
          name == "crop_mirror_normalize"
              ? refusal(crop_mirror_normalize,
                        CropMirrorNormalizeOptions{.mean = c.mean, .std = c.std})
              : refusal(resize_mirror_normalize,
                        ResizeMirrorNormalizeOptions{.mean = c.mean, .std = c.std});
      const std::string expected =
          *c.wrong == '\0' ? ""
                           : name + ": " + c.wrong +
                                 "; mean and std are in units of 0 .. 1, since pixels are divided "
                                 "by 255 first; divide both by 255";
      EXPECT_EQ(told, expected) << c.name;
    }
  }
}

// Zeros at the end stand for channels that were left out.
TEST(Normalize, AConstantStdOfZeroIsRefusedUnlessItIsLeftOut) {
  const struct {
    Numbers deviations;
    int channel;  // -1: it is right
  } cases[] = {
      {{0, 1, 1, 1}, 0},  {{0, 0, 0, 0}, 0},  {{1, 0, 1, 1}, 1},  {{1, 0, 1, 0}, 1},
      {{1, 0, 0, 1}, 1},  {{1, 1, 0, 1}, 2},  {{1, 0, 0, 0}, -1}, {{1, 1, 0, 0}, -1},
      {{1, 1, 1, 0}, -1}, {{1, 1, 1, 1}, -1},
  };
  for (const auto& c : cases) {
    const auto expected = [&](const std::string& name) {
      return c.channel < 0 ? ""
                           : name + ": std of channel " + std::to_string(c.channel) +
                                 " is 0; it must be above zero";
    };
    EXPECT_EQ(refusal(crop_mirror_normalize, CropMirrorNormalizeOptions{.std = c.deviations}),
              expected("crop_mirror_normalize"));
    EXPECT_EQ(refusal(resize_mirror_normalize, ResizeMirrorNormalizeOptions{.std = c.deviations}),
              expected("resize_mirror_normalize"));
  }
}

TEST(Normalize, ZeroStdFailsTheSample) {
  const auto computed_std = [](Graph& g, Value<Image> image) {
    return Param<Numbers>(g.map(
        "std",
        [](const Image&) {
          Tensor numbers({3}, DType::f32);
          for (int c = 0; c < 3; ++c) numbers.data<float>()[c] = c < 2 ? 1.f : 0.f;
          return numbers;
        },
        image));
  };
  for (const bool computed : {false, true}) {
    auto pipeline = make_pipeline({.on_error = OnError::skip}, [&](Graph& g) {
      auto image = g.map(
          "color", [](const Image&) { return Image(1, 1, 3); }, gray(g));
      return crop_mirror_normalize(
          image, {.std = computed ? computed_std(g, image) : Param<Numbers>(1, 1)});
    });
    const auto batch = pipeline.epoch().next();
    ASSERT_EQ(batch->errors().size(), 1u);
    EXPECT_EQ(batch->errors()[0].what,
              "crop_mirror_normalize: std of channel 2 is 0; it must be above zero");
  }
}

TEST(Normalize, WhiteIsOneLessTheMeanOverStd) {
  auto pipeline = make_pipeline({}, [](Graph& g) {
    return crop_mirror_normalize(gray(g), {.mean = {0.5f}, .std = {0.25f}});
  });
  for (const auto& [tensors] : pipeline.epoch()) {
    EXPECT_FLOAT_EQ(*tensors[0].data<float>(), 2.f);
  }
}

}  // namespace color_normalize_test
}  // namespace sluice
