// A source of worker processes keeps the promises about layouts, epochs and ends, by the numbers of
// tests/conformance.md and with their tables.
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/values.h>
#include <sluice/io/workers/workers.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace conformance_epochs_test {

using Places = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

WorkerOptions options(int workers, std::int64_t argument, int prefetch = 2) {
  return {.workers = workers,
          .program = SLUICE_WORKER_PROGRAM,
          .argument = std::to_string(argument),
          .prefetch = prefetch};
}

// All numbers of an epoch, batch by batch.
template <class Pipeline>
std::vector<std::vector<std::int64_t>> epoch_of(Pipeline& pipeline) {
  std::vector<std::vector<std::int64_t>> all;
  for (const auto& [numbers] : pipeline.epoch()) all.emplace_back(numbers.begin(), numbers.end());
  return all;
}

TEST(WorkerEpochs, X33_LayoutsStayToTheEnd) {
  for (const Layout layout : {Layout::none, Layout::hwc, Layout::chw}) {
    const auto dataset =
        workers<Tensor>("layouts", 1024, options(3, static_cast<std::int64_t>(layout)));
    for (const int batch_size : {1, 256, 600}) {
      auto pipeline = make_pipeline({.batch_size = batch_size, .threads = 2},
                                    [&](Graph& g) { return g.read(dataset); });
      std::size_t samples = 0;
      for (const auto& [tensors] : pipeline.epoch()) {
        for (std::size_t i = 0; i < tensors.size(); ++i, ++samples) {
          ASSERT_EQ(tensors.tensor(i).layout(), layout);
          ASSERT_EQ(*tensors.tensor(i).data<std::uint8_t>(), static_cast<std::uint8_t>(samples));
        }
      }
      EXPECT_EQ(samples, 1024u);
    }
  }
}

TEST(WorkerEpochs, X36_TheEpochIsKnownToAll) {
  for (const std::int64_t iterations : {1, 3, 7}) {
    for (const int batch_size : {1, 50}) {
      for (const int depth : {1, 5}) {
        auto pipeline = make_pipeline(
            {.batch_size = batch_size, .threads = 2, .prefetch = depth}, [&](Graph& g) {
              auto [place, in_batch, batch, epoch] = g.read(
                  workers<Places>("places", kUntilEnd, options(3, iterations * batch_size, depth)));
              return std::tuple{place, in_batch, batch, epoch};
            });
        for (std::int64_t now = 0; now < 3; ++now) {
          std::int64_t batches = 0;
          for (const auto& [place, in_batch, batch, epoch] : pipeline.epoch()) {
            for (std::size_t i = 0; i < place.size(); ++i) {
              const auto at = static_cast<std::int64_t>(i);
              EXPECT_EQ((std::array{place[i], in_batch[i], batch[i], epoch[i]}),
                        (std::array{batches * batch_size + at, at, batches, now}));
            }
            ++batches;
          }
          EXPECT_EQ(batches, iterations);
        }
      }
    }
  }
}

// The first source to end ends the epoch for all; in the next epoch all begin again.
TEST(WorkerEpochs, X41_SourcesOfDifferentLength) {
  using Lengths = std::array<std::int64_t, 3>;
  for (const Lengths& lengths : {Lengths{8, 4, 6}, {8, 6, 4}, {4, 6, 8}, {1, 1, 1}}) {
    for (const int depth : {1, 2, 6}) {
      auto pipeline =
          make_pipeline({.batch_size = 2, .threads = 2, .prefetch = depth}, [&](Graph& g) {
            const auto read = [&](std::int64_t length) {
              auto [place, in_batch, batch, epoch] =
                  g.read(workers<Places>("places", kUntilEnd, options(2, length, depth)));
              return epoch * 100 + place;
            };
            auto a = read(lengths[0]);
            auto b = read(lengths[1]);
            return a * 100'000'000 + b * 10'000 + read(lengths[2]);
          });
      for (std::int64_t epoch = 0; epoch < 17; ++epoch) {
        std::vector<std::int64_t> all;
        for (const auto& batch : epoch_of(pipeline))
          all.insert(all.end(), batch.begin(), batch.end());
        const auto shortest =
            static_cast<std::size_t>(*std::min_element(lengths.begin(), lengths.end()));
        ASSERT_EQ(all.size(), shortest);
        for (std::size_t i = 0; i < shortest; ++i)
          EXPECT_EQ(all[i], (epoch * 100 + static_cast<std::int64_t>(i)) * 100'010'001);
      }
    }
  }
}

TEST(WorkerEpochs, X42_WhenOneEndsAllBeginAnew) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto three = g.read(values_of(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
    auto [parallel, in_batch, batch, epoch] =
        g.read(workers<Places>("places", kUntilEnd, options(3, 1000)));
    auto plain = g.source(kUntilEnd, [](const SampleInfo& info) { return info.index; });
    return g.map(
        "equal",
        [](std::int64_t a, std::int64_t b, std::int64_t c) { return a == b && b == c ? a : -1; },
        three, parallel, plain);
  });
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(epoch_of(pipeline),
              (std::vector<std::vector<std::int64_t>>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
  }
}

TEST(WorkerEpochs, X43_AShuffleOfTheSourcesOwn) {
  for (const int batch_size : {4, 100}) {
    for (const std::int64_t iterations : {3, 7}) {
      for (const std::int64_t trailing : {0, batch_size - 1}) {
        for (const int depth : {1, 5}) {
          const std::int64_t count = iterations * batch_size + trailing;
          auto pipeline = make_pipeline({.batch_size = batch_size,
                                         .threads = 2,
                                         .prefetch = depth,
                                         .last_batch = LastBatch::drop},
                                        [&](Graph& g) {
                                          return g.read(workers<std::int64_t>(
                                              "shuffled", kUntilEnd, options(3, count, depth)));
                                        });
          std::set<std::vector<std::int64_t>> orders;
          for (int epoch = 0; epoch < 3; ++epoch) {
            std::vector<std::int64_t> all;
            for (const auto& batch : epoch_of(pipeline)) {
              EXPECT_EQ(batch.size(), static_cast<std::size_t>(batch_size));
              all.insert(all.end(), batch.begin(), batch.end());
            }
            EXPECT_EQ(all.size(), static_cast<std::size_t>(iterations * batch_size));
            EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
            orders.insert(all);
          }
          EXPECT_EQ(orders.size(), 3u);
        }
      }
    }
  }
}

}  // namespace conformance_epochs_test
}  // namespace sluice
