// auto_augment against the same written for one image, and its draws.
#include "tests/one_in.h"
#include "tests/ops/automatic/plain_augmentation.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace auto_augment_test {

using testing::image_of;

const AutoAugmentPolicy kPolicies[] = {AutoAugmentPolicy::imagenet, AutoAugmentPolicy::cifar10,
                                       AutoAugmentPolicy::svhn};
const AugmentationRanges kRanges[] = {AugmentationRanges::torchvision, AugmentationRanges::dali};
const std::set<std::string> kPlain = {"auto_contrast", "equalize", "invert"};
const std::set<std::string> kColors = {"brightness", "color", "contrast", "sharpness"};

// The parameter from the two libraries' formulas; `negative` matters if a sign is drawn.
double parameter_of(const AugmentationStep& step, bool negative, bool dali) {
  const double share = step.magnitude / (dali ? 10.0 : 9.0);
  const double sign = negative ? -1 : 1;
  const std::string& name = step.augmentation;
  if (name.starts_with("shear")) return sign * 0.3 * share;
  if (name.starts_with("translate")) return sign * share * (dali ? 1 : 150.0 / 331);
  if (name == "rotate") return sign * 30 * share;
  if (kColors.contains(name)) return dali ? 0.1 + 1.8 * share : 1 + sign * 0.9 * share;
  if (name == "posterize")
    return dali ? std::max(1.0, std::round(4 * share)) : 8 - std::round(step.magnitude / (9 / 4.0));
  if (name == "solarize") return dali ? 256 * share : 255 * (1 - share);
  return 0;
}
bool draws_sign(const AugmentationStep& step, bool dali) {
  const std::string& name = step.augmentation;
  return !kPlain.contains(name) && name != "posterize" && name != "solarize" &&
         !(dali && kColors.contains(name));
}

// By bilinear interpolation, because rounded parameters may change a nearest pixel.
constexpr Interpolation kWay = Interpolation::bilinear;

Image plain(const AugmentationStep& step, const Image& in, bool negative, bool dali) {
  return testing::plain_augmentation(step.augmentation, in,
                                     static_cast<float>(parameter_of(step, negative, dali)),
                                     {.interpolation = kWay, .fill = dali ? 128 : 0}, true, !dali);
}

// The steps of a sample, from its path: "apply_policy:3 equalize, equalize/equalize:then/..."
struct Taken {
  std::size_t sub_policy = 0;  // from 0
  std::vector<AugmentationStep> steps = {};
};
Taken taken(const std::string& path, const AugmentationPolicy& policy) {
  Taken found;
  const std::string head = "apply_policy:";
  EXPECT_EQ(path.substr(0, head.size()), head) << path;
  found.sub_policy = std::stoul(path.substr(head.size())) - 1;
  std::size_t at = path.find('/');
  for (const AugmentationStep& step : policy.sub_policies.at(found.sub_policy)) {
    if (step.probability <= 0) continue;
    bool runs = step.probability >= 1;
    if (!runs) {
      EXPECT_NE(at, std::string::npos) << path;
      const std::size_t next = path.find('/', at + 1);
      const std::string chosen = path.substr(at + 1, next - at - 1);
      EXPECT_EQ(chosen.substr(0, step.augmentation.size()), step.augmentation) << path;
      runs = chosen.ends_with(":then");
      at = next;
    }
    if (runs) found.steps.push_back(step);
  }
  EXPECT_EQ(at, std::string::npos) << path;
  return found;
}

// True if the steps, with some choice of signs, turn `from` into `to`.
bool makes(const std::vector<AugmentationStep>& steps, std::size_t i, const Image& from,
           const Image& to, bool dali) {
  if (i == steps.size()) return testing::alike(from, to);
  return makes(steps, i + 1, plain(steps[i], from, false, dali), to, dali) ||
         (draws_sign(steps[i], dali) &&
          makes(steps, i + 1, plain(steps[i], from, true, dali), to, dali));
}

// Sums of the tables, so that no number in them changes unnoticed.
TEST(AutoAugment, HasThePublishedPolicies) {
  const struct {
    AutoAugmentPolicy which;
    double probabilities;
    int magnitudes;
    const char *first, *last;
  } cases[] = {{AutoAugmentPolicy::imagenet, 418.2, 1861, "posterize", "equalize"},
               {AutoAugmentPolicy::cifar10, 363.0, 2203, "invert", "auto_contrast"},
               {AutoAugmentPolicy::svhn, 414.5, 1982, "shear_x", "invert"}};
  for (const auto& c : cases) {
    const AugmentationPolicy policy = auto_augment_policy(c.which);
    EXPECT_EQ(policy.bins, 10);
    EXPECT_EQ(auto_augment_policy(c.which, AugmentationRanges::dali).bins, 11);
    ASSERT_EQ(policy.sub_policies.size(), 25u);
    double probabilities = 0;
    int magnitudes = 0;
    for (std::size_t i = 0; i < 25; ++i) {
      ASSERT_EQ(policy.sub_policies[i].size(), 2u);
      for (const AugmentationStep& step : policy.sub_policies[i]) {
        probabilities += static_cast<double>(step.probability) * static_cast<double>(i + 1);
        magnitudes += step.magnitude * static_cast<int>(i + 1);
      }
    }
    EXPECT_NEAR(probabilities, c.probabilities, 1e-4);
    EXPECT_EQ(magnitudes, c.magnitudes);
    EXPECT_EQ(policy.sub_policies.front().front().augmentation, c.first);
    EXPECT_EQ(policy.sub_policies.back().back().augmentation, c.last);
  }
}

