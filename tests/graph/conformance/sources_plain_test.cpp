// X50 to X58: the results of sources without threads of their own; see tests/conformance.md.
#include "tests/graph/conformance/sources.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sluice::conformance {
namespace sources_plain_test {

TEST(PlainSources, X50_OneOutputOrSeveralAloneOrTogether) {
  for (const Mode mode : {Mode::plain, Mode::batches, Mode::values}) {
    for (const std::int64_t count : {1, 9, 50}) {
      auto one = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
        return give(g, mode, 0, count, [](std::int64_t i, std::int64_t) { return 3 * i; });
      });
      auto two = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
        auto [a, b] = give(g, mode, 0, count, [](std::int64_t i, std::int64_t) {
          return std::tuple{2 * i, std::vector<std::int64_t>{i}};
        });
        return a + g.map(
                       "first", [](const std::vector<std::int64_t>& v) { return v[0]; }, b);
      });
      const auto all = epoch_of(one).all();
      EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(epoch_of(two).all(), all);
      EXPECT_EQ(all.back(), 3 * (count - 1));
      EXPECT_EQ(one.samples(), count);
    }
  }
}

TEST(PlainSources, X51_CollectionsInLockStep) {
  const std::vector<int> a = {1, 2, 3, 4, 5};
  const std::vector<std::string> b = {"a", "b", "c", "d", "e"};
  auto pipeline = make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
    auto x = g.read(values_of(a));
    return g.map(
        "both", [](int n, const std::string& s) { return s + std::to_string(n); }, x,
        g.read(values_of(b)));
  });
  for (int epoch = 0; epoch < 3; ++epoch) {
    EXPECT_EQ(epoch_of(pipeline).all(), (std::vector<std::string>{"a1", "b2", "c3", "d4", "e5"}));
  }
}

TEST(PlainSources, X52_TheNumberOfTheCall) {
  for (int p = 0; p < 10; ++p) {
    auto pipeline = make_pipeline({.batch_size = 3, .threads = 2},
                                  [](Graph& g) { return g.source(30, info_row); });
    std::int64_t next = 0;
    for (const Row& row : epoch_of(pipeline).all()) {
      EXPECT_EQ(row[0], next++);
      EXPECT_EQ(row[0], 3 * row[2] + row[1]);
    }
    EXPECT_EQ(next, 30);
  }
}

TEST(PlainSources, X53_AnArrayIsGoneThroughBySamples) {
  const std::array<float, 4> array = {1.f, 2.f, 3.f, 4.f};
  auto pipeline = make_pipeline({.batch_size = 3, .threads = 1}, [&](Graph& g) {
    auto x = g.read(values_of(array, {.cycle = Cycle::quiet}));
    return g.map(
        "x", [](float v, std::int64_t) { return v; }, x, indices(g, 6));
  });
  EXPECT_EQ(epoch_of(pipeline).all(), (std::vector<float>{1.f, 2.f, 3.f, 4.f, 1.f, 2.f}));
}

// The user's memory goes back to him when the last handle on it goes: he keeps count of nothing.
TEST(PlainSources, X55_NoCopyWithADeleter) {
  for (const Mode mode : kModes) {
    for (const bool tensor : {false, true}) {
      const auto lent = std::make_shared<std::atomic<int>>(0);
      const auto lend = [lent](std::size_t size) {
        ++*lent;
        return std::shared_ptr<void>(std::malloc(size), [lent](void* memory) {
          std::free(memory);
          --*lent;
        });
      };
      std::optional<Batch<Bytes>> bytes;
      std::optional<Batch<Tensor>> tensors;
      constexpr std::size_t kSize = 1000;
      if (tensor) {
        auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
          return give(g, mode, 3, 64, [lend](std::int64_t i, std::int64_t) {
            const std::shared_ptr<void> memory = lend(kSize);
            auto* at = static_cast<std::byte*>(memory.get());
            std::fill_n(at, kSize, static_cast<std::byte>(i));
            return Tensor::shared(memory, at, {.shape = Shape{kSize}, .dtype = DType::u8});
          });
        });
        auto run = pipeline.epoch();
        tensors = run.next();
        while (run.next()) {
        }
      } else {
        auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
          return give(g, mode, 3, 64, [lend](std::int64_t i, std::int64_t) {
            const std::shared_ptr<void> memory = lend(kSize);
            auto* at = static_cast<std::uint8_t*>(memory.get());
            std::fill_n(at, kSize, static_cast<std::uint8_t>(i));
            return Bytes::shared(memory, {at, kSize});
          });
        });
        auto run = pipeline.epoch();
        bytes = run.next();
        while (run.next()) {
        }
      }
      if (bytes) {
        EXPECT_EQ(*lent, 4) << static_cast<int>(mode);  // those of the kept batch
        for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(bytes->get<0>()[i].data()[kSize - 1], i);
      } else {
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_EQ(tensors->get<0>()[i].data<std::uint8_t>()[kSize - 1], i);
      }
      bytes.reset();
      tensors.reset();
      EXPECT_EQ(*lent, 0) << static_cast<int>(mode);
    }
  }
}

// It is not reported, and does no harm.
TEST(PlainSources, X57_AnOutputThatNobodyUses) {
  for (const Mode mode : kModes) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
      auto [a, unused] = give(g, mode, 2, 10, [](std::int64_t i, std::int64_t) {
        return std::tuple{i, std::string(100, 'x')};
      });
      (void)unused;
      return a;
    });
    EXPECT_EQ(epoch_of(pipeline).all().size(), 10u);
  }
}

// The pipeline decides which samples belong to a batch, so groups may have any size.
TEST(PlainSources, X58_GroupsOfDifferentSize) {
  auto pipeline = make_pipeline({.batch_size = 5, .threads = 2, .window = 5}, [](Graph& g) {
    const auto group_of = [&](std::int64_t size) {
      return g.read(batches_of(23, size, [](const BatchInfo& info) {
        std::vector<std::int64_t> all;
        for (const SampleKey& key : info.keys) all.push_back(key.index);
        return all;
      }));
    };
    auto a = group_of(3);
    auto b = group_of(1);
    return a * 10'000 + b * 100 + group_of(16);
  });
  std::int64_t next = 0;
  for (const std::int64_t i : epoch_of(pipeline).all()) EXPECT_EQ(i, 10'101 * next++);
  EXPECT_EQ(next, 23);
}

}  // namespace sources_plain_test
}  // namespace sluice::conformance
