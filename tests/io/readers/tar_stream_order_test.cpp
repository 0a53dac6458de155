// The order in which a stream of archives delivers its samples.
#include "tests/io/readers/tar_streams.h"
#include <sluice/graph/sampling/sampler.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sluice {
namespace tar_stream_order_test {

using Numbers = std::vector<std::int64_t>;

// By plain loops: the samples of archives of these sizes.
Numbers expected(const std::vector<int>& sizes, const TarStreamOptions& options,
                 std::uint64_t epoch) {
  std::vector<Numbers> mine;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Numbers samples(static_cast<std::size_t>(sizes[i]));
    std::iota(samples.begin(), samples.end(), first);
    first += sizes[i];
    if (static_cast<std::int64_t>(i) % options.shard.count == options.shard.index)
      mine.push_back(samples);
  }
  std::vector<Numbers> waiting = mine;
  const ShuffleKey key{options.seed, epoch};
  if (options.shuffle) {
    const Permutation order(std::ssize(mine), key);
    for (std::size_t i = 0; i < mine.size(); ++i)
      waiting[i] = mine[static_cast<std::size_t>(order(static_cast<std::int64_t>(i)))];
  }
  const auto interleave = static_cast<std::size_t>(options.interleave > 0 ? options.interleave
                                                   : options.shuffle      ? 4
                                                                          : 1);
  Numbers all;
  std::vector<Numbers> open;
  const auto fill = [&](std::size_t place) {
    while (place < open.size() && open[place].empty()) {
      if (waiting.empty()) {
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(place));
      } else {
        open[place] = waiting.front();
        waiting.erase(waiting.begin());
      }
    }
  };
  while (open.size() < interleave && !waiting.empty()) {
    open.push_back(waiting.front());
    waiting.erase(waiting.begin());
  }
  for (std::size_t turn = 0; !open.empty();) {
    fill(turn);
    if (open.empty()) break;
    if (turn >= open.size()) {
      turn = 0;
      continue;
    }
    all.push_back(open[turn].front());
    open[turn].erase(open[turn].begin());
    turn = (turn + 1) % open.size();
  }
  if (!options.shuffle) return all;
  const WindowedShuffle order(std::ssize(all), options.window, key);
  Numbers shuffled;
  for (std::int64_t i = 0; i < std::ssize(all); ++i)
    shuffled.push_back(all[static_cast<std::size_t>(order(i))]);
  return shuffled;
}

class TarStreamOrderTest : public TarStreamTest {};

// For any number of threads, however little they read ahead.
TEST_F(TarStreamOrderTest, FollowsFromSeedAndEpochAlone) {
  struct Case {
    std::vector<int> sizes;
    TarStreamOptions options;
  };
  const Case cases[] = {
      {{5}, {}},
      {{5, 1, 7, 3}, {}},
      {{5, 1, 7, 3}, {.interleave = 2}},
      {{5, 1, 7, 3, 2}, {.interleave = 9}},
      {{0, 5, 0, 0, 7, 3, 0}, {.interleave = 3}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 1}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 2, .seed = 7}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 5, .interleave = 1}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 26}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 27}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 28}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 1000, .seed = 1}},
      {{5, 1, 7, 3, 2, 9}, {.shuffle = true, .window = 4, .shard = {1, 3}}},
      {{80, 90, 100}, {.shuffle = true, .window = 50, .interleave = 2}},
  };
  for (const Case& c : cases) {
    const Strings paths = archives(c.sizes);
    for (const int threads : {1, 2, 5}) {
      for (const std::uint64_t read_ahead : {1, 4 << 20}) {
        TarStreamOptions options = c.options;
        options.threads = threads;
        options.read_ahead = read_ahead;
        auto pipeline = pipeline_of(labeled(paths, options), {.batch_size = 3});
        for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
          EXPECT_EQ(numbers(epoch_of(pipeline)), expected(c.sizes, options, epoch))
              << &c - cases << " threads " << threads << " epoch " << epoch;
        }
      }
    }
  }
}

TEST_F(TarStreamOrderTest, ASampleIsInOneShard) {
  const std::vector<int> sizes = {5, 1, 7, 3, 2, 9, 4};
  const Strings paths = archives(sizes);
  for (const std::int64_t shards : {1, 2, 3, 7}) {
    std::vector<std::vector<int>> seen(3, std::vector<int>(31));
    for (std::int64_t shard = 0; shard < shards; ++shard) {
      auto pipeline =
          pipeline_of(labeled(paths, {.shuffle = true, .window = 4, .shard = {shard, shards}}));
      for (auto& epoch : seen)
        for (const std::int64_t n : numbers(epoch_of(pipeline)))
          ++epoch[static_cast<std::size_t>(n)];
    }
    for (const auto& epoch : seen) EXPECT_EQ(epoch, std::vector<int>(31, 1)) << shards;
  }
}

