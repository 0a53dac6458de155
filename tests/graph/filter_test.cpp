// Samples that a filter drops, and effects.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <iterator>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace filter_test {

bool kept(std::int64_t x) { return x % 3 != 1; }

TEST(Filter, MakesItsBatchShortAndNamesTheMissing) {
  std::atomic<int> behind{0};
  auto pipeline = make_pipeline({.batch_size = 9, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, 100);
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
  EXPECT_EQ(behind, 67);  // steps behind the filter do not run for dropped samples
  EXPECT_EQ(pipeline.stats().epoch.filtered, 33);
  EXPECT_EQ(pipeline.stats().epoch.delivered, 67);
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
}

// An empty batch has columns, too, so that a loop over batches can go on.
TEST(Filter, ABatchOfNothingHasTheShapesOfTheOneBefore) {
  auto pipeline = make_pipeline({.batch_size = 2}, [](Graph& g) {
    auto i = indices(g, 6);
    auto image = g.map_into<Image>(
        "draw", [](std::int64_t, Image& out) { out.create(4, 5, 3); }, i);
    auto tensor = g.map_into<Tensor>(
        "numbers",
        [](std::int64_t, Tensor& out) {
          out.create({2, 7}, DType::i16);
        },
        i);
    g.filter(i / 2 == 1);
    return std::tuple{image, tensor, i};
  });
  const Shape images[] = {{0, 0, 0, 0}, {2, 4, 5, 3}, {0, 4, 5, 3}};
  const Shape tensors[] = {{0}, {2, 2, 7}, {0, 2, 7}};
  std::size_t next = 0;
  for (const auto& batch : pipeline.epoch()) {
    SCOPED_TRACE(next);
    EXPECT_EQ(batch.get<0>().tensor().shape(), images[next]);
    EXPECT_EQ(batch.get<0>().dtype(), DType::u8);
    EXPECT_EQ(batch.get<0>().layout(), Layout::hwc);
    EXPECT_EQ(batch.get<1>().tensor().shape(), tensors[next]);
    EXPECT_EQ(batch.get<1>().dtype(), next == 0 ? DType::f32 : DType::i16);
    EXPECT_EQ(batch.get<2>().tensor().shape(), Shape{std::ssize(batch.ids())});
    EXPECT_EQ(batch.get<0>().to_host().shape(), images[next]);
    EXPECT_EQ(batch.get<1>().nbytes(), batch.size() * 28);
    ++next;
  }
  EXPECT_EQ(next, 3u);
}

TEST(Filter, InsideABranchConcernsThoseWhoTakeIt) {
  auto pipeline = make_pipeline({.batch_size = 10, .threads = 2}, [](Graph& g) {
    auto i = indices(g, 100);
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

TEST(Tap, RunsForItsEffectThoughNobodyUsesIt) {
  std::atomic<std::int64_t> sum{0}, in_branch{0};
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2}, [&](Graph& g) {
    auto i = indices(g, 100);
    auto unused = i * 2;
    (void)g.tap(
        "sum", [&](std::int64_t x) { sum += x; }, unused);
    (void)g.if_else(
        i % 2 == 0,
        [&] {
          return g.tap(
              "branch", [&](std::int64_t) { ++in_branch; }, i);
        },
        [&] { return i; });
    return i;
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_GT(batch.size(), 0u);
  EXPECT_EQ(sum, 9900);
  EXPECT_EQ(in_branch, 50);
}

}  // namespace filter_test
}  // namespace sluice
