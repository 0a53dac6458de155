// Random numbers in loops: each iteration draws its own, which follow from the iteration numbers
// alone. Draws outside do not depend on the loop.
#include "tests/graph/sources.h"
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace loop_draws_test {

constexpr std::int64_t kSamples = 23;
constexpr std::uint64_t kSeed = 77;

using Draws = std::vector<std::int64_t>;

// The usual draw here: a wide number, so that two are never equal by accident.
Value<std::int64_t> wide(Graph& g) {
  return g.random("wide", [](Random& random) {
    return static_cast<std::int64_t>(random.below64(std::uint64_t{1} << 62));
  });
}

// Returns the value that wide() draws as this generator in these iterations.
std::int64_t expected(std::int64_t epoch, std::int64_t sample, std::uint32_t generator,
                      const std::vector<std::uint64_t>& iterations) {
  std::uint64_t seed = kSeed;
  for (const std::uint64_t i : iterations) seed = seed_of_iteration(seed, i);
  Random random(
      {seed, static_cast<std::uint64_t>(epoch), static_cast<std::uint64_t>(sample), generator});
  return static_cast<std::int64_t>(random.below64(std::uint64_t{1} << 62));
}

struct Setting {
  int threads;
  int batch_size;
};
constexpr Setting kSettings[] = {{1, 1}, {1, 7}, {2, 4}, {4, 1}, {8, 5}, {8, 23}};

// Returns the values of the only output, by epoch and sample.
template <class Describe>
auto run(const Setting& setting, Describe describe) {
  auto pipeline = make_pipeline(
      {.batch_size = setting.batch_size, .seed = kSeed, .threads = setting.threads}, describe);
  using Given = std::decay_t<
      decltype(std::declval<decltype(pipeline.epoch().next())>()->template get<0>()[0])>;
  std::map<std::pair<std::int64_t, std::int64_t>, Given> all;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.ids().size(); ++k)
        all[{batch.epoch(), batch.ids()[k]}] = batch.template get<0>()[k];
    }
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(2 * kSamples));
  return all;
}

// A kind of random draw. Each iteration draws one, as a number.
struct Kind {
  const char* name;
  Value<std::int64_t> (*draw)(Graph& g);
  bool distinct;  // two are never the same
};

Value<std::int64_t> bits_of(Graph& g, Value<float> x) {
  return g.map(
      "bits", [](float v) { return static_cast<std::int64_t>(v * 0x1p24f); }, x);
}

const Kind kKinds[] = {
    {"random", wide, true},
    {"uniform", [](Graph& g) { return bits_of(g, g.uniform(0.f, 1.f)); }, true},
    {"uniform of a value",
     [](Graph& g) {
       auto hi = g.map("hi", [] { return 2.f; });
       return bits_of(g, g.uniform(1.f, hi));
     },
     true},
    {"normal", [](Graph& g) { return bits_of(g, g.normal(0.f, 1.f)); }, true},
    {"coin_flip",
     [](Graph& g) {
       return g.if_else(
           g.coin_flip(), [] { return std::int64_t{1}; }, [] { return std::int64_t{0}; });
     },
     false},
    {"apply_random",
     [](Graph& g) {
       std::vector<Augmentation<std::int64_t>> suite;
       for (int k = 0; k < 5; ++k) {
         suite.push_back({"times" + std::to_string(k),
                          [k](Value<std::int64_t> x, Value<float>) { return x * 5 + k; }});
       }
       return apply_random(g, g.map("zero", [] { return std::int64_t{0}; }), suite, {.n = 3});
     },
     false},
    {"random_region",
     [](Graph& g) {
       const auto image = g.map_into<Image>("image", [](Image& out) { out.create(300, 300, 1); });
       return g.map(
           "place",
           [](const Rectangle& r) {
             return std::int64_t{r.x} + 1000 * (r.y + std::int64_t{1000} * r.width);
           },
           random_region(image));
     },
     false},
};

constexpr int kIterations = 12;

TEST(LoopDraws, EachIterationDrawsItsOwnWhateverDraws) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const auto describe = [&](Graph& g) {
      auto [last, drawn] = g.for_loop_collect(kIterations, indices(g, kSamples), [&](auto, auto x) {
        return std::tuple{x, kind.draw(g)};
      });
      return std::tuple{drawn, last};
    };
    const auto all = run(kSettings[0], describe);
    std::set<std::int64_t> of_all;
    for (const auto& [at, draws] : all) {
      ASSERT_EQ(draws.size(), std::size_t{kIterations});
      const std::set<std::int64_t> different(draws.begin(), draws.end());
      // A coin falls on one side twelve times in a row for one of 2,000 samples.
      EXPECT_GE(different.size(), kind.distinct ? std::size_t{kIterations} : 2u);
      of_all.insert(draws.begin(), draws.end());
    }
    EXPECT_TRUE(!kind.distinct || of_all.size() == all.size() * kIterations);
    for (const Setting& setting : kSettings) EXPECT_EQ(run(setting, describe), all);
  }
}

