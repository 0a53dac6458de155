// X1 to X26: what sources mean, and which are refused; see docs/conformance.md.
#include "tests/graph/conformance/sources.h"

#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

namespace sluice::conformance {
namespace {

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}
std::int64_t index_of(std::int64_t i, std::int64_t) { return i; }

TEST(Sources, X1_SamplesKnowTheirPlace) {
  for (const int threads : {0, 4}) {
    auto pipeline = make_pipeline({.batch_size = 6, .threads = 2}, [&](Graph& g) {
      return g.source(40, row_of, {.threads = threads});
    });
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::int64_t next = 0;
      for (const Row& row : epoch_of(pipeline).all()) {
        EXPECT_EQ(row, (Row{next, next % 6, next / 6, epoch}));
        ++next;
      }
      EXPECT_EQ(next, 40);
    }
  }
}

TEST(Sources, X2_GroupsKnowTheirs) {
  for (const int threads : {0, 3}) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = 2}, [&](Graph& g) {
      return g.read(batches_of(22, 8,
                               [](const BatchInfo& info) {
                                 EXPECT_EQ(info.keys.size(), info.batch == 2 ? 6u : 8u);
                                 EXPECT_EQ(info.keys.front(), (SampleKey{info.epoch, info.first}));
                                 EXPECT_EQ(info.first, info.batch * 8);
                                 return std::vector<std::int64_t>(info.keys.size(),
                                                                  100 * info.epoch + info.batch);
                               },
                               {.threads = threads}));
    });
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      std::int64_t i = 0;
      for (const std::int64_t group : epoch_of(pipeline).all())
        EXPECT_EQ(group, 100 * epoch + i++ / 8);
      EXPECT_EQ(i, 22);
    }
  }
}

TEST(Sources, X3_X44_AreAskedForMoreThanThereIsAndKeepSayingSo) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .window = 64},
                                  [&](Graph& g) { return give(g, mode, 3, 10, index_of); });
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto run = pipeline.epoch();
      std::vector<std::int64_t> all;
      while (const auto batch = run.next()) {
        for (const std::int64_t i : batch->get<0>()) all.push_back(i);
      }
      EXPECT_EQ(all, first_numbers(10)) << static_cast<int>(mode);
      for (int again = 0; again < 3; ++again) EXPECT_FALSE(run.next().has_value());
    }
  }
}

// Not the whole batch is lost.
TEST(Sources, X4_TheLastBatchIsAsLastBatchSays) {
  for (const Mode mode : kModes) {
    for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
      auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .last_batch = last},
                                    [&](Graph& g) { return give(g, mode, 3, 10, index_of); });
      const auto trace = epoch_of(pipeline);
      ASSERT_EQ(trace.batches.size(), last == LastBatch::drop ? 2u : 3u);
      const std::vector<std::int64_t> end = trace.batches.back();
      EXPECT_EQ(end, last == LastBatch::drop      ? (std::vector<std::int64_t>{4, 5, 6, 7})
                     : last == LastBatch::partial ? (std::vector<std::int64_t>{8, 9})
                                                  : (std::vector<std::int64_t>{8, 9, 9, 9}));
    }
  }
}

TEST(Sources, X4_AGroupMayGiveFewer) {
  for (const int threads : {0, 2}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      return g.read(batches_of(kUntilEnd, 4,
                               [](const BatchInfo& info) {
                                 std::vector<std::int64_t> all;
                                 for (std::int64_t i = info.batch; i < 4; ++i)
                                   all.push_back(10 * info.batch + i);
                                 return all;  // the fifth has none
                               },
                               {.threads = threads}));
    });
    const auto trace = epoch_of(pipeline);
    EXPECT_EQ(trace.batches,
              (std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3}, {11, 12, 13}, {22, 23}, {33}}));
    EXPECT_EQ(pipeline.stats().epoch.filtered, 6);
  }
}

