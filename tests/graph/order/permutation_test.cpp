#include "chi_square.h"
#include "tests/one_in.h"
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace permutation_test {

constexpr std::int64_t kMost = std::int64_t{1} << 62;

std::vector<std::int64_t> all_of(const Permutation& order) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < order.size(); ++i) numbers.push_back(order(i));
  return numbers;
}

TEST(Permutation, HasEachNumberOnce) {
  const std::int64_t step = testing::one_in(7, 31);
  for (std::int64_t n = 1; n <= 10'000; n += n < 300 ? 1 : step) {
    const Permutation order(n, {.seed = static_cast<std::uint64_t>(n) * 77, .epoch = 1});
    std::vector<bool> seen(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t x = order(i);
      ASSERT_TRUE(x >= 0 && x < n && !seen[static_cast<std::size_t>(x)]) << n << ", " << i;
      seen[static_cast<std::size_t>(x)] = true;
      if (n < 300) {
        ASSERT_EQ(order.inverse(x), i) << n;
      }
    }
  }
}

TEST(Permutation, IsUndoneByItsInverse) {
  Random random({.seed = 1});
  for (const std::int64_t n :
       {std::int64_t{1'000'000}, std::int64_t{1'000'000'007}, (std::int64_t{1} << 32) - 1,
        (std::int64_t{1} << 40) + 1, kMost / 2 + 1, kMost - 1, kMost}) {
    const Permutation order(n, {.seed = 5, .epoch = 6});
    for (int i = 0; i < 2000; ++i) {
      const auto place = static_cast<std::int64_t>(random.below64(static_cast<std::uint64_t>(n)));
      const std::int64_t x = order(place);
      ASSERT_TRUE(x >= 0 && x < n) << n;
      ASSERT_EQ(order.inverse(x), place) << n;
      ASSERT_EQ(order(order.inverse(place)), place) << n;
    }
  }
}

TEST(Permutation, AllOrdersOfAFewNumbersComeUpEquallyOften) {
  const std::size_t orders[] = {1, 1, 2, 6, 24, 120, 720};
  for (std::int64_t n = 2; n <= 6; ++n) {
    std::map<std::vector<std::int64_t>, double> seen;
    for (std::uint64_t seed = 0; seed < 60'000; ++seed) ++seen[all_of({n, {.seed = seed}})];
    std::vector<double> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    const std::size_t all = orders[static_cast<std::size_t>(n)];
    ASSERT_EQ(counts.size(), all) << n;
    EXPECT_LT(chi_square(counts), chi_square_limit(all - 1)) << n;
  }
}

// Counts which numbers are first and last, and which are neighbors, over seeds and epochs.
TEST(Permutation, AnyTwoNumbersComeUpTogetherEquallyOften) {
  const std::int64_t sizes[] = {7, 8, 16, 20, 33, 63, 64, 65, 100};
  for (std::size_t size = 0; size < std::size(sizes); size += std::size_t(testing::one_in(1, 4))) {
    const std::int64_t n = sizes[size];
    const std::int64_t places[][2] = {{0, 1}, {0, n - 1}, {0, n / 2}, {n / 2, n / 2 + 1}};
    for (const auto& place : places) {
      std::vector<double> counts(static_cast<std::size_t>(n * n));
      for (std::uint64_t i = 0; i < 100'000; ++i) {
        const Permutation order(n, {.seed = i % 300, .epoch = i / 300});
        ++counts[static_cast<std::size_t>(order(place[0]) * n + order(place[1]))];
      }
      std::vector<double> pairs;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if (i % static_cast<std::size_t>(n + 1) == 0) {
          ASSERT_EQ(counts[i], 0);
        } else {
          pairs.push_back(counts[i]);
        }
      }
      EXPECT_LT(chi_square(pairs), chi_square_limit(pairs.size() - 1))
          << n << ": " << place[0] << ", " << place[1];
    }
  }
}

// Within one order: where numbers go, where neighbors go, and how far.
TEST(Permutation, ALongOrderIsWellSpread) {
  for (const std::int64_t n : {100'000, 131'072, 131'073, 1'281'167}) {
    const Permutation order(n, {.seed = 42, .epoch = 7});
    std::vector<double> places(400), neighbors(400), distances(20);
    const auto twentieth = [n](std::int64_t x) { return static_cast<std::size_t>(x * 20 / n); };
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      const std::int64_t x = order(i);
      ++places[twentieth(i) * 20 + twentieth(x)];
      ++neighbors[twentieth(x) * 20 + twentieth(order(i + 1))];
      ++distances[twentieth((x - i + n) % n)];
    }
    EXPECT_LT(chi_square(places), chi_square_limit(399)) << n;
    EXPECT_LT(chi_square(neighbors), chi_square_limit(399)) << n;
    EXPECT_LT(chi_square(distances), chi_square_limit(19)) << n;
  }
}

TEST(Permutation, EveryBitOfSeedAndEpochCounts) {
  std::set<std::vector<std::int64_t>> seen{all_of({100, {.seed = 3, .epoch = 4}})};
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t flip = std::uint64_t{1} << bit;
    EXPECT_TRUE(seen.insert(all_of({100, {.seed = 3 ^ flip, .epoch = 4}})).second) << bit;
    EXPECT_TRUE(seen.insert(all_of({100, {.seed = 3, .epoch = 4 ^ flip}})).second) << bit;
  }
}

