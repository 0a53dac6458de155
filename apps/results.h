// Results: the output folder of `sluice augment`, and the results of earlier runs in it.
//
// Each result is a JPEG file that only appears once it is complete. A comment in the file holds its
// number and a digest that identifies the run (recipe, seed and dataset). So a run with the same
// options continues where an earlier one ended, and other files are never taken for its results.
//
// Ownership: refers to the dataset. Threads: has() from any, once open() is done; the rest from
// one. Errors: UsageError for a folder with files that may not be there; IoError for files that
// cannot be written.
#pragma once

#include "dataset.h"
#include <sluice/runtime/bytes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sluice::app {

// The annotations of a result, in a file of the same name with another ending: boxes and their
// labels as JSON, in the format of a line of list_in; or a mask as PNG.
struct Beside {
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
  // another run that may not replace files fails with UsageError in open().
  std::int64_t open();
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
  void write(std::int64_t from, std::int64_t number, const Bytes& jpeg, const Beside& beside = {});
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
  void write_beside(const std::string& path, const Beside& beside) const;
  Bytes marked(const Bytes& jpeg, std::int64_t number) const;

  const Dataset& dataset_;
  const ResultsOptions& options_;
  std::string run_;      // the digest
  int lock_ = -1;        // of the folder
  std::string claimed_;  // a file that shows this run to others; see claim()
  int claim_ = -1;
  std::vector<std::int64_t> there_;  // numbers, sorted
  std::set<std::string> folders_;    // that exist
};

// Reads the annotations of the image at this path; empty if there are none.
Beside read_beside(const std::string& path);

// True if a result in `out` might have this path.
bool may_be_result(const std::string& out, const std::string& path);

}  // namespace sluice::app
