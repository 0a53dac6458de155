// Samples that take next to no time: threads process several at once, and not all threads work.
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <memory>
#include <semaphore>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace short_samples_test {

// Samples that a thread has taken block no others: a sample may wait for any other sample within
// the in-flight window.
TEST(ShortSamples, MayWaitForTheOneAfterThem) {
  constexpr std::int64_t kAll = 6000, kEvery = 500;
  for (const int threads : {2, 4}) {
    std::vector<std::unique_ptr<std::binary_semaphore>> after;
    while (after.size() < kAll / kEvery)
      after.push_back(std::make_unique<std::binary_semaphore>(0));
    auto pipeline = make_pipeline({.batch_size = 8, .threads = threads}, [&](Graph& g) {
      auto id = g.source(kAll, [](const SampleInfo& info) { return info.index_in_epoch; });
      return g.map(
          "meet",
          [&after](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i / kEvery);
            if (i % kEvery == 1) after.at(at)->release();
            if (i % kEvery == 0) after.at(at)->acquire();
            return i;
          },
          id);
    });
    std::int64_t next = 0;
    for (const auto& [ids] : pipeline.epoch())
      for (const std::int64_t i : ids) EXPECT_EQ(i, next++);
    EXPECT_EQ(next, kAll);
  }
}

// From short to long and back: each is delivered once, in order, with any number of threads.
TEST(ShortSamples, AmongLongOnesAreInOrder) {
  constexpr std::int64_t kAll = 4000;
  for (const int threads : {1, 2, 3, 8}) {
    auto pipeline = make_pipeline({.batch_size = 7, .threads = threads}, [&](Graph& g) {
      auto id = g.source(kAll, [](const SampleInfo& info) { return info.index_in_epoch; });
      auto doubled = g.map(
          "work",
          [](std::int64_t i) {
            auto sum = static_cast<std::uint64_t>(i);
            const int turns = i / 500 % 2 == 1 ? 20000 : 1;
            for (int t = 0; t < turns; ++t) sum = sum * 31 + 7;
            return sum != 0 ? 2 * i : i;
          },
          id);
      return std::tuple{id, doubled};
    });
    std::int64_t next = 0;
    for (const auto& [ids, twice] : pipeline.epoch()) {
      for (std::size_t k = 0; k < ids.size(); ++k) {
        EXPECT_EQ(ids[k], next++);
        EXPECT_EQ(twice[k], 2 * ids[k]);
      }
    }
    EXPECT_EQ(next, kAll);
    EXPECT_TRUE(pipeline.stats().total.balanced());
  }
}

}  // namespace short_samples_test
}  // namespace sluice
