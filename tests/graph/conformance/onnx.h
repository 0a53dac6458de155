// Types and helpers for the tests of ONNX's operators: values are lists of numbers.
#pragma once

#include "tests/graph/conformance/setup.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::conformance {

using Floats = std::vector<float>;
using Sequence = std::vector<Floats>;

// Returns the described value, which is the same for every sample.
template <class Describe>
auto result_of(Describe describe) {
  auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    (void)given_idx(g);
    return describe(g);
  });
  auto run = pipeline.epoch();
  auto batch = run.next();
  return row_of(*batch, 0);
}

template <class T>
Value<T> element(Graph& g, Value<std::vector<T>> list, Value<std::int64_t> i) {
  return g.map(
      "element",
      [](const std::vector<T>& all, std::int64_t k) { return all.at(static_cast<std::size_t>(k)); },
      list, i);
}
template <class T>
Value<std::vector<T>> append(Graph& g, Value<std::vector<T>> list, Value<T> last) {
  return g.map(
      "append",
      [](const std::vector<T>& all, const T& x) {
        std::vector<T> longer = all;
        longer.push_back(x);
        return longer;
      },
      list, last);
}
template <class F>
Value<Floats> zip(Graph& g, F f, Value<Floats> a, Value<Floats> b) {
  return g.map(
      "zip",
      [f](const Floats& x, const Floats& y) {
        Floats z;
        for (std::size_t k = 0; k < x.size(); ++k) z.push_back(f(x[k], y.at(k)));
        return z;
      },
      a, b);
}
inline constexpr auto kAdd = [](float x, float y) { return x + y; };
inline constexpr auto kMultiply = [](float x, float y) { return x * y; };

}  // namespace sluice::conformance