TEST(Sources, X5_TheFirstToEndEndsTheEpoch) {
  for (const Mode mode : kModes) {
    const std::vector<std::array<std::int64_t, 3>> all_lengths = {
        {8, 4, 6}, {8, 6, 4}, {4, 6, 8}, {1, 1, 1}};
    for (const auto& lengths : all_lengths) {
      auto pipeline = make_pipeline({.batch_size = 3, .threads = 2}, [&](Graph& g) {
        auto a = give(g, Mode::threads, 2, lengths[0], index_of);
        auto b = give(g, Mode::values, 2, lengths[1], index_of);
        return a * 100 + b * 10 + give(g, mode, 2, lengths[2], index_of);
      });
      for (int epoch = 0; epoch < 2; ++epoch) {
        std::vector<std::int64_t> expected =
            first_numbers(*std::min_element(lengths.begin(), lengths.end()));
        for (std::int64_t& i : expected) i *= 111;
        EXPECT_EQ(epoch_of(pipeline).all(), expected);
      }
      EXPECT_TRUE(pipeline.stats().total.balanced());
      EXPECT_EQ(pipeline.stats().total.failed, 0);
    }
  }
}

// One of them may know its length.
TEST(Sources, X5_ALengthThatIsKnownIsAnEndAsWell) {
  for (const std::int64_t known : {3, 20}) {
    for (const bool first : {true, false}) {
      for (const Mode mode : {Mode::plain, Mode::threads, Mode::values}) {
        auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
          if (first) {
            auto x = indices(g, known);
            return x + give(g, mode, 2, 7, index_of);
          }
          auto y = give(g, mode, 2, 7, index_of);
          return y + g.read(batches_of(known, 2, [](const BatchInfo& info) {
            std::vector<std::int64_t> all;
            for (const SampleKey& key : info.keys) all.push_back(key.index);
            return all;
          }));
        });
        EXPECT_EQ(epoch_of(pipeline).all().size(),
                  static_cast<std::size_t>(std::min<std::int64_t>(known, 7)));
        EXPECT_EQ(pipeline.stats().epoch.failed, 0);
      }
    }
  }
}

// Four calls meet in the function, which is impossible unless four threads call it.
class Meeting {
 public:
  explicit Meeting(int of) : of_(of) {}
  void come() {
    std::unique_lock lock(mutex_);
    ++here_;
    all_.notify_all();
    all_.wait(lock, [&] { return here_ >= of_; });
  }

 private:
  const int of_;
  std::mutex mutex_;
  std::condition_variable all_;
  int here_ = 0;
};

TEST(Sources, X6_CallablesAreCalledByAllThreads) {
  for (const bool groups : {false, true}) {
    const auto meeting = std::make_shared<Meeting>(4);
    auto pipeline = make_pipeline({.batch_size = 8, .threads = 1}, [&](Graph& g) {
      if (!groups) {
        return g.source(64,
                        [meeting](const SampleInfo& info) {
                          meeting->come();
                          return info.index;
                        },
                        {.threads = 4});
      }
      return g.read(batches_of(64, 2,
                               [meeting](const BatchInfo& info) {
                                 meeting->come();
                                 return std::vector<std::int64_t>{info.first, info.first + 1};
                               },
                               {.threads = 4}));
    });
    EXPECT_EQ(epoch_of(pipeline).all(), first_numbers(64));
    EXPECT_EQ(pipeline.stats().io_threads, groups ? 0 : 4);
  }
}

TEST(Sources, X6_RangesAreGoneThroughByOneThreadWhichDoesNotCompute) {
  std::mutex mutex;
  std::set<std::thread::id> pulling, computing;
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 3}, [&](Graph& g) {
    auto x = g.read(values_of([&]() -> generator<int> {
      return [](std::mutex* m, std::set<std::thread::id>* ids) -> generator<int> {
        for (int i = 0; i < 100; ++i) {
          {
            const std::lock_guard lock(*m);
            ids->insert(std::this_thread::get_id());
          }
          co_yield i;
        }
      }(&mutex, &pulling);
    }));
    return g.map(
        "compute",
        [&](int i) {
          const std::lock_guard lock(mutex);
          computing.insert(std::this_thread::get_id());
          return i;
        },
        x);
  });
  EXPECT_EQ(epoch_of(pipeline).all().size(), 100u);
  EXPECT_EQ(pulling.size(), 1u);
  EXPECT_EQ(computing.count(*pulling.begin()), 0u);
}

