// Part: this process's share of a run that several processes share. Each file of each epoch belongs
// to one process, so together they write the same results as a single process.
//
// Ownership: a value. Threads: like any data. Errors: UsageError for an invalid --shard, BuildError
// for contradictory environment variables.
#pragma once

#include <sluice/graph/order/sampler.h>

#include <string>

namespace sluice::app {

class Part {
 public:
  // `option`: "I/N"; empty: from the environment (torchrun, MPI, Slurm), else the whole run.
  explicit Part(const std::string& option);

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

}  // namespace sluice::app
