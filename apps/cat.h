// `sluice cat`: what a dataset gives, one line a sample, for people and for other programs: number,
// name, bytes and what is known beside, with tabs between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

// One of data, list and tar is given.
struct CatOptions {
  std::string data;                              // folder with JPEG files
  std::string list;                              // see list_in
  std::vector<std::string> tar;                  // archives, see tar_in
  std::string path = "path";                     // the column of a list that names the file
  std::vector<std::string> columns = {"label"};  // of a list
  std::string offsets;                           // of the archives: see TarIndex
  bool shuffle = false;                          // the order of epoch 0
  std::uint64_t seed = 5;                        // of the order
  std::string shard;                             // see Part; empty: all
  std::int64_t head = -1;                        // how many samples at most; -1: all
};

// Control characters in names become escapes, so that a line is a sample. Where a size or a column
// cannot be told there is a "-" in its place, and standard error says why. Ends without a word when
// nobody reads any more. Returns the exit status: 0, or 1 when something could not be told. Throws
// UsageError for options that cannot be.
int run_cat(const CatOptions& options);

}  // namespace sluice::app
