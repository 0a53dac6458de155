// X10 to X25: how work is divided, what fails, and what is refused; see tests/conformance.md.
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
namespace sources_limits_test {

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

// Counts the living objects of its kind.
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

// The in-flight window and the groups that have begun bound what is made ahead.
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

// It is a sample's error, reported at that sample's position. The samples before and after it come.
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
            }).find("completes its samples on threads of its own"),
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
  EXPECT_EQ(refusal([&](Graph& g) { values(g); }, {.on_error = OnError::replace}),
            "on_error is replace, but the source 'read' produces each of its values once, so no "
            "value can replace another: use skip");
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

}  // namespace sources_limits_test
}  // namespace sluice::conformance
