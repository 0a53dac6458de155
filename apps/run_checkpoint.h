// RunCheckpoint: the file of --checkpoint. It stores the position of a run and is written from time
// to time and at the end.
//
// Results are flushed to disk before the file says that they are done. So a resumed run continues
// from there and need not look at earlier results, even if they were moved. If several processes
// share the work, each has its own file: "run.json.0-of-4".
//
// Ownership: owns its data. Threads: one. Errors: UsageError for a file that cannot be resumed
// from, IoError for one that cannot be written.
#pragma once

#include "part.h"
#include "results.h"
#include <sluice/graph/checkpoint.h>

#include <chrono>
#include <optional>
#include <string>

namespace sluice::app {

struct RunCheckpointOptions {
  std::string file;        // empty: no checkpoint
  double every_s = 10;     // seconds between writes; 0: after each batch
  bool resume = false;     // continue from the file; if there is none, start from the beginning
  bool overwrite = false;  // the file of another run may be replaced
};

class RunCheckpoint {
 public:
  RunCheckpoint(RunCheckpointOptions options, const Part& part);

  // The position to continue from.
  const std::optional<Checkpoint>& from() const { return from_; }
  const std::string& file() const { return options_.file; }
  bool given() const { return !options_.file.empty(); }

  // All results before this position are written. Saves the checkpoint if it is time.
  void reached(Checkpoint checkpoint, const Results& results);
  // Saves the last position passed to reached().
  void save(const Results& results);

 private:
  using Clock = std::chrono::steady_clock;

  RunCheckpointOptions options_;
  std::optional<Checkpoint> from_;
  std::optional<Checkpoint> reached_;  // not saved yet
  Clock::time_point next_ = Clock::now();
};

}  // namespace sluice::app
