// rand_augment and trivial_augment_wide against the same written for one image.
#include "tests/ops/automatic/plain_augmentation.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace rand_augment_test {

using testing::image_of;

// Returns the parameter of an augmentation, from the table in ops/automatic.h: the bits to keep for
// posterize, the factor for colors.
double parameter_of(const std::string& name, double share, int sign, AugmentationRanges ranges,
                    bool wide) {
  const bool dali = ranges == AugmentationRanges::dali;
  if (name.starts_with("shear")) return sign * share * (wide ? 0.99 : 0.3);
  if (name.starts_with("translate"))
    return sign * share * (wide ? 32 : dali ? 100.0 / 224 : 150.0 / 331);
  if (name == "rotate") return sign * share * (wide ? 135 : 30);
  if (name == "posterize") return 8 - static_cast<double>(std::lround(share * (wide ? 6 : 4)));
  if (name == "solarize") return (1 - share) * (dali ? 256 : 255);
  const double low = wide && dali ? 0.01 : 0;
  return 1 + sign * (low + share * ((wide ? 0.99 : 0.9) - low));
}

Image plain(const std::string& name, const Image& in, double share, int sign,
            AugmentationRanges ranges, bool wide) {
  const bool dali = ranges == AugmentationRanges::dali;
  return testing::plain_augmentation(
      name, in, parameter_of(name, share, sign, ranges, wide),
      {.interpolation = dali ? Interpolation::bilinear : Interpolation::nearest,
       .fill = dali ? 128 : 0},
      !wide, !dali);
}

struct Case {
  AugmentationRanges ranges;
  bool wide;
};
const Case kCases[] = {{AugmentationRanges::torchvision, false},
                       {AugmentationRanges::torchvision, true},
                       {AugmentationRanges::dali, false},
                       {AugmentationRanges::dali, true}};

TEST(RandAugment, EachOperatorDoesWhatTheTableSays) {
  for (const Case& c : kCases) {
    const auto list = c.wide ? trivial_augment_list({.ranges = c.ranges})
                             : rand_augment_list({.ranges = c.ranges});
    EXPECT_EQ(list.size(), 14u);
    const Image original = image_of(5);
    for (const auto& one : list) {
      for (const int bin : {0, 9, 30}) {
        for (const int sign : {1, -1}) {
          if (sign < 0 && !one.randomly_negate) continue;
          const float share = static_cast<float>(bin) / 30;
          auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
            auto image = g.source(1, [&](const SampleInfo&) { return original.clone(); });
            return one.apply(image, g.constant(static_cast<float>(sign) *
                                               (one.low + (one.high - one.low) * share)));
          });
          auto epoch = pipeline.epoch();
          const auto batch = epoch.next();
          EXPECT_TRUE(testing::alike(batch->get<0>()[0],
                                     plain(one.name, original, bin / 30.0, sign, c.ranges, c.wide)))
              << one.name << ", " << bin << ", " << sign << ", wide " << c.wide << ", DALI "
              << (c.ranges == AugmentationRanges::dali);
        }
      }
    }
  }
}

// The distance is rounded toward zero, and bits are rounded to even numbers.
TEST(RandAugment, RoundsAsTorchvision) {
  const struct {
    const char* name;
    float magnitude;
    double parameter;
  } cases[] = {{"translate_x", 14.57f / 40, 14}, {"translate_x", -14.57f / 40, -14},
               {"translate_x", 15.f / 40, 15},   {"translate_y", -3.99f / 36, -3},
               {"posterize", 4.5f, 4},           {"posterize", 3.5f, 4},
               {"posterize", 2.5f, 6},           {"posterize", 1.5f, 6},
               {"posterize", 0.5f, 8},           {"posterize", 2.6f, 5}};
  const Image original = image_of(5);
  ASSERT_EQ(original.height(), 36);
  ASSERT_EQ(original.width(), 40);
  for (const auto& c : cases) {
    for (const auto& one : rand_augment_list()) {
      if (one.name != c.name) continue;
      auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
        auto image = g.source(1, [&](const SampleInfo&) { return original.clone(); });
        return one.apply(image, g.constant(c.magnitude));
      });
      auto epoch = pipeline.epoch();
      const Image expected = testing::plain_augmentation(
          c.name, original, c.parameter, {.interpolation = Interpolation::nearest}, false, false);
      EXPECT_EQ(epoch.next()->get<0>()[0], expected) << c.name << " " << c.magnitude;
    }
  }
}

