// JpegEntropy: entropy decoding of our own inside libjpeg's decompressor, for ordinary files:
// baseline or extended sequential, 8 bits, Huffman coding, one scan. The library keeps inverse DCT,
// upsampling and colour conversion, and so every pixel; it asks for coefficients group by group
// (an MCU is a group of blocks), and we give them faster. Groups that nobody looks at are passed
// over, or with an index not even read.
//
// Whatever is not in order, down to a single bit, is left to the library: the picture is then
// decoded again from its start without us, so that warnings, errors and damaged pictures are
// exactly the library's. See `doubted`.
//
// How it is done: libjpeg keeps two function pointers in the object behind `entropy`, laid out the
// same since version 6b (library_entropy.h). attach() replaces the one that decodes a group.
// That is no documented interface: self_test.h finds out whether it works with the library at
// hand.
//
// Ownership: refers to the file, its parts, the object and the index, which outlive the picture.
// Threads: one object belongs to one libjpeg object. Errors: attach() and record(), which get all
// memory that is needed, throw std::bad_alloc; doubt ends the running step of jpeg_guarded().
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

// Pixels of the output that a group of blocks is wide and high. From jpeg_start_decompress on.
int jpeg_group_width(const jpeg_decompress_struct& info);
int jpeg_group_height(const jpeg_decompress_struct& info);

class JpegEntropy {
 public:
  // Whether what an index knows can be of this picture, on which jpeg_start_decompress has been
  // called.
  static bool fits(const jpeg_decompress_struct& info, const JpegIndexEntry& known);

  // Takes over such a picture, if it is of the right kind. `index` may be null. Where there are
  // parts, in order, nothing else of the file is looked at: it is for rows that the index knows.
  bool attach(jpeg_decompress_struct& info, std::span<const std::uint8_t> file, JpegErrors& errors,
              const JpegIndexEntry* index, std::span<const ByteRange> parts);

  // Only pixel columns left .. left + width - 1 will be looked at, as jpeg_crop_scanline gives
  // them.
  void set_columns(JDIMENSION left, JDIMENSION width);
  // Notes records on the way through the first `rows` rows of groups, in continuation of those that
  // are known. Their memory is taken here: libjpeg does not stand exceptions from what it calls.
  void record(JpegIndexNotes& notes, std::uint32_t rows, std::span<const JpegIndexRecord> known);

  // All rows have been delivered: reads what was passed over and lets the library go on behind it.
  void finish();

  // Groups in a row of them.
  std::uint32_t groups_per_row() const { return per_row_; }
  // Whether the last picture has to be decoded again without us.
  bool doubted() const { return doubted_; }
  // Whether it is decoded with the help of an index.
  bool indexed() const { return index_ != nullptr; }
  // Whether the library has asked for all groups of the picture.
  bool was_asked_for_all() const { return asked_ == groups_; }

 private:
  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

  // From here on libjpeg is the caller: nothing throws.
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
  std::uint64_t groups_ = 0;   // of the picture
  std::uint32_t first_column_ = 0;
  std::uint32_t last_column_ = 0;
  std::uint32_t column_ = 0;     // of the next group that the library asks for
  std::uint64_t asked_ = 0;      // groups that it has asked for
  std::uint64_t at_ = 0;         // the group at which the reader stands
  std::uint64_t piece_end_ = 0;  // the group at which what has been prepared ends, if that is known
  std::uint32_t interval_ = 0;   // groups between restart markers, or 0
  std::uint32_t to_restart_ = 0;  // groups until the next one

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
