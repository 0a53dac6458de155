// Programs and types that misbehave: each causes an error that says so, and harms nothing else.
// Plans of very many steps are built, drawn, saved and run; plans that nest too deep are refused.
#include "tests/error_of.h"
#include "tests/graph/saved.h"
#include "tests/graph/sources.h"
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace hostile_test {

struct ThrowsWhenMoved {
  std::int64_t value = 0;
  bool armed = false;
  ThrowsWhenMoved() = default;
  explicit ThrowsWhenMoved(std::int64_t v) : value(v) {}
  ThrowsWhenMoved(ThrowsWhenMoved&&) = default;
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): that it throws is the point
  ThrowsWhenMoved& operator=(ThrowsWhenMoved&& other) {
    if (other.armed) throw std::runtime_error("stays where it is");
    value = other.value;
    armed = other.value % 10 == 3;  // from now on: in the batch it cannot be moved again
    return *this;
  }
};

TEST(Hostile, ATypeThatCannotBeMovedWithinItsBatchLosesTheBatchAndNotTheEpoch) {
  auto pipeline =
      make_pipeline({.batch_size = 5, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        return g.map(
            "make",
            [](std::int64_t x) {
              if (x % 10 == 1) throw std::runtime_error("a gap, which is closed by moving");
              return ThrowsWhenMoved(x);
            },
            indices(g, 20));
      });
  auto run = pipeline.epoch();
  int batches = 0, thrown = 0;
  while (true) {
    try {
      if (!run.next()) break;
      ++batches;
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  }
  EXPECT_EQ(batches + thrown, 4);
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
}

struct ThrowsWhenMade {
  static inline std::atomic<bool> armed{false};
  std::string text;
  ThrowsWhenMade() {
    if (armed) throw std::runtime_error("not now");
  }
  ThrowsWhenMade(const ThrowsWhenMade&) = default;
  ThrowsWhenMade(ThrowsWhenMade&&) = default;
  ThrowsWhenMade& operator=(const ThrowsWhenMade&) = default;
  ThrowsWhenMade& operator=(ThrowsWhenMade&&) = default;
};

TEST(Hostile, ATypeWhoseConstructorThrowsEndsNothing) {
  auto pipeline =
      make_pipeline({.batch_size = 5, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        auto value = g.map(
            "make", [](std::int64_t) { return ThrowsWhenMade(); }, indices(g, 20));
        return g.map(
            "size", [](const ThrowsWhenMade& v) { return v.text.size(); }, value);
      });
  ThrowsWhenMade::armed = true;
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.missing().size(), 5u);
  ThrowsWhenMade::armed = false;
  EXPECT_EQ(pipeline.stats().epoch.skipped, 20);
}

struct NamelessData {
  std::int64_t size() const { return 8; }
  std::string name(std::int64_t) const { throw std::runtime_error("no name"); }
  std::int64_t operator()(const SampleInfo& info) const {
    if (info.index_in_epoch == 3) throw std::runtime_error("three");
    return info.index_in_epoch;
  }
};

TEST(Hostile, ADatasetThatFailsToNameASampleDoesNotHideItsError) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto i = g.read(NamelessData());
    return g.select(
        i, [&] { return i; }, [&] { return i; }, [&] { return i; }, [&] { return i; },
        [&] { return i; }, [&] { return i; }, [&] { return i; });
  });
  auto run = pipeline.epoch();
  for (const char* what : {"three", "the index is 7, but the branches are numbered 0 to 6"}) {
    try {
      (void)run.next();
      FAIL();
    } catch (const BatchError& error) {
      EXPECT_EQ(error.errors().at(0).what, what);
      EXPECT_EQ(error.errors().at(0).source, "");
    }
    EXPECT_TRUE(run.next().has_value());
  }
}

