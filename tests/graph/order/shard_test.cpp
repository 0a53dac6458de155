#include <sluice/graph/exec/sample.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace shard_test {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::vector<std::int64_t> all_of(const ShardPlaces& places) {
  std::vector<std::int64_t> all;
  for (std::int64_t p = 0; p < places.size(); ++p) all.push_back(places(p));
  return all;
}

TEST(ShardPlaces, AreCutAsInDali) {
  using Places = std::vector<std::int64_t>;
  EXPECT_EQ(all_of({{0, 2}, 7}), (Places{0, 1, 2}));
  EXPECT_EQ(all_of({{1, 2}, 7}), (Places{3, 4, 5, 6}));
  EXPECT_EQ(all_of({{0, 3}, 10}), (Places{0, 1, 2}));
  EXPECT_EQ(all_of({{1, 3}, 10}), (Places{3, 4, 5}));
  EXPECT_EQ(all_of({{2, 3}, 10}), (Places{6, 7, 8, 9}));
  EXPECT_EQ(all_of({{0, 1}, 3}), (Places{0, 1, 2}));
}

TEST(ShardPlaces, CoverAnEpochOnce) {
  for (std::int64_t samples = 0; samples <= 60; ++samples)
    for (std::int64_t count = 1; count <= 13; ++count) {
      std::int64_t next = 0;
      for (std::int64_t i = 0; i < count; ++i)
        for (const std::int64_t place : all_of({{i, count}, samples})) ASSERT_EQ(place, next++);
      ASSERT_EQ(next, samples) << count;
    }
}

TEST(ShardPlaces, AreMadeEven) {
  struct Case {
    const char* what;
    UnevenShards uneven;
    std::int64_t samples;
    std::vector<std::vector<std::int64_t>> shards;
  };
  const Case cases[] = {
      {"last", UnevenShards::repeat_last, 7, {{0, 1, 2, 2}, {3, 4, 5, 6}}},
      {"wrap", UnevenShards::wrap, 7, {{0, 1, 2, 0}, {3, 4, 5, 6}}},
      {"drop", UnevenShards::drop, 7, {{0, 1, 2}, {3, 4, 5}}},
      {"nothing to repeat", UnevenShards::repeat_last, 6, {{0, 1, 2}, {3, 4, 5}}},
      {"nothing to drop", UnevenShards::drop, 6, {{0, 1, 2}, {3, 4, 5}}},
      {"fewer than shards", UnevenShards::repeat_last, 2, {{0}, {0}, {1}}},
      {"fewer than shards, wrapped", UnevenShards::wrap, 2, {{0}, {0}, {1}}},
      {"fewer than shards, dropped", UnevenShards::drop, 2, {{}, {}, {}}},
      {"none", UnevenShards::repeat_last, 0, {{}, {}}},
  };
  for (const Case& c : cases)
    for (std::size_t i = 0; i < c.shards.size(); ++i) {
      const Shard shard{static_cast<std::int64_t>(i), static_cast<std::int64_t>(c.shards.size())};
      EXPECT_EQ(all_of({shard, c.samples, c.uneven}), c.shards[i]) << c.what << ", " << i;
    }
}

// So all processes make the same number of batches, of samples from their own part.
TEST(ShardPlaces, EvenOnesAreEquallyLong) {
  for (const UnevenShards uneven :
       {UnevenShards::repeat_last, UnevenShards::wrap, UnevenShards::drop})
    for (std::int64_t samples = 0; samples <= 40; ++samples)
      for (std::int64_t count = 1; count <= 13; ++count)
        for (std::int64_t i = 0; i < count; ++i) {
          const ShardPlaces places({i, count}, samples, uneven);
          const bool drops = uneven == UnevenShards::drop;
          ASSERT_EQ(places.size(), (samples + (drops ? 0 : count - 1)) / count);
          for (const std::int64_t place : all_of(places)) {
            ASSERT_TRUE(place >= 0 && place < samples);
            if (places.end() > places.begin()) {
              ASSERT_TRUE(place >= places.begin() && place < places.end());
            }
          }
        }
}

TEST(ShardPlaces, CutLongEpochsExactly) {
  for (const std::int64_t count : {std::int64_t{3}, std::int64_t{4096}, std::int64_t{1'000'003}}) {
    const ShardPlaces first({0, count}, kMost), last({count - 1, count}, kMost);
    EXPECT_EQ(first.begin(), 0);
    EXPECT_EQ(first.size(), kMost / count);
    EXPECT_EQ(last.end(), kMost);
    EXPECT_EQ(last(last.size() - 1), kMost - 1);
    EXPECT_EQ(ShardPlaces({count - 2, count}, kMost).end(), last.begin());
  }
}

