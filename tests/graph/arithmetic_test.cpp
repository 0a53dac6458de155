// Arithmetic in pipelines: exact, or an error of its sample.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace arithmetic_test {

// Returns the result of op for each x: a number, or the error of the sample.
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
const std::string kByZero = "integer division by zero";

std::string too_large(const std::string& name, const std::string& result, const std::string& type) {
  return name + ": the result of " + result + " does not fit into " + type +
         "; cast to a wider or a signed type first";
}

template <class T>
void divide_the_smallest() {
  constexpr T kMin = std::numeric_limits<T>::min();
  const std::string type(detail::known_number_name<T>()), smallest = std::to_string(kMin);
  const std::vector<T> xs{kMin, static_cast<T>(kMin + 1), 7};
  const auto divided = results_of(xs, [](Graph&, auto x) { return x / T{-1}; });
  const auto left = results_of(xs, [](Graph&, auto x) { return x % T{-1}; });
  EXPECT_EQ(divided, (Texts{too_large("divide", smallest + " / -1", type),
                            std::to_string(std::numeric_limits<T>::max()), "-7"}));
  EXPECT_EQ(left, (Texts{"0", "0", "0"}));
  const auto by_value = results_of(
      std::vector<T>{-1, 0, 1}, [](Graph&, auto y) { return std::numeric_limits<T>::min() / y; });
  EXPECT_EQ(by_value, (Texts{too_large("divide", smallest + " / -1", type), kByZero, smallest}));
}

TEST(Arithmetic, ADivisionWithoutAResultIsTheErrorOfItsSample) {
  divide_the_smallest<std::int8_t>();
  divide_the_smallest<std::int16_t>();
  divide_the_smallest<std::int32_t>();
  divide_the_smallest<std::int64_t>();
  EXPECT_EQ(results_of(std::vector<int>{std::numeric_limits<int>::min()},
                       [](Graph&, auto x) { return x / -1.0; }),
            Texts{"2147483648.000000"});
}

TEST(Arithmetic, AResultThatDoesNotFitIsTheErrorOfItsSample) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const std::string max = std::to_string(kMax), min = std::to_string(kMin);
  const std::vector<std::int64_t> xs{kMax, kMin};
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return x + 1; }),
            (Texts{too_large("add", max + " + 1", "i64"), std::to_string(kMin + 1)}));
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return x - 1; }),
            (Texts{std::to_string(kMax - 1), too_large("subtract", min + " - 1", "i64")}));
  EXPECT_EQ(results_of(xs, [](Graph&, auto x) { return -x; }),
            (Texts{std::to_string(-kMax), too_large("negate", "-(" + min + ")", "i64")}));
  EXPECT_EQ(results_of(std::vector<std::uint16_t>{65535}, [](Graph&, auto x) { return x * x; }),
            Texts{too_large("multiply", "65535 * 65535", "u16")});
  EXPECT_EQ(results_of(std::vector<std::uint32_t>{0}, [](Graph&, auto x) { return x - 1u; }),
            Texts{too_large("subtract", "0 - 1", "u32")});
  EXPECT_EQ(results_of(std::vector<std::int8_t>{-128, -5}, [](Graph&, auto x) { return abs(x); }),
            (Texts{too_large("absolute", "abs(-128)", "i8"), "5"}));
  EXPECT_EQ(results_of(std::vector<std::int64_t>{3, 62, 63, -1},
                       [](Graph&, auto x) { return power(2, x); }),
            (Texts{"8", "4611686018427387904", too_large("power", "2 ** 63", "i64"),
                   "power: an integer has a negative exponent; cast one side to f32 or f64"}));
  EXPECT_EQ(results_of(std::vector<double>{0.0}, [](Graph&, auto x) { return -x; }),
            Texts{"-0.000000"});
}

TEST(Arithmetic, FunctionsGiveFractions) {
  EXPECT_EQ(results_of(std::vector<int>{9, 2}, [](Graph&, auto x) { return sqrt(x); }),
            (Texts{"3.000000", "1.414214"}));
  EXPECT_EQ(results_of(std::vector<double>{1, 0}, [](Graph&, auto x) { return exp(x); }),
            (Texts{"2.718282", "1.000000"}));
  EXPECT_EQ(results_of(std::vector<float>{1, 10, 0}, [](Graph&, auto x) { return log(x); }),
            (Texts{"0.000000", "2.302585", "-inf"}));
  EXPECT_EQ(results_of(std::vector<double>{-1}, [](Graph&, auto x) { return sqrt(abs(x)); }),
            Texts{"1.000000"});
}

TEST(Arithmetic, NegativeNumbersBesideUnsignedOnesAreWhatTheyAre) {
  const auto with = [](auto y, auto op) {
    return results_of(std::vector<int>{-5}, [=](Graph& g, auto x) { return op(x, g.constant(y)); });
  };
  EXPECT_EQ(with(2u, [](auto x, auto y) { return x + y; }), Texts{"-3"});
  EXPECT_EQ(with(std::uint64_t{2}, [](auto x, auto y) { return x * y; }), Texts{"-10"});
  EXPECT_EQ(with(2u, [](auto x, auto y) { return floor_divide(x, y); }), Texts{"-3"});
  EXPECT_EQ(with(2u, [](auto x, auto y) { return modulo(x, y); }), Texts{"1"});
  EXPECT_EQ(with(0u, [](auto x, auto y) { return x < y; }), Texts{"1"});
  EXPECT_EQ(with(0u, [](auto x, auto y) { return maximum(x, y); }), Texts{"0"});
  EXPECT_EQ(results_of(std::vector<std::uint8_t>{3, 7, 200},
                       [](Graph&, auto x) { return clamp(x, 5, 100); }),
            (Texts{"5", "7", "100"}));
}

