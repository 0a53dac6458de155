// `sluice index`: scans the JPEG files of a folder for the places where their rows begin, and
// writes an index file. With it (`--index FILE`), regions decode without the data before them. With
// `--check FILE` it compares the files with the digests in an index.
//
// `sluice index --tar`: writes an index file with the offsets of the files in tar archives. With
// it, archives open without reading their headers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

struct IndexOptions {
  std::string data;          // folder with JPEG files
  std::string out;           // file for the index; an existing index is replaced
  std::string check;         // index to compare the files with, in place of `out`
  std::uint32_t grain = 16;  // see JpegIndexOptions
  int threads = 0;           // 0: all CPUs of the process
};

// Files that an index cannot help with are named; the index has only their digests. The file only
// appears once it is complete. Returns the exit status: 0, 1 if `check` finds a difference, or 128
// plus the signal if SIGINT or SIGTERM ended the run early; no index is written then. Throws
// UsageError for invalid options, and Error if no file can be indexed or the index cannot be
// written.
int run_index(const IndexOptions& options);

// The file only appears once it is complete. Returns the exit status. Throws UsageError if `out` is
// something else than an index file or an archive cannot be read, and IoError if the index cannot
// be written.
int run_tar_offsets(const std::vector<std::string>& archives, const std::string& out);

}  // namespace sluice::app
