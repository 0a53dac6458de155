// The memory of values: where they lie, what keeps memory and for how long. A warm pipeline
// allocates nothing per sample.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace memory_test {

// Makes an image of one color.
void paint(Image& image, int height, int width, int value) {
  image.create(height, width, 3);
  for (int y = 0; y < height; ++y) std::memset(image.row(y), value, image.row_bytes());
}

bool is_painted(const Image& image, int value) {
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x) {
      if (image.row(y)[x] != static_cast<std::uint8_t>(value)) return false;
    }
  }
  return true;
}

Value<Image> painted(Graph& g, Value<std::int64_t> i, int height, int width, int add = 0) {
  return g.map_into<Image>(
      "paint",
      [height, width, add](std::int64_t x, Image& out) {
        paint(out, height, width, static_cast<int>(x % 200) + add);
      },
      i);
}

// Records where a step wrote, to see whether the batch has the value there.
struct Written {
  const std::uint8_t* at = nullptr;
};

TEST(InPlace, TheLastStepWritesIntoTheBatch) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto i = indices(g, 40);
    auto image = painted(g, i, 5, 7);
    auto where = g.map(
        "where", [](const Image& image_) { return Written{image_.data()}; }, image);
    return std::tuple{image, where};
  });
  // The first batches show that the samples agree.
  for (const auto& [images, where] : pipeline.epoch()) EXPECT_TRUE(images.dense());
  for (const auto& [images, where] : pipeline.epoch()) {
    EXPECT_TRUE(images.dense());
    EXPECT_EQ(images.shape(), (Shape{4, 5, 7, 3}));
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(images[k].data(), where[k].at);
  }
}

// In one branch the value is made for the batch. In the other it is an outer value that is also
// needed elsewhere.
TEST(InPlace, BranchesThatMakeTheOutputWriteThere) {
  for (const int threads : {1, 8}) {
    auto pipeline = make_pipeline({.batch_size = 8, .threads = threads}, [](Graph& g) {
      auto i = indices(g, 80);
      auto image = painted(g, i, 4, 4);
      auto odd = g.map(
          "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
      auto result = g.if_else(
          odd,
          [&] {
            return g.map_into<Image>(
                "brighter",
                [](const Image& in, Image& out) {
                  paint(out, in.height(), in.width(), in.at(0, 0, 0) + 50);
                },
                image);
          },
          [&] { return image; });
      return std::tuple{result, i, image};
    });
    std::int64_t x = 0;
    for (const auto& [results, is, originals] : pipeline.epoch()) {
      EXPECT_TRUE(results.dense());
      EXPECT_TRUE(originals.dense());
      for (std::size_t k = 0; k < results.size(); ++k, ++x) {
        EXPECT_TRUE(is_painted(results[k], static_cast<int>(x) + (x % 2 == 1 ? 50 : 0)));
        EXPECT_TRUE(is_painted(originals[k], static_cast<int>(x)));
      }
    }
    EXPECT_EQ(x, 80);
  }
}

TEST(Batches, AreRaggedWhereShapesDiffer) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto i = indices(g, 12);
    return g.map_into<Image>(
        "paint",
        [](std::int64_t x, Image& out) {
          const int side = x < 4 ? 3 : static_cast<int>(x);  // batch 0: all equal
          paint(out, side, side + 1, static_cast<int>(x));
        },
        i);
  });
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::int64_t x = 0;
    for (const auto& batch : pipeline.epoch()) {
      const auto& images = batch.get<0>();
      EXPECT_EQ(images.dense(), batch.index() == 0);
      if (!images.dense()) {
        EXPECT_THROW((void)images.data(), std::logic_error);
      }
      for (const Image& image : images) {
        EXPECT_EQ(image.width(), image.height() + 1);
        EXPECT_TRUE(is_painted(image, static_cast<int>(x++)));
      }
      EXPECT_THROW((void)images.at(4), std::out_of_range);
    }
    EXPECT_EQ(x, 12);
  }
}