// Draws of loops of any shape follow from the numbers of the iterations, as the formula says.
struct Shape {
  const char* name;
  // All draws of a sample, in order.
  Value<Draws> (*describe)(Graph& g, Value<std::int64_t> i);
  // Returns the iterations in which a sample draws.
  std::vector<std::vector<std::uint64_t>> (*iterations)(std::int64_t i);
  std::uint32_t generator = 0;
};

std::vector<std::vector<std::uint64_t>> up_to(std::uint64_t count) {
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint64_t k = 0; k < count; ++k) all.push_back({k});
  return all;
}

Value<Draws> joined(Graph& g, Value<std::vector<Draws>> lists) {
  return g.map(
      "joined",
      [](const std::vector<Draws>& all) {
        Draws one;
        for (const Draws& list : all) one.insert(one.end(), list.begin(), list.end());
        return one;
      },
      lists);
}

// As many draws as `count` says, kept.
Value<Draws> drawn_in_a_loop(Graph& g, Value<std::int64_t> count) {
  return std::get<1>(g.for_loop_collect(count, count, [&](auto, auto x) {
    return std::tuple{x, wide(g)};
  }));
}

Value<Draws> added(Graph& g, Value<Draws> list, Value<std::int64_t> x) {
  return g.map(
      "added",
      [](Draws all, std::int64_t v) {
        all.push_back(v);
        return all;
      },
      list, x);
}

Value<Draws> none(Graph& g) {
  return g.map("none", [] { return Draws(); });
}

const Shape kShapes[] = {
    {"outside", [](Graph& g, Value<std::int64_t>) { return added(g, none(g), wide(g)); },
     [](std::int64_t) { return std::vector<std::vector<std::uint64_t>>{{}}; }},
    {"one loop, also of no and of one iteration",
     [](Graph& g, Value<std::int64_t> i) { return drawn_in_a_loop(g, i % 6); },
     [](std::int64_t i) { return up_to(static_cast<std::uint64_t>(i % 6)); }},
    {"a loop in a branch",
     [](Graph& g, Value<std::int64_t> i) {
       return g.if_else(
           i % 2 == 0, [&] { return drawn_in_a_loop(g, i % 6); }, [&] { return none(g); });
     },
     [](std::int64_t i) { return up_to(static_cast<std::uint64_t>(i % 2 == 0 ? i % 6 : 0)); }},
    {"a branch in a loop",
     [](Graph& g, Value<std::int64_t> i) {
       return g.for_loop(6, none(g), [&](auto k, auto list) {
         return g.if_else((k + i) % 3 == 0, [&] { return added(g, list, wide(g)); },
                          [&] { return list; });
       });
     },
     [](std::int64_t i) {
       std::vector<std::vector<std::uint64_t>> all;
       for (std::uint64_t k = 0; k < 6; ++k) {
         if ((k + static_cast<std::uint64_t>(i)) % 3 == 0) all.push_back({k});
       }
       return all;
     }},
    {"a loop in a loop",
     [](Graph& g, Value<std::int64_t> i) {
       return joined(g, std::get<1>(g.for_loop_collect(4, i, [&](auto k, auto x) {
                       return std::tuple{x, drawn_in_a_loop(g, (x + k) % 4)};
                     })));
     },
     [](std::int64_t i) {
       std::vector<std::vector<std::uint64_t>> all;
       for (std::uint64_t k = 0; k < 4; ++k) {
         for (std::uint64_t j = 0; j < (static_cast<std::uint64_t>(i) + k) % 4; ++j)
           all.push_back({k, j});
       }
       return all;
     }},
    {"after an inner loop",
     [](Graph& g, Value<std::int64_t> i) {
       return g.for_loop(3, none(g), [&](auto k, auto list) {
         auto inner = g.for_loop((i + k) % 3, k, [&](auto, auto x) { return x + 1; });
         auto x = wide(g);  // in one branch only, after the inner loop
         return added(g, list,
                      g.if_else(
                          inner >= 0, [&] { return x; }, [&] { return k; }));
       });
     },
     [](std::int64_t) { return up_to(3); }},
    {"three deep",
     [](Graph& g, Value<std::int64_t> i) {
       return joined(g, std::get<1>(g.for_loop_collect(2, i, [&](auto, auto x) {
                       auto inner = g.for_loop_collect(3, x, [&](auto k, auto y) {
                         return std::tuple{y, drawn_in_a_loop(g, k + 1)};
                       });
                       return std::tuple{x, joined(g, std::get<1>(inner))};
                     })));
     },
     [](std::int64_t) {
       std::vector<std::vector<std::uint64_t>> all;
       for (std::uint64_t a = 0; a < 2; ++a) {
         for (std::uint64_t b = 0; b < 3; ++b) {
           for (std::uint64_t c = 0; c <= b; ++c) all.push_back({a, b, c});
         }
       }
       return all;
     }},
    {"a loop whose condition draws, too",
     [](Graph& g, Value<std::int64_t> i) {
       return g.while_loop(
           none(g),
           [&](auto list) {
             return g.map(
                 "asks",
                 [](const Draws& all, std::int64_t drawn, std::int64_t count) {
                   const bool fresh = all.empty() || all.back() != drawn;
                   return fresh && static_cast<std::int64_t>(all.size()) < count % 5;
                 },
                 list, wide(g), i);
           },
           [&](auto list) { return added(g, list, wide(g)); });
     },
     [](std::int64_t i) { return up_to(static_cast<std::uint64_t>(i % 5)); }, 1},
    {"explicit boundaries",
     [](Graph& g, Value<std::int64_t> i) {
       auto loop = g.add_loop();
       loop.add_trip_limit(i % 6);
       auto list = loop.add_recurrence(none(g));
       auto drawn = g.random(
           "wide",
           [](Random& random, const Draws&) {
             return static_cast<std::int64_t>(random.below64(std::uint64_t{1} << 62));
           },
           list.value());
       list.set_next(added(g, list.value(), drawn));
       return loop.add_output(list);
     },
     [](std::int64_t i) { return up_to(static_cast<std::uint64_t>(i % 6)); }},
};

