// ONNX's If, Loop, Scan and SequenceMap: the rows of tests/conformance.md.
#include "tests/graph/conformance/onnx.h"

#include <optional>
#include <type_traits>
#include <vector>

namespace sluice::conformance {
namespace onnx_test {

TEST(Onnx, RowA_If) {
  const auto [y] = result_of([](Graph& g) {
    return g.if_else(g.constant(true), Floats{1, 2, 3, 4, 5}, Floats{5, 4, 3, 2, 1});
  });
  EXPECT_EQ(y, (Floats{1, 2, 3, 4, 5}));
}

TEST(Onnx, RowB_IfOfSequences) {
  const auto [y] = result_of([](Graph& g) {
    return g.if_else(g.constant(true), Sequence{{1, 2, 3, 4, 5}}, Sequence{{5, 4, 3, 2, 1}});
  });
  EXPECT_EQ(y, (Sequence{{1, 2, 3, 4, 5}}));
}

TEST(Onnx, RowC_IfOfOptionals) {
  const auto [y] = result_of([](Graph& g) {
    return g.if_else(g.constant(false), std::optional<Sequence>{},
                     std::optional<Sequence>{{{1, 2, 3, 4, 5}}});
  });
  ASSERT_TRUE(y.has_value());
  EXPECT_EQ(*y, (Sequence{{1, 2, 3, 4, 5}}));
}

TEST(Onnx, RowD_Loop11) {
  const auto [y, scan] = result_of([](Graph& g) {
    auto x = g.constant(Floats{1, 2, 3, 4, 5});
    return g.for_loop_collect(5, -2.f, [&](auto k, auto sum) {
      auto next = sum + element(g, x, k);
      return std::tuple{next, next};
    });
  });
  EXPECT_EQ(y, 13.f);
  EXPECT_EQ(scan, (Floats{-1, 1, 4, 8, 13}));
}

// Returns the first k + 1 numbers of 1, 2, 3, ..., which iteration k adds.
Value<Floats> first_of(Graph& g, Value<std::int64_t> k) {
  return g.map(
      "first",
      [](std::int64_t i) {
        Floats all;
        for (std::int64_t n = 1; n <= i + 1; ++n) all.push_back(static_cast<float>(n));
        return all;
      },
      k);
}
const Sequence kFirstFive{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}};

TEST(Onnx, RowE_LoopOverASequence) {
  const auto [y] = result_of([](Graph& g) {
    return g.for_loop(5, Sequence{},
                      [&](auto k, auto all) { return append(g, all, first_of(g, k)); });
  });
  EXPECT_EQ(y, kFirstFive);
}

TEST(Onnx, RowF_LoopWithAnOptionalStart) {
  for (const bool given_start : {true, false}) {
    const auto [y] = result_of([&](Graph& g) {
      auto start = g.constant(given_start ? std::optional<Sequence>{{{0}}} : std::nullopt);
      auto first = g.map(
          "start", [](const std::optional<Sequence>& s) { return s.value_or(Sequence{}); }, start);
      return g.for_loop(5, first, [&](auto k, auto all) { return append(g, all, first_of(g, k)); });
    });
    Sequence wanted = kFirstFive;
    if (given_start) wanted.insert(wanted.begin(), Floats{0});
    EXPECT_EQ(y, wanted);
  }
}

TEST(Onnx, RowG_TheLoopOfTheText) {
  const auto [b, values, iterations] = result_of([](Graph& g) {
    auto a = g.constant(3);
    auto last = g.while_loop(
        std::tuple{6, std::vector<int>{}, true, std::int64_t{0}},
        [&](auto, auto, auto go, auto k) { return g.all_of(k < 10, [&] { return go; }); },
        [&](auto before, auto all, auto, auto k) {
          auto mine = a + before;
          auto next = a - before;
          return std::tuple{next, append(g, all, before + before), mine > next, k + 1};
        });
    return std::tuple{std::get<0>(last), std::get<1>(last), std::get<3>(last)};
  });
  EXPECT_EQ(b, 6);
  EXPECT_EQ(values, (std::vector{12, -6}));
  EXPECT_EQ(iterations, 2);
}

const Sequence kRows{{1, 2}, {3, 4}, {5, 6}};

TEST(Onnx, RowH_ScanSum) {
  const auto [sum, scan] = result_of([](Graph& g) {
    auto x = g.constant(kRows);
    return g.for_loop_collect(3, Floats{0, 0}, [&](auto k, auto state) {
      auto next = zip(g, kAdd, state, element(g, x, k));
      return std::tuple{next, next};
    });
  });
  EXPECT_EQ(sum, (Floats{9, 12}));
  EXPECT_EQ(scan, (Sequence{{1, 2}, {4, 6}, {9, 12}}));
}

// The leading batch dimension is the batch of the pipeline: each sample has its own sum.
TEST(Onnx, RowI_ScanSumOfABatch) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    auto x = given(g, [](At a) {
      Sequence rows = kRows;
      for (Floats& row : rows) row[0] += static_cast<float>(a.idx);
      return rows;
    });
    return g.for_loop_collect(3, Floats{0, 0}, [&](auto k, auto state) {
      auto next = zip(g, kAdd, state, element(g, x, k));
      return std::tuple{next, next};
    });
  });
  float idx = 0;
  for (const auto& [sums, scans] : pipeline.epoch()) {
    ASSERT_EQ(sums.size(), 10u);
    for (std::size_t k = 0; k < sums.size(); ++k, ++idx) {
      EXPECT_EQ(sums[k], (Floats{9 + 3 * idx, 12}));
      EXPECT_EQ(scans[k], (Sequence{{1 + idx, 2}, {4 + 2 * idx, 6}, {9 + 3 * idx, 12}}));
    }
  }
}

