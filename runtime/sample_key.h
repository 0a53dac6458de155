// SampleKey and BatchKey: identify a sample and a batch. Random numbers follow from them.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace sluice {

// The size of a source that does not know its number of samples: it has those before the first
// index for which it throws EndOfEpoch.
inline constexpr std::int64_t kUntilEnd = std::numeric_limits<std::int64_t>::max();

// SampleKey: the epoch of a sample and its index in the data set. Everything about a sample follows
// from its key and the pipeline's seed: what the source returns for it, its name, its random
// numbers.
//
// The position is separate: dense from 0 in each epoch. Batches are made and delivered in its
// order. A replacement sample has the position of the failed one, and its own key.
//
// If a sampler may draw the same sample more than once in an epoch, each draw is another sample
// with its own random numbers: `repeat` tells them apart.
struct SampleKey {
  std::int64_t epoch = 0;
  std::int64_t index = 0;   // in the data set
  std::int64_t repeat = 0;  // 0 if a sampler draws each sample once
  // clang-tidy 14 mistakes the 0 that the compiler generates for `a < b` for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const SampleKey&, const SampleKey&) = default;
};

// BatchKey: identifies a batch, for random draws for the batch as a whole; see
// Pipeline::batch_step().

struct BatchKey {
  std::uint64_t seed = 0;  // of the pipeline
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
};

}  // namespace sluice
