// Everything that the graph's own functions record can be saved: loops and their lists, boundaries,
// numbers of every width. The loaded plan is the same, and delivers the same samples.
#include "tests/graph/saved.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace saved_loops_test {

using Ints = std::vector<std::int32_t>;

// The inputs of each sample.
struct Given {
  Value<std::int64_t> i;
  Value<Ints> list;  // i % 7 + 1 numbers
  Value<Tensor> tensor;
  Value<std::uint8_t> byte;
  Value<std::int16_t> narrow;
  Value<std::uint64_t> wide;
  Value<Half> half;
  Value<Suit> suit;
};
auto source(Graph& g) {
  return g.source(40, [](const SampleInfo& info) {
    const auto i = static_cast<std::int32_t>(info.index_in_epoch);
    Ints list;
    for (std::int32_t k = 0; k <= i % 7; ++k) list.push_back(k * k - i);
    Tensor tensor;
    tensor.create({3, 4}, DType::f32);
    for (int k = 0; k < 12; ++k) tensor.data<float>()[k] = static_cast<float>(k * i);
    return std::tuple{std::int64_t{i},
                      list,
                      std::move(tensor),
                      static_cast<std::uint8_t>(i * 50),
                      static_cast<std::int16_t>(i * -900),
                      UINT64_MAX - static_cast<std::uint64_t>(i),
                      Half(static_cast<float>(i) * 0.75f),
                      static_cast<Suit>(i % 3)};
  });
}

std::string text_of(const std::string& text) { return text; }
std::string text_of(Half number) { return std::to_string(number.bits); }
template <class T>
requires std::is_arithmetic_v<T> std::string text_of(T number) { return std::to_string(number); }
std::string text_of(const Tensor& tensor) {
  std::string text(reinterpret_cast<const char*>(tensor.bytes()),
                   tensor.empty() ? 0 : tensor.spec().bytes());
  for (int axis = 0; axis < tensor.shape().rank; ++axis)
    text += "," + std::to_string(tensor.shape().dims[static_cast<std::size_t>(axis)]);
  return text;
}
template <class T>
std::string text_of(const std::vector<T>& list) {
  std::string text;
  for (const T& one : list) text += text_of(one) + " ";
  return "[" + text + "]";
}

// Every sample of an epoch, and every error.
template <class P>
std::vector<std::string> delivered(P pipeline) {
  std::vector<std::string> all;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      std::string& text = all.emplace_back();
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((text += text_of(batch.template get<I>()[k]) + ";"), ...);
      }
      (std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(batch)>>>());
    }
    for (const SampleError& error : batch.errors())
      all.push_back(std::to_string(error.id) + " " + error.step + ": " + error.what);
  }
  return all;
}

PipelineOptions options(int threads) {
  return {.batch_size = 4, .seed = 3, .threads = threads, .on_error = OnError::skip};
}

template <class... Ts>
auto load(int threads, const std::string& text, std::type_identity<std::tuple<Value<Ts>...>>) {
  const SavedPlan plan = SavedPlan::parse(text, "plan.json", registry());
  return make_pipeline(options(threads), [&](Graph& g) {
    return std::apply([&](const auto&... values) { return plan.apply<Ts...>(values...); },
                      source(g));
  });
}

// describe(Graph&, const Given&) returns a tuple of Values.
template <class Describe>
void expect_saved(const Describe& describe) {
  using Outs = std::decay_t<decltype(describe(std::declval<Graph&>(), Given()))>;
  const auto make = [&](int threads) {
    return make_pipeline(options(threads), [&](Graph& g) {
      const auto [i, list, tensor, byte, narrow, wide, half, suit] = source(g);
      return describe(g, Given{i, list, tensor, byte, narrow, wide, half, suit});
    });
  };
  const std::string text = json_of(make(1).recorded_plan());
  const std::vector<std::string> expected = delivered(make(2));
  ASSERT_GE(expected.size(), 39u);  // one may be filtered
  for (const int threads : {1, 3}) {
    auto again = load(threads, text, std::type_identity<Outs>());
    EXPECT_EQ(json_of(again.recorded_plan()), text);
    EXPECT_EQ(delivered(std::move(again)), expected);
  }
}

TEST(SavedLoops, Collect) {
  for (const bool reverse : {false, true}) {
    SCOPED_TRACE(reverse);
    expect_saved([&](Graph& g, const Given& given) {
      auto [last, all] = g.for_loop_collect(given.i % 5, given.i,
                                            [](auto k, auto x) {
                                              return std::tuple{x + k, x};
                                            },
                                            {.reverse = reverse});
      auto [none, texts] = g.for_loop_collect(
          3, given.byte,
          [&](auto, auto x) {
            return std::tuple{cast<std::uint8_t>(x + 1), g.constant(std::string("text"))};
          },
          {.reverse = reverse});
      return std::tuple{last, all, none, texts};
    });
  }
}

TEST(SavedLoops, ListsOfLists) {
  expect_saved([](Graph& g, const Given& given) {
    auto [last, all] = g.for_loop_collect(given.i % 4, std::int64_t{0}, [&](auto k, auto x) {
      auto [sum, inner] = g.for_loop_collect(k, x,
                                             [](auto n, auto y) {
                                               return std::tuple{y + n, y > 2};
                                             },
                                             {.reverse = true});
      return std::tuple{sum + k, inner};
    });
    return std::tuple{last, all};
  });
}