TEST(Onnx, RowJ_ScanWithTwoStates) {
  const auto [sum, product, scan] = result_of([](Graph& g) {
    auto x = g.constant(kRows);
    auto collected = g.for_loop_collect(
        3, std::tuple{Floats{0, 0}, Floats{1, 1}}, [&](auto k, auto total, auto factor) {
          auto row = element(g, x, k);
          auto next = zip(g, kAdd, total, row);
          return std::tuple{std::tuple{next, zip(g, kMultiply, factor, row)}, next};
        });
    auto last = std::get<0>(collected);
    return std::tuple{std::get<0>(last), std::get<1>(last), std::get<1>(collected)};
  });
  EXPECT_EQ(sum, (Floats{9, 12}));
  EXPECT_EQ(product, (Floats{15, 48}));
  EXPECT_EQ(scan, (Sequence{{1, 2}, {4, 6}, {9, 12}}));
}

TEST(Onnx, RowK_ScanOfScalars) {
  const auto [sum, scan] = result_of([](Graph& g) {
    auto x = g.constant(Floats{1, 2, 3, 4, 5});
    return g.for_loop_collect(5, 0.f, [&](auto k, auto state) {
      auto next = state + element(g, x, k);
      return std::tuple{next, next};
    });
  });
  EXPECT_EQ(sum, 15.f);
  EXPECT_EQ(scan, (Floats{1, 3, 6, 10, 15}));
}

TEST(Onnx, RowL_Range) {
  const auto range = [](int start, int limit, int delta) {
    const auto [list] = result_of([=](Graph& g) {
      auto count = g.map(
          "count",
          [](int from, int to, int step) {
            return static_cast<int>((to - from + step + (step > 0 ? -1 : 1)) / step);
          },
          g.constant(start), limit, delta);
      auto all = g.for_loop_collect(count, g.constant(start), [&](auto, auto x) {
        return std::tuple{x + delta, x};
      });
      return std::get<1>(all);
    });
    return list;
  };
  EXPECT_EQ(range(1, 5, 2), (std::vector{1, 3}));
  EXPECT_EQ(range(10, 6, -3), (std::vector{10, 7}));
  EXPECT_EQ(range(3, 3, 1), std::vector<int>{});
}

TEST(Onnx, O5_TheIterationNumberIsA64BitInteger) {
  const auto [last] = result_of([](Graph& g) {
    return g.for_loop(4, std::int64_t{-1}, [](auto k, auto) {
      static_assert(std::is_same_v<decltype(k), Value<std::int64_t>>);
      return k;
    });
  });
  EXPECT_EQ(last, 3);
}

// programs.json has the other forms of Loop.
TEST(Onnx, O6_WithoutIterationsNothingIsCollected) {
  const auto [untouched, empty] = result_of([](Graph& g) {
    return g.for_loop_collect(0, g.constant(5), [](auto, auto v) { return std::tuple{v + 1, v}; });
  });
  EXPECT_EQ(untouched, 5);
  EXPECT_EQ(empty, std::vector<int>{});
}

// The form without any limit ends at max_iterations, with an error of its sample.
TEST(Onnx, O6_EndlessLoopsEnd) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .on_error = OnError::skip}, [](Graph& g) {
    return g.while_loop(
        given_idx(g), [](auto) { return true; }, [](auto x) { return x; }, {.max_iterations = 9});
  });
  auto run = pipeline.epoch();
  const auto batch = run.next();
  ASSERT_EQ(batch->errors().size(), 10u);
  EXPECT_EQ(batch->errors()[3].step, "while_loop");
}

