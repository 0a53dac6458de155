#include <sluice/runtime/random.h>

#include <array>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace sluice {
namespace random_test {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

// Known answers for philox4x32-10 as published with the Random123 library.
TEST(Philox, KnownAnswers) {
  struct Case {
    Counter counter;
    Key key;
    Counter answer;
  };
  const Case cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (const Case& c : cases) EXPECT_EQ(philox4x32(c.counter, c.key), c.answer);
}

TEST(Random, IsAFunctionOfItsKey) {
  Random a({.seed = 42, .epoch = 1, .sample = 2, .generator = 3});
  Random b({.seed = 42, .epoch = 1, .sample = 2, .generator = 3});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  const RandomKey base{.seed = 42, .epoch = 1, .sample = 2, .generator = 3};
  const std::uint32_t first = Random(base).next();
  for (int field = 0; field < 4; ++field) {
    RandomKey other = base;
    if (field == 0) other.seed += 1ull << 40;
    if (field == 1) ++other.epoch;
    if (field == 2) ++other.sample;
    if (field == 3) ++other.generator;
    EXPECT_NE(Random(other).next(), first) << "field " << field;
  }
}

TEST(Random, WordsAreItsDraws) {
  for (const std::uint64_t epoch : {std::uint64_t{1}, std::uint64_t{1} << 40}) {
    Random random({.seed = 42, .epoch = epoch, .sample = 2, .generator = 3});
    const RandomWords words = random.words();
    for (std::uint32_t i = 0; i < 11; ++i)
      EXPECT_EQ(random.next(), words.block(i / 4)[i % 4]) << "word " << i;
  }
}

TEST(Random, UniformStaysInItsRangeAndHasItsMean) {
  double sum = 0;
  for (std::uint32_t s = 0; s < 20000; ++s) {
    const float v = Random({.seed = 7, .sample = s}).uniform(10.f, 30.f);
    ASSERT_GE(v, 10.f);
    ASSERT_LT(v, 30.f);
    sum += v;
  }
  EXPECT_NEAR(sum / 20000, 20.0, 0.2);  // five standard errors
  EXPECT_EQ(Random({}).uniform(3.f, 3.f), 3.f);
}

TEST(Random, NormalHasItsMoments) {
  Random random({.seed = 9});
  double sum = 0, squares = 0;
  constexpr int n = 40000;
  for (int i = 0; i < n; ++i) {
    const double v = random.normal(5.f, 2.f);
    sum += v;
    squares += v * v;
  }
  const double mean = sum / n;
  EXPECT_NEAR(mean, 5.0, 0.05);
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean), 2.0, 0.04);
}

TEST(Random, BelowIsEvenlySpread) {
  Random random({.seed = 11});
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  double chi = 0;
  for (const int count : counts) chi += (count - 10000.0) * (count - 10000.0) / 10000.0;
  EXPECT_LT(chi, 22.46);  // chi-square, 6 degrees of freedom, p = 0.001
}

// Epochs, samples and repeats beyond 32 bits share no draws with the others.
TEST(Random, EveryBitOfItsKeyCounts) {
  const RandomKey base{.seed = 42, .epoch = 1, .sample = 2, .generator = 3};
  const auto first = [](const RandomKey& key) {
    Random random(key);
    return std::array{random.next(), random.next(), random.next(), random.next()};
  };
  std::set<std::array<std::uint32_t, 4>> drawn{first(base)};
  for (int bit = 0; bit < 64; ++bit) {
    RandomKey epoch = base, sample = base, repeat = base, both = base;
    epoch.epoch ^= std::uint64_t{1} << bit;
    sample.sample ^= std::uint64_t{1} << bit;
    repeat.repeat ^= std::uint64_t{1} << bit;
    both.sample = ~both.sample ^ std::uint64_t{1} << bit;
    both.repeat ^= std::uint64_t{1} << bit;
    for (const RandomKey& key : {epoch, sample, repeat, both})
      EXPECT_TRUE(drawn.insert(first(key)).second) << bit;
  }
}

// Iterations of nested loops in any order, and the code around them, share no seed.
TEST(Random, EachIterationHasASeedOfItsOwn) {
  std::set<std::uint64_t> seeds{77};
  constexpr std::uint64_t kWide = std::uint64_t{1} << 32;
  const std::uint64_t numbers[] = {0, 1, 2, 3, 1000, kWide, kWide + 1};
  for (const std::uint64_t a : numbers) {
    const std::uint64_t outer = seed_of_iteration(77, a);
    EXPECT_TRUE(seeds.insert(outer).second) << a;
    for (const std::uint64_t b : numbers)
      EXPECT_TRUE(seeds.insert(seed_of_iteration(outer, b)).second) << a << ", " << b;
  }
}

TEST(Random, WideIntegersLieBelowTheirBound) {
  Random narrow({.seed = 1}), wide({.seed = 1});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(wide.below64(1000), narrow.below(1000));
  constexpr std::uint64_t kBound = (std::uint64_t{1} << 33) + 1;
  int upper = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t x = wide.below64(kBound);
    ASSERT_LT(x, kBound);
    if (x > kBound / 2) ++upper;
  }
  EXPECT_NEAR(upper, 5000, 300);
}

}  // namespace random_test
}  // namespace sluice
