// The rows of tests/conformance.md on automatic augmentation.
#include "tests/ops/automatic/plain_augmentation.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace automatic_conformance_test {

using testing::image_of;

TEST(RandAugment, C47_RunsForAllSizesOfBatchesAndAllMagnitudes) {
  for (const int batch_size : {1, 7, 8, 13, 64, 128}) {
    for (const bool resized : {false, true}) {
      auto pipeline = make_pipeline({.batch_size = batch_size, .seed = 7}, [&](Graph& g) {
        auto image =
            g.source(3 * batch_size, [](const SampleInfo& info) { return image_of(info.index); });
        if (resized) image = resize(image, {.height = 17, .width = 21});
        std::vector<Value<Image>> all;
        for (const int n : {1, 2, 3, 4}) {
          for (const int magnitude : {0, 15, 30}) {
            const Fill fill = magnitude == 15 ? Fill(0) : Fill(128);
            all.push_back(rand_augment(g, image, {.n = n, .magnitude = magnitude}, {.fill = fill}));
          }
        }
        const auto sizes = [](const Image& in, const auto&... out) {
          return ((out.height() == in.height() && out.width() == in.width() &&
                   out.channels() == in.channels()) &&
                  ...);
        };
        const auto same = g.map("sizes", sizes, image, all[0], all[1], all[2], all[3], all[4],
                                all[5], all[6], all[7], all[8], all[9], all[10], all[11]);
        return same;
      });
      int samples = 0;
      for (const auto& batch : pipeline.epoch()) {
        EXPECT_TRUE(batch.errors().empty());
        for (const bool same : batch.get<0>()) EXPECT_TRUE(same);
        samples += static_cast<int>(batch.size());
      }
      EXPECT_EQ(samples, 3 * batch_size);
    }
  }
}

// Returns the chi-square value with so many degrees of freedom at the normal deviate `z`, after
// Wilson and Hilferty.
double chi_square_at(double degrees, double z) {
  const double part = 2 / (9 * degrees);
  return degrees * std::pow(1 - part + z * std::sqrt(part), 3);
}

TEST(RandAugment, C48_SequencesOfOperatorsAndSignsAreEquallyOften) {
  constexpr int kBatch = 2048;
  for (const int operators : {2, 3}) {
    for (const bool signs : {false, true}) {
      for (const int n : {1, 2, 3}) {
        auto pipeline = make_pipeline({.batch_size = kBatch, .seed = 21}, [&](Graph& g) {
          std::vector<Augmentation<int>> suite;
          for (int i = 0; i < operators; ++i) {
            suite.push_back({std::to_string(i),
                             [&g, i](Value<int> taken, Value<float> magnitude) {
                               return g.map(
                                   "take",
                                   [i](int before, float m) {
                                     return before * 10 + 2 * i + (m < 0 ? 1 : 0) + 1;
                                   },
                                   taken, magnitude);
                             },
                             1.f, 2.f, signs});
          }
          return apply_random(g, g.source(kBatch, [](const SampleInfo&) { return 0; }), suite,
                              {.n = n, .magnitude = 3, .bins = 5});
        });
        const double kinds = std::pow(operators * (signs ? 2 : 1), n), expected = kBatch / kinds;
        for (int iteration = 0; iteration < 3; ++iteration) {
          auto epoch = pipeline.epoch();
          const auto batch = epoch.next();
          ASSERT_TRUE(batch.has_value());
          std::map<int, int> seen;
          for (const int taken : batch->get<0>()) ++seen[taken];
          EXPECT_EQ(seen.size(), static_cast<std::size_t>(std::lround(kinds)));
          double chi = 0;
          for (const auto& [taken, count] : seen) chi += std::pow(count - expected, 2) / expected;
          EXPECT_LT(chi, chi_square_at(kinds - 1, 3.1)) << kinds;
          if (kinds > 3) {
            EXPECT_GT(chi, chi_square_at(kinds - 1, -3.1)) << kinds;
          }
        }
      }
    }
  }
}

TEST(RandAugment, C49_ATranslationByAllLeavesNothingAndByNothingAll) {
  constexpr std::uint8_t kFill = 7;
  for (const char* const name : {"translate_x", "translate_y"}) {
    for (const int magnitude : {0, 10}) {
      auto pipeline = make_pipeline({.batch_size = 8, .seed = 5}, [&](Graph& g) {
        auto image = g.source(24, [](const SampleInfo& info) {
          Image flat(9 + static_cast<int>(info.index), 14, 3);
          for (int y = 0; y < flat.height(); ++y)
            std::fill(flat.row(y), flat.row(y) + flat.row_bytes(), std::uint8_t{200});
          return flat;
        });
        return auto_augment(g, image, {.sub_policies = {{{name, 1.f, magnitude}}}, .bins = 11},
                            {.ranges = AugmentationRanges::dali, .fill = kFill});
      });
      for (const auto& [images] : pipeline.epoch()) {
        for (const Image& image : images) {
          for (int y = 0; y < image.height(); ++y) {
            for (std::size_t x = 0; x < image.row_bytes(); ++x)
              ASSERT_EQ(image.row(y)[x], magnitude == 0 ? 200 : kFill) << name << " " << y;
          }
        }
      }
    }
  }
}

TEST(RandAugment, C50_NoStepsLeaveTheImageAndNoOperatorsAreRefused) {
  const auto augment = [](int n) {
    return make_pipeline({.batch_size = 3}, [n](Graph& g) {
      auto image = g.source(3, [](const SampleInfo& info) { return image_of(info.index); });
      return apply_random(g, image, std::vector<Augmentation<Image>>(), {.n = n});
    });
  };
  auto none = augment(0);
  auto epoch = none.epoch();
  const auto batch = epoch.next();
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(batch->get<0>()[static_cast<std::size_t>(i)], image_of(i));
  EXPECT_THROW((void)augment(1), BuildError);
}

}  // namespace automatic_conformance_test
}  // namespace sluice
