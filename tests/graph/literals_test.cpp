// A constant beside a Value of another type takes that type, if nothing is lost. An operator's
// parameter accepts Values of other types.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace literals_test {

template <class T>
Value<T> number(Graph& g, T first = 0) {
  return g.source(4, [first](const SampleInfo& info) {
    return static_cast<T>(first + static_cast<T>(info.index_in_epoch));
  });
}

// Returns the values of the only column.
template <class T, class Describe>
std::vector<T> all_of_column(Describe describe) {
  Pipeline<T> pipeline = make_pipeline({.batch_size = 4, .threads = 2}, describe);
  std::vector<T> all;
  for (const auto& [column] : pipeline.epoch()) all.assign(column.begin(), column.end());
  return all;
}

template <class T>
void expect_zero_in_either_branch() {
  const auto with = [](auto then, auto otherwise) {
    return all_of_column<T>([=](Graph& g) {
      auto x = number<T>(g, 1);
      return g.if_else(x > 2, then(x), otherwise(x));
    });
  };
  const auto value = [](auto x) { return x; };
  const auto zero = [](auto) { return 0; };
  const auto callable = [](auto) { return [] { return 0; }; };
  EXPECT_EQ(with(value, zero), (std::vector<T>{0, 0, 3, 4}));
  EXPECT_EQ(with(zero, value), (std::vector<T>{1, 2, 0, 0}));
  EXPECT_EQ(with(value, callable), (std::vector<T>{0, 0, 3, 4}));
}

TEST(Literals, ZeroBesideAValueOfAnyNumber) {
  expect_zero_in_either_branch<std::int64_t>();
  expect_zero_in_either_branch<int>();
  expect_zero_in_either_branch<std::uint8_t>();
  expect_zero_in_either_branch<float>();
  expect_zero_in_either_branch<double>();
}

TEST(Literals, AFractionBesideAFloatIsRounded) {
  const auto got = all_of_column<float>([](Graph& g) {
    auto x = number<float>(g);
    return g.if_else(x > 1, x, 0.1);
  });
  EXPECT_EQ(got, (std::vector<float>{0.1f, 0.1f, 2, 3}));
}

TEST(Literals, InAllBranchesOfASelect) {
  const auto got = all_of_column<std::int64_t>([](Graph& g) {
    auto x = number<std::int64_t>(g);
    return g.select(
        x, 10, [&] { return x; }, 'a', [] { return 13u; });
  });
  EXPECT_EQ(got, (std::vector<std::int64_t>{10, 1, 'a', 13}));
}

TEST(Literals, WithinStructures) {
  const auto got = all_of_column<double>([](Graph& g) {
    auto x = number<double>(g);
    auto whole = number<int>(g);
    auto [a, rest] = g.if_else(
        x > 1,
        [&] {
          return std::tuple{x, std::pair{1, whole}};
        },
        [&] {
          return std::tuple{7, std::pair{whole, 2}};
        });
    return a + rest.first * 10 + rest.second * 100;
  });
  EXPECT_EQ(got, (std::vector<double>{207, 217, 212, 313}));
}

TEST(Literals, StringsAreStdStrings) {
  const auto got = all_of_column<std::string>([](Graph& g) {
    auto x = number<int>(g);
    auto name = g.map(
        "name", [](int i) { return std::to_string(i); }, x);
    return g.select(
        x, "zero", [&] { return name; }, [] { return "two"; }, [] { return std::string("three"); });
  });
  EXPECT_EQ(got, (std::vector<std::string>{"zero", "1", "two", "three"}));
}

