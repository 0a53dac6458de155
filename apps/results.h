// The output of `sluice augment`: Results is the output folder, with the results of earlier runs in
// it; RunCheckpoint is the file of --checkpoint.
//
// Each result is a JPEG file that only appears once it is complete. A comment in the file holds its
// number and a digest that identifies the run (recipe, seed and dataset). So a run with the same
// options continues where an earlier one ended, and other files are never taken for its results.
//
// The checkpoint stores the position of a run and is written from time to time and at the end.
// Results are flushed to disk before the file says that they are done. So a resumed run continues
// from there and does not need earlier results, which may have been moved. If several processes
// share the work, each has its own file: "run.json.0-of-4".
//
// Ownership: Results refers to the dataset; a RunCheckpoint owns its data. Threads: Results::has()
// from any, once open() is done; the rest from one. Errors: UsageError for a folder with files that
// may not be there, and for a checkpoint that cannot be resumed from; IoError for files that cannot
// be written.
#pragma once

#include "dataset.h"
#include "result_range.h"
#include <sluice/graph/checkpoint.h>
#include <sluice/runtime/bytes.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::app {

// The annotations of a result, in a file of the same name with another ending: boxes and their
// labels as JSON, in the format of a line of list_in; or a mask as PNG.
struct Sidecar {
  bool has_boxes = false;
  std::vector<float> boxes = {};  // edges in pixels
  std::vector<std::int64_t> labels = {};
  Bytes mask = {};  // the content of a PNG file; empty: none
};

struct ResultsOptions {
  std::string out;
  std::string run;         // identifies the run: all other options that affect the images
  bool flat = false;       // put all results in one folder
  bool overwrite = false;  // the folder may hold other files
  bool resume = false;     // it may hold results of this run, which are kept
  bool stand_ins = false;  // results may come from replacement samples
};

class Results {
 public:
  Results(const Dataset& dataset, const ResultsOptions& options);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  // Creates the folder and the class folders, removes incomplete files of killed runs, and finds
  // existing results. Returns the number of results of this run. Until this object is destroyed,
  // another run fails with UsageError in open(). One with the same options that may replace or keep
  // files does not.
  std::int64_t open();
  // A result of this run that exists, but is empty or truncated.
  struct Damaged {
    std::int64_t number = 0;
    std::string path;
  };
  // The damaged results that open() found with `resume`.
  const std::vector<Damaged>& damaged() const { return damaged_; }
  // True if result `number` exists already, made from its own file.
  bool has(std::int64_t number) const {
    return std::binary_search(there_.begin(), there_.end(), number);
  }

  // The number of existing results for which the condition holds.
  template <class Condition>
  std::int64_t count(Condition holds) const {
    return std::count_if(there_.begin(), there_.end(), holds);
  }
  // Identifies this run among others that may write to the folder.
  const std::string& run() const { return run_; }

  // The path of the result that is made from sample `sample`. Its name is the sample's name and the
  // number, in the folders of Dataset::place(): "cats/tabby_000017.jpg". With `flat`, the folders
  // are part of the name: "cats__tabby_000017.jpg". No other result has the same number.
  std::string path(std::int64_t sample, std::int64_t number) const;
  // Writes a result that is made from sample `from`. The image is written last, so if it exists,
  // its annotations do too.
  void write(std::int64_t from, std::int64_t number, const Bytes& jpeg,
             const Sidecar& sidecar = {});
  // The same, with the image of the existing result `there`.
  void copy(std::int64_t from, std::int64_t there, std::int64_t number);
  // Writes an image of the run that is not a result.
  void write_sheet(const std::string& path, const Bytes& jpeg) const;
  // Flushes what was written to the disk.
  void sync() const;

 private:
  // The folder for results with this place(), without `flat`.
  std::filesystem::path folder_of(const std::filesystem::path& inside) const;
  void claim();
  void find(const std::string& folder);
  void write_sidecar(const std::string& path, const Sidecar& sidecar) const;
  Bytes marked(const Bytes& jpeg, std::int64_t number) const;

  const Dataset& dataset_;
  const ResultsOptions& options_;
  std::string run_;      // the digest
  int lock_ = -1;        // of the folder
  std::string claimed_;  // a file that shows this run to others; see claim()
  int claim_ = -1;
  std::vector<std::int64_t> there_;  // numbers, sorted
  std::vector<Damaged> damaged_;
  std::set<std::string> folders_;  // that exist
};

// Reads the annotations of the image at this path; empty if there are none.
Sidecar read_sidecar(const std::string& path);

// True if a result in `out` might have this path.
bool may_be_result(const std::string& out, const std::string& path);

struct RunCheckpointOptions {
  std::string file;        // empty: no checkpoint
  double every_s = 10;     // seconds between writes; 0: after each batch
  bool resume = false;     // continue from the file; if there is none, start from the beginning
  bool overwrite = false;  // the file of another run may be replaced
};

class RunCheckpoint {
 public:
  RunCheckpoint(RunCheckpointOptions options, const ProcessShard& share);

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
