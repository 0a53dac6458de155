// Writes first inputs of all kinds for source_fuzzer into a folder:
//
//   source_seeds FOLDER

#include "tests/io/images/gif_writer.h"
#include "tests/io/images/png_writer.h"
#include "tests/io/readers/tar_writer.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

namespace sluice {
namespace {

void write(const std::filesystem::path& folder, const std::string& name, char kind,
           const std::string& content) {
  std::ofstream out(folder / name, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  out << kind << content;
}

void write_all(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write(folder, "tar", '\0',
        TarWriter()
            .file("x/1.jpg", "one")
            .file("x/1.cls", "1")
            .gnu_name("y/2.jpg")
            .file("2", "")
            .whole());
  write(folder, "pax", '\1',
        TarWriter().pax("path", "3.png").pax("size", "2").file("3", "22").whole());
  write(folder, "csv", '\3', "path,a,b\n\"x \"\"y\"\"\",text,5\n1,2\n");
  write(folder, "tsv", '\4', "b\ta\tpath\n5\ttext\tx\n");
  write(folder, "json", '\5', "{\"path\": \"x\", \"a\": \"text\", \"b\": 5}\n[]\n");
  const auto level = [](int y, int x, int c) { return static_cast<unsigned>(y + x + c) & 15U; };
  for (const int color : {0, 2, 4, 6}) {
    for (const bool interlaced : {false, true}) {
      write(
          folder, "png" + std::to_string(color) + (interlaced ? "i" : ""), '\6',
          png_file(
              {.width = 5, .height = 6, .color = color, .interlaced = interlaced, .level = level}));
    }
  }
  write(folder, "gif", '\6', gif_file({.width = 9, .height = 7, .index = [](int y, int x) {
                                         return static_cast<unsigned>(9 * y + x);
                                       }}));
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: source_seeds FOLDER\n");
    return 2;
  }
  sluice::write_all(argv[1]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "source_seeds: %s\n", error.what());
  return 1;
}
