// The demo set: small drawn pictures that show at once whether they were mirrored or turned. Every
// kind of JPEG that a folder of photographs may hold is there: colour at full and at reduced
// resolution, gray, progressive, one that its EXIF entry turns upright, and one that is damaged.
//
// The same bytes on every call with the same libjpeg. No state. Errors: IoError for a folder that
// cannot be written.
#pragma once

#include <sluice/runtime/bytes.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

struct Picture {
  std::string name;  // of its file
  std::string kind;  // what is special about it, in words
  Bytes file;
  bool damaged = false;
};

std::vector<Picture> demo_pictures();

// `sluice pictures`: writes the set into a folder and says what it wrote. Returns the exit status.
int run_pictures(const std::string& folder);

}  // namespace sluice::app
