// `sluice cat`: prints the samples of a dataset, one per line, for people and programs. The fields
// are separated by tabs: number, name, bytes, and the other columns. A sample of a pack has
// "packed" or "stored" after its bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

// Exactly one of data, list, tar and pack is set.
struct CatOptions {
  std::string data;                  // folder with JPEG files
  std::string list;                  // see list_in
  std::vector<std::string> tar;      // archives, see tar_in
  std::vector<std::string> pack;     // packs, or folders of packs
  std::string path = "path";         // the column of a list that names the file
  std::vector<std::string> columns;  // empty: "label" of a list, all of packs
  std::string offsets;               // for the archives: see TarIndex
  bool shuffle = false;              // in the order of epoch 0
  std::uint64_t seed = 5;            // of the shuffle
  std::string shard;                 // see ProcessShard; empty: all
  std::int64_t head = -1;            // the most samples; -1: all
};

// Escapes control characters in names, so that each line is one sample. Prints "-" for a size or
// column that cannot be read, and the reason on standard error. Ends silently when its output is
// closed. Returns the exit status: 0, or 1 if something could not be read. Throws UsageError for
// invalid options.
int run_cat(const CatOptions& options);

}  // namespace sluice::app