TEST(Batches, TensorsKeepTypeAndLayout) {
  auto pipeline = make_pipeline({.batch_size = 3, .threads = 2}, [](Graph& g) {
    return g.map_into<Tensor>(
        "fill",
        [](std::int64_t x, Tensor& out) {
          out.create({2, 2, 2}, DType::f16, Layout::chw);
          for (int k = 0; k < 8; ++k) out.data<Half>()[k] = Half(static_cast<float>(10 * x + k));
        },
        indices(g, 7));
  });
  std::int64_t x = 0;
  for (const auto& [tensors] : pipeline.epoch()) {
    EXPECT_EQ(tensors.shape(), (Shape{static_cast<std::int64_t>(tensors.size()), 2, 2, 2}));
    EXPECT_THROW((void)tensors.data<float>(), std::invalid_argument);
    for (std::size_t k = 0; k < tensors.size(); ++k, ++x) {
      EXPECT_EQ(tensors[k].layout(), Layout::chw);
      EXPECT_EQ(static_cast<float>(tensors.data<Half>()[8 * k + 7]),
                static_cast<float>(10 * x + 7));
    }
  }
  EXPECT_EQ(x, 7);
}

TEST(Batches, TheLastOneMayBePartialDroppedOrFilled) {
  struct Case {
    LastBatch policy;
    std::int64_t batches;
    std::size_t last_size, padding;
    std::int64_t admitted;
  };
  for (const Case& c : {Case{LastBatch::partial, 3, 2, 0, 10}, Case{LastBatch::drop, 2, 4, 0, 8},
                        Case{LastBatch::fill, 3, 4, 2, 10}}) {
    auto pipeline =
        make_pipeline({.batch_size = 4, .threads = 2, .last_batch = c.policy}, [](Graph& g) {
          auto i = indices(g, 10);
          return std::tuple{painted(g, i, 2, 2), i};
        });
    std::int64_t batches = 0;
    for (const auto& batch : pipeline.epoch()) {
      const auto& [images, is] = batch;
      EXPECT_EQ(images.size(), batch.size());
      EXPECT_EQ(is.size(), batch.size());
      EXPECT_TRUE(images.dense());
      if (++batches == c.batches) {
        EXPECT_EQ(batch.size(), c.last_size);
        EXPECT_EQ(batch.padding(), c.padding);
      }
      for (std::size_t k = 0; k < is.size(); ++k)
        EXPECT_TRUE(is_painted(images[k], static_cast<int>(is[k])));
    }
    EXPECT_EQ(batches, c.batches);
    EXPECT_EQ(pipeline.batches(), c.batches);
    EXPECT_EQ(pipeline.stats().epoch.admitted, c.admitted);
  }
}

TEST(Batches, AnEmptySourceGivesNone) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) { return indices(g, 0); });
  EXPECT_FALSE(pipeline.epoch().next().has_value());
}

// A pixel of an earlier sample must never show: a step that leaves its output empty is an error.
TEST(Batches, AStepThatMakesNoImageIsAnError) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        return g.map_into<Image>(
            "lazy",
            [](std::int64_t x, Image& out) {
              if (x % 4 != 2) paint(out, 2, 2, 9);
            },
            indices(g, 16));
      });
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.size(), 3u);
    ASSERT_EQ(batch.errors().size(), 1u);
    EXPECT_EQ(batch.errors()[0].what,
              "the step 'lazy', which should have made this image, left it empty");
  }
}

TEST(Memory, StaysUnderTheBoundThatIsTold) {
  for (const int threads : {1, 4}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = threads}, [](Graph& g) {
      auto i = indices(g, 400);
      auto big = painted(g, i, 100, 100);
      return g.map_into<Image>(
          "small", [](const Image& in, Image& out) { paint(out, 10, 10, in.at(0, 0, 0)); }, big);
    });
    for (const auto& [images] : pipeline.epoch()) EXPECT_EQ(images.size(), 4u);
    const MemoryStats memory = pipeline.stats().memory;
    EXPECT_GT(memory.bytes_peak, 0u);
    EXPECT_LE(memory.bytes_peak, memory.bytes_bound);
    EXPECT_EQ(memory.bytes_in_use, 0u);
    EXPECT_EQ(memory.window, threads == 1 ? 12u : 12u + 8u * 4u);
    // 400 images of 30,000 bytes passed through, at most one per thread at a time.
    EXPECT_LE(memory.bytes_peak,
              static_cast<std::size_t>(threads) * 40000 + (memory.window + 8) * 400u);
  }
}

