#include "tests/error_of.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace inspect_test {

auto make() {
  return make_pipeline({.batch_size = 4, .seed = 9, .on_error = OnError::skip}, [](Graph& g) {
    auto i = indices(g, 40);
    auto draw = g.uniform(0.f, 1.f);
    auto sum = g.for_loop(i % 3 + 1, i, [&](auto k, auto x) {
      return g.map(
          "grow", [](std::int64_t a, std::int64_t b) { return a + b; }, x, k + 1);
    });
    auto picked = g.if_else(
        i % 2 == 0,
        [&] {
          return g.select(
              i % 4, [&] { return sum; }, [&] { return i; },
              [&] {
                return g.map(
                    "risky",
                    [](std::int64_t x) -> std::int64_t {
                      if (x % 5 == 0) throw std::runtime_error("five");
                      return x * 100;
                    },
                    i);
              });
        },
        [&] { return i; });
    g.filter(i != 7);
    return std::tuple{picked, draw};
  });
}

TEST(Inspect, GivesWhatTheSampleComputesInThePipeline) {
  auto pipeline = make();
  for (const std::int64_t epoch : {0, 1}) {
    pipeline.reset(epoch);
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.ids().size(); ++k) {
        const Inspection sample = pipeline.inspect(batch.ids()[k], epoch);
        EXPECT_EQ(sample.error(), nullptr);
        EXPECT_EQ(sample.get<std::int64_t>("if_else"), batch.get<0>()[k]);
        EXPECT_EQ(sample.get<float>("uniform"), batch.get<1>()[k]);
        EXPECT_EQ(sample.get<std::int64_t>("source"), batch.ids()[k]);
      }
      for (std::size_t k = 0; k < batch.errors().size(); ++k) {
        const Inspection sample = pipeline.inspect(batch.errors()[k].id, epoch);
        ASSERT_NE(sample.error(), nullptr);
        EXPECT_EQ(to_string(*sample.error()), to_string(batch.errors()[k]));
      }
    }
  }
}

TEST(Inspect, NamesThePathAndOnlyWhatRan) {
  const auto pipeline = make();
  const Inspection zero = pipeline.inspect(0), one = pipeline.inspect(1), two = pipeline.inspect(2),
                   ten = pipeline.inspect(10);
  EXPECT_EQ(zero.path(), "if_else:then/select:branch 0/for_loop (1 iteration)");
  EXPECT_TRUE(zero.has("for_loop"));
  EXPECT_FALSE(zero.has("risky"));
  EXPECT_EQ(one.path(), "if_else:otherwise");
  EXPECT_FALSE(one.has("for_loop"));
  EXPECT_EQ(two.get<std::int64_t>("risky"), 200);
  ASSERT_NE(ten.error(), nullptr);
  EXPECT_EQ(ten.error()->path, "if_else:then/select:branch 2");
  EXPECT_EQ(ten.error()->what, "five");
  EXPECT_TRUE(pipeline.inspect(7).dropped());
  EXPECT_THROW((void)pipeline.inspect(40), std::out_of_range);
  EXPECT_THROW((void)pipeline.inspect(-1), std::out_of_range);
}

TEST(Inspect, SaysWhatIsThereWhenANameIsWrong) {
  const auto pipeline = make();
  const auto message = [&](auto ask) -> std::string {
    try {
      ask(pipeline.inspect(1));
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([](const Inspection& s) { (void)s.get<float>("source"); }),
            "the sample has no value 'source' of type f32; it is i64");
  EXPECT_EQ(message([](const Inspection& s) { (void)s.get<float>("sorce"); }).substr(0, 74),
            "the sample has no value 'sorce' on its path 'if_else:otherwise'; it has: s");
}

// The branch and the loop end before they have results.
TEST(Inspect, GivesTheErrorOfASampleThatFailsInsideABranch) {
  const auto failing = [](Graph& g, Value<std::int64_t> i) {
    return g.map(
        "risky",
        [](std::int64_t x) -> Image {
          if (x % 2 == 1) throw std::runtime_error("odd");
          return Image(1, 1, 1);
        },
        i);
  };
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [&](Graph& g) {
    auto i = indices(g, 8);
    auto branch = g.if_else(
        i < 4, [&] { return failing(g, i); }, [&] { return failing(g, i - 4); });
    auto dropped = g.if_else(
        i > 5,
        [&] {
          g.filter(i != 6);
          return branch;
        },
        [&] { return branch; });
    return g.for_loop(3, dropped, [&](auto k, auto) { return failing(g, i + k * 2); });
  });
  for (std::int64_t i = 0; i < 8; ++i) {
    const Inspection sample = pipeline.inspect(i);
    EXPECT_EQ(sample.error() != nullptr, i % 2 == 1) << i;
    EXPECT_FALSE(sample.path().empty());
  }
}

TEST(Inspect, GivesEachOfSeveralValuesOfAStep) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto i = indices(g, 40);
    auto [tens, rest] = g.map(
        "divide",
        [](std::int64_t n) {
          return std::tuple{n / 10, float(n % 10)};
        },
        i);
    return std::tuple{tens, rest};
  });
  const Inspection sample = pipeline.inspect(37);
  std::vector<Inspection::Named> made;
  for (const Inspection::Named& value : sample.values()) {
    if (value.name == "divide") made.push_back(value);
  }
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(sample.get<std::int64_t>(made[0]), 3);
  EXPECT_EQ(sample.get<float>(made[1]), 7.f);
  EXPECT_EQ(error_of<Error>([&] { (void)sample.get<float>(made[0]); }),
            "the value 'divide' is not of type f32; it is i64");
  made[0].slot = 4711;
  EXPECT_EQ(error_of<Error>([&] { (void)sample.get<std::int64_t>(made[0]); }),
            "the value 'divide' does not belong to this sample; take one of values()");
}

}  // namespace inspect_test
}  // namespace sluice
