// dino: sizes and numbers of its views, how often each change is drawn, and that the views are cut
// out of one decode.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/automatic.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace dino_test {

Bytes file_of(std::int64_t i) {
  return encode_jpeg(draw_image(90 + static_cast<int>(i % 5), 120 + static_cast<int>(i % 3), 3,
                                static_cast<unsigned>(i)));
}

auto pipeline_of(int samples, int threads, int batch_size, const DinoOptions& options) {
  return make_pipeline({.batch_size = batch_size, .seed = 3, .threads = threads}, [&](Graph& g) {
    auto jpeg = g.source(samples, [](const SampleInfo& info) { return file_of(info.index); });
    const DinoViews views = dino(g, jpeg, options);
    return std::tuple{views.global.at(0), views.global.at(1), views.local.at(0), views.local.at(1)};
  });
}

TEST(Dino, ViewsHaveTheirSizesAndAreTheSameForAllThreads) {
  const auto views = [](int threads, int batch_size) {
    auto pipeline =
        pipeline_of(20, threads, batch_size, {.global_size = 32, .local_size = 12, .locals = 2});
    std::vector<Image> all;
    for (const auto& [one, two, three, four] : pipeline.epoch()) {
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].height(), 32);
        EXPECT_EQ(two[i].width(), 32);
        EXPECT_EQ(three[i].height(), 12);
        EXPECT_EQ(four[i].width(), 12);
        EXPECT_FALSE(three[i] == four[i]);
        for (const Image& view : {one[i], two[i], three[i], four[i]}) all.push_back(view.clone());
      }
    }
    return all;
  };
  const auto expected = views(1, 1);
  EXPECT_EQ(expected.size(), 80u);
  EXPECT_TRUE(views(3, 8) == expected);
}

TEST(Dino, ByItselfTwoGlobalAndEightLocalViewsOfOneDecode) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto jpeg = g.source(1, [](const SampleInfo&) { return file_of(0); });
    const DinoViews views = dino(g, jpeg);
    EXPECT_EQ(views.global.size(), 2u);
    EXPECT_EQ(views.local.size(), 8u);
    return std::tuple{views.global[0], views.local[7]};
  });
  for (const auto& [global, local] : pipeline.epoch()) {
    EXPECT_EQ(global[0].width(), 224);
    EXPECT_EQ(local[0].width(), 96);
  }
  const std::string plan = to_string(pipeline.plan());
  const std::size_t decode = plan.find("decode_jpeg");
  ASSERT_NE(decode, std::string::npos);
  EXPECT_EQ(plan.find("decode_jpeg(", decode + 12), std::string::npos) << plan;
}

TEST(Dino, ChangesAreDrawnAsOftenAsTheySay) {
  constexpr int kSamples = 500;
  auto pipeline = pipeline_of(kSamples, 2, 64, {.global_size = 8, .local_size = 8, .locals = 2});
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  std::multimap<std::string, double> shares;
  for (const ChoiceStats& choice : pipeline.stats().choices) {
    const std::string kind = choice.name.substr(0, choice.name.find_first_of(" #0123456789"));
    shares.emplace(kind, static_cast<double>(choice.branches[0].taken) / kSamples);
  }
  const auto expect = [&](const std::string& name, std::vector<double> wanted) {
    std::vector<double> found;
    const auto [begin, end] = shares.equal_range(name);
    for (auto at = begin; at != end; ++at) found.push_back(at->second);
    ASSERT_EQ(found.size(), wanted.size()) << name;
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(found[i], wanted[i], 3.9 * std::sqrt(wanted[i] * (1 - wanted[i]) / kSamples))
          << name;
  };
  expect("color", {0.8, 0.8, 0.8, 0.8});
  expect("gray", {0.2, 0.2, 0.2, 0.2});
  expect("blur", {1.0, 0.1, 0.5, 0.5});
  expect("solarize", {0.2});
}

TEST(Dino, RefusesWhatCannotBe) {
  const auto error_of = [](const DinoOptions& options) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto jpeg = g.source(1, [](const SampleInfo&) { return file_of(0); });
        return dino(g, jpeg, options).global.at(0);
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const struct {
    DinoOptions options;
    const char* says;
  } cases[] = {
      {{.global_size = 0}, "dino: global_size and local_size must be at least 1, but are 0 and 96"},
      {{.locals = 65}, "dino: locals must lie between 0 and 64, but is 65"},
      {{.locals = -1}, "but is -1"},
      {{.min_global_area = 0.f}, "min_area"},
      {{.max_local_area = 0.01f}, "max_area"},
  };
  for (const auto& c : cases)
    EXPECT_NE(error_of(c.options).find(c.says), std::string::npos) << error_of(c.options);
}

}  // namespace dino_test
}  // namespace sluice