// Returns the results of all operations on each x, with the constants 3 and 0, as text; failures
// appear as the text of their error. One pipeline selects the operation for each sample.
template <class T>
Texts results_of_all(std::vector<T> numbers) {
  numbers.push_back(std::numeric_limits<T>::min());
  numbers.push_back(std::numeric_limits<T>::max());
  constexpr std::size_t kOperations = 35;
  std::vector<T> xs;
  for (std::size_t i = 0; i < kOperations; ++i) xs.insert(xs.end(), numbers.begin(), numbers.end());
  return results_of(xs, [&](Graph& g, Value<T> x) {
    std::vector<std::function<Value<int>()>> all;
    for (const T y : {T{3}, T{0}}) {
      all.emplace_back([=] { return cast<int>(x + y); });
      all.emplace_back([=] { return cast<int>(x - y); });
      all.emplace_back([=] { return cast<int>(x * y); });
      all.emplace_back([=] { return cast<int>(x / y); });
      all.emplace_back([=] { return cast<int>(x % y); });
      all.emplace_back([=] { return cast<int>(floor_divide(x, y)); });
      all.emplace_back([=] { return cast<int>(modulo(x, y)); });
      all.emplace_back([=] { return cast<int>(power(x, y)); });
      all.emplace_back([=] { return cast<int>(minimum(x, y)); });
      all.emplace_back([=] { return cast<int>(maximum(x, y)); });
      all.emplace_back([=] { return cast<int>(x & y) + cast<int>(x | y) * 1000; });
      all.emplace_back([=] { return cast<int>(x ^ y); });
      all.emplace_back([=] { return cast<int>(x < y) + cast<int>(x >= y) * 10; });
      all.emplace_back([=] { return cast<int>(x == y) + cast<int>(x != y) * 10; });
    }
    all.emplace_back([=] { return cast<int>(-x); });
    all.emplace_back([=] { return cast<int>(abs(x)); });
    all.emplace_back([=] { return cast<int>(!x); });
    all.emplace_back([=] { return cast<int>(x * 0.5); });
    all.emplace_back([=] { return cast<int>(x < 2.5); });
    all.emplace_back([=] { return cast<int>(cast<std::uint8_t>(x)); });
    all.emplace_back([=] { return cast<int>(cast<bool>(x)); });
    EXPECT_EQ(all.size(), kOperations);
    const auto each = static_cast<std::int64_t>(numbers.size());
    const auto operation = g.source(static_cast<std::int64_t>(xs.size()),
                                    [=](const SampleInfo& info) { return info.index / each; });
    return g.select(operation, all);
  });
}

TEST(Arithmetic, OtherTypesCountAsThoseOfTheirSize) {
  EXPECT_EQ(results_of(std::vector<long long>{std::numeric_limits<long long>::max(), 4},
                       [](Graph&, auto x) { return x + 1; })
                .back(),
            "5");
  EXPECT_EQ(results_of(std::vector<char>{'a'}, [](Graph& g, auto x) { return x + g.constant(1u); }),
            Texts{"98"});
  EXPECT_EQ(
      results_of(std::vector<long long>{-1}, [](Graph& g, auto x) { return x < g.constant(0u); }),
      Texts{"1"});
  EXPECT_EQ(results_of_all<long long>({-128, -5, -1, 0, 1, 2, 7, 127}),
            results_of_all<std::int64_t>({-128, -5, -1, 0, 1, 2, 7, 127}));
  EXPECT_EQ(results_of_all<unsigned long long>({0, 1, 2, 200}),
            results_of_all<std::uint64_t>({0, 1, 2, 200}));
  using Character = std::conditional_t<std::is_signed_v<char>, std::int8_t, std::uint8_t>;
  EXPECT_EQ(results_of_all<char>({0, 1, 2, 127}), results_of_all<Character>({0, 1, 2, 127}));
}

// Members of operator results are Params.
TEST(Arithmetic, ParametersAreNumbers) {
  EXPECT_EQ(results_of(std::vector<int>{300, 299},
                       [](Graph&, auto x) {
                         const Param<int> width = x;
                         return cast<int>(width >= 300) + cast<int>(-width < std::int64_t{-299}) +
                                cast<int>(!width) + cast<int>(300.0 > width) * 10;
                       }),
            (Texts{"2", "10"}));
  EXPECT_EQ(results_of(std::vector<int>{7}, [](Graph&, auto x) { return x * Param<int>(5) * 2.5; }),
            Texts{"87.500000"});
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
  EXPECT_EQ(results_of(std::vector<int>{255, 257, -1},
                       [](Graph&, auto x) { return cast<std::uint8_t>(x); }),
            (Texts{"255", refuses("257", "u8"), refuses("-1", "u8")}));
  EXPECT_EQ(
      results_of(std::vector<double>{1e300, 0.5}, [](Graph&, auto x) { return cast<float>(x); }),
      (Texts{refuses("1e+300", "f32"), "0.500000"}));
}

}  // namespace arithmetic_test
}  // namespace sluice