template <class F>
std::string build_error(F f) {
  try {
    f();
  } catch (const BuildError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hostile, AValueOfAnEarlierPipelineIsRefused) {
  const std::string what = " a value of another pipeline; describe each pipeline on its own";
  Value<std::int64_t> stale;
  (void)make_pipeline({}, [&](Graph& g) { return stale = indices(g, 20); });
  EXPECT_EQ(build_error([&] {
              (void)make_pipeline({}, [&](Graph& g) {
                (void)indices(g, 20);
                return stale;
              });
            }),
            "the pipeline's result is" + what);
  EXPECT_EQ(build_error([&] {
              (void)make_pipeline({}, [&](Graph& g) {
                (void)indices(g, 20);
                return g.map(
                    "use", [](std::int64_t x) { return x; }, stale);
              });
            }),
            "'use' is given" + what);
  EXPECT_EQ(build_error([&] {
              (void)make_pipeline({}, [&](Graph& g) {
                (void)indices(g, 20);
                return stale + 1;
              });
            }),
            "a value of a pipeline that has been described already is used in another; describe "
            "each pipeline on its own");
}

TEST(Hostile, AnEmptyValueIsNoConstant) {
  EXPECT_EQ(
      build_error([&] {
        (void)make_pipeline({}, [&](Graph& g) {
          (void)indices(g, 20);
          return g.coin_flip(Value<float>());
        });
      }),
      "'coin_flip' is given a default-constructed Value; use one that a Graph or an operator has "
      "made");
}

// A view of an input would show the input's next value.
TEST(Hostile, AStepThatReturnsAViewDeliversItsOwnPixels) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto image = g.map_into<Image>(
        "paint",
        [](std::int64_t x, Image& out) {
          out.create(8, 8, 1);
          std::memset(out.data(), static_cast<int>(x), 64);
        },
        indices(g, 200));
    auto part = g.map(
        "part", [](const Image& whole) { return whole.crop_view(2, 2, 3, 3); }, image);
    auto noise = g.map_into<Image>(
        "noise",
        [](const Image&, Image& out) {
          out.create(8, 8, 1);
          std::memset(out.data(), 255, 64);
        },
        part);
    return std::tuple{part, noise};
  });
  int expected = 0;
  for (const auto& [parts, noise] : pipeline.epoch()) {
    for (const Image& part : parts) EXPECT_EQ(part.at(1, 1, 0), expected++);
  }
}

TEST(Hostile, AbsurdNumbersAreErrors) {
  EXPECT_THROW(Image(1 << 30, 1 << 30, 16), std::invalid_argument);
  EXPECT_THROW(Tensor({std::int64_t{1} << 32, std::int64_t{1} << 32}, DType::u8),
               std::invalid_argument);
  EXPECT_EQ(build_error([] {
              (void)make_pipeline({.threads = 2000000000}, [](Graph& g) { return indices(g, 20); });
            }),
            "threads must be at most 4096, not 2000000000");
  EXPECT_EQ(build_error([] {
              (void)make_pipeline({}, [](Graph& g) {
                (void)indices(g, 20);
                return g.uniform(2.f, 1.f);
              });
            }),
            "uniform: the range from 2 to 1 is empty; give the smaller number first");
  // There are as many frames as samples, whatever was requested.
  auto pipeline = make_pipeline({.batch_size = 4, .prefetch = INT32_MAX, .stall_timeout = 1e300},
                                [](Graph& g) { return indices(g, 20); });
  EXPECT_EQ(pipeline.stats().memory.window, 20u);
  int batches = 0;
  for (const auto& batch : pipeline.epoch()) batches += batch.size() == 4 ? 1 : 0;
  EXPECT_EQ(batches, 5);
}

TEST(Hostile, ManyBranchesInARowAreBuiltAtOnce) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto i = indices(g, 20);
    auto x = i;
    for (int n = 0; n < 100; ++n) {
      auto more = g.map(
          "more", [](std::int64_t v) { return v + 1; }, x);
      x = g.select(i, std::vector<Value<std::int64_t>>(20, more));
    }
    return x;
  });
  EXPECT_EQ(pipeline.epoch().next()->get<0>()[2], 102);
}

}  // namespace hostile_test
}  // namespace sluice

namespace sluice {
namespace long_plans_test {

using Number = Value<std::int64_t>;

// A frame of the stack for each would overflow it.
constexpr std::int64_t kManySteps = 100'000;
const std::int64_t kSteps = kManySteps / testing::one_in(1, 8);
constexpr int kDeepest = 500;

Number chain(Number x, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) x = x + 1;
  return x;
}

template <class Describe>
auto pipeline_of(const Describe& describe) {
  return make_pipeline({.batch_size = 2, .threads = 1, .prefetch = 0},
                       [&](Graph& g) { return describe(g, indices(g, 2)); });
}
template <class P>
std::int64_t last_of(P& pipeline) {
  std::int64_t last = -1;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t number : batch.template get<0>()) last = number;
  }
  return last;
}

