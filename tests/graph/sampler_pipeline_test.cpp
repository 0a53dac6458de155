// Pipelines whose epochs follow a sampler: which samples come, at which positions, and with which
// draws.
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace sampler_pipeline_test {

constexpr std::int64_t kDataset = 103;
constexpr std::uint64_t kSeed = 11;

struct Seen {
  SampleKey key;
  std::int64_t value = 0;  // from the source: the requested index
  std::int64_t drawn = 0;
};

auto pipeline_with(const Sampler& sampler, PipelineOptions options) {
  options.seed = kSeed;
  return make_pipeline(options, [&](Graph& g) {
    auto index = g.source(
        kDataset, [](const SampleInfo& info) { return info.index; }, sampler);
    auto drawn = g.random("draw", [](Random& random) { return std::int64_t{random.next()}; });
    return std::tuple{index, drawn};
  });
}

template <class P>
std::vector<Seen> next_epoch(P& pipeline) {
  std::vector<Seen> seen;
  std::int64_t position = 0;
  for (const auto& batch : pipeline.epoch()) {
    const auto& [indices, drawn] = batch;
    for (std::size_t i = 0; i < batch.ids().size(); ++i) {
      EXPECT_EQ(batch.ids()[i], position++);
      seen.push_back({batch.keys()[i], indices[i], drawn[i]});
    }
  }
  return seen;
}

std::string failure(const auto& run) {
  try {
    run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

const Sampler kSamplers[] = {
    {.shuffle = true},
    {.shuffle = true, .seed = 5},
    {.shuffle = true, .window = 10},
    {.replacement = true},
    {.weights = std::vector<double>(kDataset, 0.25), .draws = 250},
    {.subset = {7, 3, 100, 3}},
    {.shuffle = true, .subset = {7, 3, 100, 4, 5}},
    {.shuffle = true, .shard = {1, 4}},
    {.shard = {2, 3}, .stick_to_shard = true, .uneven = UnevenShards::repeat_last},
    {.order = {"backwards", kDataset,
               [](std::int64_t, std::int64_t i) { return kDataset - 1 - i; }}},
};

// On any number of threads, an epoch is the one of EpochOrder.
TEST(SampledPipeline, EpochsAreWhatTheSamplerSays) {
  for (const Sampler& sampler : kSamplers) {
    SCOPED_TRACE(to_string(sampler));
    for (const auto& [batch_size, threads] : {std::pair{1, 1}, {7, 4}, {64, 2}}) {
      auto pipeline = pipeline_with(sampler, {.batch_size = batch_size, .threads = threads});
      for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        const EpochOrder order(sampler, kDataset, epoch, kSeed);
        const std::vector<Seen> seen = next_epoch(pipeline);
        ASSERT_EQ(static_cast<std::int64_t>(seen.size()), order.size());
        EXPECT_EQ(pipeline.samples(), order.size());
        EXPECT_EQ(pipeline.batches(), (order.size() + batch_size - 1) / batch_size);
        for (std::size_t i = 0; i < seen.size(); ++i) {
          EXPECT_EQ(seen[i].key, order.key(static_cast<std::int64_t>(i)));
          EXPECT_EQ(seen[i].key.epoch, epoch);
          EXPECT_EQ(seen[i].value, seen[i].key.index);
        }
      }
    }
  }
}

// A sample is the same at any position: its draws follow its key.
TEST(SampledPipeline, ASampleIsTheSameInAnyOrderAndShard) {
  auto plain = pipeline_with({}, {.batch_size = 8});
  std::map<SampleKey, std::int64_t> known;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const Seen& seen : next_epoch(plain)) known[seen.key] = seen.drawn;
  }
  for (const std::int64_t count : {1, 2, 5}) {
    std::vector<std::vector<Seen>> epochs(2);
    for (std::int64_t shard = 0; shard < count; ++shard) {
      auto pipeline = pipeline_with({.shuffle = true, .shard = {shard, count}},
                                    {.batch_size = 3 + static_cast<int>(shard), .threads = 3});
      for (auto& epoch : epochs) {
        const std::vector<Seen> seen = next_epoch(pipeline);
        epoch.insert(epoch.end(), seen.begin(), seen.end());
      }
    }
    for (const auto& epoch : epochs) {
      std::set<SampleKey> keys;
      for (const Seen& seen : epoch) {
        EXPECT_EQ(known.at(seen.key), seen.drawn);
        keys.insert(seen.key);
      }
      EXPECT_EQ(keys.size(), static_cast<std::size_t>(kDataset));  // each once
      EXPECT_EQ(epoch.size(), static_cast<std::size_t>(kDataset));
    }
  }
}

