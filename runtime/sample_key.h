// SampleKey and BatchKey: which sample and which batch it is. Random numbers follow from them.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace sluice {

// How many samples a source has that does not know it: those before the first index for which it
// throws EndOfEpoch.
inline constexpr std::int64_t kUntilEnd = std::numeric_limits<std::int64_t>::max();

// SampleKey: which sample: of which epoch, and which of the data set. All that a sample is follows
// from its key and the pipeline's seed: what the source gives for it, its name, its random numbers.
//
// Where it stands is another matter: its position, dense from 0 in each epoch, in whose order
// batches are made and delivered. A sample that stands in for one that failed has the other's
// position, and its own key.
//
// Where a sampler may give the same sample more than once in an epoch, each time is another sample
// with random numbers of its own: `repeat` tells them apart.
struct SampleKey {
  std::int64_t epoch = 0;
  std::int64_t index = 0;   // in the data set
  std::int64_t repeat = 0;  // 0 where a sampler gives each sample once
  // clang-tidy 14 takes the 0 in what the compiler makes of `a < b` for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const SampleKey&, const SampleKey&) = default;
};

// BatchKey: which batch it is, for what is drawn for it as a whole; see Pipeline::batch_step().

struct BatchKey {
  std::uint64_t seed = 0;  // of the pipeline
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
};

}  // namespace sluice
