// Shared by the tests of sources: their data, and the ways to produce it.
#pragma once

#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/batches.h>
#include <sluice/graph/sources/values.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::conformance {

// One sample: its position in the epoch, in its batch, its batch, and the epoch.
using Row = std::array<std::int64_t, 4>;

// Returns 0 to count - 1.
inline std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

inline Row info_row(const SampleInfo& info) {
  return {info.index_in_epoch, info.index_in_batch, info.batch, info.epoch};
}

// The ways in which a source produces samples: alone, alone on threads of its own, several at once,
// one after the other.
enum class Mode { plain, threads, batches, batches_on_threads, values };
inline constexpr Mode kModes[] = {Mode::plain, Mode::threads, Mode::batches,
                                  Mode::batches_on_threads, Mode::values};
inline constexpr Mode kParallel[] = {Mode::threads, Mode::batches_on_threads, Mode::values};

// A source of f(index, epoch) for indices 0 to `count` - 1. Only groups know the count.
template <class T>
auto give_of(Graph& g, Mode mode, int threads, std::int64_t count,
             const std::function<T(std::int64_t, std::int64_t)>& f) {
  constexpr std::int64_t kGroup = 16;
  const auto one = [count, f](const SampleInfo& info) -> T {
    if (info.index >= count) throw EndOfEpoch();
    return f(info.index, info.epoch);
  };
  const auto several = [f](const BatchInfo& info) {
    std::vector<T> all;
    for (const SampleKey& key : info.keys) all.push_back(f(key.index, key.epoch));
    return all;
  };
  // By value: the coroutine outlives the lambda.
  const auto each = [count, f](const EpochInfo& info) {
    return [](std::int64_t n, std::int64_t epoch,
              std::function<T(std::int64_t, std::int64_t)> make) -> generator<T> {
      for (std::int64_t i = 0; i < n; ++i) co_yield make(i, epoch);
    }(count, info.epoch, f);
  };
  switch (mode) {
    case Mode::plain:
      return g.source(kUntilEnd, one);
    case Mode::threads:
      return g.source(kUntilEnd, one, {.threads = threads});
    case Mode::batches:
      return g.read(batches_of(count, kGroup, several));
    case Mode::batches_on_threads:
      return g.read(batches_of(count, kGroup, several, {.threads = threads}));
    default:
      return g.read(values_of(each));
  }
}
template <class F>
auto give(Graph& g, Mode mode, int threads, std::int64_t count, F f) {
  return give_of<decltype(f(std::int64_t{0}, std::int64_t{0}))>(g, mode, threads, count, f);
}

// The values of the first column in one epoch, batch by batch, and the error that ended it.
template <class T, class... Ts>
struct Trace {
  std::vector<std::vector<T>> batches;
  std::string error;
  std::vector<T> all() const {
    std::vector<T> flat;
    for (const auto& batch : batches) flat.insert(flat.end(), batch.begin(), batch.end());
    return flat;
  }
  friend bool operator==(const Trace&, const Trace&) = default;
};
template <class T, class... Ts>
Trace<T> epoch_of(Pipeline<T, Ts...>& pipeline) {
  Trace<T> trace;
  try {
    for (const auto& batch : pipeline.epoch()) {
      trace.batches.emplace_back();
      for (std::size_t i = 0; i < batch.size(); ++i)
        trace.batches.back().push_back(batch.template get<0>()[i]);
    }
  } catch (const std::exception& error) {
    trace.error = error.what();
  }
  return trace;
}

}  // namespace sluice::conformance
