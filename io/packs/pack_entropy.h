// PackEntropy: gives libjpeg's decompressor the coefficients of a packed JPEG. It replaces
// libjpeg's entropy decoder, as JpegEntropy does for JPEG files. Groups of blocks that are not
// needed are skipped, and segments without needed groups are not read.
//
// Ownership: refers to the bytes and the libjpeg object, which must outlive the image; keeps the
// tables of the last dictionary. Threads: one object belongs to one libjpeg object. Errors: open()
// and attach() throw PackError. Damage that is found later ends the running step of jpeg_guarded().
#pragma once

#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/io/packs/tokens.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>

#include <jpeglib.h>

namespace sluice {

class PackEntropy {
 public:
  // Reads the head of a packed JPEG.
  const PackedJpeg& open(std::span<const std::uint8_t> bytes);

  // Takes over the decoding of the image whose header was that of the packed JPEG. Call after
  // jpeg_start_decompress. Only rows first .. last of `whole` are there. With `verify`, all rows
  // are checked here. Otherwise a row is checked before its first group is decoded.
  void attach(jpeg_decompress_struct& info, JpegErrors& errors, std::span<const std::uint8_t> whole,
              std::uint32_t first, std::uint32_t last, bool verify);

  // Says that only pixel columns left .. left + width - 1 are needed, as jpeg_crop_scanline returns
  // them.
  void set_columns(JDIMENSION left, JDIMENSION width);

 private:
  // libjpeg calls the functions below: they must not throw.
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) noexcept;
  void give(JBLOCKROW* blocks);
  void go_to_column();
  [[noreturn]] void fail(const char* what);

  PackedJpeg packed_;
  std::optional<PackTokens> tokens_;  // of the last dictionary
  std::uint64_t tokens_checksum_ = 0;
  std::span<const std::uint8_t> whole_;
  jpeg_decompress_struct* info_ = nullptr;
  JpegErrors* errors_ = nullptr;
  PackLayout layout_;
  std::uint32_t first_row_ = 0, last_row_ = 0;        // that are there
  std::uint32_t first_column_ = 0, last_column_ = 0;  // that are needed
  std::uint32_t row_ = 0, column_ = 0;                // of the next group that libjpeg asks for

  // The reader is before group `at_` of the segment that begins with group `begin_` of row `in_`.
  PackTokenReader reader_;
  bool reads_ = false;  // it is within a segment
  std::uint32_t in_ = 0, begin_ = 0, at_ = 0;
};

}  // namespace sluice