TEST(ShardPlaces, OneShardMayGoOnUntilTheEnd) {
  const ShardPlaces places({}, kUntilEnd);
  EXPECT_EQ(places.size(), kUntilEnd);
  EXPECT_EQ(places(kMost), kMost);
}

TEST(Shard, MovesOnEachEpoch) {
  const Shard shard{2, 3};
  const std::int64_t expected[] = {2, 0, 1, 2, 0};
  for (std::int64_t epoch = 0; epoch < 5; ++epoch)
    EXPECT_EQ(moved_on(shard, epoch), (Shard{expected[epoch], 3}));
  EXPECT_EQ(moved_on({}, 5), Shard{});
  EXPECT_EQ(moved_on({INT64_MAX - 1, INT64_MAX}, 2), (Shard{1, INT64_MAX}));
}

// Finished and remaining places together are the epoch, once.
TEST(RemainingPlaces, AreThoseThatNoShardHasDone) {
  for (std::int64_t samples = 0; samples <= 40; ++samples)
    for (std::int64_t count = 1; count <= 9; ++count)
      for (std::int64_t position = 0; position <= (samples + count - 1) / count; ++position) {
        std::vector<std::int64_t> left;
        for (std::int64_t i = 0; i < count; ++i) {
          const ShardPlaces places({i, count}, samples);
          for (std::int64_t p = position; p < places.size(); ++p) left.push_back(places(p));
        }
        const RemainingPlaces remaining(samples, {count, position});
        std::vector<std::int64_t> found;
        for (std::int64_t i = 0; i < remaining.size(); ++i) found.push_back(remaining(i));
        ASSERT_EQ(found, left) << samples << ", " << count << ", " << position;
      }
}

TEST(RemainingPlaces, OfALongEpochAreExact) {
  const std::int64_t count = 4097, position = kMost / count - 1;
  const RemainingPlaces remaining(kMost, {count, position});
  EXPECT_EQ(remaining.size(), kMost - count * position);
  EXPECT_EQ(remaining(0), position);
  EXPECT_EQ(remaining(remaining.size() - 1), kMost - 1);
}

TEST(RemainingPlaces, RefuseWhatCannotBe) {
  const auto error_of = [](std::int64_t samples, const Progress& done, std::int64_t place = 0) {
    try {
      (void)RemainingPlaces(samples, done)(place);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of(10, {3, 5}),
            "an epoch of which 3 shards have done 5 samples each, where they have 4 at most; the "
            "checkpoint belongs to another dataset");
  EXPECT_EQ(error_of(10, {2, -1}),
            "an epoch of which 2 shards have done -1 samples each, where they have 5 at most; the "
            "checkpoint belongs to another dataset");
  EXPECT_EQ(error_of(10, {0, 0}),
            "shard 0 of 0; shards are counted from 0, and there is at least 1");
  EXPECT_EQ(error_of(kUntilEnd, {1, 0}),
            "an epoch whose length is not known has no places that remain");
  EXPECT_EQ(error_of(10, {3, 3}, 1),
            "places that remain: there is no place 1 among 1; they are counted from 0");
}

std::string error_of(const Shard& shard, std::int64_t samples, std::int64_t position = 0) {
  try {
    (void)ShardPlaces(shard, samples)(position);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ShardPlaces, RefuseWhatCannotBe) {
  struct Case {
    Shard shard;
    std::int64_t samples;
    const char* what;
  };
  const Case cases[] = {
      {{3, 3}, 10, "shard 3 of 3; shards are counted from 0, and there is at least 1"},
      {{-1, 3}, 10, "shard -1 of 3; shards are counted from 0, and there is at least 1"},
      {{0, 0}, 10, "shard 0 of 0; shards are counted from 0, and there is at least 1"},
      {{0, 2}, -1, "an epoch of -1 samples; give a number from 0 to 2^62 (4611686018427387904)"},
      {{0, 2},
       kUntilEnd,
       "an epoch whose length is not known cannot be cut into 2 shards; give its number of "
       "samples, or let each process's source return its own samples, without a shard"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.shard, c.samples), c.what);
  EXPECT_EQ(error_of({0, 2}, 7, 3),
            "samples of this process: there is no place 3 among 3; they are counted from 0");
  EXPECT_EQ(error_of({0, 2}, 7, -1),
            "samples of this process: there is no place -1 among 3; they are counted from 0");
  EXPECT_THROW((void)moved_on({5, 2}, 1), BuildError);
}

}  // namespace shard_test
}  // namespace sluice
