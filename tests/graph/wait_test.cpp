// Steps whose value comes later, from another thread: their results, and how many may wait.
#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <latch>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace wait_test {

using testing::Elsewhere;
using testing::Shelf;
using Number = Value<std::int64_t>;

// No thread blocks for a sample that waits.
TEST(Wait, AsManySamplesWaitAtOnceAsTheWindowHolds) {
  constexpr std::int64_t kWindow = 1024, kSamples = 3 * kWindow;
  for (const int threads : {1, 2}) {
    Shelf<std::int64_t> shelf;
    auto pipeline =
        make_pipeline({.batch_size = 64, .threads = threads, .window = kWindow}, [&](Graph& g) {
          return g.map_async<std::int64_t>(
              "fetch",
              [&](Completion<std::int64_t> done, std::int64_t i) { shelf.put(std::move(done), i); },
              indices(g, kSamples));
        });
    std::thread elsewhere([&] {
      for (std::int64_t left = kSamples; left > 0; left -= kWindow) {
        auto held = shelf.take(kWindow);
        EXPECT_EQ(held.size(), static_cast<std::size_t>(kWindow));
        std::reverse(held.begin(), held.end());
        for (auto& [done, number] : held) EXPECT_TRUE(done.set(10 * number));
      }
    });
    std::int64_t next = 0;
    for (const auto& batch : pipeline.epoch()) {
      for (const std::int64_t value : batch.get<0>()) EXPECT_EQ(value, 10 * next++);
    }
    EXPECT_EQ(next, kSamples);
    elsewhere.join();
  }
}

// The way in which a step of the program below returns its value.
enum class How { map, inside, elsewhere, before_return };

// The program's steps: map, or map_async, which is fired in one way or another.
class Steps {
 public:
  Steps(Graph& g, How how, Elsewhere& elsewhere) : g_(g), how_(how), elsewhere_(elsewhere) {}

  template <class R, class F>
  Value<R> step(const char* name, F f, const Number& x) {
    if (how_ == How::map) return g_.map(name, f, x);
    return g_.map_async<R>(
        name,
        [f, how = how_, &elsewhere = elsewhere_](Completion<R> done, const std::int64_t& y) {
          if (how == How::inside) {
            done.set(f(y));
          } else if (how == How::elsewhere) {
            elsewhere.post(std::move(done), [f, &y](auto& handle) { handle.set(f(y)); });
          } else {
            std::latch fired(1);
            elsewhere.post(std::move(done), [f, &y, &fired](auto& handle) {
              handle.set(f(y));
              fired.count_down();
            });
            fired.wait();
          }
        },
        x);
  }
  Number add(const Number& x, std::int64_t n) {
    return step<std::int64_t>(
        "add", [n](std::int64_t y) { return y + n; }, x);
  }

 private:
  Graph& g_;
  How how_;
  Elsewhere& elsewhere_;
};

// Waits in sequence, in branches, in conditions and bodies of loops, beside random numbers.
auto program(Graph& g, Steps steps) {
  auto i = indices(g, 60);
  auto a = steps.add(i, 1);
  auto b = g.if_else(
      a % 3 == 0, [&] { return steps.add(a, 100); }, [&] { return a; });
  auto c = g.select(
      b % 3, [&] { return steps.add(steps.add(b, 1), 1); },
      [&] {
        return g.if_else(
            b % 2 == 0, [&] { return steps.add(b, 7); }, [&] { return steps.add(b, 8); });
      },
      [&] { return b; });
  auto d = g.while_loop(
      c,
      [&](Number x) {
        return steps.step<bool>(
            "more", [](std::int64_t y) { return y % 5 != 0; }, x);
      },
      [&](Number x) { return steps.add(x, 1); });
  auto e = g.for_loop(3, d, [&](const auto&, Number x) {
    auto coin = g.coin_flip(0.5f);
    return g.if_else(
        coin, [&] { return steps.add(x, 1); }, [&] { return x * 2; });
  });
  auto collected = std::get<1>(g.for_loop_collect(2, e, [&](const auto&, Number x) {
    auto next = steps.add(x, 3);
    return std::tuple{next, steps.add(next, 1)};
  }));
  auto image = steps.step<Image>(
      "paint",
      [](std::int64_t y) {
        Image out;
        out.create(2, 3, 3);
        std::fill_n(out.data(), 18, static_cast<std::uint8_t>(y));
        return out;
      },
      e);
  return std::tuple{e, collected, image, g.uniform(0.f, 1.f)};
}

