// Evaluation: single samples on the calling thread, against a pipeline.
#include "tests/error_of.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/evaluation.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace evaluation_test {

// Draws, branches and a loop, on one number.
Value<double> program(Graph& g, Value<double> x) {
  const Value<double> drawn = x + cast<double>(g.uniform(0.f, 1.f));
  const Value<double> chosen = g.if_else(
      drawn > 5.0, [&] { return drawn * cast<double>(g.uniform(1.f, 2.f)); },
      [&] { return drawn - 1.0; });
  return g.while_loop(
      chosen, [](Value<double> state) { return state < 100.0; },
      [&](Value<double> state) { return state * 2.0 + cast<double>(g.uniform(0.f, 1.f)) + 10.0; });
}

// The evaluation of `describe` for the number in `input`.
template <class Describe>
struct Evaluated {
  Evaluated(const std::atomic<double>& input, const Describe& describe) {
    detail::PlanBuilder builder;
    Graph g(builder);
    const auto x = g.source(1, [&input](const SampleInfo&) { return input.load(); });
    output = describe(g, x).slot();
    builder.set_outputs({output});
    evaluation.emplace(builder.take());
  }
  double operator()(std::uint64_t seed) {
    const detail::Evaluation::Result result = evaluation->run(seed);
    if (const SampleError* error = result.sample().error()) throw Error(error->what);
    return result.sample().template get<double>(output);
  }
  detail::SlotId output;
  std::optional<detail::Evaluation> evaluation;
};

TEST(Evaluation, ComputesWhatAPipelineDoes) {
  std::atomic<double> input = 0;
  Evaluated evaluated(input, program);
  for (const double x : {-3.0, 4.5, 5.5, 200.0}) {
    for (const std::uint64_t seed : {0u, 7u, 8u}) {
      auto pipeline = make_pipeline({.batch_size = 1, .seed = seed}, [&](Graph& g) {
        return program(g, g.source(1, [x](const SampleInfo&) { return x; }));
      });
      auto epoch = pipeline.epoch();
      input = x;
      EXPECT_EQ(evaluated(seed), epoch.next()->get<0>()[0]) << x << ", " << seed;
    }
  }
}

TEST(Evaluation, GoesOnAfterAFailedSample) {
  std::atomic<double> input = 1;
  Evaluated evaluated(input, [](Graph& g, Value<double> x) {
    return g.map(
        "root",
        [](double of) {
          if (of < 0) throw std::invalid_argument("root: a number below 0");
          return std::sqrt(of);
        },
        x);
  });
  EXPECT_EQ(evaluated(0), 1);
  input = -1;
  EXPECT_EQ(error_of<Error>([&] { (void)evaluated(0); }), "root: a number below 0");
  input = 4;
  EXPECT_EQ(evaluated(0), 2);
}

TEST(Evaluation, SeveralThreadsRunItAtOnce) {
  std::atomic<double> input = 4.5;
  Evaluated evaluated(input, program);
  std::vector<double> expected;
  for (std::uint64_t seed = 0; seed < 50; ++seed) expected.push_back(evaluated(seed));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t seed = 0; seed < 50; ++seed)
        wrong += evaluated(seed) == expected[seed] ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace evaluation_test
}  // namespace sluice