// By position: the names of the body's parameters mean nothing.
TEST(Onnx, O8_CarriedValuesMatchByPosition) {
  const auto [first, second] = result_of([](Graph& g) {
    return g.for_loop(3, std::tuple{1, 2}, [](auto, auto b, auto a) { return std::tuple{a, b}; });
  });
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
}

// Carried values may change their length, and so may collected ones, unlike in O9.
TEST(Onnx, O10_CarriedAndCollectedValuesMayChangeLength) {
  const auto [last, scan] = result_of([](Graph& g) {
    return g.for_loop_collect(3, Floats{}, [&](auto k, auto state) {
      return std::tuple{append(g, state, cast<float>(k)), state};
    });
  });
  EXPECT_EQ(last, (Floats{0, 1, 2}));
  EXPECT_EQ(scan, (Sequence{{}, {0}, {0, 1}}));
}

TEST(Onnx, O12_ScanBackwards) {
  const auto [scan, from_the_end] = result_of([](Graph& g) {
    auto x = g.constant(Floats{1, 2, 3});
    auto body = [&](bool turned) {
      return [&g, x, turned](auto k, auto state) {
        auto next = state * 10.f + element(g, x, turned ? 2 - k : k + std::int64_t{0});
        return std::tuple{next, next};
      };
    };
    return std::tuple{
        std::get<1>(g.for_loop_collect(3, 0.f, body(false), CollectOptions{.reverse = true})),
        std::get<1>(g.for_loop_collect(3, 0.f, body(true)))};
  });
  EXPECT_EQ(scan, (Floats{123, 12, 1}));
  EXPECT_EQ(from_the_end, (Floats{3, 32, 321}));
}

// SequenceMap: f for each element of a sequence.
template <class F>
auto sequence_map(Graph& g, int count, F f) {
  return std::get<1>(g.for_loop_collect(count, 0, [&](auto k, auto state) {
    return std::tuple{state, f(k)};
  }));
}
const Sequence kThree{{1, 2}, {3}, {4, 5, 6}};
const Sequence kOther{{10, 20}, {30}, {40, 50, 60}};

TEST(Onnx, O15_SequenceMapIdentity) {
  const auto [y0, y1, tensor] = result_of([](Graph& g) {
    auto x0 = g.constant(kThree);
    auto x1 = g.constant(Sequence{{7}, {8, 9}, {}});
    auto t = g.constant(Floats{0.5f, 1.5f});
    return std::tuple{sequence_map(g, 3, [&](auto k) { return element(g, x0, k); }),
                      sequence_map(g, 3, [&](auto k) { return element(g, x1, k); }),
                      sequence_map(g, 3, [&](auto) { return t; })};
  });
  EXPECT_EQ(y0, kThree);
  EXPECT_EQ(y1, (Sequence{{7}, {8, 9}, {}}));
  EXPECT_EQ(tensor, Sequence(3, Floats{0.5f, 1.5f}));
}

TEST(Onnx, O16_SequenceMapAdd) {
  const auto [two, with_tensor] = result_of([](Graph& g) {
    auto x0 = g.constant(kThree);
    auto x1 = g.constant(kOther);
    auto t = g.constant(Floats{100, 100, 100});
    return std::tuple{
        sequence_map(g, 3,
                     [&](auto k) { return zip(g, kAdd, element(g, x0, k), element(g, x1, k)); }),
        sequence_map(g, 3, [&](auto k) { return zip(g, kAdd, element(g, x0, k), t); })};
  });
  EXPECT_EQ(two, (Sequence{{11, 22}, {33}, {44, 55, 66}}));
  EXPECT_EQ(with_tensor, (Sequence{{101, 102}, {103}, {104, 105, 106}}));
}

TEST(Onnx, O16_SequenceMapShapes) {
  const std::vector<Shape> shapes{{40, 30, 3}, {20, 10, 3}, {10, 5, 3}};
  const auto [found] = result_of([&](Graph& g) {
    auto all = g.constant(shapes);
    return sequence_map(g, 3, [&](auto k) {
      auto zeros = g.map_into<Tensor>(
          "zeros", [](const Shape& shape, Tensor& out) { out.create(shape, DType::u8); },
          element(g, all, k));
      return g.map(
          "shape", [](const Tensor& t) { return t.shape(); }, zeros);
    });
  });
  EXPECT_EQ(found, shapes);
}

}  // namespace onnx_test
}  // namespace sluice::conformance
