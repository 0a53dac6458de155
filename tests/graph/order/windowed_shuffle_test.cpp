#include "chi_square.h"
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace windowed_shuffle_test {

std::vector<std::int64_t> all_of(const WindowedShuffle& order) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < order.size(); ++i) numbers.push_back(order(i));
  return numbers;
}

// Blocks follow each other, and the numbers of a block are at its places.
void expect_blocks(const WindowedShuffle& order, std::int64_t window, const std::string& what) {
  for (std::int64_t begin = 0; begin < order.size();) {
    const WindowedShuffle::Block block = order.block(begin);
    ASSERT_EQ(block.begin, begin) << what;
    ASSERT_TRUE(block.end > begin && block.end - begin <= window) << what;
    std::vector<bool> seen(static_cast<std::size_t>(block.end - begin));
    for (std::int64_t i = begin; i < block.end; ++i) {
      const std::int64_t x = order(i);
      ASSERT_TRUE(x >= begin && x < block.end && !seen[static_cast<std::size_t>(x - begin)])
          << what << ", " << i;
      seen[static_cast<std::size_t>(x - begin)] = true;
      ASSERT_EQ(order.block(i), block) << what;
      ASSERT_EQ(order.inverse(x), i) << what;
      ASSERT_LT(std::abs(x - i), window) << what;
    }
    begin = block.end;
  }
}

TEST(WindowedShuffle, PermutesBlocks) {
  for (const std::int64_t n : {1, 2, 3, 10, 99, 100, 101, 1000, 5000})
    for (const std::int64_t window : {1, 2, 3, 7, 10, 99, 100, 128, 999, 5000, 100'000})
      for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
        expect_blocks({n, window, {.seed = 5, .epoch = epoch}}, window,
                      std::to_string(n) + ", window " + std::to_string(window));
      }
}

TEST(WindowedShuffle, AWindowOfOneIsInOrderAndAWideOneIsAWholeShuffle) {
  const WindowedShuffle none(100, 1, {.seed = 5});
  const auto in_order = all_of(none);
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
  for (const std::int64_t window : {std::int64_t{100}, std::int64_t{101}, INT64_MAX})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const WindowedShuffle whole(100, window, {.seed = seed});
      EXPECT_EQ(whole.block(0), (WindowedShuffle::Block{0, 100}));
    }
}

TEST(WindowedShuffle, FirstBlocksHaveAllLengthsEquallyOften) {
  std::vector<double> lengths(10);
  for (std::uint64_t epoch = 0; epoch < 20'000; ++epoch) {
    const WindowedShuffle order(100, 10, {.seed = 8, .epoch = epoch});
    ++lengths.at(static_cast<std::size_t>(order.block(0).end - 1));
  }
  EXPECT_LT(chi_square(lengths), chi_square_limit(9));
}

// Blocks of one epoch, and one block in many epochs, have all orders equally often.
TEST(WindowedShuffle, BlocksHaveAllOrdersEquallyOften) {
  std::map<std::vector<std::int64_t>, double> in_one, in_many;
  const auto order_within = [](const WindowedShuffle& order, std::int64_t place) {
    const WindowedShuffle::Block block = order.block(place);
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = block.begin; i < block.end; ++i)
      numbers.push_back(order(i) - block.begin);
    return numbers;
  };
  const WindowedShuffle one(200'010, 5, {.seed = 3});
  for (std::int64_t i = 5; i < 200'000; i += 5) ++in_one[order_within(one, i)];
  for (std::uint64_t epoch = 0; epoch < 40'000; ++epoch)
    ++in_many[order_within({20, 5, {.seed = 3, .epoch = epoch}}, 10)];
  for (const auto* seen : {&in_one, &in_many}) {
    ASSERT_EQ(seen->size(), 120u);
    std::vector<double> counts;
    for (const auto& [order, count] : *seen) counts.push_back(count);
    EXPECT_LT(chi_square(counts), chi_square_limit(119));
  }
}

TEST(WindowedShuffle, ReachesAnyPlaceOfALongEpoch) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  Random random({.seed = 1});
  for (const std::int64_t window : {std::int64_t{1000}, kMost / 3, kMost - 1, kMost}) {
    const WindowedShuffle order(kMost, window, {.seed = 2, .epoch = 3});
    for (int i = 0; i < 1000; ++i) {
      const auto place = static_cast<std::int64_t>(random.below64(kMost));
      const std::int64_t x = order(place);
      ASSERT_LT(std::abs(x - place), window);
      ASSERT_EQ(order.inverse(x), place);
    }
    EXPECT_LT(order(kMost - 1), kMost);
  }
}

TEST(WindowedShuffle, EpochsAndSeedsGiveOtherOrders) {
  std::set<std::vector<std::int64_t>> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(seen.insert(all_of({100, 10, {.seed = i, .epoch = 1000}})).second) << i;
    EXPECT_TRUE(seen.insert(all_of({100, 10, {.seed = 1000, .epoch = i}})).second) << i;
  }
}

// Checkpoints rely on this order: it must be the same in every version and on every machine.
TEST(WindowedShuffle, StaysAsItIs) {
  EXPECT_EQ(all_of({20, 6, {.seed = 42, .epoch = 1}}),
            (std::vector<std::int64_t>{1,  0,  6, 4,  3,  2,  7,  5,  13, 8,
                                       10, 11, 9, 12, 17, 14, 18, 19, 15, 16}));
}

std::string error_of(std::int64_t n, std::int64_t window, std::int64_t place) {
  try {
    (void)WindowedShuffle(n, window, {})(place);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(WindowedShuffle, RefusesWhatCannotBe) {
  EXPECT_EQ(error_of(-1, 1, 0),
            "a shuffle of -1 numbers; give a number from 0 to 2^62 (4611686018427387904)");
  EXPECT_EQ(error_of(5, 0, 0), "a shuffle with a window of 0; it is 1 (in order) or more");
  EXPECT_EQ(error_of(5, 2, 5),
            "WindowedShuffle: there is no place 5 among 5; they are counted from 0");
  EXPECT_EQ(error_of(0, 2, 0),
            "WindowedShuffle: there is no place 0 among 0; they are counted from 0");
  EXPECT_EQ(error_of(5, 2, 4), "no error");
}

}  // namespace windowed_shuffle_test
}  // namespace sluice