TEST(SavedLoops, CountsOfEveryType) {
  expect_saved([](Graph& g, const Given& given) {
    const auto count = [&](auto limit) {
      return g.for_loop(limit, 0, [](auto, auto x) { return x + 1; });
    };
    auto loop = g.add_loop("trips");
    auto x = loop.add_recurrence(0);
    x.set_next(x.value() + 1);
    loop.add_trip_limit(given.suit);
    auto other = g.add_loop("a few trips");
    auto y = other.add_recurrence(0);
    y.set_next(y.value() + 1);
    other.add_trip_limit(Suit::spades);
    return std::tuple{count(given.byte % 5),  count(given.narrow), count(given.suit),
                      count(given.wide % 3u), count(Suit::hearts), count(std::int8_t{2}),
                      loop.add_output(x),     other.add_output(y), count(5ll)};
  });
}

TEST(SavedLoops, Boundaries) {
  for (const bool reverse : {false, true}) {
    SCOPED_TRACE(reverse);
    expect_saved([&](Graph& g, const Given& given) {
      auto loop = g.add_loop("rows");
      auto sum = loop.add_recurrence(0);
      auto count = given.i % 9;  // at times more than the list has
      sum.set_next(sum.value() + loop.add_iterator(given.list, {.reverse = reverse}));
      loop.add_trip_limit(count);
      return std::tuple{loop.add_output(sum),
                        loop.add_output(sum.value(), count + 2, {.reverse = reverse}),
                        loop.add_output(sum.value() > 4, 8, {.reverse = reverse}),
                        loop.add_output(given.byte, cast<std::int32_t>(given.narrow) + 40000)};
    });
  }
}

TEST(SavedLoops, BoundariesOfTensors) {
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    expect_saved([&](Graph& g, const Given& given) {
      auto loop = g.add_loop("slices");
      auto n = loop.add_recurrence(given.i);
      auto slice = loop.add_iterator(given.tensor, {.axis = axis, .reverse = axis == 1});
      n.set_next(n.value() - 3);
      loop.add_trip_limit(given.suit);
      loop.add_while(n.value() > 0);
      return std::tuple{
          loop.add_output(n), loop.add_output(slice, 2, {.axis = axis}),
          loop.add_output(slice, given.byte % 3, {.axis = 1 - axis, .reverse = true})};
    });
  }
}

// A loop of a conditional, within a loop of another one.
TEST(SavedLoops, BoundariesInBoundaries) {
  expect_saved([](Graph& g, const Given& given) {
    auto outer = g.add_loop("outer");
    auto x = outer.add_recurrence(given.i);
    auto inner = g.add_loop("inner");
    auto y = inner.add_recurrence(x.value());
    y.set_next(y.value() + 2);
    inner.add_trip_limit(x.value() % 3);
    auto all = inner.add_output(y.value(), 4);
    auto conditional = g.add_conditional("odd");
    conditional.set_condition(x.value() % 2 == 1);
    auto in = conditional.add_input(x.value());
    x.set_next(conditional.add_output(in + 1, in + inner.add_output(y)));
    outer.add_trip_limit(3);
    return std::tuple{outer.add_output(x), outer.add_output(all, 3)};
  });
}

TEST(SavedLoops, ChoicesByEveryType) {
  expect_saved([](Graph& g, const Given& given) {
    const auto choose = [&](auto index) {
      return g.select(
          index, [&] { return given.i; }, [&] { return given.i * 10; }, [&] { return -given.i; });
    };
    const auto either = [&](auto predicate) {
      return g.if_else(
          predicate, [&] { return given.i + 1; }, [&] { return given.i; });
    };
    g.filter(given.half);
    g.filter(given.wide);
    return std::tuple{choose(given.suit),      choose(given.byte % 3), choose(Suit::hearts),
                      choose(given.wide % 3u), either(given.half),     either(given.narrow),
                      either(given.byte),      either(Half(0.5f)),     either(std::uint16_t{0})};
  });
}

TEST(SavedLoops, NumbersOfEveryWidth) {
  expect_saved([](Graph& g, const Given& given) {
    auto text = std::tuple{given.byte + given.narrow,
                           given.wide - 1u,
                           given.half * 2,
                           given.byte / std::uint8_t{3},
                           given.narrow % std::int16_t{7},
                           given.wide > given.narrow,
                           given.half < given.byte,
                           -given.byte,
                           !given.half,
                           cast<std::uint16_t>(given.narrow),
                           cast<Half>(given.byte),
                           cast<std::uint32_t>(given.half),
                           cast<std::int8_t>(given.i)};
    auto constants = std::tuple{g.constant(std::int8_t{-7}),
                                g.constant(std::uint8_t{200}),
                                g.constant(INT16_MIN + 0),
                                g.constant(std::uint16_t{65535}),
                                g.constant(std::uint32_t{4294967295u}),
                                g.constant(UINT64_MAX),
                                g.constant(Half(0.1f)),
                                g.constant(Half(INFINITY)),
                                g.constant(std::vector<double>{0.1, 2})};
    return std::tuple_cat(text, constants);
  });
}

}  // namespace saved_loops_test
}  // namespace sluice
