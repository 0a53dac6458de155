// Summaries at the end of a command: names of files, reasons of errors, and JobSummary, the
// combined summary of all processes of a job (mpirun, torchrun, srun).
//
// The processes of a job cannot communicate, so each one leaves a small hidden file in the output
// folder when it is done. The process that finds the files of all processes is the last one. It
// removes them and prints the summary. If a process fails, no summary is printed, only the failure.
//
// Threads: one. Processes: any number. Errors: none; a malformed file of a process, or one of
// another job, is ignored.
#pragma once

#include "result_range.h"
#include <sluice/graph/stats.h>
#include <sluice/io/readers/files.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {

// The name of a file: its path below the folder, without control characters.
std::string name_below(const std::string& folder, const std::string& path);

// The error of a step, without the hint in brackets, which is meant for programs.
std::string strip_hint(const std::string& what);

// The number of threads of the run. Prints to standard error if the system allowed fewer than
// requested.
int threads_of(const Stats& stats);

// --all-names: summaries name all items of a list from now on, not just the first 20.
void name_all();
std::size_t most_named();

// Prints line(item) for the first items of `list`, and the number of the others.
template <class List, class Line>
void name_each(const List& list, Line line) {
  const std::size_t most = most_named();
  std::size_t named = 0;
  for (const auto& item : list) {
    if (named++ == most) break;
    fmt::print("  {}\n", line(item));
  }
  if (list.size() > most)
    fmt::print("  ... and {} more; --all-names names all\n", list.size() - most);
}

// Files::left_out(), with paths relative to the folder.
std::vector<LeftOut> left_out_of(const Files& files);
// The unreadable entries.
std::vector<LeftOut> unreadable_of(const std::vector<LeftOut>& left_out);
// A line for each rule that leaves files out, such as "left out 4 with the ending .png (first:
// a/1.png)".
std::vector<std::string> words_of_rules(const std::vector<LeftOut>& left_out);
// Prints each unreadable entry, and a line for each rule that leaves files out.
void name_left_out(const std::vector<LeftOut>& left_out);

struct ShardSummary {
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
  JobSummary(const std::string& out, const std::string& run, const ProcessShard& share);

  // Removes the file that a process with this number may have left in an unfinished attempt.
  void begin() const;
  // Reports that this process is done. The last process prints the summary to standard output. An
  // I/O error is only printed to standard error, since the results are complete.
  void end(const ShardSummary& own) const;

 private:
  std::optional<ShardSummary> collect(const ShardSummary& own) const;
  std::string file_of(std::int64_t index) const;
  std::optional<ShardSummary> read(std::int64_t index) const;

  std::string out_;
  std::string begin_of_names_;
  std::string job_;  // identifies the job, if the launcher does
  Shard shard_;
};

}  // namespace sluice::app
