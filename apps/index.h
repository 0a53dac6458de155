// `sluice index`: learns where the rows of the JPEG files of a folder begin, and writes that to one
// file, with which regions of these pictures decode without what lies before them (`--index FILE`).
#pragma once

#include <cstdint>
#include <string>

namespace sluice::app {

struct IndexOptions {
  std::string data;          // folder with JPEG files
  std::string out;           // file for the index; an index that is there is replaced
  std::uint32_t grain = 16;  // see JpegIndexOptions
  int threads = 0;           // 0: all CPUs of the process
};

// Files that an index cannot help with are left out and named. The index appears when it is whole.
// Returns the exit status: 0, or 128 and the signal that ended the run early, SIGINT or SIGTERM;
// then no index is written. Throws UsageError for options that cannot be, and Error when no file
// can be indexed or the index cannot be written.
int run_index(const IndexOptions& options);

}  // namespace sluice::app