// The path names a sample's operators but not their signs, so any signs may be right.
TEST(RandAugment, ASampleIsWhatItsPathSays) {
  constexpr int kSamples = 60;
  auto pipeline = make_pipeline({.batch_size = 16, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto image = g.source(kSamples, [](const SampleInfo& info) { return image_of(info.index); });
    return rand_augment(g, image, {.n = 2, .magnitude = 9});
  });
  std::int64_t next = 0;
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images) {
      const std::int64_t i = next++;
      const Image before = image_of(i);
      // "apply_random:rotate/apply_random#2:equalize"
      const std::string path = pipeline.inspect(i).path();
      const std::size_t first_at = path.find(':') + 1, end = path.find('/');
      const std::string names[] = {path.substr(first_at, end - first_at),
                                   path.substr(path.rfind(':') + 1)};
      bool found = false;
      for (const int first : {1, -1}) {
        const Image once = plain(names[0], before, 0.3, first, kCases[0].ranges, false);
        for (const int second : {1, -1})
          found = found || testing::alike(
                               image, plain(names[1], once, 0.3, second, kCases[0].ranges, false));
      }
      EXPECT_TRUE(found) << "sample " << i << ": " << names[0] << ", " << names[1];
    }
  }
  EXPECT_EQ(next, kSamples);
}

TEST(RandAugment, IsTheSameForAllThreadsAndBatchSizes) {
  const auto results = [](int threads, int batch_size, bool wide) {
    auto pipeline =
        make_pipeline({.batch_size = batch_size, .seed = 3, .threads = threads}, [&](Graph& g) {
          auto image = g.source(50, [](const SampleInfo& info) { return image_of(info.index); });
          return wide ? trivial_augment_wide(g, image) : rand_augment(g, image);
        });
    std::vector<Image> all;
    for (const auto& [images] : pipeline.epoch()) {
      for (const Image& image : images) all.push_back(image.clone());
    }
    return all;
  };
  for (const bool wide : {false, true}) {
    const auto expected = results(1, 1, wide);
    EXPECT_EQ(expected.size(), 50u);
    EXPECT_TRUE(results(4, 16, wide) == expected);
  }
}

TEST(TrivialAugment, DrawsOperatorsEquallyOften) {
  constexpr int kSamples = 2800;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto image = g.source(kSamples, [](const SampleInfo&) { return Image(2, 2, 3); });
    return trivial_augment_wide(g, image);
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const auto stats = pipeline.stats();
  ASSERT_EQ(stats.choices.size(), 1u);
  ASSERT_EQ(stats.choices[0].branches.size(), 14u);
  double chi = 0;
  for (const BranchStats& branch : stats.choices[0].branches)
    chi += std::pow(static_cast<double>(branch.taken) - kSamples / 14.0, 2) / (kSamples / 14.0);
  EXPECT_LT(chi, 34.5);  // upper 0.1 % point of 13 degrees of freedom
}

TEST(RandAugment, RefusesWhatCannotBe) {
  const auto error_of = [](const std::function<void(Graph&, Value<Image>)>& describe) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto image = g.source(1, [](const SampleInfo&) { return Image(2, 2, 3); });
        describe(g, image);
        return image;
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const struct {
    std::function<void(Graph&, Value<Image>)> describe;
    const char* says;
  } cases[] = {
      {[](Graph& g, Value<Image> x) { (void)rand_augment(g, x, {.n = -1}); },
       "n must not be negative"},
      {[](Graph& g, Value<Image> x) { (void)rand_augment(g, x, {.magnitude = 31}); },
       "magnitude must lie between 0 and bins - 1 = 30, but is 31"},
      {[](Graph& g, Value<Image> x) { (void)trivial_augment_wide(g, x, 0); }, "bins is at least 1"},
      {[](Graph& g, Value<Image> x) { (void)rand_augment(g, x, {}, {.excluded = {"sheer_x"}}); },
       "there is no augmentation 'sheer_x' to exclude; there are 'identity', 'shear_x'"},
  };
  for (const auto& c : cases)
    EXPECT_NE(error_of(c.describe).find(c.says), std::string::npos) << error_of(c.describe);
  EXPECT_EQ(rand_augment_list({.excluded = {"rotate", "equalize"}}).size(), 12u);
}

}  // namespace rand_augment_test
}  // namespace sluice
