// SequentialScan: reads and writes the scan of an ordinary JPEG file without libjpeg, for packing.
// An ordinary file is sequential with 8 bits and Huffman codes, and has one scan.
//
// It writes the bytes that libjpeg's jpeg_write_coefficients writes. So what it gives up, libjpeg
// can do in its place: other kinds of files, and coefficients or tables that an ordinary file
// cannot have. The reader accepts bytes that no encoder would write, as libjpeg does. So compare
// what it writes with what it has read.
//
// Ownership: refers to the frame and the tables of the libjpeg object, which must outlive it.
// Threads: each object belongs to one thread. Errors: std::bad_alloc.
#pragma once

#include <sluice/io/packs/block_symbols.h>
#include <sluice/io/packs/jpeg_scans.h>
#include <sluice/io/packs/tokens.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <jpeglib.h>

namespace sluice {

class SequentialScan {
 public:
  SequentialScan() = default;
  SequentialScan(const SequentialScan&) = delete;
  SequentialScan& operator=(const SequentialScan&) = delete;

  // Returns false if this is no ordinary file. Call after jpeg_read_header, for a file that has one
  // scan. `order`: that of its frame.
  bool open(const jpeg_decompress_struct& info, const BlockOrder& order);

  // Decodes the entropy-coded bytes into zeroed blocks. Returns false if they must be left to
  // libjpeg; the blocks are undefined then.
  bool read(std::span<const std::uint8_t> scan, PackBlock* blocks) const;
  // Returns the entropy-coded bytes of these blocks, or nothing if they must be left to libjpeg.
  // `expected`: their size, for the memory.
  std::vector<std::uint8_t> write(const PackBlock* blocks, std::size_t expected) const;

 private:
  struct Block {
    const HuffmanCodes* dc = nullptr;
    const HuffmanCodes* ac = nullptr;
    int component = 0;
    // True in the last group of a row, or in the last row, if it lies beyond the image.
    bool beyond_right = false, beyond_bottom = false;
  };
  bool write_group(const PackBlock* group, bool is_right, bool is_bottom, std::int16_t* predictors,
                   HuffmanBits& bits) const;

  const jpeg_decompress_struct* info_ = nullptr;
  BlockOrder order_;
  Block block_[PackLayout::kMostBlocks];
  HuffmanCodes dc_[NUM_HUFF_TBLS], ac_[NUM_HUFF_TBLS];  // those that are used
};

}  // namespace sluice