TEST(Sources, X7_ThreadsCopyNothing) {
  const std::vector<std::uint8_t> kept(1000, 3);
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      auto bytes = give(g, mode, 3, 20,
                        [&kept](std::int64_t, std::int64_t) { return Bytes::view_of(kept); });
      return g.map(
          "where", [&kept](const Bytes& b) { return static_cast<int>(b.data() == kept.data()); },
          bytes);
    });
    EXPECT_EQ(epoch_of(pipeline).all(), std::vector<int>(20, 1)) << static_cast<int>(mode);
  }
}

TEST(Sources, X8_CycleSaysWhatFollowsTheEnd) {
  struct Case {
    Cycle cycle;
    std::vector<std::vector<int>> epochs;  // of a range of 3 beside a source of 5
  };
  const std::vector<Case> cases = {{Cycle::raise, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}},
                                   {Cycle::quiet, {{0, 1, 2, 0, 1}, {0, 1, 2, 0, 1}}},
                                   {Cycle::off, {{0, 1, 2}, {}, {}}}};
  for (const Case& one : cases) {
    auto pipeline = make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
      auto x = g.read(values_of(std::vector<int>{0, 1, 2}, {.cycle = one.cycle}));
      return g.map(
          "first", [](int a, std::int64_t) { return a; }, x, indices(g, 5));
    });
    for (const auto& expected : one.epochs) EXPECT_EQ(epoch_of(pipeline).all(), expected);
  }
}

// An epoch may be left at any time. What was made ahead of it is not seen in the next one.
TEST(Sources, X9_TheNextEpochBeginsAtZero) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 5, .threads = 2}, [&](Graph& g) {
      return give(g, mode, 3, 40,
                  [](std::int64_t i, std::int64_t epoch) { return 100 * epoch + i; });
    });
    for (std::int64_t epoch = 0; epoch < 6; ++epoch) {
      auto run = pipeline.epoch();
      for (std::int64_t b = 0; b <= epoch % 4; ++b) {
        const auto batch = run.next();
        ASSERT_TRUE(batch.has_value());
        EXPECT_EQ(batch->get<0>()[0], 100 * epoch + 5 * b);
      }
    }
    pipeline.reset(2);
    EXPECT_EQ(epoch_of(pipeline).all().front(), 200);
  }
}

TEST(Sources, X10_GroupsAreCutOutOfTheOrder) {
  for (const int threads : {0, 3}) {
    std::mutex mutex;
    std::vector<std::vector<SampleKey>> groups;
    const auto take = [&](const BatchInfo& info) {
      const std::lock_guard lock(mutex);
      groups.emplace_back(info.keys.begin(), info.keys.end());
      std::vector<std::int64_t> all;
      for (const SampleKey& key : info.keys) all.push_back(key.index);
      return all;
    };
    auto pipeline = make_pipeline({.batch_size = 4, .seed = 9, .threads = 2}, [&](Graph& g) {
      return g.read(batches_of(100, 7, take, {.threads = threads}),
                    {.shuffle = true, .shard = {1, 3}});
    });
    std::vector<std::int64_t> delivered;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        delivered.push_back(batch.get<0>()[i]);
        EXPECT_EQ(batch.keys()[i].index, batch.get<0>()[i]);
      }
    }
    EXPECT_EQ(delivered.size(), 33u);
    std::map<std::int64_t, std::vector<std::int64_t>> by_place;
    for (const auto& group : groups) {
      const auto at = std::find(delivered.begin(), delivered.end(), group.front().index);
      ASSERT_NE(at, delivered.end());
      EXPECT_EQ((at - delivered.begin()) % 7, 0);
      for (std::size_t i = 0; i < group.size(); ++i)
        EXPECT_EQ(group[i].index, at[static_cast<std::ptrdiff_t>(i)]);
    }
    EXPECT_EQ(groups.size(), 5u);  // each once
  }
}

