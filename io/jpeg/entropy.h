// JpegEntropy: our own entropy decoder inside libjpeg's decompressor. It decodes ordinary files:
// baseline or extended sequential, 8 bits, Huffman coding, one scan. libjpeg or JpegPixels then
// makes the pixels. They ask for coefficients group by group (an MCU is a group of blocks), and
// this class decodes them faster. Groups that are not needed are skipped, or with an index not even
// read.
//
// If anything is not in order, down to a single bit, libjpeg decodes the image again from its
// start. So warnings, errors and damaged images are exactly libjpeg's. See `fell_back`.
//
// libjpeg keeps two function pointers in the object that `entropy` points to, with the same layout
// since version 6b (libjpeg.h). attach() replaces the one that decodes a group. That is not a
// documented interface, so self_test.h tests whether it works with the loaded library.
//
// Its parts: HuffmanLookup is a table laid out for decoding, ScanReader provides the bytes of a
// scan, and decode_group() and skip_groups() are the inner loops.
//
// Ownership: refers to the file, its parts, the libjpeg object and the index, which must outlive
// the image. Threads: one object belongs to one libjpeg object. Errors: attach() and record()
// allocate all memory and throw std::bad_alloc. Doubt ends the running step of jpeg_guarded().
#pragma once

#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <jpeglib.h>

namespace sluice {

// HuffmanLookup: one Huffman table of a JPEG file, laid out for decoding.
//
// The next kBits bits select an entry that describes the symbol: the length of its code and extra
// bits together, how far it moves in zigzag order, the number of extra bits and where they begin.
// So a symbol costs one lookup and no branch; a processor can only mispredict where a block ends.
// Codes of more than kBits bits are rare and are searched in canonical order.
//
// An AC table has entries for two symbols. If the first symbol with its extra bits, and the code of
// the next symbol, fit in kPairBits bits, both cost one lookup. Most do.
//
// Symbols that no 8-bit baseline file has (more than 11 extra bits for DC, more than 10 for AC) and
// codes that do not exist are marked. A decoder that meets one leaves the file to libjpeg. A table
// is immutable once made.
struct HuffmanLookup {
  static constexpr int kBits = 9;       // bits of the longest code in `entries`
  static constexpr int kPairBits = 10;  // that select one of `pairs`
  // Steps in zigzag order: 1 for DC, the run and 1 for AC, 64 for an invalid symbol. The end of a
  // block has its upper bit set, plus 63: added to a place within a block it leads into the next
  // block.
  static constexpr std::uint32_t kDoubtful = 64;
  static constexpr std::uint32_t kEndOfBlock = 128 + 63;
  // The longest step of a pair: 16 and the end of a block.
  static constexpr std::uint32_t kFarthest = 16 + kEndOfBlock;

  // An entry: bits 0..7 code and extra bits together, 8..15 step, 16..23 extra bits, 24..30 code
  // bits, 31 whether it is doubtful. 0 for the beginning of a longer code.
  std::uint32_t entries[1 << kBits];
  // One past the last code of each length, left-aligned to 16 bits. For a length without codes, the
  // end of the shorter codes.
  std::uint32_t max_code[17];
  std::int32_t offset[17];     // from a code of that length to its symbol
  std::uint32_t symbols[256];  // entries without the code's bits

  // For AC only. A pair: bits 0..7 the length of both symbols, 8..15 the first step, 16..23 both
  // steps, 24..31 63 minus the number of extra bits of the second symbol, 32..39 where these begin,
  // 40..47 the length of the first symbol, 48..63 its value. A single symbol is stored as the
  // second one, after a first one with the same step: bits 0..7 equal 40..47, and both steps are
  // equal. kLongCode marks the beginning of a longer code: the reader treats it as the end of a
  // block.
  static constexpr std::uint64_t kLongCode =
      std::uint64_t{63} << 24 | kEndOfBlock << 16 | kEndOfBlock << 8;
  std::uint64_t pairs[1 << kPairBits];

  enum class Kind : std::uint8_t { dc, ac };

  // `table` must have been accepted by libjpeg.
  void build(const JHUFF_TBL& table, Kind kind);

  // Returns the entry for a code longer than kBits at the upper end of `buffer`.
  std::uint32_t find_long(std::uint64_t buffer) const noexcept;
  // The same, as a pair.
  std::uint64_t find_long_alone(std::uint64_t buffer) const noexcept;

