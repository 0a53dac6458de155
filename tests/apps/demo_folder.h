// The pictures of scripts/demo as files, for tests of commands that read a folder.
#pragma once

#include "apps/outputs.h"
#include "apps/pictures.h"
#include "program.h"

#include <filesystem>

namespace sluice::app {

// The folder of this test's that they were written to.
inline std::filesystem::path write_demo_pictures() {
  std::filesystem::path folder = test_folder() / "data";
  std::filesystem::create_directories(folder);
  for (const Picture& picture : demo_pictures())
    write_file((folder / picture.name).string(), picture.file);
  return folder;
}

}  // namespace sluice::app
