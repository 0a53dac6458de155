#include "apps/result_range.h"

#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice::app {
namespace result_range_test {

// Each number below `count` is one process's, once, at a place that it finds again.
TEST(ResultRange, PartsAddUp) {
  for (const bool shuffle : {false, true}) {
    for (const std::int64_t samples : {1, 5, 12}) {
      for (const std::int64_t count : {1, 3, 12, 29, 60}) {
        for (const int parts : {1, 2, 4, 7}) {
          SCOPED_TRACE(std::to_string(samples) + " " + std::to_string(count) + " " +
                       std::to_string(parts) + (shuffle ? " shuffled" : ""));
          std::set<std::int64_t> numbers;
          std::int64_t sum = 0;
          for (int i = 0; i < parts; ++i) {
            const ProcessShard share(std::to_string(i) + "/" + std::to_string(parts));
            const ResultRange range(
                {.samples = samples, .count = count, .shuffle = shuffle, .seed = 3}, share);
            sum += range.in_shard();
            Checkpoint next;
            for (; next.epoch * samples < count; ++next.epoch) {
              const Sampler sampler{.order = range.order(), .shard = share.shard()};
              const EpochOrder order(sampler, samples, next.epoch);
              for (next.position = 0; next.position < order.size(); ++next.position) {
                const std::int64_t before = range.before(next);
                const std::int64_t number = next.epoch * samples + order[next.position];
                EXPECT_TRUE(numbers.insert(number).second) << number;
                EXPECT_TRUE(range.is_left(number, {}));
                EXPECT_TRUE(range.is_left(number, next));
                Checkpoint after = next;
                ++after.position;
                EXPECT_FALSE(range.is_left(number, after));
                EXPECT_EQ(range.before(after), before + 1);
              }
              next.position = 0;
            }
            EXPECT_EQ(range.before(next), range.in_shard());
          }
          EXPECT_EQ(sum, count);
          EXPECT_EQ(static_cast<std::int64_t>(numbers.size()), count);
          if (!shuffle) {
            EXPECT_EQ(*numbers.rbegin(), count - 1);
          }
        }
      }
    }
  }
}

// A shuffle equals Sampler::shuffle, cut to its first places if not all are range.
TEST(ResultRange, ShufflesAsSamplersDo) {
  for (const std::int64_t count : {40, 33}) {
    const ResultRange range({.samples = 20, .count = count, .shuffle = true, .seed = 8},
                            ProcessShard("0/1"));
    for (const std::int64_t epoch : {0, 1}) {
      const EpochOrder ours({.order = range.order()}, 20, epoch);
      const EpochOrder theirs({.shuffle = true}, 20, epoch, 8);
      EXPECT_EQ(ours.size(), epoch == 0 ? 20 : count - 20);
      for (std::int64_t place = 0; place < ours.size(); ++place)
        EXPECT_EQ(ours[place], theirs[place]);
    }
  }
}

// Shortened epochs are different ones, and a checkpoint recognizes them by their name.
TEST(ResultRange, OrdersAreToldApartByWhatDiffers) {
  const auto name = [](std::int64_t count, bool shuffle, std::uint64_t seed) {
    return ResultRange({.samples = 10, .count = count, .shuffle = shuffle, .seed = seed},
                       ProcessShard("0/1"))
        .order()
        .name();
  };
  EXPECT_EQ(name(10, false, 1), name(30, false, 2));
  EXPECT_NE(name(10, false, 1), name(12, false, 1));
  EXPECT_NE(name(12, false, 1), name(13, false, 1));
  EXPECT_NE(name(10, false, 1), name(10, true, 1));
  EXPECT_NE(name(10, true, 1), name(10, true, 2));
}

}  // namespace result_range_test
}  // namespace sluice::app