TEST(SampledPipeline, WhatIsDrawnTwiceHasDrawsOfItsOwn) {
  auto pipeline = pipeline_with({.replacement = true, .draws = 400}, {.batch_size = 16});
  const std::vector<Seen> seen = next_epoch(pipeline);
  std::set<std::int64_t> indices, drawn;
  std::set<SampleKey> keys;
  for (const Seen& one : seen) {
    indices.insert(one.key.index);
    drawn.insert(one.drawn);
    keys.insert(one.key);
  }
  EXPECT_LE(indices.size(), static_cast<std::size_t>(kDataset));
  EXPECT_EQ(keys.size(), 400u);
  EXPECT_EQ(drawn.size(), 400u);
}

TEST(SampledPipeline, SourcesTellWhereASampleStands) {
  std::mutex mutex;
  std::map<std::int64_t, SampleInfo> asked;  // by index
  const Sampler sampler{.shuffle = true};
  auto pipeline = make_pipeline({.batch_size = 4, .seed = kSeed, .threads = 2}, [&](Graph& g) {
    return g.source(
        10,
        [&](const SampleInfo& info) {
          const std::lock_guard lock(mutex);
          asked[info.index] = info;
          return info.index;
        },
        sampler);
  });
  for (const auto& batch : pipeline.epoch()) static_cast<void>(batch);
  const EpochOrder order(sampler, 10, 0, kSeed);
  for (std::int64_t p = 0; p < 10; ++p) {
    const SampleInfo& info = asked.at(order[p]);
    EXPECT_EQ(info.index_in_epoch, p);
    EXPECT_EQ(info.batch, p / 4);
    EXPECT_EQ(info.index_in_batch, p % 4);
    EXPECT_EQ(info.key(), order.key(p));
  }
}

TEST(SampledPipeline, ShortBatchesThatAreDroppedDependOnTheShard) {
  // Shards of 34 and 35 samples; the longer one rotates.
  auto pipeline =
      pipeline_with({.shard = {0, 3}}, {.batch_size = 35, .last_batch = LastBatch::drop});
  std::vector<std::size_t> sizes;
  for (int epoch = 0; epoch < 3; ++epoch) sizes.push_back(next_epoch(pipeline).size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{0, 0, 35}));
}

TEST(SampledPipeline, SourcesOfOneGraphGoTogether) {
  auto pipeline = make_pipeline({.batch_size = 5, .seed = kSeed}, [](Graph& g) {
    const auto index = [](const SampleInfo& info) { return info.index; };
    auto a = g.source(kDataset, index);
    auto b = g.source(kDataset, index, {.shuffle = true});
    auto c = g.source(kDataset, index, {.shuffle = true});
    return std::tuple{a, b, c};
  });
  std::vector<std::int64_t> seen;
  for (const auto& [a, b, c] : pipeline.epoch()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i], b[i]);
      EXPECT_EQ(a[i], c[i]);
      seen.push_back(a[i]);
    }
  }
  EXPECT_FALSE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(SampledPipeline, SamplesThatFailAreReplaced) {
  std::atomic<int> failed{0};
  auto pipeline = make_pipeline(
      {.batch_size = 9, .seed = kSeed, .threads = 2, .on_error = OnError::replace}, [&](Graph& g) {
        return g.source(kDataset,
                        [&](const SampleInfo& info) {
                          if (info.index % 5 == 0) {
                            ++failed;
                            throw std::runtime_error("bad");
                          }
                          return info.index;
                        },
                        {.shuffle = true, .shard = {1, 2}});
      });
  std::int64_t delivered = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t index : batch.get<0>()) {
      EXPECT_NE(index % 5, 0);
      ++delivered;
    }
  }
  EXPECT_EQ(delivered, EpochOrder({.shuffle = true, .shard = {1, 2}}, kDataset, 0, kSeed).size());
  EXPECT_GT(failed, 0);
}

