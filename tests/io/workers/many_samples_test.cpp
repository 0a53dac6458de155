// A million samples, each of which takes a different time: all of them come, once and in order.
#include <sluice/graph/pipeline.h>
#include <sluice/io/workers/workers.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <tests/one_in.h>
#include <tests/worker_samples.h>

namespace sluice {
namespace many_samples_test {

const std::int64_t kSamples = 1'000'000 / testing::one_in(1, 20);

struct UnevenHere {
  static std::int64_t size() { return kSamples; }
  static std::string name(std::int64_t i) { return std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const { return testing::uneven(info.index); }
};

template <class Dataset>
void expect_all_in_order(const Dataset& dataset, const Sampler& sampler, std::int64_t samples) {
  auto pipeline = make_pipeline({.batch_size = 1000, .threads = 8}, [&](Graph& g) {
    auto i = g.read(dataset, sampler);
    return g.map(
        "uneven", [](std::int64_t x) { return testing::uneven(x); }, i);
  });
  const EpochOrder order(sampler, samples, 0);
  std::int64_t position = 0;
  for (const auto& [batch] : pipeline.epoch()) {
    for (const std::int64_t i : batch) {
      ASSERT_EQ(i, order[position]) << "at position " << position;
      ++position;
    }
  }
  EXPECT_EQ(position, samples);
}

TEST(AMillionSamples, ComeInOrderFromThreads) { expect_all_in_order(UnevenHere{}, {}, kSamples); }

TEST(AMillionSamples, ComeInTheirOrderFromThreadsWhenShuffled) {
  expect_all_in_order(UnevenHere{}, {.shuffle = true, .seed = 5}, kSamples);
}

TEST(AMillionSamples, AQuarterOfThemFromWorkers) {
  const std::int64_t kQuarter = kSamples / 4;  // a round trip takes longer than all else
  expect_all_in_order(
      workers<std::int64_t>("uneven", kQuarter, {.workers = 4, .program = SLUICE_WORKER_PROGRAM}),
      {}, kQuarter);
}

}  // namespace many_samples_test
}  // namespace sluice
