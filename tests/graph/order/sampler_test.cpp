#include "chi_square.h"
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace sampler_test {

using Samples = std::vector<std::int64_t>;

Samples epoch_of(const Sampler& sampler, std::int64_t dataset_size, std::int64_t epoch = 0,
                 std::uint64_t seed = 0) {
  const EpochOrder order(sampler, dataset_size, epoch, seed);
  Samples samples;
  for (std::int64_t i = 0; i < order.size(); ++i) samples.push_back(order[i]);
  return samples;
}

Samples range(std::int64_t begin, std::int64_t end) {
  Samples samples(static_cast<std::size_t>(end - begin));
  std::iota(samples.begin(), samples.end(), begin);
  return samples;
}

Samples sorted(Samples samples) {
  std::sort(samples.begin(), samples.end());
  return samples;
}

Sampler with_shard(Sampler sampler, std::int64_t index, std::int64_t count) {
  sampler.shard = {index, count};
  return sampler;
}

TEST(Sampler, WithoutSettingsIsTheDatasetInOrder) {
  EXPECT_EQ(epoch_of({}, 5), range(0, 5));
  EXPECT_EQ(epoch_of({}, 0), Samples{});
  EXPECT_EQ(EpochOrder({}, kUntilEnd, 3).size(), kUntilEnd);
  EXPECT_EQ(EpochOrder({}, kUntilEnd, 3)[1'000'000], 1'000'000);
}

TEST(Sampler, ShufflesEachEpochAnew) {
  for (const std::int64_t window : {0, 10}) {
    const Sampler sampler{.shuffle = true, .seed = 42, .window = window};
    std::set<Samples> seen;
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
      const Samples samples = epoch_of(sampler, 100, epoch);
      EXPECT_EQ(sorted(samples), range(0, 100));
      EXPECT_TRUE(seen.insert(samples).second) << epoch;
      EXPECT_EQ(epoch_of(sampler, 100, epoch), samples);
      if (window == 0) continue;
      for (std::int64_t i = 0; i < 100; ++i)
        EXPECT_LT(std::abs(samples[static_cast<std::size_t>(i)] - i), window);
    }
  }
}

TEST(Sampler, UsesThePipelinesSeedUnlessItHasItsOwn) {
  EXPECT_EQ(epoch_of({.shuffle = true}, 50, 1, 7), epoch_of({.shuffle = true, .seed = 7}, 50, 1));
  EXPECT_EQ(epoch_of({.shuffle = true, .seed = 7}, 50, 1, 8),
            epoch_of({.shuffle = true, .seed = 7}, 50, 1, 9));
  EXPECT_NE(epoch_of({.shuffle = true}, 50, 1, 8), epoch_of({.shuffle = true}, 50, 1, 9));
}

TEST(Sampler, TakesASubset) {
  const Sampler sampler{.subset = {3, 1, 4, 1, 5}};
  EXPECT_EQ(epoch_of(sampler, 6), (Samples{3, 1, 4, 1, 5}));
  EXPECT_EQ(epoch_of(sampler, kUntilEnd), (Samples{3, 1, 4, 1, 5}));
  EXPECT_EQ(epoch_of({.subset = Samples{}}, 6), Samples{});
  const Sampler shuffled{.shuffle = true, .subset = range(50, 90)};
  EXPECT_EQ(sorted(epoch_of(shuffled, 100)), range(50, 90));
  EXPECT_NE(epoch_of(shuffled, 100), epoch_of(shuffled, 100, 1));
}

