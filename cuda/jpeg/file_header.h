// JpegFileHeader: the part of a JPEG file's header that a decoder on a device needs.
//
// read_plain() reads plain headers: only well-formed segments of the usual kinds, of a file that is
// gray or YCbCr in one scan. libjpeg reads all others, and so reports what is wrong with them. If
// both can read a header, they agree. The host also checks the Huffman tables, and hashes them.
//
// Ownership: values. Threads: any. Errors: read_with_library() throws JpegError and std::bad_alloc.
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
    int quantizers = 0, codes[2] = {0, 0};  // table numbers; of codes: DC and AC
  };
  static constexpr int kTables = 4;

  int height = 0, width = 0;
  int components = 0;  // 1 or 3
  Component component[3];
  std::uint16_t interval = 0;         // MCUs between restart markers, or 0
  std::size_t first_byte = 0;         // of the scan's data, in the file
  std::uint32_t known = 0;            // bit i is set if table number i exists: for quantizers,
  std::uint32_t known_codes[2] = {};  // and for codes, DC and AC
  std::uint16_t quantizers[kTables][64] = {};  // row by row
  JpegCodeSource codes[2][kTables];            // DC and AC

  // Return null if there is no such table.
  const std::uint16_t* find_quantizers(int number) const {
    return is_one(known, number) ? quantizers[number] : nullptr;
  }
  const JpegCodeSource* find_codes(int kind, int number) const {
    return is_one(known_codes[kind], number) ? &codes[kind][number] : nullptr;
  }

 private:
  static bool is_one(std::uint32_t of, int number) {
    return number >= 0 && number < kTables && (of >> number & 1) != 0;
  }
};

// Returns false for a header that is not plain.
bool read_plain(std::span<const std::uint8_t> file, JpegFileHeader& out);

// Returns the reason why a device cannot decode the file, or null. `header`: the result of
// peek_jpeg().
const char* read_with_library(std::span<const std::uint8_t> file, const JpegHeader& header,
                              const JpegOptions& options, JpegFileHeader& out);

// Returns false for a table that libjpeg refuses. `dc`: true for a DC table.
bool is_legal(const JpegCodeSource& source, bool dc);

// Returns a hash of the content: different contents almost surely have different hashes.
std::uint64_t hash_of(const JpegCodeSource (&sources)[4]);

}  // namespace sluice::device