TEST(AutoAugment, ASampleIsWhatItsPathSays) {
  const int kSamples = 120 / testing::one_in(1, 4);
  for (const AutoAugmentPolicy which : kPolicies) {
    for (const AugmentationRanges ranges : kRanges) {
      const bool dali = ranges == AugmentationRanges::dali;
      const AugmentationPolicy policy = auto_augment_policy(which, ranges);
      auto pipeline = make_pipeline({.batch_size = 16, .seed = 3, .threads = 2}, [&](Graph& g) {
        auto image =
            g.source(kSamples, [](const SampleInfo& info) { return image_of(info.index); });
        return auto_augment(g, image, which, {.ranges = ranges, .interpolation = kWay});
      });
      std::int64_t next = 0;
      for (const auto& [images] : pipeline.epoch()) {
        for (const Image& image : images) {
          const std::int64_t i = next++;
          const std::string path = pipeline.inspect(i).path();
          EXPECT_TRUE(makes(taken(path, policy).steps, 0, image_of(i), image, dali))
              << "sample " << i << ", DALI " << dali << ": " << path;
        }
      }
      EXPECT_EQ(next, kSamples);
    }
  }
}

// Each parameter of each augmentation, at every magnitude and with both signs.
TEST(AutoAugment, EachOperatorDoesWhatTheTablesSay) {
  const Image original = image_of(5);
  for (const AugmentationRanges ranges : kRanges) {
    const bool dali = ranges == AugmentationRanges::dali;
    const auto list = auto_augment_list({.ranges = ranges, .interpolation = kWay});
    EXPECT_EQ(list.size(), 14u);
    const int bins = dali ? 11 : 10;
    for (const auto& one : list) {
      for (int bin = 0; bin < bins; ++bin) {
        const AugmentationStep step = {one.name, 1.f, bin};
        EXPECT_EQ(one.randomly_negate, draws_sign(step, dali)) << one.name;
        for (const bool negative : {false, true}) {
          if (negative && !one.randomly_negate) continue;
          const float parameter = one.low + (one.high - one.low) * static_cast<float>(bin) /
                                                static_cast<float>(bins - 1);
          auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
            auto image = g.source(1, [&](const SampleInfo&) { return original.clone(); });
            return one.apply(image, g.constant(negative ? -parameter : parameter));
          });
          auto epoch = pipeline.epoch();
          const auto batch = epoch.next();
          EXPECT_TRUE(testing::alike(batch->get<0>()[0], plain(step, original, negative, dali)))
              << one.name << ", " << bin << ", " << negative << ", DALI " << dali;
        }
      }
    }
  }
}

// The default is that of the library whose ranges are used.
TEST(AutoAugment, InterpolatesAsTheLibraryOfTheRangesDoes) {
  const AugmentationPolicy turn = {.sub_policies = {{{"rotate", 1.f, 9}}}};
  for (const AugmentationRanges ranges : kRanges) {
    const auto turned = [&](std::optional<Interpolation> way) {
      auto pipeline = make_pipeline({.batch_size = 1, .seed = 1, .threads = 1}, [&](Graph& g) {
        auto image = g.source(1, [](const SampleInfo&) { return image_of(0); });
        return auto_augment(g, image, turn, {.ranges = ranges, .interpolation = way});
      });
      auto epoch = pipeline.epoch();
      return epoch.next()->get<0>()[0].clone();
    };
    const bool dali = ranges == AugmentationRanges::dali;
    EXPECT_EQ(turned({}) == turned(Interpolation::nearest), !dali);
    EXPECT_EQ(turned({}) == turned(Interpolation::bilinear), dali);
  }
}

