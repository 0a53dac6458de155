// Full batches of the samples that filters and errors leave, and their reports about the others.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace compact_test {

using Ids = std::vector<std::int64_t>;

bool kept(std::int64_t x) { return x % 3 != 1; }

TEST(Compact, GivesTheSameFullBatchesOnEveryMachine) {
  struct Case {
    LastBatch last;
    std::size_t batches, last_size;
    std::int64_t filtered;
  };
  // 67 samples pass the filter, three of them fail.
  for (const Case& c : {Case{LastBatch::partial, 7, 4, 33}, Case{LastBatch::drop, 6, 10, 37},
                        Case{LastBatch::fill, 7, 10, 33}}) {
    for (const int threads : {1, 2, 8}) {
      auto pipeline = make_pipeline({.batch_size = 10,
                                     .threads = threads,
                                     .last_batch = c.last,
                                     .compact = true,
                                     .on_error = OnError::skip},
                                    [](Graph& g) {
                                      auto i = indices(g, 100);
                                      g.filter(i % 3 != 1);
                                      auto risky = g.map(
                                          "risky",
                                          [](std::int64_t x) {
                                            if (x % 20 == 5) throw std::runtime_error("five");
                                            return x;
                                          },
                                          i);
                                      auto image = g.map_into<Image>(
                                          "dot",
                                          [](std::int64_t x, Image& out) {
                                            out.create(1, 1, 1);
                                            out.data()[0] = static_cast<std::uint8_t>(x);
                                          },
                                          risky);
                                      auto box = g.map(
                                          "box",
                                          [](std::int64_t x) {
                                            return std::vector<std::int64_t>{x, x};
                                          },
                                          risky);
                                      return std::tuple{image, box, risky};
                                    });
      std::int64_t next = 0;
      std::size_t batches = 0, last_size = 0;
      for (const auto& batch : pipeline.epoch()) {
        const auto& [images, boxes, values] = batch;
        EXPECT_TRUE(images.dense());
        EXPECT_EQ(batch.index(), static_cast<std::int64_t>(batches));
        ++batches;
        last_size = values.size();
        for (std::size_t k = 0; k + batch.padding() < values.size(); ++k) {
          while (!kept(next) || next % 20 == 5) ++next;
          EXPECT_EQ(values[k], next);
          EXPECT_EQ(boxes[k], (std::vector<std::int64_t>{next, next}));
          EXPECT_EQ(images[k].at(0, 0, 0), next % 256);
          ++next;
        }
      }
      EXPECT_EQ(batches, c.batches);
      EXPECT_EQ(pipeline.stats().batches, static_cast<std::int64_t>(c.batches));
      EXPECT_EQ(pipeline.batches(), 10);
      EXPECT_EQ(last_size, c.last_size);
      EXPECT_EQ(pipeline.stats().epoch.filtered, c.filtered);
      EXPECT_EQ(pipeline.stats().epoch.skipped, 3);
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
      EXPECT_TRUE(pipeline.stats().total.balanced());
    }
  }
}

TEST(Compact, BalancesWhenTheEpochIsLeftEarly) {
  auto pipeline = make_pipeline({.batch_size = 8, .threads = 2, .compact = true}, [](Graph& g) {
    auto i = indices(g, 100);
    g.filter(i % 3 != 1);
    return i;
  });
  (void)pipeline.epoch().next();
  pipeline.reset();
  EXPECT_TRUE(pipeline.stats().total.balanced());
}

// fates[i] says how sample i ends: 'k'ept, 'd'ropped by a filter, 'f'ailed. Each batch is written
// as "ids|missing".
struct Told {
  const char* name;
  std::string fates;
  std::vector<std::string> batches;
  LastBatch last = LastBatch::partial;
};

