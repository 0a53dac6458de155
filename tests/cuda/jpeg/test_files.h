// JPEG files for tests of the device's decoder: every kind that it accepts.
#pragma once

#include "tests/io/corpus.h"
#include "tests/io/images.h"
#include "tests/io/reference_jpeg.h"
#include <sluice/io/jpeg/orientation.h>

#include <cstdint>

namespace sluice::device {

struct Sampling {
  const char* name;
  int across, down;  // of the luma; 0 for a gray file
};
inline constexpr Sampling kSamplings[] = {
    {"444", 1, 1}, {"422", 2, 1}, {"420", 2, 2}, {"440", 1, 2}, {"gray", 0, 0}};

inline File encode_test_jpeg(const Sampling& sampling, int height, int width, int quality,
                             int restart, std::uint64_t seed, bool optimized) {
  const bool gray = sampling.across == 0;
  return reference_encode(draw_image(height, width, gray ? 1 : 3, seed),
                          gray ? JCS_GRAYSCALE : JCS_RGB, quality, [&](jpeg_compress_struct& info) {
                            if (!gray) {
                              info.comp_info[0].h_samp_factor = sampling.across;
                              info.comp_info[0].v_samp_factor = sampling.down;
                            }
                            info.restart_interval = static_cast<unsigned>(restart);
                            info.optimize_coding = optimized ? TRUE : FALSE;
                          });
}

// Returns `file` with an EXIF segment after its first marker.
inline File turned(const File& file, int orientation) {
  const auto exif = make_exif_orientation(orientation);
  File out(file.begin(), file.begin() + 2);
  out.insert(out.end(), {0xff, 0xe1, 0, static_cast<std::uint8_t>(exif.size() + 2)});
  out.insert(out.end(), exif.begin(), exif.end());
  out.insert(out.end(), file.begin() + 2, file.end());
  return out;
}

}  // namespace sluice::device