TEST(AutoAugment, DrawsSubPoliciesEquallyOftenAndStepsAsOftenAsTheySay) {
  constexpr int kSamples = 5000;
  const AugmentationPolicy policy = auto_augment_policy(AutoAugmentPolicy::imagenet);
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto image = g.source(kSamples, [](const SampleInfo&) { return Image(2, 2, 3); });
    return auto_augment(g, image, policy);
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const auto stats = pipeline.stats();
  std::size_t at = 0;
  while (stats.choices.at(at).name != "apply_policy") ++at;
  const auto& branches = stats.choices[at].branches;
  ASSERT_EQ(branches.size(), 25u);
  double chi = 0;
  for (const BranchStats& branch : branches)
    chi += std::pow(static_cast<double>(branch.taken) - kSamples / 25.0, 2) / (kSamples / 25.0);
  EXPECT_LT(chi, 51.2);  // upper 0.1 % point of 24 degrees of freedom

  // Steps are in the order of their description.
  double steps_chi = 0;
  int steps = 0;
  for (std::size_t i = 0; i < policy.sub_policies.size(); ++i) {
    for (const AugmentationStep& step : policy.sub_policies[i]) {
      if (step.probability <= 0 || step.probability >= 1) continue;
      if (++at == stats.choices.size()) at = 0;
      const ChoiceStats& choice = stats.choices.at(at);
      ASSERT_EQ(choice.name.substr(0, step.augmentation.size()), step.augmentation);
      const auto all = static_cast<double>(branches[i].taken);
      const double p = static_cast<double>(step.probability), expected = p * all;
      EXPECT_EQ(choice.branches[0].taken + choice.branches[1].taken, branches[i].taken);
      steps_chi += std::pow(static_cast<double>(choice.branches[0].taken) - expected, 2) /
                   (expected * (1 - p));
      ++steps;
    }
  }
  EXPECT_EQ(steps, 42);
  EXPECT_LT(steps_chi, 76.1);  // of 42 degrees of freedom
}

// Half of a step's signs are negative: slopes to the left and to the right.
TEST(AutoAugment, SignsAreDrawnEvenly) {
  constexpr int kSamples = 2000;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto number = g.source(kSamples, [](const SampleInfo&) { return 0.f; });
    const std::vector<Augmentation<float>> list = {
        {"signed", [](Value<float>, Value<float> m) { return m; }, 1.f, 3.f, true},
        {"plain", [](Value<float>, Value<float> m) { return m; }, 1.f, 3.f}};
    return std::tuple{
        apply_policy(g, number, list, {.sub_policies = {{{"signed", 1.f, 3}}}, .bins = 5}),
        apply_policy(g, number, list, {.sub_policies = {{{"plain", 1.f, 4}}}, .bins = 5})};
  });
  int negative = 0, samples = 0;
  for (const auto& [with, without] : pipeline.epoch()) {
    for (std::size_t i = 0; i < with.size(); ++i, ++samples) {
      EXPECT_EQ(std::abs(with[i]), 2.5f);
      EXPECT_EQ(without[i], 3.f);
      negative += with[i] < 0 ? 1 : 0;
    }
  }
  EXPECT_EQ(samples, kSamples);
  EXPECT_NEAR(negative, kSamples / 2.0, 3.3 * std::sqrt(kSamples / 4.0));
}

TEST(AutoAugment, IsTheSameForAllThreadsAndBatchSizes) {
  const auto results = [](int threads, int batch_size) {
    auto pipeline =
        make_pipeline({.batch_size = batch_size, .seed = 3, .threads = threads}, [&](Graph& g) {
          auto image = g.source(50, [](const SampleInfo& info) { return image_of(info.index); });
          return auto_augment(g, image, AutoAugmentPolicy::cifar10);
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

TEST(AutoAugment, ASubPolicyWithoutStepsLeavesTheImage) {
  auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return image_of(0); });
    return auto_augment(g, image, {.sub_policies = {{}, {{"invert", 0.f}}}});
  });
  auto epoch = pipeline.epoch();
  EXPECT_EQ(epoch.next()->get<0>()[0], image_of(0));
}

TEST(AutoAugment, RefusesWhatCannotBe) {
  const auto error_of = [](const AugmentationPolicy& policy) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto image = g.source(1, [](const SampleInfo&) { return Image(2, 2, 3); });
        return auto_augment(g, image, policy, {.excluded = {"rotate"}});
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const struct {
    AugmentationPolicy policy;
    const char* says;
  } cases[] = {
      {{}, "apply_policy: the policy has no sub-policies; give at least one"},
      {{{{{"equalize", 1.f}}}, 0}, "apply_policy: bins must be at least 1, not 0"},
      {{{{}, {{"equalise", 1.f}}}},
       "apply_policy: sub-policy 2: there is no augmentation 'equalise'; there are 'shear_x', "},
      {{{{{"rotate", 1.f}}}}, "sub-policy 1: there is no augmentation 'rotate'"},
      {{{{{"equalize", 1.5f}}}},
       "sub-policy 1: the probability of 'equalize' must lie between 0 and 1, but is 1.5"},
      {{{{{"equalize", std::numeric_limits<float>::quiet_NaN()}}}},
       "the probability of 'equalize' must lie between 0 and 1, but is nan"},
      {{{{{"shear_x", 1.f, 10}}}},
       "the magnitude of 'shear_x' must lie between 0 and bins - 1 = 9, but is 10"},
      {{{{{"shear_x", 1.f, -1}}}}, "must lie between 0 and bins - 1 = 9, but is -1"},
  };
  for (const auto& c : cases)
    EXPECT_NE(error_of(c.policy).find(c.says), std::string::npos) << error_of(c.policy);
}

}  // namespace auto_augment_test
}  // namespace sluice
