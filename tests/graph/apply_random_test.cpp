#include <sluice/graph/apply_random.h>
#include <sluice/graph/pipeline.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace apply_random_test {

using Trace = std::string;

// Operators that record their name and their parameter.
std::vector<Augmentation<Trace>> suite(int count, bool negate) {
  std::vector<Augmentation<Trace>> all;
  for (int k = 0; k < count; ++k) {
    const std::string name = std::string(1, static_cast<char>('a' + k));
    all.push_back({name,
                   [name](Value<Trace> x, Value<float> m) {
                     return Graph(x.builder())
                         .map(
                             "note",
                             [name](const Trace& t, float p) {
                               return t + name + (p < 0 ? "-" : "+") +
                                      std::to_string(static_cast<int>(p < 0 ? -p : p)) + " ";
                             },
                             x, m);
                   },
                   0.f, 30.f * static_cast<float>(k + 1), negate});
  }
  return all;
}

std::map<Trace, int> run(int samples, int n, int count, bool negate, int magnitude, int threads) {
  auto pipeline = make_pipeline({.batch_size = 64, .seed = 17, .threads = threads}, [&](Graph& g) {
    auto start = g.source(samples, [](const SampleInfo&) { return Trace(); });
    return apply_random(g, start, suite(count, negate),
                        {.n = n, .magnitude = magnitude, .bins = 31});
  });
  std::map<Trace, int> counts;
  for (const auto& [traces] : pipeline.epoch()) {
    for (const Trace& trace : traces) ++counts[trace];
  }
  return counts;
}

// Upper 1 % points of the chi-square distribution for the degrees of freedom that occur below.
double chi_square_limit(std::size_t degrees) {
  static const std::map<std::size_t, double> table = {
      {1, 6.63},   {2, 9.21},   {3, 11.34},  {5, 15.09},  {7, 18.48},  {8, 20.09},
      {15, 30.58}, {26, 45.64}, {35, 57.34}, {63, 92.01}, {215, 266.0}};
  return table.at(degrees);
}

TEST(ApplyRandom, DrawsEverySequenceEquallyOften) {
  constexpr int kImages = 8192;
  for (const int n : {1, 2, 3}) {
    for (const int count : {2, 3}) {
      for (const bool negate : {false, true}) {
        const auto counts = run(kImages, n, count, negate, 10, 2);
        std::size_t cells = 1;
        for (int step = 0; step < n; ++step)
          cells *= static_cast<std::size_t>(negate ? 2 * count : count);
        EXPECT_EQ(counts.size(), cells);
        const double expected = static_cast<double>(kImages) / static_cast<double>(cells);
        double chi = 0;
        for (const auto& [trace, seen] : counts)
          chi += (seen - expected) * (seen - expected) / expected;
        EXPECT_LT(chi, chi_square_limit(cells - 1))
            << "n " << n << ", " << count << " operators, signs " << negate;
      }
    }
  }
}

TEST(ApplyRandom, ParametersGoFromLowToHigh) {
  EXPECT_EQ(run(100, 1, 1, false, 0, 1), (std::map<Trace, int>{{"a+0 ", 100}}));
  EXPECT_EQ(run(100, 1, 1, false, 10, 1), (std::map<Trace, int>{{"a+10 ", 100}}));
  EXPECT_EQ(run(100, 1, 1, false, 30, 1), (std::map<Trace, int>{{"a+30 ", 100}}));
  EXPECT_EQ(run(100, 0, 2, true, 5, 1), (std::map<Trace, int>{{"", 100}}));
}

TEST(ApplyRandom, DoesNotDependOnThreads) {
  EXPECT_EQ(run(500, 3, 3, true, 7, 1), run(500, 3, 3, true, 7, 8));
}

TEST(ApplyRandom, NamesTheOperatorsThatASampleTook) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 1}, [&](Graph& g) {
    auto start = g.source(8, [](const SampleInfo&) { return Trace(); });
    return apply_random(g, start, suite(3, false));
  });
  for (std::int64_t i = 0; i < 8; ++i) {
    const Inspection sample = pipeline.inspect(i);
    const Trace& trace = sample.get<Trace>("apply_random#2");
    ASSERT_GE(trace.size(), 6u);
    const std::string second = trace.substr(trace.find(' ') + 1, 1);
    EXPECT_EQ(sample.path(), "apply_random:" + trace.substr(0, 1) + "/apply_random#2:" + second);
  }
}

TEST(ApplyRandom, RefusesNumbersOutOfRange) {
  const auto error = [](int count, ApplyRandomOptions options) -> std::string {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto start = g.source(1, [](const SampleInfo&) { return Trace(); });
        return apply_random(g, start, suite(count, false), options);
      });
    } catch (const BuildError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(2, {.n = -1}), "apply_random: n must not be negative, but is -1");
  EXPECT_EQ(error(2, {.bins = 0}), "apply_random: bins must be at least 1, not 0");
  EXPECT_EQ(error(2, {.magnitude = 31}),
            "apply_random: magnitude must lie between 0 and bins - 1 = 30, but is 31");
  EXPECT_EQ(error(2, {.magnitude = -1}),
            "apply_random: magnitude must lie between 0 and bins - 1 = 30, but is -1");
  EXPECT_EQ(error(0, {.n = 1}),
            "apply_random: the list of operators is empty; give at least one, or n = 0");
  EXPECT_EQ(error(0, {.n = 0}), "no error");
}

TEST(ApplyRandom, RefusesAnAugmentationWithoutAFunction) {
  std::vector<Augmentation<Trace>> all = suite(2, false);
  all[1].apply = nullptr;
  try {
    (void)make_pipeline({}, [&](Graph& g) {
      auto start = g.source(1, [](const SampleInfo&) { return Trace(); });
      return apply_random(g, start, all);
    });
    ADD_FAILURE();
  } catch (const BuildError& e) {
    EXPECT_STREQ(e.what(), "'b' is given an empty function; give one that can be called");
  }
}

TEST(ApplyRandom, AMagnitudePerSampleThatDoesNotExistIsItsError) {
  auto pipeline = make_pipeline({.batch_size = 5, .on_error = OnError::skip}, [&](Graph& g) {
    auto start = g.source(5, [](const SampleInfo&) { return Trace(); });
    auto m = g.source(
        5, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch * 10); });
    return apply_random(g, start, suite(1, false), {.n = 1, .magnitude = m});
  });
  const auto batch = pipeline.epoch().next();
  EXPECT_EQ(batch->size(), 4u);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "the magnitude is 40, but must lie between 0 and 30");
  EXPECT_EQ(batch->errors()[0].path, "apply_random:a");
}

}  // namespace apply_random_test
}  // namespace sluice
