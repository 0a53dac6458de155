// The record of one sample: its values are always destroyed, and its error is always there.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <array>
#include <cstdint>
#include <exception>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace sample_test {

struct SilentError : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

TEST(Sample, AnExceptionWithoutWordsIsThatSamplesError) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    return g.map(
        "step",
        [](std::int64_t x) {
          if (x == 2) throw SilentError();
          return x;
        },
        indices(g, 4));
  });
  auto epoch = pipeline.epoch();
  try {
    (void)epoch.next();
    FAIL();
  } catch (const BatchError& error) {
    ASSERT_EQ(error.errors().size(), 1u);
    EXPECT_EQ(error.errors()[0].id, 2);
    EXPECT_EQ(error.errors()[0].step, "step");
    EXPECT_EQ(error.errors()[0].what, "threw an exception whose what() is null");
  }
}

// A large index and a repeat of a small one are different samples.
TEST(Sample, EachKeyHasRandomNumbersOfItsOwn) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) { return indices(g, 4); });
  sluice::detail::Sample sample(pipeline.plan());
  constexpr std::int64_t kWide = std::int64_t{1} << 32;
  std::set<std::array<std::uint32_t, 2>> drawn;
  for (const std::int64_t index : {std::int64_t{0}, std::int64_t{1}, kWide, kWide + 1, 3 * kWide}) {
    for (const std::int64_t repeat : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, kWide}) {
      sample.begin({.epoch = 0, .index = index, .repeat = repeat}, 0, 42, 4);
      Random random(sample.random_key(0));
      const std::uint32_t first = random.next();
      EXPECT_TRUE(drawn.insert({first, random.next()}).second) << index << ", " << repeat;
    }
  }
}

TEST(Sample, AnErrorNeedsNoMemory) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) {
    return g.map(
        "a step with a name that is longer than a short string",
        [](std::int64_t x) {
          if (x == 2) throw std::bad_alloc();
          return x;
        },
        indices(g, 4));
  });
  const detail::Plan& plan = pipeline.plan();
  sluice::detail::Sample sample(plan);
  sample.begin({.epoch = 7, .index = 2}, 3, 5, 4);
  {
    const testing::FailingAllocations fails(1, 1000);
    sample.fail("a step with a name that is longer than a short string",
                "words that are longer than a short string");
    EXPECT_TRUE(testing::FailingAllocations::reached());
  }
  ASSERT_NE(sample.error(), nullptr);
  EXPECT_TRUE(sample.failed());
  EXPECT_TRUE(sample.ended());
  EXPECT_EQ(sample.error()->id, 2);  // in the epoch
  EXPECT_EQ(sample.error()->key, (SampleKey{7, 2}));
  EXPECT_EQ(sample.error()->seed, 5u);
  EXPECT_EQ(sample.error()->what, "out of memory");
}

struct Counted {
  static inline int alive = 0;
  static inline int left = 0;  // how many may still be made
  Counted() {
    if (left == 0) throw std::runtime_error("no more");
    --left;
    ++alive;
  }
  Counted(const Counted&) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};

TEST(Sample, ValuesAreDestroyedWhenAnotherOnesConstructorThrows) {
  for (int left = 0; left < 6; ++left) {
    Counted::left = left;
    EXPECT_THROW(
        (void)make_pipeline(
            {.batch_size = 2, .threads = 1},
            [](Graph& g) {
              auto i = indices(g, 4);
              const auto make = [](std::int64_t) { return Counted(); };
              return std::tuple{g.map("a", make, i), g.map("b", make, i), g.map("c", make, i)};
            }),
        std::runtime_error);
    EXPECT_EQ(Counted::alive, 0) << left;
  }
}

}  // namespace sample_test
}  // namespace sluice
