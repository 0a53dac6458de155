// Wanted: the results that `sluice augment` produces, and their order. The number of a result is
// its epoch times the size of the dataset, plus the index of its sample. All processes together
// produce `count` results: whole epochs, and perhaps the first samples of one more.
//
// Ownership: a value. Threads: any number at once. Errors: none.
#pragma once

#include "part.h"
#include <sluice/graph/checkpoint.h>
#include <sluice/graph/order/sampler.h>

#include <cstdint>
#include <optional>

namespace sluice::app {

class Wanted {
 public:
  struct Options {
    std::int64_t samples = 0;  // of the dataset
    std::int64_t count = 0;
    bool shuffle = false;
    std::uint64_t seed = 0;  // of the shuffle
  };
  Wanted(const Options& options, const Part& part) : options_(options), part_(part) {}

  // The order for the source, which applies the shard.
  UserOrder order() const;
  // The number of results of this process.
  std::int64_t in_part() const;
  // The number of those before the position of a checkpoint.
  std::int64_t before(const Checkpoint& next) const;
  // True if a result belongs to this process and does not come before that position.
  bool is_left(std::int64_t number, const std::optional<Checkpoint>& next) const;

 private:
  std::int64_t in_epoch(std::int64_t epoch) const;
  // The number of results of this process in the first `epochs` epochs.
  std::int64_t in_epochs(std::int64_t epochs) const;
  ShardPlaces places(std::int64_t epoch) const;

  Options options_;
  Part part_;
};

}  // namespace sluice::app
