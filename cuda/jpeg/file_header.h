// JpegFileHeader: what the header of a JPEG file says that a device's decoder has to know.
//
// Plain headers are read here: no more than well-formed segments of the usual kinds, one after the
// other, of a file that is gray or YCbCr in one scan. Whatever else there is libjpeg reads, and so
// says what is wrong with it. Where both read a header, they say the same.
//
// Ownership: values. Threads: any. Errors: JpegError and std::bad_alloc of read_with_library().
#pragma once

#include <sluice/cuda/jpeg/job.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::device {

struct JpegFileHeader {
  struct Component {
    std::uint8_t id = 0;
    int across = 1, down = 1;               // blocks in an MCU
    int quantisers = 0, codes[2] = {0, 0};  // numbers of tables: of quantisers; of codes, DC and AC
  };
  static constexpr int kTables = 4;

  int height = 0, width = 0;
  int components = 0;  // 1 or 3
  Component component[3];
  std::uint16_t interval = 0;  // MCUs between restart markers, or 0
  std::size_t first_byte = 0;  // of the scan
  std::uint32_t known = 0;     // a bit for each table that there is, by its number: quantisers,
  std::uint32_t known_codes[2] = {};           // and codes, DC and AC
  std::uint16_t quantisers[kTables][64] = {};  // row by row
  JpegCodeSource codes[2][kTables];            // DC and AC

  // Null for what there is not.
  const std::uint16_t* find_quantisers(int number) const {
    return is_one(known, number) ? quantisers[number] : nullptr;
  }
  const JpegCodeSource* find_codes(int kind, int number) const {
    return is_one(known_codes[kind], number) ? &codes[kind][number] : nullptr;
  }

 private:
  static bool is_one(std::uint32_t of, int number) {
    return number >= 0 && number < kTables && (of >> number & 1) != 0;
  }
};

// False for a header that is not plain.
bool read_plain(std::span<const std::uint8_t> file, JpegFileHeader& out);

// Gives the reason why the file is not for a device, or null. `header`: what peek_jpeg() says.
const char* read_with_library(std::span<const std::uint8_t> file, const JpegHeader& header,
                              const JpegOptions& options, JpegFileHeader& out);

}  // namespace sluice::device