// Counts those of its kind.
struct Counted {
  Counted() = default;
  explicit Counted(std::shared_ptr<std::atomic<int>> in) : living(std::move(in)) {
    const int now = ++*living;
    EXPECT_LE(now, kMost);
  }
  Counted(Counted&& other) noexcept = default;
  Counted& operator=(Counted&& other) noexcept {
    if (this != &other) {
      drop();
      living = std::move(other.living);
    }
    return *this;
  }
  ~Counted() { drop(); }
  void drop() {
    if (living) --*living;
    living.reset();
  }
  static constexpr int kWindow = 24, kGroup = 16, kMost = kWindow + 3 * kGroup;
  std::shared_ptr<std::atomic<int>> living;
};

// What is made ahead is bounded by the window, and by groups that are begun.
TEST(Sources, X11_X46_ToX49_WhatIsAheadIsBounded) {
  for (const Mode mode : kModes) {
    const auto living = std::make_shared<std::atomic<int>>(0);
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = 2, .window = Counted::kWindow}, [&](Graph& g) {
          auto x = give(g, mode, 4, 300, [living](std::int64_t, std::int64_t) {
            return std::make_unique<Counted>(living);
          });
          return g.map(
              "number", [](const std::unique_ptr<Counted>& c) { return c != nullptr; }, x);
        });
    EXPECT_EQ(epoch_of(pipeline).all().size(), 300u);
    (void)pipeline.epoch().next();
    pipeline.reset();
  }
}

// It is a sample's error, told where that sample stands; those before and behind it come.
TEST(Sources, X13_WhatASourceThrowsIsOfItsSamples) {
  for (const Mode mode : kModes) {
    for (const OnError& policy : {OnError::fail, OnError::skip}) {
      auto pipeline =
          make_pipeline({.batch_size = 8, .threads = 2, .on_error = policy}, [&](Graph& g) {
            return give(g, mode, 4, 64, [](std::int64_t i, std::int64_t) {
              if (i == 37) throw std::runtime_error("no row 37");
              return i;
            });
          });
      auto run = pipeline.epoch();
      std::vector<std::int64_t> all, failed;
      std::string what;
      while (true) {
        try {
          const auto batch = run.next();
          if (!batch) break;
          for (const std::int64_t i : batch->get<0>()) all.push_back(i);
          for (const SampleError& error : batch->errors()) {
            what = error.what;
            failed.push_back(error.id);
          }
        } catch (const BatchError& error) {
          EXPECT_EQ(error.batch() * 8, mode == Mode::batches || mode == Mode::batches_on_threads
                                           ? error.errors().front().id
                                           : 32);
        }
      }
      EXPECT_EQ(what, "no row 37");
      std::vector<std::int64_t> lost = {37};
      std::int64_t end = 64;
      if (mode == Mode::batches || mode == Mode::batches_on_threads) {
        lost = first_numbers(16);  // its group
        for (std::int64_t& i : lost) i += 32;
      }
      if (mode == Mode::values) end = 38;  // a generator that has thrown is over
      EXPECT_EQ(failed, lost) << static_cast<int>(mode);
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < end; ++i) {
        if (std::find(lost.begin(), lost.end(), i) == lost.end()) expected.push_back(i);
      }
      EXPECT_EQ(all, expected) << static_cast<int>(mode);
    }
  }
}

// The words of a description that is refused.
std::string refusal(const std::function<void(Graph&)>& describe,
                    const PipelineOptions& options = {}) {
  try {
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      describe(g);
      return indices(g, 8);
    });
    return "accepted";
  } catch (const BuildError& error) {
    return error.what();
  }
}

