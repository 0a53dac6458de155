// JobSummary: the combined summary of all processes of a job (mpirun, torchrun, srun).
//
// The processes cannot communicate, so each one leaves a small hidden file in the output folder
// when it is done. The process that finds the files of all processes is the last one. It removes
// them and prints the summary. If a process fails, no summary is printed, only the failure.
//
// Threads: one. Processes: any number. Errors: none; a malformed file, or one of another job, is
// ignored.
#pragma once

#include "part.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::app {

struct PartSummary {
  std::int64_t written = 0;
  std::int64_t replaced = 0;
  std::int64_t skipped = 0;
  double begin = 0, end = 0;  // seconds of the system clock
};

double now_s();
// For example "to out in 1.50 s: 20 images/s".
std::string where_and_how_fast(const std::string& out, std::int64_t images, double seconds);

class JobSummary {
 public:
  // `run` identifies this run among those that may write to the folder.
  JobSummary(const std::string& out, const std::string& run, const Part& part);

  // Removes the file that a process with this number may have left in an unfinished attempt.
  void begin() const;
  // Reports that this process is done. The last process prints the summary to standard output. An
  // I/O error is only printed to standard error, since the results are complete.
  void end(const PartSummary& own) const;

 private:
  std::optional<PartSummary> collect(const PartSummary& own) const;
  std::string file_of(std::int64_t index) const;
  std::optional<PartSummary> read(std::int64_t index) const;

  std::string out_;
  std::string begin_of_names_;
  std::string job_;  // identifies the job, if the launcher does
  Shard shard_;
};

}  // namespace sluice::app
