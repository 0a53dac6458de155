// Shared by the conformance tests: batches of 10 for 5 iterations, the predicates that programs
// branch on, and expect_same(). It runs a described program and the same program written as a plain
// function of one sample, and compares every sample.
#pragma once

#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::conformance {

inline constexpr int kBatch = 10;
inline constexpr int kIterations = 5;
inline constexpr int kSamples = kBatch * kIterations;

// The position of a sample: in its batch, the number of that batch, and in the epoch.
struct At {
  int i = 0;
  int it = 0;
  int idx = 0;
};
inline At at(const SampleInfo& info) {
  return {static_cast<int>(info.index_in_batch), static_cast<int>(info.batch),
          static_cast<int>(info.index_in_epoch)};
}
inline At at(int idx, int batch = kBatch) { return {idx % batch, idx / batch, idx}; }

template <class T>
struct Predicate {
  const char* name;
  T (*of)(At);
};

inline std::uint32_t random_below(std::uint32_t n, At a) {
  return Random({.seed = 77, .sample = static_cast<std::uint32_t>(a.idx)}).below(n);
}

inline constexpr std::array<Predicate<int>, 7> kNumbers{{
    {"PI1", [](At a) { return a.i - 3; }},
    {"PI2", [](At a) { return a.i % 2 == 0 ? -1 : 1; }},
    {"PI3", [](At a) { return (a.i % 3 == 0 ? 1 : 0) - 1; }},
    {"PI4", [](At) { return 1; }},
    {"PI5", [](At) { return 0; }},
    {"PI6", [](At) { return -1; }},
    {"PI7", [](At a) { return 2 * static_cast<int>(random_below(3, a)) - 2; }},
}};

inline constexpr std::array<Predicate<bool>, 6> kBools{{
    {"PB1", [](At a) { return a.i < 3; }},
    {"PB2", [](At a) { return a.i % 2 == 0; }},
    {"PB3", [](At a) { return a.i % 3 == 0; }},
    {"PB4", [](At a) { return (a.i + a.it % 2) % 2 == 0; }},
    {"PB5", [](At) { return false; }},
    {"PB6", [](At a) { return random_below(2, a) == 1; }},
}};

// Returns a value for each sample, as a function of its position.
template <class T>
auto given_of(Graph& g, const std::function<T(At)>& f) {
  return g.source(kSamples, [f](const SampleInfo& info) { return f(at(info)); });
}
template <class F>
auto given(Graph& g, F f) {
  return given_of<std::invoke_result_t<F, At>>(g, f);
}
inline Value<int> given_idx(Graph& g) {
  return given(g, [](At a) { return a.idx; });
}
template <class T>
Value<T> given(Graph& g, const Predicate<T>& predicate) {
  return given(g, predicate.of);
}

template <class T>
std::tuple<T> as_row(T value) {
  return {std::move(value)};
}
template <class... Ts>
std::tuple<Ts...> as_row(std::tuple<Ts...> row) {
  return row;
}

// Returns the values that the pipeline delivers for sample k of a batch, as a tuple.
template <class... Ts>
std::tuple<Ts...> row_of(const Batch<Ts...>& batch, std::size_t k) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<Ts...>(batch.template get<I>()[k]...);
  }
  (std::index_sequence_for<Ts...>());
}

// describe(Graph&) returns a Value or a tuple of them; plain(At) returns the same for one sample.
template <class Describe, class Plain>
void expect_same(const std::string& label, Describe describe, Plain plain) {
  for (const int threads : {1, 2, 8}) {
    SCOPED_TRACE(label + ", " + std::to_string(threads) + " threads");
    auto pipeline = make_pipeline({.batch_size = kBatch, .threads = threads}, describe);
    int idx = 0;
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_EQ(batch.size(), static_cast<std::size_t>(kBatch));
      for (std::size_t k = 0; k < batch.size(); ++k, ++idx) {
        EXPECT_EQ(row_of(batch, k), as_row(plain(at(idx)))) << "sample " << idx;
      }
    }
    EXPECT_EQ(idx, kSamples);
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
}

// Compares for every predicate of a list: describe(Graph&, Value<T> predicate), plain(T, At).
template <class List, class Describe, class Plain>
void for_each_predicate(const List& list, Describe describe, Plain plain) {
  for (const auto& predicate : list) {
    expect_same(
        predicate.name, [&](Graph& g) { return describe(g, given(g, predicate)); },
        [&](At a) { return plain(predicate.of(a), a); });
  }
}

// Compares for every pair of boolean predicates.
template <class Describe, class Plain>
void for_each_pair(Describe describe, Plain plain) {
  for (const auto& p : kBools) {
    for (const auto& q : kBools) {
      expect_same(
          std::string(p.name) + " x " + q.name,
          [&](Graph& g) {
            const auto first = given(g, p);
            const auto second = given(g, q);
            return describe(g, first, second);
          },
          [&](At a) { return plain(p.of(a), q.of(a), a); });
    }
  }
}

}  // namespace sluice::conformance
