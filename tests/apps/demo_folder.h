// The pictures of scripts/demo as files, for tests of commands that read a folder. They were drawn
// once, when the tests were built.
#pragma once

#include "program.h"

#include <filesystem>

namespace sluice::app {

// The folder of this test's that they were copied to.
inline std::filesystem::path write_demo_pictures() {
  std::filesystem::path folder = test_folder() / "data";
  std::filesystem::copy(SLUICE_DEMO_PICTURES, folder);
  return folder;
}

}  // namespace sluice::app
