#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

// Runs an epoch of a pipeline with one output and gives all values in order.
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

}  // namespace
}  // namespace sluice