// The shards of an epoch, one after the other, are the epoch.
TEST(Sampler, CutsShardsOutOfTheOrderOfAll) {
  const Sampler samplers[] = {{},
                              {.shuffle = true},
                              {.shuffle = true, .window = 7},
                              {.shuffle = true, .subset = range(3, 30)},
                              {.weights = std::vector<double>(31, 2.5)},
                              {.replacement = true, .draws = 100},
                              {.order = {"back", 31, [](auto, auto i) { return 30 - i; }}}};
  for (const Sampler& sampler : samplers)
    for (const std::int64_t count : {1, 2, 3, 8, 40})
      for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
        Samples joined;
        for (std::int64_t shard = 0; shard < count; ++shard) {
          // The index of the shard's owner in this epoch.
          const std::int64_t index = ((shard - epoch) % count + count) % count;
          const Samples part = epoch_of(with_shard(sampler, index, count), 31, epoch);
          joined.insert(joined.end(), part.begin(), part.end());
        }
        ASSERT_EQ(joined, epoch_of(sampler, 31, epoch)) << to_string(sampler) << ", " << count;
      }
}

TEST(Sampler, ShardsMoveOnUnlessTheyStick) {
  Sampler sampler = with_shard({}, 1, 3);
  const Samples thirds[] = {range(0, 3), range(3, 6), range(6, 10)};
  for (std::int64_t epoch = 0; epoch < 5; ++epoch)
    EXPECT_EQ(epoch_of(sampler, 10, epoch), thirds[(epoch + 1) % 3]);
  sampler.stick_to_shard = true;
  for (std::int64_t epoch = 0; epoch < 5; ++epoch)
    EXPECT_EQ(epoch_of(sampler, 10, epoch), thirds[1]);
}

TEST(Sampler, WhatSticksIsShuffledByItself) {
  for (const std::int64_t window : {0, 20}) {
    std::vector<Samples> first;
    for (std::int64_t shard = 0; shard < 4; ++shard) {
      const Sampler sampler{
          .shuffle = true, .window = window, .shard = {shard, 4}, .stick_to_shard = true};
      const Samples one = epoch_of(sampler, 400, 1), two = epoch_of(sampler, 400, 2);
      EXPECT_NE(one, two);
      EXPECT_EQ(sorted(one), range(shard * 100, shard * 100 + 100));
      EXPECT_EQ(sorted(two), sorted(one));
      first.push_back(one);
      for (std::int64_t& sample : first.back()) sample -= shard * 100;
    }
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < a; ++b) EXPECT_NE(first[a], first[b]);
  }
}

TEST(Sampler, MakesShardsEven) {
  for (const bool sticks : {false, true})
    for (const bool shuffle : {false, true})
      for (const UnevenShards uneven :
           {UnevenShards::repeat_last, UnevenShards::wrap, UnevenShards::drop})
        for (const std::int64_t samples : {0, 1, 2, 7, 8, 9, 30})
          for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
            std::set<std::int64_t> seen;
            for (std::int64_t index = 0; index < 4; ++index) {
              const Samples part = epoch_of({.shuffle = shuffle,
                                             .shard = {index, 4},
                                             .stick_to_shard = sticks,
                                             .uneven = uneven},
                                            samples, epoch);
              seen.insert(part.begin(), part.end());
              const std::int64_t rounding = uneven == UnevenShards::drop ? 0 : 3;
              ASSERT_EQ(std::ssize(part), (samples + rounding) / 4);
            }
            if (uneven != UnevenShards::drop) {
              ASSERT_EQ(std::ssize(seen), samples);
            }
          }
}

