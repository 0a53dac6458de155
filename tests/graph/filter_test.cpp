// Samples that are dropped in the open, effects, and full batches of what is left.
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

bool kept(std::int64_t x) { return x % 3 != 1; }

auto indices(Graph& g, std::int64_t count = 100) {
  return g.source(count, [](const SampleInfo& info) { return info.index_in_epoch; });
}

TEST(Filter, MakesItsBatchShortAndNamesTheMissing) {
  std::atomic<int> behind{0};
  auto pipeline = make_pipeline({.batch_size = 9, .threads = 2}, [&](Graph& g) {
    auto i = indices(g);
    g.filter(i % 3 != 1);
    return g.map(
        "behind",
        [&](std::int64_t x) {
          ++behind;
          return x;
        },
        i);
  });
  std::int64_t next = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t id : batch.missing()) EXPECT_FALSE(kept(id));
    EXPECT_TRUE(batch.errors().empty());
    for (const std::int64_t value : batch.get<0>()) {
      while (!kept(next)) ++next;
      EXPECT_EQ(value, next++);
    }
  }
  EXPECT_EQ(behind, 67);  // what is behind the filter does not run for a sample that is dropped
  EXPECT_EQ(pipeline.stats().epoch.skipped, 33);
  EXPECT_EQ(pipeline.stats().epoch.delivered, 67);
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
}

TEST(Filter, InsideAnArmConcernsThoseWhoTakeIt) {
  auto pipeline = make_pipeline({.batch_size = 10, .threads = 2}, [](Graph& g) {
    auto i = indices(g);
    return g.if_else(
        i % 2 == 0,
        [&] {
          g.filter(i % 4 == 0);
          return i;
        },
        [&] { return i * 10; });
  });
  std::vector<std::int64_t> all, expected;
  for (const auto& batch : pipeline.epoch())
    all.insert(all.end(), batch.get<0>().begin(), batch.get<0>().end());
  for (std::int64_t x = 0; x < 100; ++x) {
    if (x % 2 != 0) expected.push_back(x * 10);
    if (x % 4 == 0) expected.push_back(x);
  }
  EXPECT_EQ(all, expected);
}

TEST(Filter, CompactGivesTheSameFullBatchesOnEveryMachine) {
  struct Case {
    LastBatch last;
    std::size_t batches, last_size;
    std::int64_t skipped;
  };
  // 67 samples pass the filter, three of them fail.
  for (const Case& c : {Case{LastBatch::partial, 7, 4, 36}, Case{LastBatch::drop, 6, 10, 40},
                        Case{LastBatch::fill, 7, 10, 36}}) {
    for (const int threads : {1, 2, 8}) {
      auto pipeline = make_pipeline({.batch_size = 10,
                                     .threads = threads,
                                     .last_batch = c.last,
                                     .compact = true,
                                     .on_error = OnError::skip},
                                    [](Graph& g) {
                                      auto i = indices(g);
                                      g.filter(i % 3 != 1);
                                      auto risky = g.map(
                                          "risky",
                                          [](std::int64_t x) {
                                            if (x % 20 == 5) throw std::runtime_error("five");
                                            return x;
                                          },
                                          i);
                                      auto image = g.map_into<Image>(
                                          "dot",
                                          [](std::int64_t x, Image& out) {
                                            out.create(1, 1, 1);
                                            out.data()[0] = static_cast<std::uint8_t>(x);
                                          },
                                          risky);
                                      auto box = g.map(
                                          "box",
                                          [](std::int64_t x) {
                                            return std::vector<std::int64_t>{x, x};
                                          },
                                          risky);
                                      return std::tuple{image, box, risky};
                                    });
      std::int64_t next = 0;
      std::size_t batches = 0, last_size = 0;
      for (const auto& batch : pipeline.epoch()) {
        const auto& [images, boxes, values] = batch;
        EXPECT_TRUE(images.dense());
        EXPECT_EQ(batch.index(), static_cast<std::int64_t>(batches));
        ++batches;
        last_size = values.size();
        for (std::size_t k = 0; k + batch.padding() < values.size(); ++k) {
          while (!kept(next) || next % 20 == 5) ++next;
          EXPECT_EQ(values[k], next);
          EXPECT_EQ(boxes[k], (std::vector<std::int64_t>{next, next}));
          EXPECT_EQ(images[k].at(0, 0, 0), next % 256);
          ++next;
        }
      }
      EXPECT_EQ(batches, c.batches);
      EXPECT_EQ(last_size, c.last_size);
      EXPECT_EQ(pipeline.stats().epoch.skipped, c.skipped);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
      EXPECT_TRUE(pipeline.stats().total.balanced());
    }
  }
}

TEST(Filter, CompactBalancesWhenTheEpochIsLeftEarly) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2, .compact = true}, [](Graph& g) {
    auto i = indices(g);
    g.filter(i % 3 != 1);
    return i;
  });
  (void)pipeline.epoch().next();
  pipeline.reset();
  EXPECT_TRUE(pipeline.stats().total.balanced());
}

TEST(Filter, EverythingMayBeDropped) {
  for (const bool compact : {false, true}) {
    auto pipeline =
        make_pipeline({.batch_size = 8, .threads = 2, .compact = compact}, [](Graph& g) {
          auto i = indices(g, 20);
          g.filter(false);
          return i;
        });
    std::size_t samples = 0;
    for (const auto& batch : pipeline.epoch()) samples += batch.size();
    EXPECT_EQ(samples, 0u);
    EXPECT_EQ(pipeline.stats().epoch.skipped, 20);
  }
}

TEST(Tap, RunsForItsEffectThoughNobodyUsesIt) {
  std::atomic<std::int64_t> sum{0}, in_arm{0};
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto i = indices(g);
    auto unused = i * 2;
    (void)g.tap(
        "sum", [&](std::int64_t x) { sum += x; }, unused);
    (void)g.if_else(
        i % 2 == 0,
        [&] {
          return g.tap(
              "arm", [&](std::int64_t) { ++in_arm; }, i);
        },
        [&] { return i; });
    return i;
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_GT(batch.size(), 0u);
  EXPECT_EQ(sum, 9900);
  EXPECT_EQ(in_arm, 50);
}

}  // namespace
}  // namespace sluice