struct Outcome {
  std::vector<std::int64_t> numbers, collected;
  std::vector<std::uint8_t> pixels;
  std::vector<float> drawn;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(int threads, How how) {
  Elsewhere elsewhere;
  auto pipeline = make_pipeline({.batch_size = 7, .seed = 3, .threads = threads, .prefetch = 1},
                                [&](Graph& g) { return program(g, Steps(g, how, elsewhere)); });
  Outcome all;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.size(); ++k) {
        all.numbers.push_back(batch.get<0>()[k]);
        const auto& values = batch.get<1>()[k];
        all.collected.insert(all.collected.end(), values.begin(), values.end());
        all.pixels.push_back(batch.get<2>()[k].at(1, 2, 2));
        all.drawn.push_back(batch.get<3>()[k]);
      }
    }
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
  EXPECT_EQ(all.numbers.size(), 120u);
  return all;
}

TEST(Wait, GivesWhatTheSameProgramGivesWithoutWaiting) {
  const Outcome expected = outcome(1, How::map);
  for (const int threads : {1, 2, 4}) {
    for (const How how : {How::inside, How::elsewhere, How::before_return}) {
      EXPECT_EQ(outcome(threads, how), expected) << threads << " " << static_cast<int>(how);
    }
  }
}

TEST(Wait, InspectionWaitsOnTheCallingThread) {
  Elsewhere elsewhere;
  const auto described = [&](How how) {
    return make_pipeline({.seed = 3, .threads = 1},
                         [&, how](Graph& g) { return program(g, Steps(g, how, elsewhere)); });
  };
  const auto plain = described(How::map);
  for (const How how : {How::inside, How::elsewhere, How::before_return}) {
    const auto waiting = described(how);
    for (std::int64_t i = 0; i < 12; ++i) {
      const auto expected = plain.inspect(i), seen = waiting.inspect(i);
      EXPECT_EQ(seen.path(), expected.path());
      EXPECT_EQ(seen.get<std::int64_t>("for_loop"), expected.get<std::int64_t>("for_loop"));
    }
  }
}

TEST(Wait, AStepThatWaitsIsAStageOfItsOwn) {
  const auto pipeline = make_pipeline({.threads = 1}, [](Graph& g) {
    const auto ask = [](Completion<std::int64_t> done, std::int64_t x) { done.set(x); };
    auto a = indices(g, 4) + 1;
    auto b = g.map_async<std::int64_t>("ask", ask, a);
    auto c = g.map_async<std::int64_t>("ask", ask, b) * 2;
    return c - 1;
  });
  const std::string text = to_string(pipeline.plan());
  EXPECT_NE(text.find("\nask(%1 add) -> %2 ask   [waits]\nask#2(%2 ask) -> %3 ask#2   [waits]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(to_dot(pipeline.plan()).find("label=\"ask\", style=\"rounded,dashed\""),
            std::string::npos);
}

// A step without users does not run. A tuple becomes several values. The time of a step ends when
// its handle is fired.
TEST(Wait, IsAStepLikeAnyOther) {
  Elsewhere elsewhere;
  auto pipeline = make_pipeline({.batch_size = 5, .threads = 2, .profile = true}, [&](Graph& g) {
    using Both = std::tuple<std::int64_t, std::string>;
    auto i = indices(g, 20);
    g.map_async<int>(
        "unused", [](Completion<int> done, std::int64_t) { done.fail("nobody asks"); }, i);
    auto [twice, text] = g.map_async<Both>(
        "ask",
        [&](Completion<Both> done, std::int64_t x, const std::string& end) {
          elsewhere.post(std::move(done), [x, &end](Completion<Both>& handle) {
            handle.set({2 * x, std::to_string(x) + end});
          });
        },
        i, std::string("!"));
    return std::tuple{twice, text};
  });
  std::int64_t next = 0;
  for (const auto& [twice, text] : pipeline.epoch()) {
    for (std::size_t k = 0; k < twice.size(); ++k, ++next) {
      EXPECT_EQ(twice[k], 2 * next);
      EXPECT_EQ(text[k], std::to_string(next) + "!");
    }
  }
  EXPECT_EQ(next, 20);
  bool found = false;
  for (const StepStats& step : pipeline.stats().steps) {
    EXPECT_NE(step.name, "unused");
    if (step.name != "ask") continue;
    found = true;
    EXPECT_EQ(step.runs, 20);
    EXPECT_GT(step.total_ns, 0);
  }
  EXPECT_TRUE(found);
}

}  // namespace wait_test
}  // namespace sluice
