// The images of scripts/demo as files, for tests of commands that read a folder. They were drawn
// once, when the tests were built.
#pragma once

#include "program.h"

#include <filesystem>

namespace sluice::app {

// Copies the images into this test's folder, and returns the copies' folder.
inline std::filesystem::path write_demo_images() {
  std::filesystem::path folder = test_folder() / "data";
  std::filesystem::copy(SLUICE_DEMO_IMAGES, folder);
  return folder;
}

}  // namespace sluice::app
