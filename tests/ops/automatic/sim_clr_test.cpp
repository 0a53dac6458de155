// sim_clr: that its views are cut out of one decode, and how often each change is drawn.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/geometry.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace sim_clr_test {

Bytes file_of(std::int64_t i) {
  return encode_jpeg(draw_image(90 + static_cast<int>(i % 5), 120 + static_cast<int>(i % 3), 3,
                                static_cast<unsigned>(i)));
}

TEST(JoinRegions, GivesTheSmallestAroundAndPlacesInIt) {
  const struct {
    Rectangle first, second, around, first_inside, second_inside;
  } cases[] = {
      {{0, 0, 4, 5}, {0, 0, 4, 5}, {0, 0, 4, 5}, {0, 0, 4, 5}, {0, 0, 4, 5}},
      {{2, 3, 4, 5}, {10, 1, 2, 2}, {2, 1, 10, 7}, {0, 2, 4, 5}, {8, 0, 2, 2}},
      {{5, 5, 10, 10}, {7, 8, 1, 1}, {5, 5, 10, 10}, {0, 0, 10, 10}, {2, 3, 1, 1}},
      {{9, 0, 1, 1}, {0, 9, 1, 1}, {0, 0, 10, 10}, {9, 0, 1, 1}, {0, 9, 1, 1}},
  };
  for (const auto& c : cases) {
    auto pipeline = make_pipeline({.batch_size = 1, .threads = 1}, [&](Graph& g) {
      auto [first, second] = g.source(1, [&](const SampleInfo&) {
        return std::tuple{c.first, c.second};
      });
      const JoinedRegions joined = join_regions(first, second);
      return std::tuple{joined.around, joined.first, joined.second};
    });
    auto epoch = pipeline.epoch();
    const auto batch = epoch.next();
    EXPECT_EQ(batch->get<0>()[0], c.around);
    EXPECT_EQ(batch->get<1>()[0], c.first_inside);
    EXPECT_EQ(batch->get<2>()[0], c.second_inside);
  }
}

// A view cut out of the joint decode equals the decode of its region alone, bit for bit.
TEST(JoinRegions, ViewsAreThoseOfTwoDecodes) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 2, .threads = 2}, [](Graph& g) {
    auto jpeg = g.source(40, [](const SampleInfo& info) { return file_of(info.index); });
    auto first = random_region(jpeg), second = random_region(jpeg);
    const JoinedRegions joined = join_regions(first, second);
    auto image = decode_jpeg(jpeg, joined.around);
    return std::tuple{crop(image, joined.first), decode_jpeg(jpeg, first),
                      crop(image, joined.second), decode_jpeg(jpeg, second)};
  });
  int samples = 0;
  for (const auto& [first, first_alone, second, second_alone] : pipeline.epoch()) {
    for (std::size_t i = 0; i < first.size(); ++i, ++samples) {
      EXPECT_EQ(first[i], first_alone[i]);
      EXPECT_EQ(second[i], second_alone[i]);
    }
  }
  EXPECT_EQ(samples, 40);
}

TEST(SimClr, ViewsDifferAndAreTheSameForAllThreads) {
  const auto views = [](int threads, int batch_size) {
    auto pipeline =
        make_pipeline({.batch_size = batch_size, .seed = 3, .threads = threads}, [](Graph& g) {
          auto jpeg = g.source(30, [](const SampleInfo& info) { return file_of(info.index); });
          const auto both = sim_clr(g, jpeg, {.height = 24, .width = 32});
          return std::tuple{both.first, both.second};
        });
    std::vector<Image> all;
    for (const auto& [first, second] : pipeline.epoch()) {
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].height(), 24);
        EXPECT_EQ(second[i].width(), 32);
        EXPECT_FALSE(first[i] == second[i]);
        all.push_back(first[i].clone());
        all.push_back(second[i].clone());
      }
    }
    return all;
  };
  const auto expected = views(1, 1);
  EXPECT_EQ(expected.size(), 60u);
  EXPECT_TRUE(views(4, 16) == expected);
}

TEST(SimClr, ChangesAreDrawnAsOftenAsTheySay) {
  constexpr int kSamples = 600;
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 3, .threads = 2}, [](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo&) { return file_of(0); });
    const auto both = sim_clr(g, jpeg, {.height = 8, .width = 8});
    return std::tuple{both.first, both.second};
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const auto stats = pipeline.stats();
  ASSERT_EQ(stats.choices.size(), 6u);
  for (const ChoiceStats& choice : stats.choices) {
    const double p = choice.name.starts_with("color")  ? 0.8
                     : choice.name.starts_with("gray") ? 0.2
                                                       : 0.5;
    EXPECT_NEAR(static_cast<double>(choice.branches[0].taken), p * kSamples,
                3.9 * std::sqrt(kSamples * p * (1 - p)))
        << choice.name;
  }
}

// Without chances and strength, a view is a random region resized, perhaps mirrored.
TEST(SimClr, WithoutChancesOnlyTheRegionAndTheMirrorAreLeft) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 9, .threads = 2}, [](Graph& g) {
    auto jpeg = g.source(24, [](const SampleInfo& info) { return file_of(info.index); });
    const auto both = sim_clr(g, jpeg,
                              {.height = 20,
                               .width = 20,
                               .min_area = 1.f,
                               .color_strength = 0.f,
                               .gray_probability = 0.f,
                               .blur_probability = 0.f});
    return std::tuple{both.first, both.second};
  });
  int same = 0, samples = 0;
  for (const auto& [first, second] : pipeline.epoch()) {
    for (std::size_t i = 0; i < first.size(); ++i, ++samples) same += first[i] == second[i] ? 1 : 0;
  }
  // The region may be that of all, or of all that the ratio allows; the mirror is left to chance.
  EXPECT_EQ(samples, 24);
  EXPECT_GT(same, 3);
  EXPECT_LT(same, 21);
}

TEST(SimClr, RefusesWhatCannotBe) {
  const auto error_of = [](const SimClrOptions& options) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto jpeg = g.source(1, [](const SampleInfo&) { return file_of(0); });
        return sim_clr(g, jpeg, options).first;
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const struct {
    SimClrOptions options;
    const char* says;
  } cases[] = {
      {{.width = 0}, "sim_clr: height and width must be at least 1, but are 224 and 0"},
      {{.min_area = 0.f}, "min_area"},
      {{.color_strength = 1.5f}, "sim_clr: color_strength must lie between 0 and 1, but is 1.5"},
      {{.color_strength = std::numeric_limits<float>::quiet_NaN()}, "but is nan"},
      {{.color_probability = 2.f}, "coin_flip: probability"},
      {{.gray_probability = -1.f}, "coin_flip: probability"},
      {{.blur_probability = 1.1f}, "coin_flip: probability"},
  };
  for (const auto& c : cases)
    EXPECT_NE(error_of(c.options).find(c.says), std::string::npos) << error_of(c.options);
}

}  // namespace sim_clr_test
}  // namespace sluice
