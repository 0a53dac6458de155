// Sources of unknown length: an epoch behaves as if the length had been known.
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace end_of_epoch_test {

using Number = Value<std::int64_t>;

// Numbers 0 to `count` - 1. Those that end with 3 fail, and those with 5 are filtered.
struct Numbers {
  std::int64_t count = 0;
  bool known = false;
  static constexpr bool blocks = true;
  std::int64_t size() const { return known ? count : kUntilEnd; }
  std::string name(std::int64_t i) const { return "number " + std::to_string(i); }
  std::int64_t operator()(const SampleInfo& info) const {
    if (info.index_in_epoch >= count) throw EndOfEpoch();
    return info.index_in_epoch;
  }
};

auto described(const PipelineOptions& options, const Numbers& numbers, bool whole) {
  return make_pipeline(options, [&](Graph& g) {
    auto x = g.read(numbers);
    if (!whole) g.filter(x % 10 != 5);
    auto y = g.map(
        "check",
        [whole](std::int64_t i) {
          if (!whole && i % 10 == 3) throw std::runtime_error("a three");
          return i;
        },
        x);
    return std::tuple{y, g.uniform(0.f, 1.f)};
  });
}

// Two epochs in words.
std::string transcript(const PipelineOptions& options, const Numbers& numbers, bool whole) {
  auto pipeline = described(options, numbers, whole);
  EXPECT_EQ(pipeline.samples() == -1, !numbers.known);
  EXPECT_EQ(pipeline.batches() == -1, !numbers.known);
  std::string text;
  const auto list = [&text](const char* name, const auto& values) {
    text += name;
    for (const auto& value : values) text += " " + std::to_string(value);
  };
  for (int epoch = 0; epoch < 2; ++epoch) {
    auto run = pipeline.epoch();
    bool over = false;
    while (!over) {
      try {
        const auto batch = run.next();
        over = !batch.has_value();
        if (over) break;
        text += "batch " + std::to_string(batch->index()) + " padding " +
                std::to_string(batch->padding());
        list(" ids", batch->ids());
        list(" missing", batch->missing());
        list(" values", batch->get<0>());
        list(" drawn", batch->get<1>());
        for (const SampleError& error : batch->errors()) text += " " + to_string(error);
      } catch (const BatchError& error) {
        text += std::string("thrown: ") + error.what();
      }
      text += "\n";
    }
    const Ledger ledger = pipeline.stats().epoch;
    EXPECT_TRUE(ledger.balanced()) << to_string(ledger);
    text += std::to_string(ledger.delivered) + " delivered, " + std::to_string(ledger.failed) +
            " failed, " + std::to_string(ledger.skipped) + " skipped, " +
            std::to_string(ledger.filtered) + " filtered\n";
  }
  EXPECT_EQ(pipeline.stats().memory.bytes_in_use, 0u);
  return text;
}

TEST(EndOfEpoch, IsAsIfTheLengthHadBeenKnown) {
  const int some = testing::one_in(1, 5);
  int combination = 0;
  for (const std::int64_t count : {0, 1, 7, 8, 21, 40}) {
    for (const int batch_size : {1, 4, 7, 40}) {
      for (const LastBatch last : {LastBatch::partial, LastBatch::drop, LastBatch::fill}) {
        for (const bool compact : {false, true}) {
          for (const OnError& policy : {OnError::fail, OnError::skip}) {
            for (const bool whole : {false, true}) {
              if (combination++ % some != 0) continue;
              const auto options = [&](int threads) {
                return PipelineOptions{.batch_size = batch_size,
                                       .seed = 7,
                                       .threads = threads,
                                       .io_threads = threads / 2,
                                       .last_batch = last,
                                       .compact = compact,
                                       .on_error = policy};
              };
              const std::string expected =
                  transcript(options(1), {.count = count, .known = true}, whole);
              for (const int threads : {1, 2, 4}) {
                EXPECT_EQ(transcript(options(threads), {.count = count}, whole), expected)
                    << count << " samples, batch " << batch_size << ", last_batch "
                    << static_cast<int>(last) << ", compact " << compact << ", threads " << threads;
              }
            }
          }
        }
      }
    }
  }
}

std::vector<std::int64_t> delivered(Pipeline<std::int64_t>& pipeline) {
  std::vector<std::int64_t> all;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t value : batch.get<0>()) all.push_back(value);
  }
  return all;
}

// A sample far ahead reports the end first, while those before it are still being read. The samples
// between have been delivered then.
TEST(EndOfEpoch, IsBeforeTheSmallestIndexThatSaysSo) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> told{false};
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2, .window = 32}, [&](Graph& g) {
      return g.source(kUntilEnd, [&](const SampleInfo& info) {
        const std::int64_t i = info.index_in_epoch;
        if (i == 5) told.wait(false);
        if (i >= 17) {
          told = true;
          told.notify_all();
        }
        if (i == 5 || i >= 17) throw EndOfEpoch();
        return i;
      });
    });
    EXPECT_EQ(delivered(pipeline), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    const Ledger ledger = pipeline.stats().epoch;
    EXPECT_EQ(ledger.delivered, 5);
    EXPECT_EQ(ledger.failed, 0);
    EXPECT_EQ(ledger.cancelled, ledger.admitted - 5);
    EXPECT_EQ(pipeline.samples(), 5);
    EXPECT_EQ(pipeline.batches(), 2);
  }
}

