// `sluice pack`: writes the files of a folder, a list or archives into packs (io/packs). JPEG files
// become packed JPEGs; other files are stored as they are.
#pragma once

#include "pack_source.h"

#include <cstdint>
#include <string>

namespace sluice::app {

struct PackCommandOptions {
  PackSourceOptions source;
  std::string out;  // folder for the packs; created if missing
  std::int64_t pack_bytes = 256'000'000;
  std::int64_t count = 0;    // only the first files; 0: all
  int threads = 0;           // 0: all CPUs of the process
  bool resume = false;       // continue after the packs that are in `out`
  bool verify = false;       // compare the packs with the files at the end
  bool skip_errors = false;  // leave out files that cannot be read; else they end the run
};

// Prints a summary: the counts, why files are stored as they are, and the bytes. Ctrl-C and SIGTERM
// end the run after the pack that is being written. Finished packs stay, and a run with `resume`
// continues after them. Returns the exit status: 0, or 128 plus the signal. Throws UsageError for
// invalid options, and Error for other failures: a file that cannot be read, a pack that cannot be
// written, or a pack that differs from its files.
int run_pack(const PackCommandOptions& options);

}  // namespace sluice::app