// The widths of the samples' images.
struct Shapes {
  const char* name;
  int (*width)(std::int64_t);
};
constexpr Shapes kShapes[] = {
    {"ragged", [](std::int64_t i) { return 1 + static_cast<int>(i * i * 7919 % 3001); }},
    {"equal", [](std::int64_t) { return 500; }},
    {"equal within a batch", [](std::int64_t i) { return 1 + static_cast<int>(i / 8 * 37 % 900); }},
    {"ever larger", [](std::int64_t i) { return 1 + 4 * static_cast<int>(i); }},
    {"ever smaller", [](std::int64_t i) { return 2001 - 4 * static_cast<int>(i); }},
    {"a few large ones", [](std::int64_t i) { return i % 97 == 0 ? 5000 : 10; }},
};

TEST(Memory, ReservedStaysUnderTheBoundWhateverTheSizes) {
  for (const Shapes& shapes : kShapes) {
    for (const int threads : {1, 4}) {
      for (const bool compact : {false, true}) {
        auto pipeline =
            make_pipeline({.batch_size = 8, .threads = threads, .compact = compact}, [&](Graph& g) {
              auto i = indices(g, 500);
              if (compact) {
                g.filter(g.map(
                    "two of three", [](std::int64_t x) { return x % 3 != 1; }, i));
              }
              auto first = g.map_into<Image>(
                  "first", [&](std::int64_t x, Image& out) { paint(out, 20, shapes.width(x), 3); },
                  i);
              auto second = g.map_into<Image>(
                  "second", [&](const Image& in, Image& out) { paint(out, 10, in.width() * 2, 4); },
                  first);
              return std::tuple{second, i};
            });
        for (int epoch = 0; epoch < 3; ++epoch) {
          for (const auto& [images, is] : pipeline.epoch()) {
            for (std::size_t k = 0; k < is.size(); ++k)
              ASSERT_EQ(images[k].width(), 2 * shapes.width(is[k])) << shapes.name;
          }
          const MemoryStats memory = pipeline.stats().memory;
          EXPECT_EQ(memory.bytes_in_use, 0u) << shapes.name;
          EXPECT_LE(memory.bytes_reserved, memory.bytes_peak) << shapes.name;
          EXPECT_LE(memory.bytes_reserved, memory.bytes_bound)
              << shapes.name << ", " << threads << " threads" << (compact ? ", compact" : "");
          EXPECT_LE(memory.bytes_peak, memory.bytes_bound)
              << shapes.name << ", " << threads << " threads" << (compact ? ", compact" : "");
        }
      }
    }
  }
}

// Batches that are not delivered count, too.
TEST(Memory, StaysUnderTheBoundAfterEpochsThatAreLeftEarly) {
  for (const Shapes& shapes : kShapes) {
    for (const int threads : {1, 4}) {
      for (const bool compact : {false, true}) {
        auto pipeline =
            make_pipeline({.batch_size = 8, .threads = threads, .compact = compact}, [&](Graph& g) {
              return g.map_into<Image>(
                  "paint", [&](std::int64_t x, Image& out) { paint(out, 20, shapes.width(x), 3); },
                  indices(g, 500));
            });
        for (int taken = 1; taken < 5; ++taken) {
          {
            auto epoch = pipeline.epoch();
            for (int k = 0; k < taken; ++k) {
              EXPECT_TRUE(epoch.next().has_value());
            }
          }
          pipeline.reset();
          const MemoryStats memory = pipeline.stats().memory;
          EXPECT_EQ(memory.bytes_in_use, 0u) << shapes.name;
          EXPECT_LE(memory.bytes_peak, memory.bytes_bound)
              << shapes.name << ", " << threads << " threads" << (compact ? ", compact" : "");
        }
      }
    }
  }
}

// A single large image says nothing about the others.
TEST(Memory, ALargeImageReservesNoBatchOfSuch) {
  constexpr int kLarge = 10'000'000;  // a batch of such would take 7.7 GB
  for (const std::int64_t at : {0, 256, 300}) {
    auto pipeline = make_pipeline({.batch_size = 256, .threads = 2}, [&](Graph& g) {
      return g.map_into<Image>(
          "paint", [&](std::int64_t x, Image& out) { paint(out, 1, x == at ? kLarge : 100, 1); },
          indices(g, 1024));
    });
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& [images] : pipeline.epoch()) EXPECT_EQ(images.size(), 256u);
    }
    EXPECT_LE(pipeline.stats().memory.bytes_peak, 2 * 3 * std::size_t{kLarge});
  }
}

