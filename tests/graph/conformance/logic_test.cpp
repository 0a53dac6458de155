// Logic on values: L6, L9 and L10 of tests/conformance.md. L1 to L5, and parts of L6 and L10, are
// in programs.json.
#include "tests/graph/conformance/setup.h"
#include <sluice/runtime/half.h>

#include <atomic>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace sluice::conformance {
namespace logic_test {

TEST(Logic, L6_ShortCircuitIsReal) {
  expect_same(
      "out of bounds",
      [](Graph& g) {
        auto list = g.constant(std::vector<int>{1, 1, 0});
        auto element = [&](std::size_t n) {
          return g.map(
              "element", [](const std::vector<int>& all, std::size_t k) { return all.at(k) == 1; },
              list, n);
        };
        return std::tuple{g.any_of(element(1), [&] { return element(42); }),
                          g.all_of(element(2), [&] { return element(42); }), given_idx(g)};
      },
      [](At a) {
        return std::tuple{true, false, a.idx};
      });
}

// The right side runs only for samples that reach it, even if it was described outside the
// callable.
TEST(Logic, L6_TheRightSideRunsOnlyWhereItIsNeeded) {
  for (const auto& predicate : kBools) {
    std::atomic<int> inside{0}, outside{0}, lefts{0};
    auto pipeline = make_pipeline({.batch_size = kBatch, .threads = 2}, [&](Graph& g) {
      auto left = given(g, predicate);
      auto right = g.map(
          "outside",
          [&](bool b) {
            ++outside;
            return b;
          },
          left);
      auto both = g.all_of(left, [&] {
        return g.map(
            "inside",
            [&](bool b) {
              ++inside;
              return b;
            },
            left);
      });
      return std::tuple{both, g.any_of(left, [&] { return right; })};
    });
    for (const auto& batch : pipeline.epoch()) {
      for (const bool b : batch.get<0>()) lefts += b ? 1 : 0;
    }
    EXPECT_EQ(inside, lefts) << predicate.name;
    EXPECT_EQ(outside, kSamples - lefts) << predicate.name;
  }
}

// An error of the right side belongs to the samples that reach it.
TEST(Logic, L9_AFaultOfTheRightSideCostsOnlyWhoReachesIt) {
  auto pipeline =
      make_pipeline({.batch_size = kBatch, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        auto left = given(g, kBools[2]);
        return g.all_of(left, [&] {
          return g.map(
              "right", [](bool) -> bool { throw std::runtime_error("right side"); }, left);
        });
      });
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.errors().size(), 4u);  // 0, 3, 6 and 9
    for (const auto& error : batch.errors()) EXPECT_EQ(error.id % 10 % 3, 0);
  }
}

template <class T>
void expect_not() {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    auto number = given(g, [](At a) {
      return static_cast<T>(a.i % 2 == 0 ? static_cast<T>(42) : static_cast<T>(0));
    });
    static_assert(std::is_same_v<decltype(!number), Value<bool>>);
    return !number;
  });
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k)
      EXPECT_EQ(batch.template get<0>()[k], k % 2 == 1);
  }
}

TEST(Logic, L10_NotTakesEveryNumberAndGivesABool) {
  expect_not<bool>();
  expect_not<std::uint8_t>();
  expect_not<std::uint16_t>();
  expect_not<std::uint32_t>();
  expect_not<std::uint64_t>();
  expect_not<std::int8_t>();
  expect_not<std::int16_t>();
  expect_not<std::int32_t>();
  expect_not<std::int64_t>();
  expect_not<Half>();
  expect_not<float>();
  expect_not<double>();
}

}  // namespace logic_test
}  // namespace sluice::conformance