 private:
  void build_pairs();
};

// The inner loops: they decode groups of blocks from a bit stream.
//
// They are compiled for several processors and chosen at run time (entropy_kernels.cpp). Shifts by
// a variable number of bits make up most of the work, and processors with BMI2 do them in one
// instruction. An EntropyState refers to tables and bytes that must outlive it. Data that a
// baseline file cannot contain sets `doubt`, and the blocks are then undefined.

// The most bytes that may be read past the beginning of a group of blocks: 10 blocks with a code of
// 16 bits and 11 or 10 extra bits for each of their 64 coefficients, and the bytes that a refill
// reads ahead.
inline constexpr int kGroupBytes = 2304;

struct EntropyState {
  // `buffer` holds the next bits, from its upper end; `count` of them are valid. `next` points to
  // the bytes that follow them.
  std::uint64_t buffer = 0;
  std::uint32_t count = 0;
  const std::uint8_t* next = nullptr;
  const std::uint8_t* stop = nullptr;  // no group may begin with `next` here or beyond
  std::int32_t predictors[4] = {};     // of the components in the scan
  std::uint32_t doubt = 0;

  struct Block {
    const HuffmanLookup* dc = nullptr;
    const HuffmanLookup* ac = nullptr;
    std::uint32_t component = 0;
    bool needed = false;  // its component is in the output
  };
  int blocks = 0;  // in a group
  Block block[10];
};

using Coefficients = std::int16_t[64];

// Decodes one group into zeroed blocks. Blocks of components that are not needed stay zero.
void decode_group(EntropyState& state, Coefficients* const* blocks);

// Skips up to `groups` groups, keeping only the predictors. Stops before a group that would begin
// beyond `stop`. Returns the number of groups skipped.
std::uint32_t skip_groups(EntropyState& state, std::uint32_t groups);

// ScanReader: provides the entropy-coded bytes of a JPEG scan, piece by piece. It removes the zero
// that is stuffed in after each 0xff, so that bit readers need not look for them.
//
// Ownership: refers to the file and to its parts; owns the prepared piece, about 18 KiB that stay
// in the processor's L1 cache. Errors: std::bad_alloc from open(); the reason why the bytes end can
// be queried.
class ScanReader {
 public:
  // A place in the file: a byte, and the number of its bits already read, 0 to 7. Never a stuffed
  // zero.
  struct Place {
    std::size_t byte = 0;
    std::uint32_t bit = 0;
    bool operator==(const Place&) const = default;
  };

  static constexpr std::size_t kPiece = std::size_t{16} << 10;

  // Allocates all memory; the other functions do not throw. Only `parts` of the file are read,
  // which are in order; if empty, all of it.
  void open(std::span<const std::uint8_t> file, std::span<const ByteRange> parts = {});

  // Prepares the bytes from `place` on and lets `state` read them. They end at the next marker, at
  // the end of the part that holds `place`, after `bytes` of the file or at a piece's size,
  // whichever comes first. For a place in no part, nothing is prepared.
  void seek(Place place, EntropyState& state, std::size_t bytes = kPiece) noexcept;
  // Returns the place in the file that `state` reads next.
  Place place(const EntropyState& state);
  // The number of prepared bits that are not read yet. It is negative if `state` has read beyond
  // them: if a part ends too early, the part does not fit.
  std::int64_t bits_left(const EntropyState& state) const;

  // at_end() is true if the prepared bytes end at a marker or with the file. end() is the marker's
  // place in the file, or the file's size.
  bool at_end() const { return at_end_; }
  std::size_t end() const { return end_; }
  // The end of the part that is being read.
  std::size_t limit() const { return limit_; }
  // True if it ends without a marker: with the file, or at fill bytes (any number of 0xff, which
  // may precede a marker) followed by a zero. libjpeg takes those for a stuffed 0xff.
  bool is_cut() const;

 private:
  const std::uint8_t* base() const { return piece_.data(); }

  std::size_t limit_of(std::size_t place) const;

  std::span<const std::uint8_t> file_;
  std::span<const ByteRange> parts_;
  std::size_t limit_ = 0;
  std::vector<std::uint8_t> piece_;
  std::size_t size_ = 0;                // of the prepared bytes
  std::size_t origin_ = 0;              // place in the file of the first byte
  std::vector<std::uint32_t> stuffed_;  // places in the piece where a zero was removed
  std::size_t passed_ = 0;              // how many of them precede the last queried place
  bool at_end_ = false;
  std::size_t end_ = 0;
};

// JpegEntropy: the entropy decoder of one libjpeg object.

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
  // Gives up unless the marker behind the scan is the end of the image. Call after finish().
  void require_end_of_image();

  // The number of groups in a row.
  std::uint32_t groups_per_row() const { return per_row_; }
  // True if the last image must be decoded again without this class.
  bool fell_back() const { return fell_back_; }
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
  [[noreturn]] void fall_back_to_libjpeg();
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

  bool fell_back_ = false;

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