std::string in_words(const Ids& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

TEST(Compact, NamesEverySampleOnce) {
  const Told cases[] = {
      {"nothing is missing", "kkkkkkkk", {"0 1 2|", "3 4 5|", "6 7|"}},
      {"behind the last batch, which is full", "kkkdfdd", {"0 1 2|3 4 5 6"}},
      {"behind the last batch, which is short", "kkkkddddddd", {"0 1 2|", "3|4 5 6 7 8 9 10"}},
      {"before the first", "dfdfkkkk", {"4 5 6|0 1 2 3", "7|"}},
      {"between batches: with the one before", "kkkdfkkk", {"0 1 2|3 4", "5 6 7|"}},
      {"whole batches between", "kddddddddddkk", {"0 11 12|1 2 3 4 5 6 7 8 9 10"}},
      {"all", "dfddfdd", {"|0 1 2 3 4 5 6"}},
      {"all, nothing to fill with", "dddd", {"|0 1 2 3"}, LastBatch::fill},
      {"filled", "kkkkdd", {"0 1 2|", "3|4 5"}, LastBatch::fill},
      {"a last batch that is not made", "kkkdkdd", {"0 1 2|3"}, LastBatch::drop},
      {"no batch is made", "dkdkddd", {}, LastBatch::drop},
  };
  for (const Told& c : cases) {
    for (const int threads : {1, 2, 8}) {
      auto pipeline = make_pipeline({.batch_size = 3,
                                     .threads = threads,
                                     .last_batch = c.last,
                                     .compact = true,
                                     .on_error = OnError::skip},
                                    [&](Graph& g) {
                                      auto i =
                                          indices(g, static_cast<std::int64_t>(c.fates.size()));
                                      auto fate = g.map(
                                          "fate",
                                          [&](std::int64_t x) {
                                            const char is = c.fates[static_cast<std::size_t>(x)];
                                            if (is == 'f') throw std::runtime_error("it failed");
                                            return is;
                                          },
                                          i);
                                      g.filter(fate == 'k');
                                      return i;
                                    });
      for (int epoch = 0; epoch < 2; ++epoch) {
        std::vector<std::string> batches;
        for (const auto& batch : pipeline.epoch()) {
          EXPECT_EQ(Ids(batch.get<0>().begin(),
                        batch.get<0>().end() - static_cast<std::ptrdiff_t>(batch.padding())),
                    batch.ids());
          batches.push_back(in_words(batch.ids()) + "|" + in_words(batch.missing()));
          Ids failed, told;
          for (const std::int64_t id : batch.missing()) {
            if (c.fates[static_cast<std::size_t>(id)] == 'f') failed.push_back(id);
          }
          for (const SampleError& error : batch.errors()) told.push_back(error.id);
          EXPECT_EQ(told, failed) << c.name;
        }
        EXPECT_EQ(batches, c.batches) << c.name << ", " << threads << " threads";
        EXPECT_TRUE(pipeline.stats().epoch.balanced());
      }
    }
  }
}

TEST(Compact, NamesAReplacedSampleInTheBatchThatHoldsIt) {
  // The filter keeps the even ones of 40 samples, of which 6, 14, ... fail. A replacement sample is
  // one of the 40, too, so the filter may drop it in turn.
  auto pipeline = make_pipeline(
      {.batch_size = 4, .threads = 2, .compact = true, .on_error = OnError::replace}, [](Graph& g) {
        auto i = indices(g, 40);
        g.filter(i % 2 == 0);
        return g.map(
            "risky",
            [](std::int64_t x) {
              if (x % 8 == 6) throw std::runtime_error("six");
              return x;
            },
            i);
      });
  const auto holds = [](const Ids& ids, std::int64_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  std::int64_t replaced = 0;
  Ids failed;
  for (const auto& batch : pipeline.epoch()) {
    replaced += static_cast<std::int64_t>(batch.replaced().size());
    for (const std::int64_t id : batch.replaced()) EXPECT_TRUE(holds(batch.ids(), id)) << id;
    for (const SampleError& error : batch.errors()) {
      failed.push_back(error.id);
      EXPECT_NE(holds(batch.replaced(), error.id), holds(batch.missing(), error.id)) << error.id;
    }
  }
  EXPECT_EQ(failed, (Ids{6, 14, 22, 30, 38}));
  EXPECT_GT(replaced, 0);
  EXPECT_EQ(replaced, pipeline.stats().epoch.replaced);
}

TEST(Compact, ABatchErrorBehindAFullBatchLosesNothing) {
  auto pipeline = make_pipeline({.batch_size = 3, .threads = 2, .compact = true}, [](Graph& g) {
    return g.map(
        "risky",
        [](std::int64_t x) {
          if (x == 4) throw std::runtime_error("four");
          return x;
        },
        indices(g, 9));
  });
  auto epoch = pipeline.epoch();
  std::vector<std::string> seen;
  for (bool over = false; !over;) {
    try {
      const auto batch = epoch.next();
      over = !batch;
      if (batch) seen.push_back(in_words(batch->ids()) + "|" + in_words(batch->missing()));
    } catch (const BatchError& error) {
      seen.push_back("batch " + std::to_string(error.batch()));
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"batch 1", "0 1 2|", "3 5 6|4", "7 8|"}));
}

TEST(Compact, NothingComesAfterCancel) {
  // 2 of 3 samples are left: after one batch the next is half made.
  for (const int before : {0, 1, 7}) {
    auto pipeline = make_pipeline({.batch_size = 8, .threads = 2, .compact = true}, [](Graph& g) {
      auto i = indices(g, 100);
      g.filter(i % 3 != 1);
      return i;
    });
    auto epoch = pipeline.epoch();
    std::int64_t delivered = 0;
    for (int i = 0; i < before; ++i) delivered += static_cast<std::int64_t>(epoch.next()->size());
    pipeline.cancel();
    EXPECT_FALSE(epoch.next());
    EXPECT_EQ(pipeline.stats().epoch.delivered, delivered);
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
    auto next = pipeline.epoch();
    EXPECT_FALSE(epoch.next());  // nothing of another epoch
    EXPECT_EQ(next.next()->ids().front(), 0);
  }
}

// A replaced sample is not counted as delivered, even if it is left out.
TEST(Compact, CountsWhatTheBatchesHold) {
  for (const LastBatch last : {LastBatch::partial, LastBatch::drop}) {
    for (const std::int64_t samples : {9, 10, 11}) {
      for (const int taken : {1, 100}) {
        auto pipeline = make_pipeline({.batch_size = 4,
                                       .threads = 2,
                                       .last_batch = last,
                                       .compact = true,
                                       .on_error = OnError::replace},
                                      [samples](Graph& g) {
                                        return g.map(
                                            "risky",
                                            [](std::int64_t x) {
                                              if (x % 3 == 2) throw std::runtime_error("two");
                                              return x;
                                            },
                                            indices(g, samples));
                                      });
        std::int64_t delivered = 0, replaced = 0;
        {
          auto epoch = pipeline.epoch();
          for (int i = 0; i < taken; ++i) {
            const auto batch = epoch.next();
            if (!batch) break;
            replaced += std::ssize(batch->replaced());
            delivered += std::ssize(batch->ids()) - std::ssize(batch->replaced());
          }
        }
        pipeline.reset();
        const Ledger ledger = pipeline.stats().total;
        EXPECT_EQ(ledger.delivered, delivered);
        EXPECT_EQ(ledger.replaced, replaced);
        EXPECT_TRUE(ledger.balanced());
      }
    }
  }
}

// Samples of the epoch's short end fill batches, too.
TEST(Compact, DropLeavesOutOnlyWhatFillsNoBatch) {
  for (const std::int64_t samples : {64, 65, 100, 127}) {
    auto pipeline = make_pipeline(
        {.batch_size = 64, .threads = 2, .last_batch = LastBatch::drop, .compact = true},
        [samples](Graph& g) {
          auto i = indices(g, samples);
          g.filter(i >= samples - 64);
          return i;
        });
    std::size_t delivered = 0;
    for (const auto& batch : pipeline.epoch()) delivered += batch.size();
    EXPECT_EQ(delivered, 64u) << samples;
    const Ledger ledger = pipeline.stats().epoch;
    EXPECT_EQ(ledger.admitted, samples);
    EXPECT_EQ(ledger.filtered, samples - 64);
    EXPECT_TRUE(ledger.balanced());
  }
}

// A value that does not let itself be moved on, once.
struct StaysOnce {
  static inline std::atomic<bool> armed{false};
  std::int64_t value = -1;
  StaysOnce() = default;
  explicit StaysOnce(std::int64_t v) : value(v) {}
  StaysOnce(StaysOnce&&) = default;
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): that it throws is the point
  StaysOnce& operator=(StaysOnce&& other) {
    if (other.value == 5 && armed.exchange(false)) throw std::runtime_error("stays");
    value = other.value;
    return *this;
  }
};

