// `sluice unpack`: writes the files that are in packs, byte for byte, under their names.
#pragma once

#include <string>
#include <vector>

namespace sluice::app {

struct UnpackOptions {
  std::vector<std::string> packs;  // packs, and folders of packs
  std::string out;                 // output folder; created if missing
  bool overwrite = false;          // `out` may hold files
  bool numbered = false;           // name the files by their numbers
  int threads = 0;                 // 0: all CPUs of the process
};

// The names are those of the column "name", or numbers if there is none. Ctrl-C and SIGTERM end the
// run early; complete files stay. Returns the exit status: 0, or 128 plus the signal. Throws
// UsageError for invalid options, for packs that cannot be opened, and for names that would leave
// the folder or that are there twice; nothing is written then. Throws Error if a sample is damaged
// or a file cannot be written; the others are written.
int run_unpack(const UnpackOptions& options);

}  // namespace sluice::app