TEST(EndOfEpoch, MayBeAnotherOneInEachEpoch) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    return g.source(kUntilEnd, [](const SampleInfo& info) {
      if (info.index_in_epoch == 6 - 2 * info.epoch) throw EndOfEpoch();
      return info.index_in_epoch + 100 * info.epoch;
    });
  });
  EXPECT_NE(to_string(pipeline.plan()).find("samples until the source ends\n"), std::string::npos);
  EXPECT_EQ(delivered(pipeline), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(pipeline.samples(), 6);
  EXPECT_EQ(delivered(pipeline), (std::vector<std::int64_t>{100, 101, 102, 103}));
  EXPECT_EQ(pipeline.batches(), 1);
  // One that is left early shows no end.
  EXPECT_TRUE(pipeline.epoch().next().has_value());
  EXPECT_EQ(delivered(pipeline), (std::vector<std::int64_t>{}));
  EXPECT_EQ(pipeline.samples(), 0);
}

// A replacement sample is one of the samples before it, whatever is known of the end.
TEST(EndOfEpoch, StandInsAreOfTheSamplesBefore) {
  std::vector<std::vector<std::int64_t>> all;
  for (const int threads : {1, 2, 4}) {
    auto pipeline = make_pipeline(
        {.batch_size = 5, .threads = threads, .on_error = OnError::replace}, [](Graph& g) {
          auto x = g.read(Numbers{.count = 42});
          return g.map(
              "check",
              [](std::int64_t i) {
                if (i % 10 == 3) throw std::runtime_error("a three");
                return i;
              },
              x);
        });
    all.push_back(delivered(pipeline));
    ASSERT_EQ(all.back().size(), 42u);
    for (std::size_t i = 0; i < 42; ++i) {
      if (i % 10 == 3) {
        EXPECT_LT(all.back()[i], static_cast<std::int64_t>(i));
      } else {
        EXPECT_EQ(all.back()[i], static_cast<std::int64_t>(i));
      }
    }
    EXPECT_EQ(all.back(), all.front());
    EXPECT_EQ(pipeline.stats().epoch.replaced, 4);
  }
}

TEST(EndOfEpoch, IsKnownToInspection) {
  const auto pipeline = described({}, {.count = 4}, true);
  EXPECT_EQ(pipeline.inspect(3).get<std::int64_t>("read"), 3);
  EXPECT_THROW((void)pipeline.inspect(4), std::out_of_range);
  EXPECT_THROW((void)pipeline.inspect(-1), std::out_of_range);
}

// EndOfEpoch is the sample's error if a step other than the source throws it, or if the source has
// a length.
TEST(EndOfEpoch, IsForSourcesWithoutALength) {
  const auto error_of = [](std::int64_t count, bool in_source) {
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
          const auto give = [](std::int64_t i, bool ends) {
            if (ends && i == 2) throw EndOfEpoch();
            return i;
          };
          auto i = g.source(count, [=](const SampleInfo& info) {
            if (count == kUntilEnd && info.index_in_epoch == 4) throw EndOfEpoch();
            return give(info.index_in_epoch, in_source);
          });
          return g.map(
              "give", [=](std::int64_t x) { return give(x, !in_source); }, i);
        });
    const auto batch = pipeline.epoch().next();
    return batch->errors().size() == 1 ? batch->errors().front().what : "no error";
  };
  EXPECT_EQ(error_of(4, false), "there are no more samples");
  EXPECT_EQ(error_of(kUntilEnd, false), "there are no more samples");
  EXPECT_EQ(error_of(4, true),
            "threw EndOfEpoch, though its source has 4 samples; let it have kUntilEnd");
}

// The shortest source ends the epoch, whichever of them knows its length.
TEST(EndOfEpoch, IsAlsoThatOfASourceBesideThatKnowsIts) {
  for (const std::int64_t known : {0, 3, 6, 9}) {
    for (const bool first : {false, true}) {
      auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
        const auto until = [&](std::int64_t count) { return g.read(Numbers{.count = count}); };
        const auto counted = [&] { return g.read(Numbers{.count = known, .known = true}); };
        auto a = first ? counted() : until(6);
        return a + (first ? until(6) : counted());
      });
      EXPECT_EQ(pipeline.samples(), -1);
      EXPECT_EQ(delivered(pipeline).size(),
                static_cast<std::size_t>(std::min<std::int64_t>(known, 6)));
      EXPECT_EQ(pipeline.stats().epoch.failed, 0);
      EXPECT_EQ(pipeline.samples(), std::min<std::int64_t>(known, 6));
    }
  }
}

TEST(EndOfEpoch, MayComeWhileItIsCancelled) {
  for (int round = 0; round < 20; ++round) {
    auto pipeline = described({.batch_size = 4, .threads = 2}, {.count = 30}, true);
    auto run = pipeline.epoch();
    for (int b = 0; b < round % 9; ++b) (void)run.next();
    pipeline.cancel();
    EXPECT_FALSE(run.next().has_value());
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
}

}  // namespace end_of_epoch_test
}  // namespace sluice