TEST(SampledPipeline, AnOrderOfTheUsersMayEndLate) {
  auto pipeline = make_pipeline({.batch_size = 4, .seed = kSeed, .threads = 3}, [](Graph& g) {
    return g.source(
        kDataset, [](const SampleInfo& info) { return info.index; },
        {.order = {"as long as it likes", kUntilEnd, [](std::int64_t epoch, std::int64_t place) {
                     if (place >= 10 + epoch) throw EndOfEpoch();
                     return place * 2;
                   }}});
  });
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int64_t> seen;
    for (const auto& batch : pipeline.epoch()) {
      for (const std::int64_t index : batch.get<0>()) seen.push_back(index);
    }
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(10 + epoch));
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<std::int64_t>(2 * i);
    EXPECT_EQ(seen, wanted);
  }
}

TEST(SampledPipeline, WhatAUsersOrderDoesWrongEndsTheEpoch) {
  const auto run = [](UserOrder::Index index) {
    auto pipeline = pipeline_with({.order = {"mine", 50, std::move(index)}}, {.batch_size = 8});
    for (int round = 0; round < 2; ++round) {
      EXPECT_NE(failure([&] { next_epoch(pipeline); }), "");
    }
    return failure([&] { next_epoch(pipeline); });
  };
  EXPECT_NE(run([](std::int64_t, std::int64_t place) { return place + 60; }).find("gives index 10"),
            std::string::npos);
  EXPECT_EQ(run([](std::int64_t, std::int64_t place) -> std::int64_t {
              if (place == 20) throw std::runtime_error("no more");
              return place;
            }),
            "no more");
}

TEST(SampledPipeline, WhatCannotBeIsSaidWhenItIsBuilt) {
  const auto index = [](const SampleInfo& info) { return info.index; };
  struct Case {
    std::int64_t samples;
    Sampler first, second;
    const char* words;
  };
  const Case cases[] = {
      {10, {.shard = {3, 3}}, {}, "shard"},
      {10, {.weights = {1, 2, 3}}, {}, "3 weights for 10 samples"},
      {10, {.subset = {1, 10}}, {}, "entry 1 is 10"},
      {kUntilEnd, {.shuffle = true}, {}, "does not know"},
      {kUntilEnd, {.shard = {0, 2}}, {}, ""},
      {10, {.shuffle = true}, {.shuffle = true, .seed = 3}, "(shuffle, seed 3)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(to_string(c.first));
    const std::string words = failure([&] {
      make_pipeline({}, [&](Graph& g) {
        g.source(c.samples, index, c.first);
        return g.source(c.samples, index, c.second);
      });
    });
    EXPECT_NE(words, "");
    EXPECT_NE(words.find(c.words), std::string::npos) << words;
  }
}

// Sources with more samples than 32 bits count: the first ones, and with a checkpoint the last
// ones.
TEST(LargeSources, FollowTheirSampler) {
  const Sampler samplers[] = {{},
                              {.shuffle = true},
                              {.shuffle = true, .window = 1000},
                              {.shard = {.index = 2, .count = 3}},
                              {.replacement = true}};
  for (const std::int64_t samples :
       {std::int64_t{1} << 31, (std::int64_t{1} << 40) + 7, std::int64_t{1} << 62}) {
    for (const Sampler& sampler : samplers) {
      SCOPED_TRACE(std::to_string(samples) + " samples, " + to_string(sampler));
      const EpochOrder order(sampler, samples, 0, kSeed);
      const auto pipeline_from = [&](const std::optional<Checkpoint>& from) {
        return make_pipeline({.batch_size = 4, .seed = kSeed, .resume = from}, [&](Graph& g) {
          return g.source(
              samples, [](const SampleInfo& info) { return info.index; }, sampler);
        });
      };
      auto pipeline = pipeline_from({});
      std::int64_t position = 0;
      for (const auto& [indices] : pipeline.epoch()) {
        for (const std::int64_t index : indices) EXPECT_EQ(index, order[position++]);
        if (position == 8) break;
      }
      Checkpoint late = pipeline.checkpoint();
      late.epoch = 0;
      late.batch = order.size() / 4 - 1;
      late.position = late.batch * 4;
      auto rest = pipeline_from(late);
      position = late.position;
      for (const auto& [indices] : rest.epoch()) {
        for (const std::int64_t index : indices) EXPECT_EQ(index, order[position++]);
      }
      EXPECT_EQ(position, order.size());
    }
  }
}

TEST(LargeSources, HaveALimit) {
  EXPECT_EQ(failure([] {
              make_pipeline({}, [](Graph& g) {
                return g.source((std::int64_t{1} << 62) + 1,
                                [](const SampleInfo& info) { return info.index; });
              });
            }),
            "the source 'source' has more than 2^62 samples");
}

}  // namespace sampler_pipeline_test
}  // namespace sluice
