// Arithmetic where C++ leaves open what happens: it wraps around, or is the error of its sample.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace arithmetic_test {

// What op gives for each x: a number, or the error of the sample.
template <class X, class Op>
auto results_of(const std::vector<X>& xs, Op op) {
  auto pipeline =
      make_pipeline({.batch_size = 2, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
        auto x = g.source(static_cast<std::int64_t>(xs.size()), [&xs](const SampleInfo& info) {
          return xs[static_cast<std::size_t>(info.index_in_epoch)];
        });
        return op(g, x);
      });
  std::vector<std::string> all(xs.size());
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.ids().size(); ++k)
      all[static_cast<std::size_t>(batch.ids()[k])] = std::to_string(batch.template get<0>()[k]);
    for (const SampleError& error : batch.errors())
      all[static_cast<std::size_t>(error.id)] = error.what;
  }
  return all;
}

using Texts = std::vector<std::string>;
const std::string kTooLarge =
    "integer division of the smallest number by -1: the result does not fit into the type";
const std::string kByZero = "integer division by zero";

// As an int at least, so that the narrow types have a result.
template <class T>
void divide_the_smallest(const std::string& quotient, const std::string& remainder) {
  constexpr T kMin = std::numeric_limits<T>::min();
  const std::vector<T> xs{kMin, static_cast<T>(kMin + 1), 7};
  const auto divided = results_of(xs, [](Graph&, auto x) { return x / T{-1}; });
  const auto left = results_of(xs, [](Graph&, auto x) { return x % T{-1}; });
  EXPECT_EQ(divided, (Texts{quotient, std::to_string(std::numeric_limits<T>::max()), "-7"}));
  EXPECT_EQ(left, (Texts{remainder, "0", "0"}));
  const auto by_value = results_of(
      std::vector<T>{-1, 0, 1}, [](Graph&, auto y) { return std::numeric_limits<T>::min() / y; });
  EXPECT_EQ(by_value, (Texts{quotient, kByZero, std::to_string(kMin)}));
}

TEST(Arithmetic, ADivisionWithoutAResultIsTheErrorOfItsSample) {
  divide_the_smallest<std::int8_t>("128", "0");
  divide_the_smallest<std::int16_t>("32768", "0");
  divide_the_smallest<std::int32_t>(kTooLarge, kTooLarge);
  divide_the_smallest<std::int64_t>(kTooLarge, kTooLarge);
}

TEST(Arithmetic, OnlyTheTypeOfTheResultDecides) {
  constexpr int kMin = std::numeric_limits<int>::min();
  EXPECT_EQ(results_of(std::vector<int>{kMin}, [](Graph&, auto x) { return x / std::int64_t{-1}; }),
            Texts{"2147483648"});
  EXPECT_EQ(results_of(std::vector<int>{kMin}, [](Graph&, auto x) { return x / 4294967295u; }),
            Texts{"0"});
  EXPECT_EQ(results_of(std::vector<int>{kMin}, [](Graph&, auto x) { return x / -1.0; }),
            Texts{"2147483648.000000"});
}

TEST(Arithmetic, WholeNumbersWrapAround) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::vector<std::int64_t> xs{kMax, kMin};
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return x + 1; }),
            (Texts{std::to_string(kMin), std::to_string(kMin + 1)}));
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return x - 1; }),
            (Texts{std::to_string(kMax - 1), std::to_string(kMax)}));
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return x * 3; }),
            (Texts{std::to_string(kMax - 2), std::to_string(kMin)}));
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return -x; }),
            (Texts{std::to_string(-kMax), std::to_string(kMin)}));
  EXPECT_EQ(results_of(std::vector<int>{std::numeric_limits<int>::max()},
                       [](Graph&, auto x) { return x + x; }),
            Texts{"-2"});
  // Both become an int, which holds no such product.
  EXPECT_EQ(results_of(std::vector<std::uint16_t>{65535}, [](Graph&, auto x) { return x * x; }),
            Texts{"-131071"});
  EXPECT_EQ(results_of(std::vector<std::uint32_t>{0}, [](Graph&, auto x) { return x - 1u; }),
            Texts{"4294967295"});
  EXPECT_EQ(results_of(std::vector<double>{0.0}, [](Graph&, auto x) { return -x; }),
            Texts{"-0.000000"});
}

TEST(Arithmetic, ACastThatDoesNotFitIsTheErrorOfItsSample) {
  const auto refuses = [](const std::string& number, const std::string& type) {
    return "cast: " + number + " does not fit into '" + type +
           "'; clamp it, or cast to a wider type";
  };
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(results_of(std::vector<double>{2147483647.9, 2147483648.0, -2147483648.9, -2147483649.0,
                                           nan, infinity, -infinity, -0.5},
                       [](Graph&, auto x) { return cast<int>(x); }),
            (Texts{"2147483647", refuses("2.14748e+09", "i32"), "-2147483648",
                   refuses("-2.14748e+09", "i32"), refuses("nan", "i32"), refuses("inf", "i32"),
                   refuses("-inf", "i32"), "0"}));
  EXPECT_EQ(results_of(std::vector<float>{255.9f, 256.f, -0.9f, -1.f},
                       [](Graph&, auto x) { return cast<std::uint8_t>(x); }),
            (Texts{"255", refuses("256", "u8"), "0", refuses("-1", "u8")}));
  EXPECT_EQ(results_of(std::vector<float>{-0x1p63f, 0x1p63f},
                       [](Graph&, auto x) { return cast<std::int64_t>(x); }),
            (Texts{"-9223372036854775808", refuses("9.22337e+18", "i64")}));
  EXPECT_EQ(results_of(std::vector<double>{nan, 0.0}, [](Graph&, auto x) { return cast<bool>(x); }),
            (Texts{"1", "0"}));
  // Whole numbers wrap around, as static_cast has them do.
  EXPECT_EQ(
      results_of(std::vector<int>{257, -1}, [](Graph&, auto x) { return cast<std::uint8_t>(x); }),
      (Texts{"1", "255"}));
}

}  // namespace arithmetic_test
}  // namespace sluice