// Frames, columns and rings are sized for the actual samples, not for the possible number.
TEST(Memory, NothingIsMadeForSamplesThatThereAreNot) {
  constexpr int kMost = std::numeric_limits<int>::max();
  struct Case {
    const char* name;
    PipelineOptions options;
  };
  for (const auto& [name, options] :
       {Case{"batch_size", {.batch_size = kMost}},
        Case{"batch_size and prefetch", {.batch_size = kMost, .prefetch = kMost}},
        Case{"prefetch", {.batch_size = 4, .prefetch = kMost}},
        Case{"window", {.batch_size = 4, .window = kMost}},
        Case{"all", {.batch_size = kMost, .prefetch = kMost, .window = kMost}},
        Case{"compact", {.batch_size = kMost, .compact = true}},
        Case{"replace", {.batch_size = kMost, .on_error = OnError::replace}},
        Case{"fill", {.batch_size = 12, .prefetch = kMost, .last_batch = LastBatch::fill}},
        Case{"drop", {.batch_size = kMost, .last_batch = LastBatch::drop}}}) {
    PipelineOptions with_threads = options;
    with_threads.threads = 2;
    auto pipeline = make_pipeline(with_threads, [](Graph& g) {
      auto i = indices(g, 10);
      return std::tuple{painted(g, i, 2, 2), i};
    });
    EXPECT_LE(pipeline.stats().memory.window, 10u) << name;
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::int64_t x = 0;
      for (const auto& batch : pipeline.epoch()) {
        for (const std::int64_t i : batch.get<1>()) EXPECT_EQ(i, std::min<std::int64_t>(x++, 9));
      }
      const std::int64_t expected = options.last_batch == LastBatch::drop   ? 0
                                    : options.last_batch == LastBatch::fill ? 12
                                                                            : 10;
      EXPECT_EQ(x, expected) << name;
    }
  }
}

// The number of allocations of a warm epoch depends on its batches, and not on how many samples
// they hold.
TEST(Memory, NothingIsAllocatedPerSampleOnceWarm) {
  const auto allocations_of_a_warm_epoch = [](int batch_size) {
    auto pipeline = make_pipeline({.batch_size = batch_size, .threads = 1}, [&](Graph& g) {
      auto i = indices(g, 10 * batch_size);
      auto odd = g.map(
          "odd", [](std::int64_t x) { return x % 2 == 1; }, i);
      auto image = painted(g, i, 20, 30);
      auto angle = g.uniform(0.f, 1.f);
      auto turned = g.if_else(
          odd, [&] { return painted(g, i, 20, 30, 5); }, [&] { return image; });
      auto small = g.map_into<Image>(
          "small", [](const Image& in, Image& out) { paint(out, 8, 8, in.at(0, 0, 0)); }, turned);
      return std::tuple{small, angle, i};
    });
    for (int warm = 0; warm < 2; ++warm) {
      for (const auto& batch : pipeline.epoch())
        EXPECT_EQ(batch.size(), static_cast<std::size_t>(batch_size));
    }
    const std::uint64_t taken = pipeline.stats().memory.system_allocations;
    const std::uint64_t before = testing::allocations();
    std::size_t samples = 0;
    for (const auto& batch : pipeline.epoch()) samples += batch.size();
    EXPECT_EQ(samples, static_cast<std::size_t>(10 * batch_size));
    // Blocks of batches: as many as can be under way (window / batch size + 1), made ready and
    // held; and those of a sample. The most that ever existed at once depends on thread timing, but
    // never on the samples.
    EXPECT_LE(pipeline.stats().memory.system_allocations - taken, 6u + 4u);
    return testing::allocations() - before;
  };
  const std::uint64_t small = allocations_of_a_warm_epoch(16);
  const std::uint64_t large = allocations_of_a_warm_epoch(256);
  EXPECT_LE(large, small + 60) << "10 batches of 16 took " << small
                               << " allocations, 10 of 256 took " << large;
  EXPECT_LE(large, 10 * 40u);
}

}  // namespace memory_test
}  // namespace sluice
