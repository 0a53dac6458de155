// What workers can be told: plain data. See workers.h.
#pragma once

#include <sluice/graph/plan/worker_stats.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice {

struct WorkerOptions {
  // Processes.
  int workers = 4;
  // The file of the program to run; empty: this program. Its main() calls run_worker_if_asked, and
  // it gives the name with SLUICE_WORKER.
  std::string program = {};
  // What that program is given before the argument that makes it a worker, for one that starts
  // another: {.program = "/usr/bin/nice", .program_arguments = {"-n", "10", "/opt/reader"}}.
  std::vector<std::string> program_arguments = {};
  // For the function that makes the reader: JSON, a path, whatever it understands; at most 32 KiB.
  std::string argument = {};
  // Seconds that a worker may take for one sample, or to set itself up. One that takes longer is
  // killed.
  double deadline_s = 60;
  // Whether a sample whose worker ended is given to another process, once.
  bool retry = false;
  // How often a worker that ended is started anew, all workers together.
  int restarts = 10;
  // After so many samples a worker is replaced by a new one, which costs none of `restarts`: for
  // code that leaks. 0: never.
  std::int64_t renew_after = 0;
  // A worker is given samples in groups, of at most so many that follow each other and, where it
  // makes one after the other, of a millisecond's work, ...
  int mini_batch = 16;
  // ... and so many groups ahead: while it makes one, the next is on its way.
  int prefetch = 2;
  // Shared memory of the values that are under way or in use. When that is exceeded, workers make
  // one sample at a time, the one that is wanted first. No value may be larger.
  std::size_t max_bytes = std::size_t{1} << 30;
  // What errors call a sample; none: "sample 17 of 'imagenet'".
  std::function<std::string(std::int64_t index)> sample_name = {};
};

}  // namespace sluice
