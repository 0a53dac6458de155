// Groups beyond the cases of tests/graph/conformance: replacement samples, inspection, epochs that
// end early.
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/batches.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace batches_test {

std::vector<std::int64_t> indices_of(const BatchInfo& info) {
  std::vector<std::int64_t> all;
  for (const SampleKey& key : info.keys) all.push_back(key.index);
  return all;
}

// Replacement samples do not depend on threads, groups and their order.
TEST(Batches, StandInsAreGroupsOfTheirOwn) {
  for (const bool shuffled : {false, true}) {
    const auto run = [&](int threads, int own, std::int64_t size) {
      auto pipeline = make_pipeline(
          {.batch_size = 5, .seed = 3, .threads = threads, .on_error = OnError::replace},
          [&](Graph& g) {
            auto x = g.read(batches_of(40, size,
                                       [](const BatchInfo& info) {
                                         EXPECT_EQ(info.batch < 0, info.keys.size() == 1);
                                         return indices_of(info);
                                       },
                                       {.threads = own}),
                            {.shuffle = shuffled});
            return g.map(
                "check",
                [](std::int64_t i) {
                  if (i % 4 == 1) throw std::runtime_error("one");
                  return i;
                },
                x);
          });
      std::vector<std::int64_t> all;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t i : batch.get<0>()) all.push_back(i);
      }
      EXPECT_EQ(pipeline.stats().epoch.replaced, 10);
      return all;
    };
    const auto expected = run(1, 0, 4);
    EXPECT_EQ(expected.size(), 40u);
    for (const int threads : {1, 3}) {
      for (const int own : {0, 2}) {
        for (const std::int64_t size : {2, 8, 40}) EXPECT_EQ(run(threads, own, size), expected);
      }
    }
  }
}

TEST(Batches, AreInspectedByTheirKeysAlsoMeanwhile) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    return g.read(batches_of(kUntilEnd, 8, [](const BatchInfo& info) {
      auto all = indices_of(info);
      while (!all.empty() && all.back() >= 20) all.pop_back();
      return all;
    }));
  });
  EXPECT_EQ(pipeline.inspect(11).get<std::int64_t>("read"), 11);
  EXPECT_THROW((void)pipeline.inspect(20), std::out_of_range);
  auto run = pipeline.epoch();
  std::int64_t next = 0;
  while (const auto batch = run.next()) {
    if (next < 20) {
      EXPECT_EQ(pipeline.inspect(next).get<std::int64_t>("read"), next);
    }
    EXPECT_EQ(pipeline.inspect(19).get<std::int64_t>("read"), 19);
    for (const std::int64_t i : batch->get<0>()) EXPECT_EQ(i, next++);
  }
  EXPECT_EQ(next, 20);
}

// A group with samples that are lost before they request their values.
TEST(Batches, DoNotWaitForSamplesThatHaveFailed) {
  for (const int own : {0, 2}) {
    auto pipeline = make_pipeline(
        {.batch_size = 4, .threads = 2, .window = 8, .on_error = OnError::skip}, [&](Graph& g) {
          auto first = g.source(100, [](const SampleInfo& info) {
            if (info.index % 3 == 0) throw std::runtime_error("three");
            return info.index;
          });
          return g.map(
              "second", [](std::int64_t, std::int64_t b) { return b; }, first,
              g.read(batches_of(100, 5, indices_of, {.threads = own})));
        });
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::size_t delivered = 0;
      for (const auto& batch : pipeline.epoch()) {
        for (std::size_t i = 0; i < batch.size(); ++i) {
          EXPECT_EQ(batch.get<0>()[i], batch.keys()[i].index);
          ++delivered;
        }
      }
      EXPECT_EQ(delivered, 66u);
    }
  }
}

TEST(Batches, OfALengthThatWasSaidDoNotEndTheEpoch) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [](Graph& g) {
        return g.read(batches_of(8, 4, [](const BatchInfo& info) {
          return info.batch == 0 ? std::vector<std::int64_t>() : indices_of(info);
        }));
      });
  auto run = pipeline.epoch();
  EXPECT_EQ(run.next()->errors().at(0).what,
            "threw EndOfEpoch, though its source has 8 samples; let it have kUntilEnd");
  EXPECT_EQ(run.next()->size(), 4u);
}

// Blocks until it is opened.
struct Gate {
  void pass() {
    std::unique_lock lock(mutex);
    ++inside;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
  }
  void wait_for(int n) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside >= n; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  bool open = false;
};

// Groups, and the action once no more of them begin.
template <class Groups>
struct Watched {
  using Sample = typename Groups::Sample;
  std::int64_t size() const { return groups.size(); }
  std::string name(std::int64_t i) const { return groups.name(i); }
  void begin_epoch(const EpochInfo& info) const { groups.begin_epoch(info); }
  void end_epoch() const noexcept {
    groups.end_epoch();
    ended();
  }
  void operator()(Completion<std::int64_t> done, const SampleInfo& info) const {
    groups(std::move(done), info);
  }
  Groups groups;
  std::function<void()> ended;
};