// Archives of other shards need not exist.
TEST_F(TarStreamOrderTest, AShardOpensItsOwnArchivesOnly) {
  const Strings paths = {path("gone.tar"), write("b.tar", numbered(0, 3))};
  EXPECT_EQ(numbers(read(paths, {.shard = {1, 2}})), (Numbers{0, 1, 2}));
}

TEST_F(TarStreamOrderTest, NoSampleMovesByAWindowOrMore) {
  const Strings paths = archives({200});
  for (const std::int64_t window : {2, 16, 64}) {
    auto pipeline = pipeline_of(labeled(paths, {.shuffle = true, .window = window}));
    std::int64_t furthest = 0;
    for (int epoch = 0; epoch < 5; ++epoch) {
      const Numbers all = numbers(epoch_of(pipeline));
      for (std::int64_t i = 0; i < std::ssize(all); ++i)
        furthest = std::max(furthest, std::abs(all[static_cast<std::size_t>(i)] - i));
    }
    EXPECT_LT(furthest, window);
    EXPECT_GE(furthest, window * 3 / 4);
  }
}

// Each sample comes to each place equally often, also with archives between them.
TEST_F(TarStreamOrderTest, AWholeShuffleHasNoFavorites) {
  constexpr int kSamples = 8;
  constexpr int kEpochs = 1600;
  const Strings paths = archives({3, 3, 2});
  auto pipeline = pipeline_of(labeled(paths, {.shuffle = true, .window = 100, .threads = 1}),
                              {.batch_size = kSamples, .threads = 1});
  double counts[kSamples][kSamples] = {};
  std::set<Numbers> orders;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const Numbers all = numbers(epoch_of(pipeline));
    ASSERT_EQ(all.size(), std::size_t{kSamples});
    for (std::size_t i = 0; i < kSamples; ++i) ++counts[i][all[i]];
    orders.insert(all);
  }
  double chi_square = 0;
  constexpr double kMean = double{kEpochs} / kSamples;
  for (const auto& place : counts)
    for (const double count : place) chi_square += (count - kMean) * (count - kMean) / kMean;
  // 49 degrees of freedom: beyond 85.4 once in 1,000 times.
  EXPECT_LT(chi_square, 85.4);
  EXPECT_GT(orders.size(), 1500u);
}

TEST_F(TarStreamOrderTest, AnEpochMayGoOnForEver) {
  const Strings paths = archives({3, 2});
  auto pipeline =
      pipeline_of(labeled(paths, {.shuffle = true, .cycle = Cycle::quiet}), {.batch_size = 5});
  auto run = pipeline.epoch();
  std::set<Strings> orders;
  for (int round = 0; round < 6; ++round) {
    const auto batch = run.next();
    ASSERT_TRUE(batch.has_value());
    Strings texts;
    for (std::size_t i = 0; i < 5; ++i) texts.emplace_back(batch->get<0>()[i]);
    orders.insert(texts);
    Numbers all = numbers(texts);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, (Numbers{0, 1, 2, 3, 4}));
  }
  EXPECT_GT(orders.size(), 3u);  // another one each time
}

// Samples that were delivered before are read again, but not delivered.
TEST_F(TarStreamOrderTest, GoesOnFromACheckpoint) {
  const Strings paths = archives({5, 6, 7, 8});
  const auto from = [&](const std::optional<Checkpoint>& resume, const TarStreamOptions& options) {
    return pipeline_of(labeled(paths, options), {.batch_size = 3, .resume = resume, .threads = 2});
  };
  const TarStreamOptions options{.shuffle = true, .window = 6, .seed = 2};
  auto whole = from({}, options);
  (void)epoch_of(whole);
  const Strings all = epoch_of(whole);
  const Strings following = epoch_of(whole);
  for (const int batches : {1, 4, 8}) {
    auto first = from({}, options);
    (void)epoch_of(first);
    Checkpoint checkpoint;
    {
      auto run = first.epoch();
      for (int i = 0; i < batches; ++i) (void)run.next();
      checkpoint = first.checkpoint();
    }
    auto second = from(checkpoint, options);
    Strings rest;
    for (const auto& batch : second.epoch())
      for (std::size_t i = 0; i < batch.size(); ++i) rest.emplace_back(batch.template get<0>()[i]);
    EXPECT_EQ(rest, Strings(all.begin() + batches * 3, all.end()));
    EXPECT_EQ(epoch_of(second), following);
    for (const TarStreamOptions& other :
         {TarStreamOptions{.shuffle = true, .window = 7, .seed = 2},
          TarStreamOptions{.shuffle = true, .window = 6, .seed = 3},
          TarStreamOptions{.shuffle = true, .window = 6, .seed = 2, .shard = {0, 2}},
          TarStreamOptions{.shuffle = true, .window = 6, .seed = 2, .interleave = 2}}) {
      EXPECT_THROW(from(checkpoint, other), BuildError);
    }
  }
}

}  // namespace tar_stream_order_test
}  // namespace sluice
