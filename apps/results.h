// Results: the folder that `sluice augment` writes to, and what a run before has left in it.
//
// Each result is a JPEG file that appears when it is whole. A comment in it says which run it is of
// (a digest of the recipe, the seed and the dataset) and its number, so that a run goes
// on where one with the same options ended, and nothing else passes for its work.
//
// Ownership: refers to the dataset. Threads: has() from any, once open() is done; the rest from
// one. Errors: UsageError for a folder that holds what may not be there, IoError for what cannot be
// written.
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

// What a result has beside its picture, in a file of its name with another ending: boxes and their
// labels in JSON, as list_in reads a line of a list; or a mask as PNG.
struct Beside {
  bool has_boxes = false;
  std::vector<float> boxes = {};  // edges in pixels
  std::vector<std::int64_t> labels = {};
  Bytes mask = {};  // a file; empty: none
};

struct ResultsOptions {
  std::string out;
  std::string run;         // what else decides about the pictures
  bool flat = false;       // all in one folder
  bool overwrite = false;  // the folder may hold other files
  bool resume = false;     // it may hold results of this run, which are kept
  bool stand_ins = false;  // results may be made from another file than their own
};

class Results {
 public:
  Results(const Dataset& dataset, const ResultsOptions& options);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  // Makes the folder and that of each class, removes what a run that was killed was writing, and
  // looks at what is there. Returns how many results of this run there are. Until the end no other
  // run begins to write there that may not replace files; it gets a UsageError.
  std::int64_t open();
  // Whether result `number` is there already, made from its own file.
  bool has(std::int64_t number) const {
    return std::binary_search(there_.begin(), there_.end(), number);
  }

  // For how many of those this holds.
  template <class Condition>
  std::int64_t count(Condition holds) const {
    return std::count_if(there_.begin(), there_.end(), holds);
  }
  // Tells this run from others that may write to the folder.
  const std::string& run() const { return run_; }

  // Where the result goes that is made from sample `sample`: named after the sample and the number,
  // in the folders of Dataset::place(): "cats/tabby_000017.jpg". Flat these are a part of the name:
  // "cats__tabby_000017.jpg". The number is in no other name.
  std::string path(std::int64_t sample, std::int64_t number) const;
  // Writes a result that is made from sample `from`; its picture last, so that what is beside it is
  // there, too, where a run ended early.
  void write(std::int64_t from, std::int64_t number, const Bytes& jpeg, const Beside& beside = {});
  // The same where its picture is that of result `there`, which has() it.
  void copy(std::int64_t from, std::int64_t there, std::int64_t number);
  // Writes a picture of the run that is no result.
  void write_sheet(const std::string& path, const Bytes& jpeg) const;
  // What was written is on the disk when it returns.
  void sync() const;

 private:
  // The folder of results whose samples have such a place(), unless they are flat.
  std::filesystem::path folder_of(const std::filesystem::path& inside) const;
  void claim();
  void find(const std::string& folder);
  void write_beside(const std::string& path, const Beside& beside) const;
  Bytes marked(const Bytes& jpeg, std::int64_t number) const;

  const Dataset& dataset_;
  const ResultsOptions& options_;
  std::string run_;      // its digest
  int lock_ = -1;        // of the folder
  std::string claimed_;  // a file that tells other runs of this one
  int claim_ = -1;
  std::vector<std::int64_t> there_;  // numbers, sorted
  std::set<std::string> folders_;    // made, or known to be there
};

// What lies beside the picture of this path; nothing where there is none.
Beside read_beside(const std::string& path);

// Whether a result in `out` might have this path.
bool may_be_result(const std::string& out, const std::string& path);

}  // namespace sluice::app
