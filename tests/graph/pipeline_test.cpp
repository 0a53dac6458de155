#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pipeline_test {

// Runs an epoch of a pipeline with one output, and returns all values in order.
template <class T>
std::vector<T> drain(Pipeline<T>& pipeline) {
  std::vector<T> all;
  for (auto& batch : pipeline.epoch()) {
    for (const T& value : batch.template get<0>()) all.push_back(value);
  }
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
  return all;
}

TEST(Pipeline, DeliversAllSamplesInOrder) {
  for (const int threads : {1, 2, 8}) {
    auto pipeline = make_pipeline({.batch_size = 7, .threads = threads}, [](Graph& g) {
      auto i = indices(g, 100);
      return g.map(
          "twice", [](std::int64_t x) { return 2 * x; }, i);
    });
    std::vector<std::int64_t> expected(100);
    for (std::size_t k = 0; k < 100; ++k) expected[k] = 2 * static_cast<std::int64_t>(k);
    EXPECT_EQ(drain(pipeline), expected);
    EXPECT_EQ(drain(pipeline), expected);
    EXPECT_EQ(pipeline.stats().total.delivered, 200);
    EXPECT_EQ(pipeline.stats().batches, 30);
  }
}

struct Box {
  std::int64_t side = 0;
  std::int64_t area() const { return side * side; }
  void corner(std::int64_t& out) const { out = side - 1; }
  void see() const { seen.fetch_add(side); }
  static inline std::atomic<std::int64_t> seen{0};
};

TEST(Pipeline, StepsMayBeMembers) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    const auto i = g.source(8, &SampleInfo::index_in_epoch);
    auto box = g.map(
        "box", [](std::int64_t x) { return Box{x}; }, i);
    box = g.tap("see", &Box::see, box);
    return std::tuple{g.map("side", &Box::side, box), g.map("area", &Box::area, box),
                      g.map_into<std::int64_t>("corner", &Box::corner, box)};
  });
  Box::seen = 0;
  std::int64_t n = 0;
  for (const auto& [sides, areas, corners] : pipeline.epoch()) {
    for (std::size_t k = 0; k < sides.size(); ++k, ++n) {
      EXPECT_EQ(sides[k], n);
      EXPECT_EQ(areas[k], n * n);
      EXPECT_EQ(corners[k], n - 1);
    }
  }
  EXPECT_EQ(n, 8);
  EXPECT_EQ(Box::seen, 28);
}

}  // namespace pipeline_test
}  // namespace sluice
