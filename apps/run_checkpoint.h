// RunCheckpoint: the file of --checkpoint: how far a run has come, written now and then, and when
// it ends.
//
// Whatever the file says is done lies on the disk: results are put there before it is. So a run
// that goes on from it makes what comes next, and looks at nothing of what came before, though it
// was moved elsewhere. Of several processes that share the work each has a file of its own:
// "run.json.0-of-4".
//
// Threads: one. Errors: UsageError for a file that cannot be gone on from, IoError for one that
// cannot be written.
#pragma once

#include "part.h"
#include "results.h"
#include <sluice/graph/checkpoint.h>

#include <chrono>
#include <optional>
#include <string>

namespace sluice::app {

struct RunCheckpointOptions {
  std::string file;        // empty: there is none, and nothing is written
  double every_s = 10;     // seconds from one to the next; 0: after each batch
  bool resume = false;     // what the file says is where to begin; nowhere to be found: anew
  bool overwrite = false;  // one of another run may be replaced
};

class RunCheckpoint {
 public:
  RunCheckpoint(RunCheckpointOptions options, const Part& part);

  // What to go on from.
  const std::optional<Checkpoint>& from() const { return from_; }
  const std::string& file() const { return options_.file; }
  bool given() const { return !options_.file.empty(); }

  // All results before this one's position are written. Saves it if it is time.
  void reached(Checkpoint checkpoint, const Results& results);
  // Saves what was reached last.
  void save(const Results& results);

 private:
  using Clock = std::chrono::steady_clock;

  RunCheckpointOptions options_;
  std::optional<Checkpoint> from_;
  std::optional<Checkpoint> reached_;  // and not saved
  Clock::time_point next_ = Clock::now();
};

}  // namespace sluice::app