// Groups that wait for a thread are dropped; running ones are waited for.
TEST(Batches, EndsWaitForTheFunctionAndForNothingElse) {
  Gate gate;
  std::atomic<int> calls{0};
  std::optional pipeline(
      make_pipeline({.batch_size = 4, .threads = 2, .window = 32}, [&](Graph& g) {
        auto groups = batches_of(200, 4,
                                 [&](const BatchInfo& info) {
                                   ++calls;
                                   gate.pass();
                                   return indices_of(info);
                                 },
                                 {.threads = 2});
        return g.read(Watched<decltype(groups)>{std::move(groups), [&] { gate.let_go(); }});
      }));
  auto run = pipeline->epoch();
  gate.wait_for(2);
  pipeline->cancel();
  EXPECT_FALSE(run.next().has_value());
  EXPECT_TRUE(pipeline->stats().epoch.balanced());
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(pipeline->epoch().next().has_value());
  pipeline.reset();
}

TEST(Batches, MayNotAskTheirPipelineToWaitForThem) {
  for (const int own : {0, 1}) {
    std::optional<Pipeline<int>> pipeline;
    pipeline.emplace(make_pipeline({.threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
      return g.read(batches_of(1, 1,
                               [&](const BatchInfo&) {
                                 pipeline->reset();
                                 return std::vector<int>{1};
                               },
                               {.threads = own}));
    }));
    const auto batch = pipeline->epoch().next();
    ASSERT_EQ(batch->errors().size(), 1u);
    EXPECT_NE(batch->errors()[0].what.find("was called inside a step"), std::string::npos);
  }
}

// The first group of a resumed epoch is the original one: it is requested whole, so the same
// samples fail.
TEST(Batches, ResumedGroupsAreThoseOfTheEpoch) {
  constexpr std::int64_t kSamples = 23;
  const auto make = [](int own, const std::optional<Checkpoint>& from) {
    PipelineOptions options{
        .batch_size = 3, .seed = 2, .threads = 2, .window = 6, .on_error = OnError::skip};
    options.resume = from;
    return make_pipeline(options, [own](Graph& g) {
      return g.read(batches_of(kSamples, 7,
                               [](const BatchInfo& info) {
                                 EXPECT_EQ(info.first % 7, 0);
                                 EXPECT_EQ(std::ssize(info.keys), info.first == 21 ? 2 : 7);
                                 std::vector<std::int64_t> all = indices_of(info);
                                 for (const std::int64_t i : all) {
                                   if (i == 4 || i == 9) throw std::runtime_error("bad");
                                 }
                                 return all;
                               },
                               {.threads = own}),
                    {.shuffle = true});
    });
  };
  for (const int own : {0, 2}) {
    auto whole = make(own, {});
    std::vector<std::vector<std::int64_t>> expected;
    for (const auto& batch : whole.epoch()) expected.push_back(batch.ids());
    for (std::size_t cut = 1; cut < expected.size(); ++cut) {
      auto first = make(own, {});
      {
        auto epoch = first.epoch();
        for (std::size_t i = 0; i < cut; ++i) ASSERT_TRUE(epoch.next());
      }
      auto rest = make(own, first.checkpoint());
      std::vector<std::vector<std::int64_t>> got(
          expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(cut));
      for (const auto& batch : rest.epoch()) got.push_back(batch.ids());
      EXPECT_EQ(got, expected) << cut;
    }
  }
}

TEST(Batches, AGroupThatGivesFewerMayBeTheLast) {
  for (const int own : {0, 2}) {
    for (const LastBatch last : {LastBatch::partial, LastBatch::drop}) {
      auto pipeline =
          make_pipeline({.batch_size = 4, .threads = 2, .last_batch = last}, [&](Graph& g) {
            return g.read(batches_of(kUntilEnd, 7,
                                     [](const BatchInfo& info) {
                                       std::vector<std::int64_t> all = indices_of(info);
                                       std::erase_if(all, [](std::int64_t i) { return i >= 10; });
                                       return all;
                                     },
                                     {.threads = own, .fewer_end = true}));
          });
      for (int epoch = 0; epoch < 2; ++epoch) {
        std::vector<std::int64_t> got;
        for (const auto& batch : pipeline.epoch()) {
          EXPECT_TRUE(batch.missing().empty());
          for (const std::int64_t i : batch.get<0>()) got.push_back(i);
        }
        std::vector<std::int64_t> expected(last == LastBatch::drop ? 8 : 10);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(got, expected);
      }
    }
  }
}

TEST(Batches, WantAFunction) {
  const std::function<std::vector<int>(const BatchInfo&)> none;
  EXPECT_THROW((void)batches_of(20, 3, none), BuildError);
}

// One that is read twice is two.
TEST(Batches, CopiesAreDatasetsByThemselves) {
  const auto data = batches_of(20, 3, indices_of, {.threads = 1});
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto a = g.read(data);
    return g.map(
        "sum", [](std::int64_t x, std::int64_t y) { return x + y; }, a, g.read(data));
  });
  std::int64_t next = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t i : batch.get<0>()) EXPECT_EQ(i, 2 * next++);
  }
  EXPECT_EQ(next, 20);
}

}  // namespace batches_test
}  // namespace sluice
