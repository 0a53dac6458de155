// Datasets whose samples arrive later.
#include "tests/graph/later.h"

#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace later_test {

using testing::Calls;
using testing::Elsewhere;
using testing::Handle;
using testing::Later;
using testing::Shelf;

// The same samples as a plain source and as one that answers elsewhere, or at once. Some fail, by
// the handle or by throwing. Samples from `end` on are behind the end.
struct Plain {
  std::int64_t count = 0, end = 0;
  std::int64_t size() const { return count; }
  std::string name(std::int64_t i) const { return "later " + std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const {
    if (info.index >= end) throw EndOfEpoch();
    if (info.index % 10 == 3) throw std::runtime_error("a three");
    return info.index * 7 + info.epoch;
  }
};
enum class Where { here, elsewhere, throws };

Later later(const Plain& plain, Where where, Elsewhere& thread) {
  return {.count = plain.count,
          .answer = [plain, where, &thread](Handle done, const SampleInfo& info) {
            if (where == Where::throws && (info.index >= plain.end || info.index % 10 == 3)) {
              (void)plain(info);
            }
            const auto answer = [plain, info](Handle& handle) {
              try {
                EXPECT_TRUE(handle.set(plain(info)));
              } catch (...) {
                EXPECT_TRUE(handle.fail(std::current_exception()));
              }
            };
            if (where == Where::elsewhere) {
              thread.post(std::move(done), answer);
            } else {
              answer(done);
            }
          }};
}

template <class Dataset>
std::string transcript(const PipelineOptions& options, const Dataset& data,
                       const Sampler& sampler) {
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto x = g.read(data, sampler);
    return std::tuple{x, g.uniform(0.f, 1.f)};
  });
  std::string text;
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto run = pipeline.epoch();
    while (true) {
      try {
        const auto batch = run.next();
        if (!batch) break;
        text += "batch of " + std::to_string(batch->size());
        for (std::size_t k = 0; k < batch->size(); ++k)
          text += " " + std::to_string(batch->template get<0>()[k]) + "/" +
                  std::to_string(batch->template get<1>()[k]);
        for (const SampleError& error : batch->errors()) text += " " + to_string(error);
      } catch (const BatchError& error) {
        text += error.what();
      }
      text += "\n";
    }
    const Ledger ledger = pipeline.stats().epoch;
    EXPECT_TRUE(ledger.balanced());
    text += std::to_string(ledger.delivered) + " " + std::to_string(ledger.failed) + " " +
            std::to_string(ledger.skipped) + " " + std::to_string(ledger.replaced) + "\n";
  }
  return text;
}

TEST(Later, IsAsIfTheSamplesHadComeAtOnce) {
  struct Order {
    std::int64_t count, end;
    Sampler sampler;
  };
  const std::vector<Order> orders = {{40, 40, {}},
                                     {40, 40, {.shuffle = true}},
                                     {40, 40, {.shuffle = true, .shard = {1, 3}}},
                                     {40, 40, {.replacement = true}},
                                     {kUntilEnd, 26, {}},
                                     {kUntilEnd, 0, {}}};
  for (const Order& order : orders) {
    for (const OnError& policy : {OnError::fail, OnError::skip, OnError::replace}) {
      for (const int threads : {1, 3}) {
        const PipelineOptions options{
            .batch_size = 7, .seed = 5, .threads = threads, .on_error = policy};
        const Plain plain{order.count, order.end};
        const std::string expected = transcript(options, plain, order.sampler);
        for (const Where where : {Where::here, Where::elsewhere, Where::throws}) {
          Elsewhere thread;
          std::string what = transcript(options, later(plain, where, thread), order.sampler);
          // A dataset's errors name its step: both are "read".
          EXPECT_EQ(what, expected) << static_cast<int>(where) << " " << threads;
        }
      }
    }
  }
}

TEST(Later, EndOfEpochByAHandleLeavesWhatIsBehindIt) {
  for (const int threads : {1, 2}) {
    Shelf<std::int64_t> shelf;
    std::atomic<bool> over{false};  // one may be requested a moment later
    Elsewhere thread;
    const Later data{.count = kUntilEnd,
                     .answer =
                         [&](Handle done, const SampleInfo& info) {
                           const std::int64_t i = info.index;
                           if (i >= 8) {
                             shelf.put(std::move(done), i);
                             if (over) (void)shelf.take(0);
                             return;
                           }
                           thread.post(std::move(done), [i](Handle& handle) {
                             if (i < 5) {
                               EXPECT_TRUE(handle.set(i));
                             } else {
                               EXPECT_TRUE(handle.fail(std::make_exception_ptr(EndOfEpoch())));
                             }
                           });
                         },
                     .begin = [&](const EpochInfo&) { over = false; },
                     .end =
                         [&] {
                           over = true;
                           (void)shelf.take(0);
                         }};
    auto pipeline = make_pipeline({.batch_size = 4, .threads = threads, .window = 16},
                                  [&](Graph& g) { return g.read(data); });
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<std::int64_t> all;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t value : batch.get<0>()) all.push_back(value);
      }
      EXPECT_EQ(all, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
      EXPECT_EQ(pipeline.samples(), 5);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
    }
  }
}