TEST(LongPlans, AChainMayHaveVeryManySteps) {
  auto pipeline = pipeline_of([](Graph&, Number i) { return chain(i, kSteps); });
  EXPECT_EQ(last_of(pipeline), 1 + kSteps);
  EXPECT_GT(to_string(pipeline.plan()).size(), std::size_t(kSteps));
  EXPECT_GT(to_dot(pipeline.plan()).size(), std::size_t(kSteps));
}

TEST(LongPlans, SoMayOneBehindAConditionalAndInALoop) {
  auto pipeline = pipeline_of([](Graph& g, Number i) {
    auto conditional = g.add_conditional("either");
    conditional.set_condition(i % 2 == std::int64_t{1});
    auto inside = conditional.add_input(i);
    auto out = conditional.add_output(chain(inside, kSteps), inside);
    auto loop = g.add_loop("again");
    loop.add_trip_limit(2);
    auto state = loop.add_recurrence(out);
    state.set_next(chain(state.value(), 10));
    return chain(loop.add_output(state), 10);
  });
  EXPECT_EQ(last_of(pipeline), 1 + kSteps + 30);
}

TEST(LongPlans, SavedOnesToo) {
  const std::int64_t steps = kManySteps / testing::one_in(10, 20);
  const auto text =
      json_of(pipeline_of([&](Graph&, Number i) { return chain(i, steps); }).recorded_plan());
  const SavedPlan saved = SavedPlan::parse(text, "plan.json", registry());
  auto loaded =
      pipeline_of([&](Graph&, Number i) { return std::get<0>(saved.apply<std::int64_t>(i)); });
  EXPECT_EQ(last_of(loaded), 1 + steps);
}

// One branch of the next conditional uses each conditional, so it could move into that branch.
TEST(LongPlans, AChainOfChoices) {
  constexpr std::int64_t kChoices = 1500;
  auto pipeline = pipeline_of([](Graph& g, Number i) {
    Number x = i;
    for (std::int64_t k = 0; k < kChoices; ++k) {
      x = g.if_else(
          i > 0, [&] { return x + 1; }, [&] { return i; });
    }
    return x;
  });
  EXPECT_EQ(last_of(pipeline), 1 + kChoices);
}

Number nested_choices(Graph& g, Number i, int depth) {
  if (depth == 0) return i + 1;
  return g.if_else(
      i > 0, [&] { return nested_choices(g, i, depth - 1); }, [&] { return i; });
}
Number nested_loops(Graph& g, Number x, int depth) {
  if (depth == 0) return x + 1;
  return g.for_loop(1, x, [&](Number, Number y) { return nested_loops(g, y, depth - 1); });
}
Number nested_conditionals(Graph& g, Number x, int depth) {
  if (depth == 0) return x + 1;
  auto conditional = g.add_conditional("either");
  conditional.set_condition(x > 0);
  auto inside = conditional.add_input(x);
  return conditional.add_output(nested_conditionals(g, inside, depth - 1), inside);
}

// A loop counts as two levels: itself, and its body.
TEST(LongPlans, ChoicesAndLoopsNestDeepButNotWithoutEnd) {
  struct Case {
    const char* name;
    int most;
    std::function<Number(Graph&, Number, int)> nest;
  };
  const Case cases[] = {{"choices", kDeepest, nested_choices},
                        {"loops", kDeepest / 2, nested_loops},
                        {"conditionals", kDeepest, nested_conditionals}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto nested = [&](int depth) {
      return pipeline_of([&](Graph& g, Number i) { return one.nest(g, i, depth); });
    };
    auto good = nested(one.most / 5);
    EXPECT_EQ(last_of(good), 2);
    EXPECT_NE(to_dot(good.plan()).size() + to_string(good.plan()).size(), 0u);
    const std::string said = error_of<BuildError>([&] { (void)nested(one.most + 1); });
    EXPECT_NE(
        said.find(
            "is nested too deeply (got 501 levels of choices and loops, expected at most 500)"),
        std::string::npos)
        << said;
  }
  auto deepest = pipeline_of([](Graph& g, Number i) { return nested_choices(g, i, kDeepest); });
  EXPECT_EQ(last_of(deepest), 2);
}

}  // namespace long_plans_test
}  // namespace sluice