TEST(Sources, X18_X25_SettingsThatCannotBe) {
  const auto f = [](const SampleInfo& info) { return info.index; };
  const auto several = [](const BatchInfo& info) { return std::vector<int>(info.keys.size()); };
  const auto source = [&](int threads) {
    return refusal([&](Graph& g) { (void)g.source(8, f, {.threads = threads}); });
  };
  EXPECT_EQ(source(0), "accepted");
  EXPECT_EQ(
      source(-1),
      "the source 'source' cannot have -1 threads of its own; give it 1 to 4096, or 0 for the "
      "pipeline's");
  EXPECT_NE(source(5000), "accepted");
  const auto batches = [&](std::int64_t count, std::int64_t size, int threads) {
    return refusal(
        [&](Graph& g) { (void)g.read(batches_of(count, size, several, {.threads = threads})); });
  };
  EXPECT_EQ(batches(8, 3, 2), "accepted");
  EXPECT_EQ(batches(8, 0, 0), "batches_of: a group cannot have 0 samples; give 1 to 1,048,576");
  EXPECT_EQ(batches(-2, 3, 0),
            "batches_of: there cannot be -2 samples; give the number in an epoch, at least 0, or "
            "kUntilEnd");
  EXPECT_EQ(batches(8, 3, -1),
            "batches_of: there cannot be -1 threads; give 1 to 4096, or 0 for the pipeline's");
  EXPECT_NE(refusal([&](Graph& g) {
              (void)g.read(batches_of(8, 3, several), {.threads = 2});
            }).find("says itself when its samples come"),
            std::string::npos);
  EXPECT_EQ(
      refusal([&](Graph& g) { (void)g.source(9, f); }),
      "the source 'source#2' has 8 samples, but the one before it has 9; let one of them have "
      "kUntilEnd if the shortest shall end the epoch");
  const auto values = [](Graph& g, const Sampler& sampler = {}) {
    (void)g.read(values_of(std::vector<int>(8)), sampler);
  };
  EXPECT_EQ(refusal([&](Graph& g) { values(g); }), "accepted");
  const std::string own_order =
      "the source 'read' gives its values in their own order, but an epoch has a sampler (";
  EXPECT_EQ(refusal([&](Graph& g) { values(g, {.shuffle = true}); }).substr(0, own_order.size()),
            own_order);
  EXPECT_EQ(refusal([&](Graph& g) {
              values(g, {.shard = {1, 2}});
            }).substr(0, own_order.size()),
            own_order);
  EXPECT_EQ(refusal([&](Graph& g) {
              values(g);
              (void)g.source(8, f, {.shuffle = true});
            }).substr(0, own_order.size()),
            own_order);
  EXPECT_EQ(
      refusal([&](Graph& g) { values(g); }, {.on_error = OnError::replace}),
      "on_error is replace, but the source 'read' gives each of its values once, so that none "
      "can stand in for another one: use skip");
}

TEST(Sources, X22_AGroupThatGivesTooMany) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        return g.read(batches_of(12, 4, [](const BatchInfo& info) {
          return std::vector<std::int64_t>(info.batch == 1 ? 6 : 4, info.batch);
        }));
      });
  std::vector<std::int64_t> all;
  std::vector<std::string> errors;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t i : batch.get<0>()) all.push_back(i);
    for (const SampleError& error : batch.errors()) errors.push_back(error.what);
  }
  EXPECT_EQ(all, (std::vector<std::int64_t>{0, 0, 0, 0, 2, 2, 2, 2}));
  EXPECT_EQ(errors,
            std::vector<std::string>(4,
                                     "gave 6 samples for the group that begins at position 4, "
                                     "which has 4: give one for each of BatchInfo::keys, in "
                                     "their order"));
}

TEST(Sources, X23_SamplesOfDifferentRankInABatch) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      return give(g, mode, 2, 8, [](std::int64_t i, std::int64_t) {
        Tensor t(i == 2 ? Shape{2, 2} : Shape{2}, DType::f32);
        std::fill_n(t.data<float>(), t.shape().elements(), 1.f);
        return t;
      });
    });
    auto run = pipeline.epoch();
    try {
      (void)run.next();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("2 dimensions"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sluice::conformance
