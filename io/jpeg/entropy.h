// JpegEntropy: our own entropy decoder inside libjpeg's decompressor. It decodes ordinary files:
// baseline or extended sequential, 8 bits, Huffman coding, one scan. libjpeg still does inverse
// DCT, upsampling and color conversion, so pixels are the same. It asks for coefficients group by
// group (an MCU is a group of blocks), and this class decodes them faster. Groups that are not
// needed are skipped, or with an index not even read.
//
// If anything is not in order, down to a single bit, libjpeg decodes the image again from its
// start. So warnings, errors and damaged images are exactly libjpeg's. See `doubted`.
//
// libjpeg keeps two function pointers in the object that `entropy` points to, with the same layout
// since version 6b (library_entropy.h). attach() replaces the one that decodes a group. That is not
// a documented interface, so self_test.h tests whether it works with the loaded library.
//
// Ownership: refers to the file, its parts, the libjpeg object and the index, which must outlive
// the image. Threads: one object belongs to one libjpeg object. Errors: attach() and record()
// allocate all memory and throw std::bad_alloc. Doubt ends the running step of jpeg_guarded().
#pragma once

#include <sluice/io/jpeg/entropy_kernels.h>
#include <sluice/io/jpeg/guard.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/scan_reader.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

// The width and height of a group of blocks in output pixels. Call after jpeg_start_decompress.
int jpeg_group_width(const jpeg_decompress_struct& info);
int jpeg_group_height(const jpeg_decompress_struct& info);

class JpegEntropy {
 public:
  // True if the index entry can belong to this image. Call after jpeg_start_decompress.
  static bool fits(const jpeg_decompress_struct& info, const JpegIndexEntry& known);

  // Takes over the decoding of the image if it is of the right kind. `index` may be null. If there
  // are `parts`, in order, nothing else of the file is read: for rows that the index knows.
  bool attach(jpeg_decompress_struct& info, std::span<const std::uint8_t> file, JpegErrors& errors,
              const JpegIndexEntry* index, std::span<const ByteRange> parts);

  // Says that only pixel columns left .. left + width - 1 are needed, as jpeg_crop_scanline returns
  // them.
  void set_columns(JDIMENSION left, JDIMENSION width);
  // Records the decoder's state while it reads the first `rows` rows of groups, continuing after
  // `known`. Allocates their memory here, because exceptions must not pass through libjpeg.
  void record(JpegIndexNotes& notes, std::uint32_t rows, std::span<const JpegIndexRecord> known);

  // Call after all rows have been delivered. Reads the skipped groups and lets the library continue
  // after them.
  void finish();

  // The number of groups in a row.
  std::uint32_t groups_per_row() const { return per_row_; }
  // True if the last image must be decoded again without this class.
  bool doubted() const { return doubted_; }
  // True if an index helps to decode the image.
  bool indexed() const { return index_ != nullptr; }
  // True if the library has asked for all groups of the image.
  bool was_asked_for_all() const { return asked_ == groups_; }

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  // libjpeg calls the functions below: they must not throw.
  static boolean decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) noexcept;
  void give(JBLOCKROW* blocks);
  void go_to(std::uint64_t group);
  void prepare();
  void check();
  void restart();
  void jump(std::size_t record);
  void note();
  void seek(ScanReader::Place place, std::size_t bytes = ScanReader::kPiece);
  [[noreturn]] void doubt();
  std::uint64_t group_of(std::size_t record) const;

  EntropyState state_;
  ScanReader reader_;
  jpeg_decompress_struct* info_ = nullptr;
  JpegErrors* errors_ = nullptr;
  std::span<const std::uint8_t> file_;

  std::uint32_t per_row_ = 0;  // groups
  std::uint64_t groups_ = 0;   // of the image
  std::uint32_t first_column_ = 0;
  std::uint32_t last_column_ = 0;
  std::uint32_t column_ = 0;      // of the next group that the library will ask for
  std::uint64_t asked_ = 0;       // groups that the library has asked for
  std::uint64_t at_ = 0;          // the group that the reader reads next
  std::uint64_t piece_end_ = 0;   // the group where the prepared bytes end, if known
  std::uint32_t interval_ = 0;    // groups between restart markers, or 0
  std::uint32_t to_restart_ = 0;  // groups until the next marker

  const JpegIndexEntry* index_ = nullptr;  // null unless it has records
  std::uint64_t vouched_ = 0;              // groups that the index knows to be sound
  JpegIndexNotes* notes_ = nullptr;
  std::uint64_t next_note_ = 0;  // the group of the next record

  bool doubted_ = false;

  struct Table {
    JHUFF_TBL source{};
    bool built = false;
    HuffmanLookup lookup;
  };
  const HuffmanLookup* lookup(Table& table, const JHUFF_TBL& source, HuffmanLookup::Kind kind);
  Table dc_[NUM_HUFF_TBLS];
  Table ac_[NUM_HUFF_TBLS];
};

}  // namespace sluice
