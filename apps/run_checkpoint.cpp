#include "run_checkpoint.h"

#include "usage.h"
#include <sluice/io/whole_file.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {
namespace fs = std::filesystem;

RunCheckpoint::RunCheckpoint(RunCheckpointOptions options, const Part& part)
    : options_(std::move(options)) {
  if (!given()) return;
  if (!part.is_whole())
    options_.file += fmt::format(".{}-of-{}", part.shard().index, part.shard().count);
  std::error_code ignored;
  const std::string folder = fs::path(options_.file).parent_path().string();
  if (fs::is_directory(folder.empty() ? "." : folder, ignored))
    (void)remove_parts(folder.empty() ? "." : folder);  // removes leftovers of a killed run
  const fs::file_status status = fs::status(options_.file, ignored);
  if (!fs::exists(status)) return;
  if (!fs::is_regular_file(status))
    throw UsageError(fmt::format("--checkpoint {} is no file: give another name", options_.file));
  Checkpoint there;
  try {
    there = Checkpoint::load(options_.file);
  } catch (const Error& error) {
    throw UsageError(fmt::format(
        "--checkpoint {} is there already, and nothing to go on from: {}; give another name",
        options_.file, error.what()));
  }
  if (options_.resume && there.shards != part.shard().count) {
    throw UsageError(
        fmt::format("--checkpoint {} is of one of {} processes, and this is one of {}: give as "
                    "many as then, or "
                    "leave it out, so that the run goes by what is in --out",
                    options_.file, there.shards, part.shard().count));
  }
  if (options_.resume) {
    from_ = std::move(there);
  } else if (!options_.overwrite) {
    throw UsageError(
        fmt::format("--checkpoint {} is there already: --resume goes on from it, --overwrite "
                    "begins anew",
                    options_.file));
  } else {
    // Otherwise, if this run is killed at once, the next one would resume from the old file.
    fs::remove(options_.file, ignored);
  }
}

void RunCheckpoint::reached(Checkpoint checkpoint, const Results& results) {
  reached_ = std::move(checkpoint);
  if (Clock::now() >= next_) save(results);
}

// Saves take at most 1/20 of the time, so a slow disk gets fewer of them.
void RunCheckpoint::save(const Results& results) {
  if (!reached_ || !given()) return;
  const Clock::time_point begin = Clock::now();
  results.sync();
  reached_->save(options_.file);
  reached_.reset();
  const Clock::time_point end = Clock::now();
  constexpr int kShare = 20;  // the inverse of the largest share of the time
  const auto every =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.every_s));
  next_ = end + (options_.every_s > 0 ? std::max(every, kShare * (end - begin)) : every);
}

}  // namespace sluice::app
