// Writes small JPEG files of all kinds into a folder, for the fuzzer to begin with:
//
//   jpeg_seeds FOLDER
//
// They include what encode_jpeg makes and what it does not: any sampling factors, RGB and CMYK,
// arithmetic coding, a scan for each component.

#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include <sluice/io/jpeg/encode.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice {
namespace {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }

  void add(const std::string& kind, std::span<const std::uint8_t> file) {
    std::ofstream out(path_ / (kind + std::to_string(++files_) + ".jpg"), std::ios::binary);
    out.exceptions(std::ios::failbit | std::ios::badbit);
    out.write(reinterpret_cast<const char*>(file.data()),
              static_cast<std::streamsize>(file.size()));
    out.close();
  }

 private:
  std::filesystem::path path_;
  int files_ = 0;
};

void add_ordinary(Folder& folder) {
  std::uint64_t seed = 0;
  for (const Subsampling s :
       {Subsampling::s444, Subsampling::s422, Subsampling::s420, Subsampling::s440}) {
    for (const int restart_rows : {0, 1}) {
      for (const int quality : {30, 85, 100}) {
        ++seed;
        const int channels = seed % 5 == 0 ? 1 : 3;
        folder.add("ordinary", encode_jpeg(draw_image(37, 50, channels, seed),
                                           {.quality = quality,
                                            .subsampling = s,
                                            .optimize = quality == 85,
                                            .orientation = static_cast<int>(seed % 8) + 1,
                                            .restart_rows = restart_rows}));
      }
    }
  }
  folder.add("tiny", encode_jpeg(draw_image(1, 1, 3)));
  folder.add("wide", encode_jpeg(draw_image(3, 300, 3), {.quality = 60}));
  folder.add("tall", encode_jpeg(draw_image(300, 3, 3), {.quality = 60}));
  // More than our decoder prepares in one step.
  folder.add("large", encode_jpeg(draw_image(150, 180, 1), {.quality = 100}));
  folder.add("progressive", encode_jpeg(draw_image(37, 50, 3), {.progressive = true}));
}

void add_odd(Folder& folder) {
  const Image image = draw_image(37, 50, 3);
  constexpr int kFactors[][6] = {{4, 1, 1, 1, 1, 1}, {1, 4, 1, 1, 1, 1}, {1, 1, 2, 2, 2, 2},
                                 {2, 2, 2, 1, 1, 2}, {3, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 1, 1},
                                 {2, 1, 2, 1, 2, 1}, {4, 2, 1, 1, 1, 1}};
  for (const auto& factors : kFactors) {
    folder.add("sampling", reference_encode(image, JCS_RGB, 75, [&](jpeg_compress_struct& info) {
                 for (int c = 0; c < 3; ++c) {
                   info.comp_info[c].h_samp_factor = factors[2 * c];
                   info.comp_info[c].v_samp_factor = factors[2 * c + 1];
                 }
               }));
  }
  folder.add("rgb", reference_encode(image, JCS_RGB, 75, [](jpeg_compress_struct& info) {
               jpeg_set_colorspace(&info, JCS_RGB);
             }));
  folder.add("arithmetic", reference_encode(image, JCS_RGB, 75, [](jpeg_compress_struct& info) {
               info.arith_code = TRUE;
             }));
  folder.add("scans", reference_encode(image, JCS_RGB, 75, [](jpeg_compress_struct& info) {
               static constexpr jpeg_scan_info kScans[] = {
                   {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
               info.scan_info = kScans;
               info.num_scans = static_cast<int>(std::size(kScans));
             }));
  const Image four = draw_image(30, 20, 4);
  folder.add("cmyk", reference_encode_cmyk(four));
  folder.add("ycck", reference_encode(four, JCS_CMYK, 75, [](jpeg_compress_struct& info) {
               jpeg_set_colorspace(&info, JCS_YCCK);
             }));
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: jpeg_seeds FOLDER\n");
    return 2;
  }
  sluice::Folder folder(argv[1]);
  sluice::add_ordinary(folder);
  sluice::add_odd(folder);
} catch (const std::exception& error) {
  std::fprintf(stderr, "jpeg_seeds: %s\n", error.what());
  return 1;
}
