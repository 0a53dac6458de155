// `sluice cat`: prints the samples of a dataset, one per line, for people and programs. The fields
// are separated by tabs: number, name, bytes, and the other columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

// Exactly one of data, list and tar is set.
struct CatOptions {
  std::string data;                              // folder with JPEG files
  std::string list;                              // see list_in
  std::vector<std::string> tar;                  // archives, see tar_in
  std::string path = "path";                     // the column of a list that names the file
  std::vector<std::string> columns = {"label"};  // of a list
  std::string offsets;                           // for the archives: see TarIndex
  bool shuffle = false;                          // in the order of epoch 0
  std::uint64_t seed = 5;                        // of the shuffle
  std::string shard;                             // see ProcessShard; empty: all
  std::int64_t head = -1;                        // the most samples; -1: all
};

// Escapes control characters in names, so that each line is one sample. Prints "-" for a size or
// column that cannot be read, and the reason on standard error. Ends silently when its output is
// closed. Returns the exit status: 0, or 1 if something could not be read. Throws UsageError for
// invalid options.
int run_cat(const CatOptions& options);

}  // namespace sluice::app
