// Part: which part of a run is this process's, where several share the work. Each file of each
// epoch is one process's, so that together they write what one would write alone.
//
// Ownership: a value. No threads. Errors: UsageError for what --shard cannot be, BuildError for an
// environment that contradicts itself.
#pragma once

#include <sluice/graph/order/sampler.h>

#include <string>

namespace sluice::app {

class Part {
 public:
  // `option`: "I/N"; empty: as the environment says (torchrun, MPI, Slurm), else all of it.
  explicit Part(const std::string& option);

  bool is_whole() const { return shard_.count == 1; }
  const Shard& shard() const { return shard_; }
  // Whether it is one of several that somebody started together.
  bool is_together() const { return together_ && !is_whole(); }
  // Whether it speaks for all: of processes that somebody started together, the first one.
  bool tells() const { return !together_ || shard_.index == 0; }
  // " (shard 1/4)"; empty for the whole.
  std::string words() const;

 private:
  Shard shard_;
  bool together_ = false;
};

}  // namespace sluice::app
