// Failing memory: the n-th allocation fails, or the n-th and those after it, while a pipeline is
// built, runs and ends. Each failure is an error of a sample or of the run. Nothing is lost
// silently, and the pipeline can be used again.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include "tests/in_child.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace failing_memory_test {

using testing::FailingAllocations;

constexpr std::int64_t kSamples = 24;
// More allocations than any of these programs makes; the loops end earlier.
constexpr std::uint64_t kMost = 20'000;

struct Words {
  std::string text;
  std::int64_t value = 0;
};

// A bit of everything: a conditional, a loop, pixels in place, values that allocate.
auto program(Graph& g) {
  auto i = indices(g, kSamples);
  auto image = g.map_into<Image>(
      "paint",
      [](std::int64_t x, Image& out) {
        out.create(4, 4, 3);
        std::fill_n(out.data(), 48, static_cast<std::uint8_t>(x));
      },
      i);
  auto doubled = g.for_loop(3, i, [](auto, auto x) { return x + 1; });
  auto words = g.if_else(
      i % 2 == 0,
      [&] {
        return g.map(
            "words",
            [](std::int64_t x) {
              return Words{"a text that is too long to be kept without memory", x};
            },
            doubled);
      },
      [&] {
        return g.map(
            "other words",
            [](std::int64_t x) {
              return Words{std::string(100, 'x'), x};
            },
            doubled);
      });
  return std::tuple{i, image, words};
}

using Program = Pipeline<std::int64_t, Image, Words>;

Program build(OnError policy) {
  return make_pipeline({.batch_size = 5, .threads = 2, .on_error = policy}, program);
}

// Runs an epoch to its end. Every sample is delivered whole or its error is reported, or the epoch
// reports that it broke off. Returns the number of delivered samples.
std::int64_t take(Program& pipeline, bool& broke_off) {
  std::int64_t delivered = 0, told = 0;
  broke_off = false;
  try {
    auto epoch = pipeline.epoch();
    while (true) {
      try {
        auto batch = epoch.next();
        if (!batch) break;
        for (std::size_t k = 0; k < batch->size(); ++k) {
          const std::int64_t i = batch->get<0>()[k];
          if (batch->replaced().empty()) {
            EXPECT_EQ(i, batch->ids()[k]);
          }
          EXPECT_EQ(batch->get<1>()[k].at(3, 3, 2), i);
          EXPECT_EQ(batch->get<2>()[k].value, i + 3);
        }
        delivered += static_cast<std::int64_t>(batch->size());
        EXPECT_EQ(batch->errors().size(), batch->missing().size() + batch->replaced().size());
        told += static_cast<std::int64_t>(batch->missing().size());
        for (const SampleError& error : batch->errors()) EXPECT_FALSE(error.what.empty());
      } catch (const BatchError& error) {
        EXPECT_FALSE(error.errors().empty());
      }
    }
  } catch (const std::bad_alloc&) {
    broke_off = true;
  }
  if (!broke_off) {
    EXPECT_EQ(delivered + told, kSamples);
  }
  return delivered;
}

void take_whole(Program& pipeline) {
  bool broke_off = false;
  EXPECT_EQ(take(pipeline, broke_off), kSamples);
  EXPECT_FALSE(broke_off);
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
  EXPECT_TRUE(pipeline.stats().total.balanced());
}

struct Shortage {
  std::uint64_t in_a_row;
  FailingAllocations::Of of;

  friend std::ostream& operator<<(std::ostream& out, const Shortage& s) {
    return out << (s.in_a_row == 1 ? "One" : "Several")
               << (s.of == FailingAllocations::Of::all ? "OfAll" : "OfNew");
  }
};
class FailingMemory : public ::testing::TestWithParam<Shortage> {
 protected:
  // Calls trial(n) until no allocation fails any more.
  template <class Trial>
  static void for_each_failure(const Trial& trial) {
    std::uint64_t n = 1;
    for (; n < kMost; ++n) {
      trial(n);
      testing::tried("no-memory");
      if (!FailingAllocations::reached() || HasFailure()) break;
    }
    EXPECT_GT(n, 1u);
    EXPECT_LT(n, kMost);
  }
};

TEST_P(FailingMemory, WhileAPipelineIsBuilt) {
  const Shortage shortage = GetParam();
  (void)build(OnError::skip);  // oneTBB keeps its first allocations
  const std::int64_t before = testing::live_allocations();
  for_each_failure([&](std::uint64_t n) {
    std::optional<Program> pipeline;
    try {
      const FailingAllocations fails(n, shortage.in_a_row, shortage.of);
      pipeline.emplace(build(OnError::skip));
    } catch (const std::bad_alloc&) {
    } catch (const Error&) {
    }
    if (pipeline) take_whole(*pipeline);
  });
  EXPECT_LT(testing::live_allocations(), before + 200);
}

TEST_P(FailingMemory, WhileItRuns) {
  const Shortage shortage = GetParam();
  for (const OnError policy : {OnError::fail, OnError::skip, OnError::replace}) {
    auto pipeline = build(policy);
    bool broke_off = false;
    for_each_failure([&](std::uint64_t n) {
      {
        const FailingAllocations fails(n, shortage.in_a_row, shortage.of);
        take(pipeline, broke_off);
      }
      EXPECT_TRUE(pipeline.stats().epoch.balanced()) << to_string(pipeline.stats().epoch);
      take_whole(pipeline);
    });
  }
}

TEST_P(FailingMemory, WhileItEnds) {
  const Shortage shortage = GetParam();
  for (std::uint64_t n = 1; n < 30; ++n) {
    std::optional<Program> pipeline(build(OnError::skip));
    auto epoch = std::make_unique<Epoch<std::int64_t, Image, Words>>(pipeline->epoch());
    const auto batch = epoch->next();
    const FailingAllocations fails(n, shortage.in_a_row, shortage.of);
    if (n % 2 == 0) epoch.reset();
    pipeline.reset();
  }
}

// Uses a new process each time, because oneTBB initializes itself once.
TEST(FailingMemoryAtFirst, OneTbbIsSetUpOrSaidToBeOfNoUse) {
  const auto try_twice = [](std::uint64_t n) -> std::string {
    try {
      const FailingAllocations fails(n);
      (void)build(OnError::skip);
    } catch (const std::bad_alloc&) {
    } catch (const Error&) {
    }
    if (!FailingAllocations::reached()) return "not reached";
    try {
      auto pipeline = build(OnError::skip);
      take_whole(pipeline);
      return ::testing::Test::HasFailure() ? "samples are missing" : "works";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const auto step = static_cast<std::uint64_t>(testing::one_in(3, 7));  // each is a process
  std::uint64_t n = 1;
  for (std::string said; n < kMost; n += step) {
    said = testing::in_child([&] { return try_twice(n); });
    if (said == "not reached") break;
    if (said != "works") {
      EXPECT_EQ(said,
                "oneTBB got no memory when it was first used, and cannot be used again in this "
                "process; start the program again");
    }
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(n, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, FailingMemory,
                         ::testing::Values(Shortage{1, FailingAllocations::Of::operator_new},
                                           Shortage{25, FailingAllocations::Of::operator_new},
                                           Shortage{1, FailingAllocations::Of::all},
                                           Shortage{25, FailingAllocations::Of::all}),
                         ::testing::PrintToStringParamName());

}  // namespace failing_memory_test
}  // namespace sluice
