// The demo set: small drawn images whose look shows at once if they were mirrored or turned. It
// covers the kinds of JPEG files in real folders: color at full and reduced resolution, gray,
// progressive, one with an EXIF rotation, and a damaged one.
//
// The bytes are the same on every call with the same libjpeg. No state. Errors: IoError for a
// folder that cannot be written, UsageError for one that holds other files.
#pragma once

#include <sluice/runtime/bytes.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::app {

struct DemoImage {
  std::string name;  // of the file
  std::string kind;  // what is special about it, for people
  Bytes file;
  bool damaged = false;
};

std::vector<DemoImage> demo_images();

// `sluice demo-images`: writes the set into a folder and prints a summary. Returns the exit status.
int run_images(const std::string& folder);

}  // namespace sluice::app