TEST(Sampler, DrawsWithReplacement) {
  const Sampler uniform{.replacement = true, .draws = 100'000};
  const Sampler weighted{.weights = {1, 0, 3}, .draws = 100'000, .subset = {5, 6, 7}};
  std::vector<double> counts(10);
  for (const std::int64_t sample : epoch_of(uniform, 10)) ++counts.at(std::size_t(sample));
  EXPECT_LT(chi_square(counts), chi_square_limit(9));
  counts.assign(10, 0);
  for (const std::int64_t sample : epoch_of(weighted, 10)) ++counts.at(std::size_t(sample));
  EXPECT_EQ(counts[5] + counts[7], 100'000);
  EXPECT_NEAR(counts[5], 25'000, 700);  // five standard deviations
  EXPECT_EQ(epoch_of({.replacement = true}, 33).size(), 33u);
  EXPECT_EQ(epoch_of({.replacement = true}, 0), Samples{});
  EXPECT_NE(epoch_of({.replacement = true}, 33, 0), epoch_of({.replacement = true}, 33, 1));
}

TEST(Sampler, AsksTheUsersOrder) {
  const Sampler growing{
      .order = {"growing", [](std::int64_t epoch) { return 2 + epoch; },
                [](std::int64_t epoch, std::int64_t place) { return 10 * epoch + place; }}};
  EXPECT_EQ(epoch_of(growing, 100, 0), (Samples{0, 1}));
  EXPECT_EQ(epoch_of(growing, 100, 2), (Samples{20, 21, 22, 23}));
  EXPECT_EQ(epoch_of(with_shard(growing, 1, 2), 100, 2), (Samples{22, 23}));
  const Sampler endless{.order = {"endless", kUntilEnd, [](auto, auto place) {
                                    if (place >= 3) throw EndOfEpoch();
                                    return place;
                                  }}};
  const EpochOrder order(endless, kUntilEnd, 0);
  EXPECT_EQ(order.size(), kUntilEnd);
  EXPECT_EQ(order[2], 2);
  EXPECT_THROW((void)order[3], EndOfEpoch);
}

// An epoch that 3 processes begin, 5 continue and 2 end has each sample once.
TEST(Sampler, GoesOnWithAnotherNumberOfShards) {
  const Sampler samplers[] = {{}, {.shuffle = true}, {.shuffle = true, .window = 9}};
  for (const Sampler& sampler : samplers)
    for (const std::int64_t samples : {0, 10, 31, 100, 101}) {
      const std::int64_t counts[] = {3, 5, 2};
      std::vector<Progress> done;
      Samples seen;
      for (const std::int64_t count : counts) {
        std::int64_t position = 0;
        for (std::int64_t i = 0; i < count; ++i) {
          const EpochOrder order(with_shard(sampler, i, count), samples, 4, 7, done);
          // The last two processes run to the end. Others stop when a third of the rest is done.
          const std::int64_t stop = count == 2 ? order.size() : order.size() / 3;
          if (i == 0 || count == 2) position = stop;
          for (std::int64_t p = 0; p < position; ++p) seen.push_back(order[p]);
        }
        done.push_back({count, position});
      }
      EXPECT_EQ(sorted(seen), range(0, samples)) << to_string(sampler);
    }
}

// Any place of a long epoch can be reached directly.
TEST(Sampler, BeginsAnywhere) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  for (const std::int64_t window : {std::int64_t{0}, std::int64_t{1} << 40}) {
    const EpochOrder order({.shuffle = true, .window = window, .shard = {2, 3}}, kMost, 0);
    EXPECT_EQ(order.size(), kMost - kMost / 3 * 2);
    for (const std::int64_t i : {std::int64_t{0}, order.size() / 2, order.size() - 1}) {
      EXPECT_TRUE(order[i] >= 0 && order[i] < kMost);
    }
  }
}

// Checkpoints rely on these numbers: they must be the same in every version and on every machine.
TEST(Sampler, StaysAsItIs) {
  struct Case {
    Sampler sampler;
    Samples first;
  };
  const Case cases[] = {
      {{.shuffle = true}, {13, 7, 8, 12, 19, 6, 4, 10}},
      {{.shuffle = true, .window = 5, .shard = {1, 2}}, {0, 1, 2, 3, 4, 5, 6, 10}},
      {{.shuffle = true, .shard = {1, 2}, .stick_to_shard = true},
       {12, 11, 13, 10, 17, 14, 15, 16}},
      {{.replacement = true}, {14, 1, 10, 6, 16, 12, 16, 17}},
      {{.weights = std::vector<double>(20, 0.1)}, {14, 1, 10, 6, 16, 12, 16, 17}},
  };
  for (const Case& c : cases) {
    Samples samples = epoch_of(c.sampler, 20, 3, 42);
    samples.resize(8);
    EXPECT_EQ(samples, c.first) << to_string(c.sampler);
  }
}

}  // namespace sampler_test
}  // namespace sluice
