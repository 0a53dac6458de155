// PackedJpeg: reads the head of a packed JPEG. A packed JPEG has the coefficients of a JPEG file in
// another coding. It decodes to the same pixels, but faster, and the file can be rebuilt from it
// byte for byte (pack_jpeg.h).
//
// The coefficients are coded as tokens (tokens.h), in segments of up to `grain` groups of blocks.
// Segments do not depend on each other, so a decoder reads only those of a region. The scans of the
// file are gone: a progressive file is decoded as fast as others. docs/packs.md has the format.
//
// Ownership: refers to the bytes, which must outlive it; keeps the offsets of rows. Threads: one.
// Errors: PackError for bytes that are damaged, forged, or of another version.
#pragma once

#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/tokens.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// A packed JPEG, all numbers little-endian. Its first part is the same for many images.
//
//   offset  bytes
//        0      8  "SLUICEPJ"
//        8      4  version, 1
//       12      4  bytes of the dictionary, D
//       16      D  the dictionary (tokens.h)
//
// The second part, the sample:
//
//        0      4  bytes of the head, H
//        4      4  bytes of the rows, R
//        8      4  bytes of the restoring part, S (pack_jpeg.h)
//       12      2  bytes of the JPEG header, J
//       14      1  grain: the most groups of a segment
//       15      1  0
//       16      4  rows of groups
//       20      4  groups in a row
//       24      8  checksum of the dictionary
//       32      8  checksum of the head without these 8 bytes
//       40      J  a JPEG header: frame, quantizers, colors, orientation; it ends with FF D9
//   40 + J         for each row: 4 checksum of its bytes, 2 for each segment: its bytes
//        H      R  the rows, and in a row its segments
//    H + R      S  the restoring part
//
// Checksums are XXH3 with 64 bits; a row has the lower 32.
struct PackedJpegParts {
  static constexpr char kMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'P', 'J'};
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::size_t kPrefixBytes = 16;
  static constexpr std::size_t kFixedBytes = 40;
};

// Return the checksum of a dictionary, of a row, and of a head. The one of a head is XXH3 of its
// bytes from 40 on, and its seed is XXH3 of its bytes 0 to 31.
std::uint64_t checksum_of_dictionary(std::span<const std::uint8_t> dictionary) noexcept;
std::uint32_t checksum_of_packed_row(std::span<const std::uint8_t> row) noexcept;
std::uint64_t checksum_of_packed_head(std::span<const std::uint8_t> head) noexcept;

class PackedJpeg {
 public:
  // Reads the head. `bytes` is the whole packed JPEG or a part of it that ends behind the head.
  void open(std::span<const std::uint8_t> bytes);

  // open() does not check the dictionary, because a decoder often knows it already.
  std::span<const std::uint8_t> dictionary() const { return dictionary_; }
  std::uint64_t dictionary_checksum() const { return dictionary_checksum_; }
  // Returns the tables of the dictionary, after checking it.
  PackTokens tokens() const;
  // A JPEG header with an end marker, for libjpeg.
  std::span<const std::uint8_t> header() const { return header_; }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t groups_per_row() const { return per_row_; }
  std::uint32_t grain() const { return grain_; }
  std::uint32_t segments_per_row() const { return segments_; }

  // The bytes of rows first .. last, and of the restoring part.
  ByteRange range_of_rows(std::uint32_t first, std::uint32_t last) const noexcept;
  ByteRange range_of_restoring_part() const { return {data_ + begins_.back(), size_}; }
  // The bytes of the whole packed JPEG.
  std::size_t size() const { return size_; }

  // True if the row's bytes are there, at their place in `whole`, and have their checksum.
  bool is_sound(std::span<const std::uint8_t> whole, std::uint32_t row) const noexcept;
  // Throws unless this is true for all rows.
  void check_rows(std::span<const std::uint8_t> whole) const;
  // The size of a segment. `number` counts in the row.
  std::uint32_t segment_bytes(std::uint32_t row, std::uint32_t number) const noexcept;
  // The row must be sound.
  std::span<const std::uint8_t> segment(std::span<const std::uint8_t> whole, std::uint32_t row,
                                        std::uint32_t number) const noexcept;

 private:
  std::span<const std::uint8_t> entry_of(std::uint32_t row) const noexcept;

  std::span<const std::uint8_t> dictionary_, header_, table_;
  std::uint64_t dictionary_checksum_ = 0;
  std::uint32_t rows_ = 0, per_row_ = 0, grain_ = 0, segments_ = 0;
  std::size_t data_ = 0;               // where the rows begin
  std::size_t size_ = 0;               // of all
  std::vector<std::uint32_t> begins_;  // of each row, and the end of the last one, from data_
};

// Returns the JPEG header of a packed JPEG whose head is there. Throws PackError.
std::span<const std::uint8_t> header_of_packed_jpeg(std::span<const std::uint8_t> file);

}  // namespace sluice
