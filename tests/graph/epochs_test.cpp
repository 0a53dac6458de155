// A pipeline runs one epoch at a time: an epoch that another call cuts short names that call.
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace epochs_test {

auto numbers(std::int64_t count) {
  return [count](Graph& g) { return indices(g, count); };
}

// Returns the error of next() after another call has ended the epoch; empty if next() returns
// nothing.
std::string words_of(Epoch<std::int64_t>& epoch) {
  try {
    EXPECT_FALSE(epoch.next().has_value());
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Epochs, AnEpochThatIsCutShortSaysWhichCallEndedIt) {
  std::optional<Epoch<std::int64_t>> last;
  {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, numbers(100));
    auto first = pipeline.epoch();
    auto second = pipeline.epoch();
    EXPECT_EQ(words_of(first),
              "epoch 0 was ended before its last batch by epoch(), which began epoch 1; a pipeline "
              "runs one epoch at a time: take all batches first, or make another pipeline");
    pipeline.reset();
    EXPECT_EQ(words_of(second),
              "epoch 1 was ended before its last batch by reset(); take all batches first, or make "
              "another pipeline");
    last.emplace(pipeline.epoch());
  }
  EXPECT_EQ(words_of(*last),
            "epoch 0 was ended before its last batch by the destruction of its pipeline; keep the "
            "pipeline until the last batch is taken");
}

TEST(Epochs, AnEpochThatWasTakenWholeOrCancelledEndsWithoutAWord) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, numbers(8));
  auto whole = pipeline.epoch();
  ASSERT_TRUE(whole.next().has_value());
  ASSERT_TRUE(whole.next().has_value());
  auto cancelled = pipeline.epoch();
  EXPECT_EQ(words_of(whole), "");
  pipeline.cancel();
  EXPECT_EQ(words_of(cancelled), "");
  auto after = pipeline.epoch();
  EXPECT_EQ(words_of(cancelled), "");
}

}  // namespace epochs_test
}  // namespace sluice
