// ProcessShard: the process's share of the inputs, if several processes share a run. ResultRange:
// the results that `sluice augment` produces, in their order.
//
// Ownership: values. Threads: any number at once. Errors: UsageError for an invalid --shard,
// BuildError for contradictory environment variables.
#pragma once

#include <sluice/graph/checkpoint.h>
#include <sluice/graph/sampling/sampler.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::app {

// This process's share of a run that several processes share. Each file of each epoch belongs to
// one process, so together they write the same results as a single process.
class ProcessShard {
 public:
  // `option`: "I/N"; empty: from the environment (torchrun, MPI, Slurm), else the whole run.
  explicit ProcessShard(const std::string& option);

  bool is_whole() const { return shard_.count == 1; }
  const Shard& shard() const { return shard_; }
  // True if a launcher started this process together with others.
  bool is_together() const { return together_ && !is_whole(); }
  // True if this process prints for the whole job: of processes started together, only the first
  // one does.
  bool tells() const { return !together_ || shard_.index == 0; }
  // For example " (shard 1/4)"; empty for the whole run.
  std::string words() const;

 private:
  Shard shard_;
  bool together_ = false;
};

// The number of a result is its epoch times the size of the dataset, plus the index of its sample.
// All processes together produce `count` results: whole epochs, and perhaps the first samples of
// one more.
class ResultRange {
 public:
  struct Options {
    std::int64_t samples = 0;  // of the dataset
    std::int64_t count = 0;
    bool shuffle = false;
    std::uint64_t seed = 0;  // of the shuffle
    bool replace = false;    // another sample replaces one that fails
  };
  ResultRange(const Options& options, const ProcessShard& share)
      : options_(options), share_(share) {}

  // The order for the source, which applies the shard.
  UserOrder order() const;
  // The number of results of this process.
  std::int64_t in_shard() const;
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
  ProcessShard share_;
};

}  // namespace sluice::app
