// Wanted: which results `sluice augment` makes, and in which order. A result has a number: its
// epoch times the samples of the dataset, and the index of its sample. `count` are wanted of all
// processes together: whole epochs, and of the last one perhaps only the first samples in order.
//
// Ownership: a value. Threads: any number at once. No errors.
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

  // For the source, with the shard.
  UserOrder order() const;
  // How many of them are this process's.
  std::int64_t in_part() const;
  // How many of these come before what a checkpoint says is next.
  std::int64_t before(const Checkpoint& next) const;
  // Whether a result is this process's, and does not come before that.
  bool is_left(std::int64_t number, const std::optional<Checkpoint>& next) const;

 private:
  std::int64_t in_epoch(std::int64_t epoch) const;
  std::int64_t in_epochs(std::int64_t epochs) const;  // of this process, in the first ones
  ShardPlaces places(std::int64_t epoch) const;

  Options options_;
  Part part_;
};

}  // namespace sluice::app
