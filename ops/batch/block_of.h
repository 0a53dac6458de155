// Access to the samples of a batch for the kernels that change them in place. Internal to mix_up,
// cut_mix and mosaic.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/ops/kernels/mix_samples.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace sluice::detail {

// Numbers of the generators that draw for batches. A pipeline's own generators count from 0, so the
// two never collide.
enum BatchGenerator : std::uint32_t { kMixUp = 0xfffffff0, kCutMix, kElse, kMosaic };

inline Random draw_for(const BatchKey& key, BatchGenerator generator) {
  return Random({.seed = key.seed,
                 .epoch = static_cast<std::uint64_t>(key.epoch),
                 .sample = static_cast<std::uint64_t>(key.batch),
                 .generator = generator});
}

template <class Column>
void require_host(const char* op, const char* what, const Column& column) {
  if (column.place().on_host()) return;
  throw Error(fmt::format("{}: the {} lie in {}; mix what to_host() gives", op, what,
                          to_string(column.place())));
}

// Returns the samples of a non-empty column. Throws Error if they have no common shape.
template <class Column>
kernels::SampleBlock block_of(const char* op, const char* what, const Column& column) {
  require_host(op, what, column);
  if (!column.dense()) {
    for (std::size_t i = 1; i < column.size(); ++i) {
      const Shape first = column.tensor(0).shape(), other = column.tensor(i).shape();
      if (first == other) continue;
      throw Error(fmt::format(
          "{}: the {} of a batch must have one shape to be mixed, but sample 0 has {} and sample "
          "{} {}; resize or crop them in the pipeline",
          op, what, to_string(first), i, to_string(other)));
    }
    throw Error(fmt::format(
        "{}: the {} of a batch must have one type and layout of elements to be mixed", op, what));
  }
  column.wait();
  return {column.tensor().bytes(), column.size(), column.tensor(0).spec()};
}

// Calls f and turns its kernels' errors into an Error of this operator.
template <class F>
void mixing(const char* op, const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    throw Error(std::string(op) + ": " + error.what());
  }
}

}  // namespace sluice::detail
