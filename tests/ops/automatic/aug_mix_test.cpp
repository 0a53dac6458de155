// aug_mix against the same written for one image, and its draws.
#include "tests/ops/automatic/plain_augmentation.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/color.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace aug_mix_test {

using testing::image_of;

struct Step {
  std::string name;
  float parameter = 0;
};

// The usual list, in which each operator records that it runs, and its arguments.
std::vector<Augmentation<Image>> listening(Graph& g, std::vector<Step>& steps) {
  std::vector<Augmentation<Image>> list = aug_mix_list();
  for (auto& one : list) {
    one.apply = [&g, &steps, name = one.name, apply = one.apply](Value<Image> x, Value<float> m) {
      const auto write = [&steps, name](const Image&, float parameter) {
        steps.push_back({name, parameter});
      };
      return apply(g.tap("listen", write, x, m), m);
    };
  }
  return list;
}

double own_parameter(const Step& step) {
  const auto m = static_cast<double>(step.parameter);
  if (step.name == "brightness" || step.name == "color" || step.name == "contrast" ||
      step.name == "sharpness")
    return 1 + m;
  if (step.name == "posterize") return std::max(1.0, 8 - std::floor(m + 0.5));
  return m;
}

void expect_ranges(const Step& step) {
  const auto m = std::abs(static_cast<double>(step.parameter)) + 1e-6;
  const struct {
    const char* name;
    double most;
  } ranges[] = {{"shear", 0.3}, {"translate", 1.0 / 3}, {"rotate", 30},    {"brightness", 0.9},
                {"color", 0.9}, {"contrast", 0.9},      {"sharpness", 0.9}};
  for (const auto& range : ranges) {
    if (!step.name.starts_with(range.name)) continue;
    const double bin = m * 9 / range.most;
    EXPECT_NEAR(bin, std::round(bin), 1e-3) << step.name << " " << m;
    EXPECT_LT(bin, 9.5);
  }
  if (step.name == "posterize") {
    EXPECT_GE(m, 4);
    EXPECT_LE(m, 8.01);
  }
}

TEST(AugMix, ASampleIsWhatItsStepsAndWeightsSay) {
  for (const int depth : {1, 2, 3}) {
    for (const int width : {1, 3}) {
      std::vector<Step> steps;
      auto pipeline = make_pipeline({.batch_size = 1, .seed = 5, .threads = 1}, [&](Graph& g) {
        auto image = g.source(20, [](const SampleInfo& info) { return image_of(info.index); });
        return aug_mix(g, image,
                       {.severity = 10,
                        .mixture_width = width,
                        .chain_depth = depth,
                        .augmentations = listening(g, steps)});
      });
      for (std::int64_t i = 0; i < 20; ++i) {
        steps.clear();
        const Inspection sample = pipeline.inspect(i);
        ASSERT_EQ(sample.error(), nullptr);
        ASSERT_EQ(steps.size(), static_cast<std::size_t>(depth * width));
        const auto& weights = sample.get<std::vector<float>>("aug_mix_weights");
        ASSERT_EQ(weights.size(), static_cast<std::size_t>(width) + 1);
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);

        std::vector<Image> images;
        images.push_back(image_of(i));
        for (std::size_t k = 0; k < steps.size(); ++k) {
          if (k % static_cast<std::size_t>(depth) == 0) images.push_back(image_of(i));
          expect_ranges(steps[k]);
          images.back() = testing::plain_augmentation(
              steps[k].name, images.back(), own_parameter(steps[k]),
              {.interpolation = Interpolation::bilinear, .fill = 0}, true, true);
        }
        Image mixed = image_of(i);
        for (int y = 0; y < mixed.height(); ++y) {
          for (std::size_t x = 0; x < mixed.row_bytes(); ++x) {
            double sum = 0.5;
            for (std::size_t k = 0; k < images.size(); ++k)
              sum += static_cast<double>(weights[k]) * images[k].row(y)[x];
            mixed.row(y)[x] = static_cast<std::uint8_t>(std::min(sum, 255.0));
          }
        }
        EXPECT_TRUE(testing::alike(sample.get<Image>("weighted_sum"), mixed))
            << "sample " << i << ", " << width << " chains of " << depth;
      }
    }
  }
}

