// JobSummary: what the processes of a job (mpirun, torchrun, srun) have done, all together.
//
// They cannot talk to each other, so each one leaves a small hidden file in the output folder when
// it has done its part. Whoever finds the files of all of them there is the last, takes them away
// and tells. Where a process fails nobody tells of all: the failure is what there is to tell.
//
// Threads: one. Processes: any number. No errors: a file that makes no sense, or is of another job,
// is as if it were not there.
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
  double begin = 0, end = 0;  // seconds, as the machine's clock has them
};

double now_s();
// "to out in 1.50 s: 20 images/s".
std::string where_and_how_fast(const std::string& out, std::int64_t images, double seconds);

class JobSummary {
 public:
  // `run` tells runs that may write to one folder.
  JobSummary(const std::string& out, const std::string& run, const Part& part);

  // Removes what a process with this number has left of an attempt that was not finished.
  void begin() const;
  // This process has done its part. The last one says on standard output what all have done. What
  // keeps a process from telling the others is said on standard error: its results are there all
  // the same.
  void end(const PartSummary& own) const;

 private:
  std::optional<PartSummary> collect(const PartSummary& own) const;
  std::string file_of(std::int64_t index) const;
  std::optional<PartSummary> read(std::int64_t index) const;

  std::string out_;
  std::string begin_of_names_;
  std::string job_;  // tells jobs apart, where whoever starts them does
  Shard shard_;
};

}  // namespace sluice::app