TEST(Compact, ValuesThatWereHalfMovedOnAreNotDelivered) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1, .compact = true}, [](Graph& g) {
    auto i = indices(g, 12);
    auto text = g.map(
        "text", [](std::int64_t x) { return "a text that lies in memory: " + std::to_string(x); },
        i);
    auto stays = g.map(
        "stays",
        [](std::int64_t x) {
          if (x == 11) StaysOnce::armed = true;  // all have been made: now they are moved
          return StaysOnce(x);
        },
        i);
    return std::tuple{text, stays, i};
  });
  auto epoch = pipeline.epoch();
  int thrown = 0;
  for (bool more = true; more;) {
    try {
      const auto batch = epoch.next();
      more = batch.has_value();
      for (std::size_t k = 0; more && k < batch->size(); ++k) {
        EXPECT_EQ(batch->get<0>()[k],
                  "a text that lies in memory: " + std::to_string(batch->get<2>()[k]));
      }
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_LE(thrown, 1);
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
}

// Moves, but cannot be copied into the padding of a batch.
struct NeverCopied {
  NeverCopied() = default;
  NeverCopied(const NeverCopied&) = default;
  NeverCopied(NeverCopied&&) = default;
  NeverCopied& operator=(NeverCopied&&) = default;
  NeverCopied& operator=(const NeverCopied&) { throw std::runtime_error("no copies"); }
  ~NeverCopied() = default;
};

TEST(Compact, ABatchThatCannotBeFilledIsNotCountedAsDelivered) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .last_batch = LastBatch::fill, .compact = true},
                    [](Graph& g) {
                      return g.map(
                          "value", [](std::int64_t) { return NeverCopied(); }, indices(g, 6));
                    });
  auto epoch = pipeline.epoch();
  EXPECT_EQ(epoch.next()->size(), 4u);
  EXPECT_THROW((void)epoch.next(), std::runtime_error);
  const auto counts = pipeline.stats().epoch;
  EXPECT_EQ(counts.delivered, 4);
  EXPECT_EQ(counts.failed, 2);
  EXPECT_TRUE(counts.balanced());
}

}  // namespace compact_test
}  // namespace sluice