// All magnitudes, lengths and operators equally often.
TEST(AugMix, DrawsEvenly) {
  constexpr int kSamples = 3000, kOperators = 4, kWidth = 2, kSeverity = 5;
  std::mutex mutex;
  std::map<int, int> operators, magnitudes;
  int steps = 0;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [&](Graph& g) {
    std::vector<Augmentation<Image>> list;
    for (int i = 0; i < kOperators; ++i) {
      list.push_back({std::to_string(i),
                      [&, i](Value<Image> x, Value<float> m) {
                        const auto count = [&, i](const Image&, float magnitude) {
                          const std::lock_guard lock(mutex);
                          ++operators[i];
                          ++magnitudes[static_cast<int>(std::lround(magnitude))];
                          ++steps;
                        };
                        return g.tap("count", count, x, m);
                      },
                      0.f, 9.f});
    }
    auto image = g.source(kSamples, [](const SampleInfo&) { return Image(2, 2, 3); });
    return aug_mix(g, image,
                   {.severity = kSeverity, .mixture_width = kWidth, .augmentations = list});
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const auto chi = [&](const std::map<int, int>& counts, int kinds) {
    EXPECT_EQ(counts.size(), static_cast<std::size_t>(kinds));
    const double expected = static_cast<double>(steps) / kinds;
    double sum = 0;
    for (const auto& [kind, count] : counts) {
      EXPECT_TRUE(kind >= 0 && kind < kinds) << kind;
      sum += std::pow(count - expected, 2) / expected;
    }
    return sum;
  };
  EXPECT_LT(chi(operators, kOperators), 16.3);  // upper 0.1 % point of 3 degrees of freedom
  EXPECT_LT(chi(magnitudes, kSeverity), 18.5);  // of 4
  // A length is 1, 2 or 3: of variance 2/3.
  constexpr int kChains = kSamples * kWidth;
  EXPECT_NEAR(steps, 2 * kChains, 3.3 * std::sqrt(kChains * 2.0 / 3));
}

TEST(AugMix, LengthsAreOneToThreeEquallyOften) {
  constexpr int kSamples = 3000;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [&](Graph& g) {
    // Each step lets half of the light through.
    const std::vector<Augmentation<Image>> halve = {{"halve", [](Value<Image> x, Value<float>) {
                                                       return brightness_contrast(
                                                           x, {.brightness = 0.5f});
                                                     }}};
    auto image = g.source(kSamples, [](const SampleInfo&) {
      Image white(1, 1, 1);
      white.row(0)[0] = 255;
      return white;
    });
    return aug_mix(g, image, {.mixture_width = 1, .alpha = 1000.f, .augmentations = halve});
  });
  // With alpha 1000, the image and its chain have the same weight: 255 and 128, 64 or 32.
  int counts[3] = {};
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images) {
      const int level = image.row(0)[0];
      ++counts[level > 175 ? 0 : level > 151 ? 1 : 2];
    }
  }
  double chi = 0;
  for (const int count : counts) chi += std::pow(count - kSamples / 3.0, 2) / (kSamples / 3.0);
  EXPECT_LT(chi, 13.8);  // of 2 degrees of freedom
}

TEST(AugMix, IsTheSameForAllThreadsAndBatchSizes) {
  const auto results = [](int threads, int batch_size) {
    auto pipeline =
        make_pipeline({.batch_size = batch_size, .seed = 3, .threads = threads}, [&](Graph& g) {
          auto image = g.source(50, [](const SampleInfo& info) { return image_of(info.index); });
          return aug_mix(g, image);
        });
    std::vector<Image> all;
    for (const auto& [images] : pipeline.epoch()) {
      for (const Image& image : images) all.push_back(image.clone());
    }
    return all;
  };
  const auto expected = results(1, 1);
  EXPECT_EQ(expected.size(), 50u);
  EXPECT_TRUE(results(4, 16) == expected);
}

TEST(AugMix, RefusesWhatCannotBe) {
  const auto error_of = [](const AugMixOptions& options) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto image = g.source(1, [](const SampleInfo&) { return Image(2, 2, 3); });
        return aug_mix(g, image, options);
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const struct {
    AugMixOptions options;
    const char* says;
  } cases[] = {
      {{.severity = 0}, "aug_mix: severity must lie between 1 and 10, but is 0"},
      {{.severity = 11}, "severity must lie between 1 and 10, but is 11"},
      {{.mixture_width = 0}, "mixture_width must lie between 1 and 63, but is 0"},
      {{.mixture_width = std::numeric_limits<int>::max()}, "mixture_width must lie between 1 and"},
      {{.chain_depth = -1}, "chain_depth must lie between 0 and 1000, but is -1; 0 draws 1 to 3"},
      {{.chain_depth = 1001}, "chain_depth must lie between 0 and 1000, but is 1001"},
      {{.mixture_width = 63, .chain_depth = 1000, .alpha = 1e-6f}, "no error"},
      {{.alpha = 0.f}, "aug_mix_weights: alpha"},
      {{.alpha = std::numeric_limits<float>::quiet_NaN()}, "aug_mix_weights: alpha"},
      {{.augmentations = {}}, "the list of operators is empty"},
  };
  for (const auto& c : cases)
    EXPECT_NE(error_of(c.options).find(c.says), std::string::npos) << error_of(c.options);
  EXPECT_EQ(aug_mix_list().size(), 13u);
  EXPECT_EQ(aug_mix_list({.excluded = {"brightness", "color", "contrast", "sharpness"}}).size(),
            9u);
}

}  // namespace aug_mix_test
}  // namespace sluice