// Runs for_loop over 0, 1, 2 from a state that begins with int constants.
TEST(Literals, AsTheStateOfALoop) {
  const auto sum = all_of_column<std::int64_t>([](Graph& g) {
    return g.for_loop(number<std::int64_t>(g), 0, [](auto i, auto s) { return s + i; });
  });
  EXPECT_EQ(sum, (std::vector<std::int64_t>{0, 0, 1, 3}));

  const auto named = all_of_column<std::int64_t>([](Graph& g) {
    return g.for_loop(number<std::int64_t>(g), 0,
                      [](Value<std::int64_t> i, Value<std::int64_t> s) { return s + i; });
  });
  EXPECT_EQ(named, sum);

  const auto halves = all_of_column<double>([](Graph& g) {
    (void)number<double>(g);
    return g.while_loop(
        1, [](auto x) { return x > 0.3; }, [](auto x) { return x * 0.5; });
  });
  EXPECT_EQ(halves, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
}

TEST(Literals, BesideAValueInTheStateOfALoop) {
  const auto fibonacci = all_of_column<std::int64_t>([](Graph& g) {
    auto n = number<std::int64_t>(g, 5);
    auto [a, b, steps] = g.for_loop(n, std::tuple{0, 1, n}, [](auto i, auto x, auto y, auto) {
      return std::tuple{y, x + y, i};
    });
    return a + b * 0 + steps * 0;
  });
  EXPECT_EQ(fibonacci, (std::vector<std::int64_t>{5, 8, 13, 21}));

  // The types of the first and second element follow only from elements that follow from the third.
  const auto chain = all_of_column<std::int64_t>([](Graph& g) {
    auto [a, b, c] = g.for_loop(number<std::int64_t>(g, 3), std::tuple{0, 0, 0},
                                [](auto i, auto, auto y, auto z) {
                                  return std::tuple{y, z, z + i};
                                });
    return a + b * 0 + c * 0;
  });
  EXPECT_EQ(chain, (std::vector<std::int64_t>{0, 1, 3, 6}));
}

TEST(Literals, InTheStateOfALoopThatCollects) {
  Pipeline<std::int64_t, std::vector<std::int64_t>> pipeline =
      make_pipeline({.batch_size = 4}, [](Graph& g) {
        return g.for_loop_collect(number<std::int64_t>(g), 0, [](auto i, auto s) {
          return std::tuple{s + i, s};
        });
      });
  for (const auto& [last, all] : pipeline.epoch()) {
    EXPECT_EQ(last[3], 3);
    EXPECT_EQ(all[3], (std::vector<std::int64_t>{0, 0, 1}));
  }
}

// --- Constants that do not fit are refused. ---

template <class Describe>
std::string refusal(Describe describe) {
  try {
    (void)make_pipeline({}, describe);
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

struct Refused {
  std::function<Value<std::uint8_t>(Graph&)> describe;
  const char* message;
};

TEST(Literals, AConstantThatDoesNotFitIsRefused) {
  const Refused all[] = {
      {[](Graph& g) {
         auto x = number<std::uint8_t>(g);
         return g.if_else(x > 1, x, 256);
       },
       "the branch 'otherwise' of 'if_else' gives the constant 256, which does not fit type 'u8'; "
       "give one that fits, or convert the values with cast"},
      {[](Graph& g) {
         auto x = number<std::uint8_t>(g);
         return g.select(x, -1, x);
       },
       "the branch 'branch 0' of 'select' gives the constant -1, which does not fit type 'u8'; "
       "give "
       "one that fits, or convert the values with cast"},
      {[](Graph& g) {
         auto x = number<std::uint8_t>(g);
         return g.for_loop(2, 300, [&](auto, auto) { return x; });
       },
       "'for_loop' begins with the constant 300, which does not fit type 'u8'; give one that fits, "
       "or convert the values with cast"},
  };
  for (const Refused& one : all) EXPECT_EQ(refusal(one.describe), one.message);
}

TEST(Literals, WhichNumbersAreOfWhichType) {
  using detail::is_number_of;
  constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(is_number_of<std::int64_t>(5));
  EXPECT_TRUE(is_number_of<float>(1 << 24));
  EXPECT_FALSE(is_number_of<float>((1 << 24) + 1));
  EXPECT_FALSE(is_number_of<double>(kLarge));
  EXPECT_TRUE(is_number_of<double>(std::numeric_limits<std::int64_t>::min()));
  EXPECT_FALSE(is_number_of<int>(kLarge));
  EXPECT_FALSE(is_number_of<std::uint64_t>(std::int64_t{-1}));
  EXPECT_FALSE(is_number_of<std::int64_t>(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(is_number_of<int>(2.0));
  EXPECT_FALSE(is_number_of<int>(2.5));
  EXPECT_FALSE(is_number_of<int>(2147483648.0));
  EXPECT_TRUE(is_number_of<int>(-2147483648.0));
  EXPECT_FALSE(is_number_of<int>(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(is_number_of<std::uint8_t>(-1.0));
  EXPECT_TRUE(is_number_of<float>(0.1));
  EXPECT_FALSE(is_number_of<float>(1e300));
  EXPECT_TRUE(is_number_of<float>(std::numeric_limits<double>::infinity()));
}

// --- Parameters ---

template <class T>
Value<T> echo(Graph& g, Param<T> parameter) {
  return g.map(
      "echo", [](T x) { return x; }, parameter);
}

TEST(Params, TakeValuesOfOtherNumbers) {
  const auto angles =
      all_of_column<float>([](Graph& g) { return echo<float>(g, number<double>(g) + 0.1); });
  EXPECT_EQ(angles, (std::vector<float>{0.1f, 1.1f, 2.1f, 3.1f}));
  EXPECT_EQ(all_of_column<float>([](Graph& g) { return echo<float>(g, number<std::int64_t>(g)); }),
            (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(all_of_column<int>([](Graph& g) { return echo<int>(g, number<std::int64_t>(g)); }),
            (std::vector<int>{0, 1, 2, 3}));
}

TEST(Params, AValueThatDoesNotFitIsTheErrorOfItsSample) {
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    return echo<int>(g, number<std::int64_t>(g, 2147483646));
  });
  for (const auto& batch : pipeline.epoch()) {
    ASSERT_EQ(batch.size(), 2u);
    EXPECT_EQ(batch.get<0>()[1], 2147483647);
    ASSERT_EQ(batch.errors().size(), 2u);
    EXPECT_EQ(batch.errors()[0].what, "the number 2147483648 does not fit type 'i32'");
  }
}

TEST(Params, AConstantThatDoesNotFitIsRefused) {
  try {
    Param<int> size = 2.5;
    ADD_FAILURE() << "a size of " << size.constant();
  } catch (const BuildError& error) {
    EXPECT_STREQ(error.what(),
                 "an operator's parameter is the constant 2.5, which does not fit type 'i32'; give "
                 "one that fits, or convert the values with cast");
  }
  EXPECT_THROW(Param<std::uint8_t>(256), BuildError);
  EXPECT_EQ(Param<int>(2.0).constant(), 2);
  EXPECT_EQ(Param<float>(0.1).constant(), 0.1f);
}

}  // namespace literals_test
}  // namespace sluice