// Checkpoints rely on these numbers: they must be the same in every version and on every machine.
TEST(Permutation, StaysAsItIs) {
  struct Case {
    std::int64_t n;
    ShuffleKey key;
    std::array<std::int64_t, 5> first;
  };
  const Case cases[] = {
      {5, {.seed = 0u, .epoch = 0u}, {0, 1, 2, 4, 3}},
      {10, {.seed = 42u, .epoch = 0u}, {1, 0, 9, 8, 2}},
      {10, {.seed = 42u, .epoch = 1u}, {2, 0, 6, 5, 1}},
      {100, {.seed = 1u, .epoch = 2u}, {12, 96, 46, 22, 99}},
      {1000, {.seed = 42u, .epoch = 3u}, {554, 741, 289, 628, 85}},
      {1281167, {.seed = 42u, .epoch = 0u}, {535392, 751350, 870417, 826233, 214575}},
      {1000000007,
       {.seed = 18446744073709551615u, .epoch = 5u},
       {565919961, 323916304, 630712265, 117426591, 335709619}},
      {kMost,
       {.seed = 42u, .epoch = 1099511627776u},
       {80967818188604400, 4185498773148898303, 4453841569448177, 2274853906569066856,
        2776523891810627116}},
  };
  for (const Case& c : cases) {
    const Permutation order(c.n, c.key);
    for (std::size_t i = 0; i < c.first.size(); ++i)
      EXPECT_EQ(order(static_cast<std::int64_t>(i)), c.first[i]) << c.n << ", " << i;
  }
}

std::string error_of(std::int64_t n, std::int64_t place) {
  try {
    (void)Permutation(n, {})(place);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Permutation, RefusesWhatCannotBe) {
  EXPECT_EQ(error_of(-1, 0),
            "a permutation of -1 numbers; give a number from 0 to 2^62 (4611686018427387904)");
  EXPECT_EQ(error_of(kMost + 1, 0),
            "a permutation of 4611686018427387905 numbers; give a number from 0 to "
            "2^62 (4611686018427387904)");
  EXPECT_EQ(error_of(7, 7), "Permutation: there is no place 7 among 7; they are counted from 0");
  EXPECT_EQ(error_of(7, -1), "Permutation: there is no place -1 among 7; they are counted from 0");
  EXPECT_EQ(error_of(0, 0), "Permutation: there is no place 0 among 0; they are counted from 0");
  EXPECT_EQ(error_of(7, 6), "no error");
}

}  // namespace permutation_test
}  // namespace sluice