// EndOfEpoch is an error if it comes from a step that is no source, or if the dataset has a length.
TEST(Later, EndOfEpochIsForDatasetsWithoutALength) {
  const auto what = [](std::int64_t count, bool of_source) {
    const auto end = std::make_exception_ptr(EndOfEpoch());
    auto pipeline = make_pipeline({.threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
      auto x = g.read(Later{.count = count, .answer = [=](Handle done, const SampleInfo& info) {
                              if (info.index == 1 || of_source) {
                                (void)done.fail(end);
                              } else {
                                (void)done.set(0);
                              }
                            }});
      return g.map_async<std::int64_t>(
          "ask", [=](Handle done, std::int64_t) { (void)done.fail(end); }, x);
    });
    const auto batch = pipeline.epoch().next();
    return batch && !batch->errors().empty() ? batch->errors()[0].what : "none";
  };
  EXPECT_EQ(what(1, true),
            "threw EndOfEpoch, though its source has 1 sample; let it have kUntilEnd");
  EXPECT_EQ(what(1, false), "there are no more samples");
  EXPECT_EQ(what(kUntilEnd, false), "there are no more samples");
  EXPECT_EQ(what(kUntilEnd, true), "none");
}

// In a step that is no source, fail_as_last() is an ordinary error.
TEST(Later, AStepDoesNotEndTheEpoch) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
        auto numbers = g.source(kUntilEnd, [](const SampleInfo& info) {
          return info.index < 6 ? info.index : throw EndOfEpoch();
        });
        return g.map_async<std::int64_t>(
            "odd",
            [](Handle done, std::int64_t i) {
              (void)(i % 2 == 0 ? done.set(i) : done.fail_as_last("odd"));
            },
            numbers);
      });
  std::size_t values = 0, errors = 0;
  for (const auto& batch : pipeline.epoch()) {
    values += batch.size();
    errors += batch.errors().size();
  }
  EXPECT_EQ(values, 3u);
  EXPECT_EQ(errors, 3u);
}

TEST(Later, KnowsWhichSamplesAreOutOfTurn) {
  Calls calls;
  const Later data{.count = 4, .answer = [&](Handle done, const SampleInfo& info) {
                     const bool out_of_turn = done.out_of_turn();
                     calls.add(std::to_string(info.index) + (out_of_turn ? " out of turn" : ""));
                     if (info.index == 2) {
                       (void)done.fail("two");
                     } else {
                       (void)done.set(info.index);
                     }
                     EXPECT_FALSE(done.out_of_turn());
                   }};
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::replace},
                                [&](Graph& g) { return g.read(data); });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 4u);
  const auto all = calls.take();
  ASSERT_EQ(all.size(), 5u);
  std::size_t out_of_turn = 0;
  for (const std::string& call : all) out_of_turn += call.size() > 1 ? 1 : 0;
  EXPECT_EQ(out_of_turn, 1u);
  EXPECT_EQ(pipeline.inspect(1).get<std::int64_t>("read"), 1);
  EXPECT_EQ(calls.take(), (std::vector<std::string>{"1 out of turn"}));
  EXPECT_EQ(pipeline.inspect(2).error()->what, "two");
}

TEST(Later, SamplesMayBeFiltered) {
  auto pipeline = make_pipeline({.batch_size = 5, .threads = 2}, [&](Graph& g) {
    return g.read(Later{.count = 10, .answer = [](Handle done, const SampleInfo& info) {
                          if (info.index % 2 == 0) {
                            EXPECT_TRUE(done.filter());
                            EXPECT_FALSE(done.set(0));
                          } else {
                            EXPECT_TRUE(done.set(info.index));
                          }
                        }});
  });
  std::vector<std::int64_t> all;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t value : batch.get<0>()) all.push_back(value);
  }
  EXPECT_EQ(all, (std::vector<std::int64_t>{1, 3, 5, 7, 9}));
  EXPECT_EQ(pipeline.stats().epoch.filtered, 5);
}

// Bytes may stay a view of the dataset's memory, like those of a plain one.
struct Views {
  using Sample = std::tuple<Bytes, std::int64_t>;
  const std::vector<std::uint8_t>* kept;
  std::int64_t size() const { return 3; }
  std::string name(std::int64_t) const { return {}; }
  void operator()(Completion<Sample> done, const SampleInfo& info) const {
    (void)done.set({Bytes::view_of(*kept), info.index});
  }
};
TEST(Later, BytesAreNotCopied) {
  const std::vector<std::uint8_t> kept(100, 7);
  auto pipeline = make_pipeline({.threads = 1}, [&](Graph& g) {
    auto [bytes, number] = g.read(Views{&kept});
    return g.map(
        "where", [&kept](const Bytes& b, std::int64_t) { return b.data() == kept.data(); }, bytes,
        number);
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.get<0>()[0]);
}

// More samples wait than there are threads, and errors name the sample.
TEST(Later, OccupiesNoThread) {
  Shelf<std::int64_t> shelf;
  auto pipeline = make_pipeline(
      {.batch_size = 8, .threads = 1, .window = 24, .on_error = OnError::skip}, [&](Graph& g) {
        return g.read(Later{.count = 24,
                            .answer =
                                [&](Handle done, const SampleInfo& info) {
                                  shelf.put(std::move(done), info.index);
                                }}) +
               1;
      });
  auto run = pipeline.epoch();
  auto held = shelf.take(24);
  for (auto it = held.rbegin(); it != held.rend(); ++it) {
    if (it->number == 11) continue;
    EXPECT_TRUE(it->done.set(it->number));
  }
  held.clear();
  std::int64_t sum = 0;
  std::vector<SampleError> errors;
  while (const auto batch = run.next()) {
    for (const std::int64_t value : batch->get<0>()) sum += value;
    for (const SampleError& error : batch->errors()) errors.push_back(error);
  }
  EXPECT_EQ(sum, 24 * 25 / 2 - 12);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].source, "later 11");
  EXPECT_EQ(errors[0].step, "read");
  EXPECT_NE(errors[0].what.find("was destroyed before it was fired"), std::string::npos);
}

}  // namespace later_test
}  // namespace sluice
