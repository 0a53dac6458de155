// Lists of the demo images with boxes and masks, for tests of commands that read such lists.
#pragma once

#include "demo_folder.h"
#include "program.h"
#include "tests/io/images/png_writer.h"
#include <sluice/io/images/decode_image.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace sluice::app {

struct AnnotatedLists {
  std::filesystem::path folder;  // of the images
  std::filesystem::path boxes;   // x, y, width, height, and labels: see --box-format xywh
  std::filesystem::path masks;   // ids 1 on the left, 2 on the right, in gray or with a palette
  int images = 0;                // of each list
};

// Writes lists that annotate the images that are not damaged, into this test's folder.
inline AnnotatedLists write_annotated_lists() {
  AnnotatedLists lists{.folder = write_demo_images(),
                       .boxes = test_folder() / "boxes.jsonl",
                       .masks = test_folder() / "masks.jsonl"};
  std::ofstream boxes(lists.boxes), masks(lists.masks);
  for (const auto& [name, bytes] : files_below(lists.folder)) {
    if (name.find(".jpg") == std::string::npos || name.find("damaged") != std::string::npos)
      continue;
    const std::span<const std::uint8_t> file(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                             bytes.size());
    Image image;
    decode_image_file(file, {}, image);
    const int w = image.width(), h = image.height();
    boxes << R"({"path":"data/)" << name << R"(","boxes":[[)" << w / 4 << "," << h / 4 << ","
          << w / 2 << "," << h / 2 << R"(],[0,0,8,8]],"labels":[5,6]})"
          << "\n";
    const bool has_palette = lists.images % 2 == 1;  // its colors are no ids
    const std::string mask = "mask" + std::to_string(lists.images++) + ".png";
    std::ofstream(test_folder() / mask, std::ios::binary)
        << png_file({.width = w,
                     .height = h,
                     .color = has_palette ? 3 : 0,
                     .level = [w](int, int x, int) { return x < w / 2 ? 1U : 2U; },
                     .before_data = has_palette ? png_chunk("PLTE", "abcdefghi") : std::string()});
    masks << R"({"path":"data/)" << name << R"(","mask":")" << mask << "\"}\n";
  }
  return lists;
}

// Returns the options of `sluice augment` that give a recipe or its saved plan the samples it
// needs.
inline std::string samples_for(const std::string& recipe, const AnnotatedLists& lists) {
  if (recipe == "detection") return " --list " + lists.boxes.string() + " --box-format xywh ";
  if (recipe == "segmentation") return " --list " + lists.masks.string() + " ";
  return " --data " + lists.folder.string() + " ";
}

}  // namespace sluice::app
