// X27 to X33: samples and their order are the same in every mode of their source; see
// tests/conformance.md.
#include "tests/graph/conformance/sources.h"
#include "tests/graph/sources.h"
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace sluice::conformance {
namespace sources_equality_test {

// A digest of the elements, type and shape.
std::uint64_t digest(const Tensor& tensor) {
  std::uint64_t sum = 14695981039346656037u;
  const auto add = [&](std::uint64_t x) { sum = (sum ^ x) * 1099511628211u; };
  add(static_cast<std::uint64_t>(tensor.dtype()));
  for (int d = 0; d < tensor.shape().rank; ++d) add(static_cast<std::uint64_t>(tensor.shape()[d]));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(std::as_const(tensor).bytes());
  const auto size = tensor.nbytes();
  for (std::size_t i = 0; i < size; ++i) add(bytes[i]);
  return sum;
}

template <class F>
std::vector<std::uint64_t> digests(const PipelineOptions& options, Mode mode, int threads,
                                   std::int64_t count, F f) {
  auto pipeline =
      make_pipeline(options, [&](Graph& g) { return give(g, mode, threads, count, f); });
  std::vector<std::uint64_t> all;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      all.push_back(digest(batch.template get<0>()[i]));
    all.push_back(0);  // the ends of batches matter
  }
  return all;
}

TEST(SourcesAgree, X27_OnAnyNumberOfThreadsInAnyType) {
  for (const DType dtype : {DType::f32, DType::i32, DType::u8, DType::i16}) {
    const auto f = [dtype](std::int64_t i, std::int64_t) {
      Tensor t(Shape{3, 2}, dtype);
      auto* bytes = reinterpret_cast<std::uint8_t*>(t.bytes());
      for (std::size_t b = 0; b < 6 * size_of(dtype); ++b)
        bytes[b] = static_cast<std::uint8_t>(i + static_cast<std::int64_t>(b));
      return t;
    };
    for (const int batch_size : {1, 16, 150, 250}) {
      const auto expected =
          digests({.batch_size = batch_size, .threads = 1}, Mode::plain, 0, 250, f);
      for (const int threads : {1, 3, 4}) {
        for (const Mode mode : kParallel) {
          EXPECT_EQ(digests({.batch_size = batch_size, .threads = 2}, mode, threads, 250, f),
                    expected);
        }
      }
    }
  }
}

Tensor random_tensor(std::int64_t i, std::int64_t epoch, const Shape& most, bool of_random_shape) {
  Random draw({.seed = 42,
               .epoch = static_cast<std::uint64_t>(epoch),
               .sample = static_cast<std::uint64_t>(i)});
  Shape shape = most;
  if (of_random_shape) {
    shape = Shape{1 + static_cast<std::int64_t>(draw.below(static_cast<std::uint32_t>(most[0]))),
                  1 + static_cast<std::int64_t>(draw.below(static_cast<std::uint32_t>(most[1]))),
                  most[2]};
  }
  Tensor t(shape, DType::u8);
  std::fill_n(t.data<std::uint8_t>(), shape.elements(), static_cast<std::uint8_t>(draw.below(256)));
  return t;
}

TEST(SourcesAgree, X28_WithRandomDataOfAnyShapeAndTwoOutputs) {
  for (const Shape& most : {Shape{100, 40, 3}, Shape{8, 64, 64}}) {
    for (const bool random_shape : {false, true}) {
      const auto f = [&](std::int64_t i, std::int64_t epoch) {
        return std::tuple{random_tensor(i, epoch, most, random_shape), 7 * i + epoch};
      };
      const auto run = [&](Mode mode, int threads) {
        auto pipeline = make_pipeline({.batch_size = 10, .threads = 2}, [&](Graph& g) {
          auto [tensor, number] = give(g, mode, threads, 60, f);
          return std::tuple{tensor, number};
        });
        std::vector<std::uint64_t> all;
        for (int epoch = 0; epoch < 2; ++epoch) {
          for (const auto& batch : pipeline.epoch()) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
              all.push_back(digest(batch.get<0>()[i]));
              all.push_back(static_cast<std::uint64_t>(batch.get<1>()[i]));
            }
          }
        }
        return all;
      };
      const auto expected = run(Mode::plain, 0);
      EXPECT_EQ(expected.size(), 240u);
      for (const int threads : {1, 4}) {
        for (const Mode mode : kParallel) EXPECT_EQ(run(mode, threads), expected);
      }
    }
  }
}

TEST(SourcesAgree, X29_InPipelinesBesideEachOther) {
  const auto f = [](std::int64_t i, std::int64_t epoch) {
    return random_tensor(i, epoch, Shape{8, 8, 3}, true);
  };
  const auto expected = digests({.batch_size = 10, .threads = 1}, Mode::plain, 0, 400, f);
  for (const Mode mode : kParallel) {
    for (const std::size_t pairs : {1u, 4u}) {
      std::vector<std::vector<std::uint64_t>> all(2 * pairs);
      std::vector<std::thread> threads;
      for (auto& one : all) {
        threads.emplace_back(
            [&one, &f, mode] { one = digests({.batch_size = 10, .threads = 1}, mode, 4, 400, f); });
      }
      for (std::thread& thread : threads) thread.join();
      for (const auto& one : all) EXPECT_EQ(one, expected);
    }
  }
}