TEST(LoopDraws, FollowFromTheNumbersOfTheIterations) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.name);
    const auto describe = [&](Graph& g) { return shape.describe(g, indices(g, kSamples)); };
    for (const Setting& setting : kSettings) {
      for (const auto& [at, draws] : run(setting, describe)) {
        Draws wanted;
        for (const auto& iterations : shape.iterations(at.second))
          wanted.push_back(expected(at.first, at.second, shape.generator, iterations));
        EXPECT_EQ(draws, wanted) << "epoch " << at.first << ", sample " << at.second;
      }
    }
  }
}

TEST(LoopDraws, OutsideOfTheLoopDoNotFeelHowOftenItRan) {
  for (const std::int64_t count : {0, 1, 2, 9}) {
    const auto describe = [&](Graph& g) {
      auto i = indices(g, kSamples);
      auto before = wide(g);  // generator 0
      auto sum = g.for_loop(count, i, [&](auto, auto x) { return (x + wide(g)) % 1000; });
      auto after = g.if_else(
          sum >= 0, [&] { return wide(g); }, [&] { return sum; });
      return added(g, added(g, none(g), before), after);
    };
    for (const Setting& setting : kSettings) {
      for (const auto& [at, draws] : run(setting, describe)) {
        EXPECT_EQ(draws, (Draws{expected(at.first, at.second, 0, {}),
                                expected(at.first, at.second, 2, {})}));
      }
    }
  }
}

// A condition that draws: how often a loop goes round is then a matter of luck.
TEST(LoopDraws, ACoinEndsALoop) {
  const auto all = run(kSettings[4], [](Graph& g) {
    return g.while_loop(
        indices(g, kSamples) * 0, [&](auto) { return g.coin_flip(0.75f); },
        [](auto n) { return n + 1; });
  });
  std::set<std::int64_t> lengths;
  for (const auto& [at, trips] : all) lengths.insert(trips);
  EXPECT_GE(lengths.size(), 4u);
}

TEST(LoopDraws, InspectionsDrawTheSame) {
  auto pipeline = make_pipeline({.batch_size = 4, .seed = kSeed, .threads = 2}, [](Graph& g) {
    return joined(g, std::get<1>(g.for_loop_collect(3, indices(g, kSamples), [&](auto k, auto x) {
                    return std::tuple{x, drawn_in_a_loop(g, k + 1)};
                  })));
  });
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.size(); ++k)
        EXPECT_EQ(pipeline.inspect(batch.ids()[k], epoch).get<Draws>("joined"), batch.get<0>()[k]);
    }
  }
}

// A sample that ends in a loop leaves nothing behind: neither for the next sample of its record,
// nor for its replacement sample.
TEST(LoopDraws, OfASampleThatFailsLeaveNothingBehind) {
  for (const OnError& policy : {OnError(OnError::skip), OnError(OnError::replace)}) {
    auto pipeline = make_pipeline(
        {.batch_size = 2, .seed = kSeed, .threads = 1, .prefetch = 0, .on_error = policy},
        [](Graph& g) {
          auto i = indices(g, kSamples);
          auto outside = wide(g);
          auto inside = g.for_loop(4, wide(g), [&](auto k, auto) {
            return g.map(
                "fails",
                [](std::int64_t x, std::int64_t round, std::int64_t sample) {
                  if (round == 2 && sample % 3 == 0) throw std::runtime_error("here");
                  return x;
                },
                wide(g), k, i);
          });
          return std::tuple{i, outside, inside};
        });
    std::size_t samples = 0;
    for (const auto& batch : pipeline.epoch()) {
      const auto& [keys, outside, inside] = batch;
      for (std::size_t k = 0; k < batch.size(); ++k, ++samples) {
        EXPECT_EQ(outside[k], expected(0, keys[k], 0, {}));
        EXPECT_EQ(inside[k], expected(0, keys[k], 2, {3}));
      }
      for (const SampleError& error : batch.errors()) EXPECT_EQ(error.seed, kSeed);
    }
    EXPECT_EQ(samples, policy.policy == OnError::Policy::skip ? 15u : 23u);
  }
}

}  // namespace loop_draws_test
}  // namespace sluice
