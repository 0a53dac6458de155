// Huffman tables of JPEG files, as the kernels read them.
//
// Plain functions without state.
#pragma once

#include <sluice/cuda/jpeg/job.h>

#include <cstdint>

namespace sluice::device {

// A table as the file says it: how many codes there are of each length, and what they stand for.
struct JpegCodeSource {
  std::uint8_t bits[17] = {};
  std::uint8_t values[256] = {};
  bool operator==(const JpegCodeSource&) const = default;
};

// Fills in table 0 to 3 (0 and 1 are DC's). False for a table that libjpeg refuses.
bool build_jpeg_codes(const JpegCodeSource& source, int table, JpegCodes& codes);

// A number for each content, almost surely another one.
std::uint64_t hash_of(const JpegCodeSource (&sources)[4]);

}  // namespace sluice::device