TEST(SourcesAgree, X30_InOnePipeline) {
  for (const Shape& shape : {Shape{}, Shape{10}, Shape{100, 100, 100}}) {
    const auto f = [&shape](std::int64_t i, std::int64_t) {
      Tensor t(shape, DType::u8);
      std::fill_n(t.data<std::uint8_t>(), shape.elements(), static_cast<std::uint8_t>(i * 3));
      return t;
    };
    const bool large = shape.rank == 3;
    for (const Mode mode : kParallel) {
      auto pipeline =
          make_pipeline({.batch_size = 50, .threads = 2, .prefetch = large ? 1 : 2}, [&](Graph& g) {
            auto plain = give(g, Mode::plain, 0, large ? 100 : 500, f);
            auto other = give(g, mode, 14, large ? 100 : 500, f);
            return g.map(
                "equal", [](const Tensor& a, const Tensor& b) { return static_cast<int>(a == b); },
                plain, other);
          });
      const auto all = epoch_of(pipeline).all();
      EXPECT_EQ(all, std::vector<int>(large ? 100 : 500, 1));
    }
  }
}

// The first of all samples that may be in flight ends last.
TEST(SourcesAgree, X31_InOrderThoughTheFirstComesLast) {
  for (const int prefetch : {1, 2, 4, 8}) {
    for (const bool groups : {false, true}) {
      std::mutex mutex;
      std::condition_variable changed;
      std::int64_t others = 0;
      const int window = 4 * (prefetch + 1);
      // The samples of a window are called at once, on as many threads.
      const auto wait_for_others = [&](std::int64_t i) {
        std::unique_lock lock(mutex);
        if (i == 0) {
          changed.wait(lock, [&] { return others >= window - 1; });
        } else if (i < window) {
          ++others;
          changed.notify_all();
        }
        return i;
      };
      auto pipeline = make_pipeline(
          {.batch_size = 4, .threads = 1, .prefetch = prefetch, .window = window}, [&](Graph& g) {
            if (groups) {
              return g.read(batches_of(80, 1,
                                       [&](const BatchInfo& info) {
                                         return std::vector<std::int64_t>{
                                             wait_for_others(info.keys[0].index)};
                                       },
                                       {.threads = window}));
            }
            return g.source(80, [&](const SampleInfo& info) { return wait_for_others(info.index); },
                            {.threads = window});
          });
      std::int64_t next = 0;
      for (const std::int64_t i : epoch_of(pipeline).all()) EXPECT_EQ(i, next++);
      EXPECT_EQ(next, 80);
    }
  }
}

TEST(SourcesAgree, X32_SampleByGroupByRange) {
  struct Depth {
    int prefetch, window_batches;
  };
  for (const int batch_size : {1, 17}) {
    for (const std::int64_t iterations : {1, 3, 31}) {
      for (const std::int64_t trailing : {0, batch_size - 1}) {
        for (const Depth depth : {Depth{1, 1}, {2, 2}, {5, 5}, {3, 1}, {1, 3}}) {
          for (const int threads : {1, 7}) {
            const std::int64_t count = iterations * batch_size + trailing;
            for (const Mode mode : kModes) {
              auto pipeline = make_pipeline({.batch_size = batch_size,
                                             .threads = 2,
                                             .prefetch = depth.prefetch,
                                             .window = depth.window_batches * batch_size,
                                             .last_batch = LastBatch::drop},
                                            [&](Graph& g) {
                                              return give(g, mode, threads, count,
                                                          [](std::int64_t i, std::int64_t epoch) {
                                                            return 1000 * epoch + i;
                                                          });
                                            });
              for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
                const auto trace = epoch_of(pipeline);
                ASSERT_EQ(trace.batches.size(), static_cast<std::size_t>(iterations));
                std::int64_t next = 1000 * epoch;
                for (const std::int64_t i : trace.all()) ASSERT_EQ(i, next++);
              }
            }
          }
        }
      }
    }
  }
}

TEST(SourcesAgree, X33_LayoutsStayToTheEnd) {
  for (const Layout layout : {Layout::none, Layout::hwc, Layout::chw}) {
    for (const int batch_size : {1, 256, 600}) {
      for (const Mode mode : kModes) {
        auto pipeline = make_pipeline({.batch_size = batch_size, .threads = 2}, [&](Graph& g) {
          return give(g, mode, 3, 1024, [layout](std::int64_t i, std::int64_t) {
            Tensor t(Shape{1, 1, 1}, DType::u8, layout);
            *t.data<std::uint8_t>() = static_cast<std::uint8_t>(i);
            return t;
          });
        });
        std::size_t samples = 0;
        for (const auto& [tensors] : pipeline.epoch()) {
          samples += tensors.size();
          EXPECT_EQ(tensors.tensor(0).layout(), layout);
        }
        EXPECT_EQ(samples, 1024u);
      }
    }
  }
}

}  // namespace sources_equality_test
}  // namespace sluice::conformance
