// The data of the kernels that decode JPEG files. JpegBatch lays it out as plain data in one block,
// which is uploaded and read by the kernels.
//
// Positions within the block and the scratch memory are offsets, so the block does not depend on
// its address. An MCU (the standard's term) is a group of blocks that are coded together.
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::device {

// Load and store several bytes at once. `at` is a multiple of their size.
template <class T>
SLUICE_HOST_DEVICE T load_as(const void* at) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const T*>(at);
#else
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
#endif
}
template <class T>
SLUICE_HOST_DEVICE void store_as(void* at, T value) {
#if defined(__CUDA_ARCH__)
  *static_cast<T*>(at) = value;
#else
  std::memcpy(at, &value, sizeof value);
#endif
}

// The threads of a block that work together, as seen by one of them; a plain value. On the host
// there is one thread. All threads of the block must call each sync().
struct JpegThreadBlock {
  std::uint32_t thread = 0, threads = 1;

  // Waits until all threads have called it; they then see each other's writes.
  SLUICE_HOST_DEVICE void sync() const {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  // Adds 1 to a shared number, and returns its old value.
  SLUICE_HOST_DEVICE std::uint32_t add_one(std::uint32_t& shared) const {
#if defined(__CUDA_ARCH__)
    return atomicAdd(&shared, 1u);
#else
    return shared++;
#endif
  }
};

inline constexpr int kJpegLookupBits = 10;
// The size of JpegCodes::long_entries, which covers the highest 16-bit values. Long codes start
// with many 1 bits: in the standard's tables, all codes longer than kJpegLookupBits are covered.
inline constexpr std::uint32_t kJpegLongLookups = 1024;
// Bits that index a table of steps, and the sizes of the two DC and the two AC tables (see
// JpegStep).
inline constexpr int kJpegDcStepBits = 9, kJpegAcStepBits = 11;
inline constexpr std::uint32_t kJpegDcSteps = 2 << kJpegDcStepBits;
inline constexpr std::uint32_t kJpegAcSteps = 2 << kJpegAcStepBits;

// A Huffman table as a file defines it: the number of codes of 1 to 16 bits, and their values.
struct JpegCodeSource {
  std::uint8_t bits[16] = {};
  std::uint8_t values[256] = {};
};
static_assert(sizeof(JpegCodeSource) % 16 == 0);

// The four Huffman tables of a file: two for DC (0 and 1), two for AC (2 and 3). A kernel builds
// them from four JpegCodeSource, which are zeros for a table that no component uses.
struct JpegCodes {
  // By the next kJpegLookupBits bits. Bits 0..3: the number of extra bits; 4..7: the number of
  // zeros before the coefficient; 8..11: the length of the code. 0 if the bits begin a longer code,
  // or are no code.
  std::uint16_t entries[4][1 << kJpegLookupBits];
  // The same by the next 16 bits, for the highest kJpegLongLookups values. Bits 8..12 are the
  // length, and 0 means no code.
  std::uint16_t long_entries[4][kJpegLongLookups];
  // For other long codes, by their length minus (kJpegLookupBits + 1). `end`: one more than the
  // last code, in the upper bits of 16. `offset`: added to a code, it is the index of its value.
  std::uint32_t end[4][16 - kJpegLookupBits];
  std::int32_t offset[4][16 - kJpegLookupBits];
  std::uint8_t values[4][256];
  // By the next bits, for readers that only look for MCUs (see JpegStep): DC tables, then AC
  // tables. Built only if there are files without a JPEG index.
  std::uint32_t steps[kJpegDcSteps + kJpegAcSteps];
};
static_assert(sizeof(JpegCodes) % 16 == 0);

// A token of a packed JPEG's dictionary (io/packs/tokens.h), laid out so that one load reads it.
struct alignas(16) JpegToken {
  std::uint32_t magnitudes[2] = {};  // a byte for each of up to 8 coefficients
  // Bits 0..7: the coefficients that have a sign; 8..13: the run of zeros before the first one;
  // 16..22: run and number of coefficients together; 23: 1 if the token ends the block.
  std::uint32_t kind = 0;
  // Bits 0..15: a mask of the extra bits of the first coefficient; 16..20: how many there are;
  // 24..28: the number of raw bits.
  std::uint32_t raw = 0;

  static constexpr std::uint32_t kBits = 12;  // of a token's number
  static constexpr std::uint32_t kCount = 1 << kBits;
  static constexpr std::uint32_t kCoefficients = 8;
};
static_assert(sizeof(JpegToken) == 16);

// The coding of a sample's segments.
enum class JpegCoding : std::uint8_t { huffman, tokens };

// A run of MCUs within one row of MCUs: from one record of the JPEG index to the next, or a segment
// of a packed JPEG. A packed JPEG uses only begin, end, bits_left, column, row and
// count; its predictors are 0.
struct JpegSegment {
  std::uint32_t begin = 0;  // bytes, from the sample's first
  std::uint32_t end = 0;    // no byte from here on is read; see zero_ends
  std::int16_t predictors[3] = {};
  std::int16_t predictors_left[3] = {};  // the values that they must have at its end
  std::uint8_t bits_behind = 0;          // bits of the first byte to skip
  // The number of bits that must be left of the last byte. kBelowAByte: any number below 8.
  // kAnything: any number, and any predictors. In a packed JPEG, all bytes must be used up, except
  // with kAnything.
  std::uint8_t bits_left = 0;
  std::uint8_t turn = 0;     // the number of the next restart marker
  bool marker_ends = false;  // the next record lies behind a marker, not before it
  std::int32_t column = 0;   // of the first MCU, in the kept part; MCUs below 0 are skipped
  std::uint16_t row = 0;
  std::uint16_t count = 0;       // MCUs
  std::uint16_t to_restart = 0;  // MCUs before that marker
  // The last byte belongs to it only if the one before is 0xff: then it is a stuffed zero.
  bool zero_ends = false;
  std::uint8_t unused = 0;

  static constexpr std::uint8_t kBelowAByte = 8, kAnything = 255;
};
static_assert(sizeof(JpegSegment) == 36);

// For files without a JPEG index, the device finds out itself where MCUs begin (see synchronize.h).
// Their codes are stored without restart markers and stuffed zeros, and cut into subsequences of
// the same size, one for each thread.
inline constexpr std::uint32_t kJpegSubsequenceBytes = 256;
// The number of bits before a subsequence that are read to guess its initial state. For
// photographs, 65 of 100 guesses are then right. More bits cost more than they save in rereading.
inline constexpr std::uint32_t kJpegWarmUpBits = 512;

// A part of a file that a kernel fetches from pinned host memory. `at`: its destination, counted
// from the sample's first byte. `from` and `at` are multiples of kLine; so is `bytes`, except at a
// file's end.
struct JpegPiece {
  const std::uint8_t* from = nullptr;
  std::uint32_t at = 0;
  std::uint32_t bytes = 0;
  static constexpr std::uint32_t kLine = 16;
};
static_assert(sizeof(JpegPiece) == 16);

// For a fetched file without a JPEG index: the bytes between two stuffed zeros or markers. A run
// ends where the next one begins. `from` is its position in the fetched bytes, `at` its
// destination; both count from the sample's first byte.
struct JpegRun {
  std::uint32_t from = 0, at = 0;
};

// The codes between two restart markers; the whole scan if there are none.
struct JpegInterval {
  std::uint32_t begin = 0;  // bytes, from the sample's first
  std::uint32_t end = 0;
  std::uint32_t first_subsequence = 0;  // of the sample's
};

// The states in which a reader enters and leaves a subsequence. Bits 0..4: the number of bits after
// its first one; 5..7: the block in the MCU; 8..13: the position of the next coefficient in zigzag
// order. An interval's first subsequence has the entry kKnown: it begins with an MCU, without a
// guess.
struct JpegStates {
  std::uint32_t entry = 0, exit = 0;
  static constexpr std::uint32_t kKnown = 1u << 31;
};

// The contents of a subsequence.
struct alignas(16) JpegTally {
  std::uint32_t first = 0;      // the bit at which its first MCU begins, from the sample's first
  std::uint16_t starts = 0;     // MCUs that begin here, without `in_last`
  std::uint8_t in_last = 0;     // MCUs in an interval's last byte or at its end: maybe padding
  std::uint8_t bad = 0;         // 1 if there is something that a sound file cannot contain
  std::int32_t before[3] = {};  // sums of the DC differences before the first MCU
  std::int32_t sums[3] = {};    // and of all DC differences
};
static_assert(sizeof(JpegTally) == 32);

// The MCUs of the sample that begin in a subsequence.
struct alignas(16) JpegStart {
  std::uint32_t bit = 0;     // the position of the first MCU, from the sample's first bit
  std::uint32_t number = 0;  // the number of the first MCU, in the image
  std::int16_t predictors[3] = {};
  std::uint16_t count = 0;
};
static_assert(sizeof(JpegStart) == 16);

// A file without a JPEG index. MCUs, and their rows and columns, count in the whole image.
struct JpegUnindexed {
  std::uint32_t bytes = 0;  // 0 for a file with a JPEG index, and for a packed JPEG
  std::uint32_t subsequence_bits = 0;
  std::uint32_t subsequences = 0, first_subsequence = 0;
  std::uint32_t intervals = 0, first_interval = 0;
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t top = 0, bottom = 0, left = 0, right = 0;  // the MCUs needed
  // Four bits for each block of an MCU. Bit 0: the DC table; bit 1: the AC table; 2..3: the
  // component.
  std::uint32_t pattern = 0;
};

struct JpegComponent {
  // Counts the blocks of all samples; a block has 64 coefficients, and 64 bytes.
  std::uint64_t first_block = 0;
  std::uint32_t blocks_wide = 0;  // of the kept part, row by row
  std::uint32_t blocks = 0;
  std::uint8_t across = 1, down = 1;  // blocks in an MCU
  std::uint8_t dc = 0, ac = 2;        // which tables
  // The image's last column and row in this component, counted from the first that is kept.
  std::int32_t last_column = 0, last_row = 0;
  std::uint16_t quantizers[64] = {};  // row by row
};

// A block that every MCU has.
struct alignas(16) JpegGroupBlock {
  std::uint64_t first = 0;     // counts the blocks of all samples: this block of the first kept MCU
  std::uint32_t row_step = 0;  // to the next row of MCUs
  std::uint8_t across = 1;     // to the next MCU
  std::uint8_t component = 0;
  std::uint8_t dc = 0, ac = 2;  // which tables
};

// The upsampling of a component of half the size.
enum class JpegStretch : std::uint8_t { none, repeat, fancy };

// Work is cut into tiles; each belongs to one sample and is done by one block of GPU threads.
inline constexpr std::uint32_t kJpegSegmentsPerTile = 64;
inline constexpr std::uint32_t kJpegBlocksPerTile = 128;
inline constexpr std::uint32_t kJpegRunsPerTile = 128;
inline constexpr std::uint32_t kJpegSubsequencesPerTile = 256;
inline constexpr std::uint32_t kJpegStartsPerTile = 128;
// Lines that a thread fetches, all in flight at once.
inline constexpr std::uint32_t kJpegLinesPerThread = 4;
inline constexpr std::uint32_t kJpegLinesPerTile = 128 * kJpegLinesPerThread;
inline constexpr std::uint32_t kJpegUnstuffersPerTile = 128;
// Neighboring pixels of a row that one thread computes.
inline constexpr std::int32_t kJpegRun = 4;

// Tiles of each kernel.
struct JpegTiles {
  std::uint32_t huffman = 0, dct = 0, pixels = 0;
  std::uint32_t subsequences = 0, starts = 0;  // of files without a JPEG index
  std::uint32_t fetch = 0, unstuff = 0;        // of fetched files with a JPEG index, and without
  std::uint32_t tokens = 0;                    // of packed JPEGs
};
struct JpegSample {
  JpegGroupBlock group[6];
  std::uint32_t group_blocks = 0;  // the number of used entries of `group`
  JpegComponent components[3];
  std::int32_t coded = 0;   // components in the file
  std::int32_t shown = 0;   // components that are needed
  std::uint32_t codes = 0;  // which JpegCodes; which dictionary of tokens
  std::uint32_t segments = 0, first_segment = 0;
  std::uint32_t interval = 0;  // MCUs between restart markers, or 0
  JpegUnindexed unindexed;
  std::uint64_t bytes_at = 0;  // in the block; for fetched files, from `fetched_at`
  // For fetched files: the number of bytes (0: not fetched). With a JPEG index, or of a packed
  // JPEG, a kernel reads the pieces. Otherwise the file is copied as a whole, and has runs.
  std::uint32_t fetched = 0;
  std::uint32_t pieces = 0, first_piece = 0;
  std::uint32_t runs = 0, first_run = 0;
  std::uint64_t raw_at = 0;
  std::uint32_t blocks = 0;  // of the components that are needed
  JpegStretch across = JpegStretch::none, down = JpegStretch::none;
  std::uint8_t orientation = 1;
  std::uint8_t channels = 3;
  JpegCoding coding = JpegCoding::huffman;
  // The needed part of the stored image, counted from the first pixel that is kept.
  std::int32_t x = 0, y = 0, width = 0, height = 0;
  std::uint8_t* out = nullptr;
  std::int64_t out_stride = 0;
  JpegTiles first_tile;

  SLUICE_HOST_DEVICE bool turned() const { return orientation >= 5; }
  SLUICE_HOST_DEVICE std::int32_t out_width() const { return turned() ? height : width; }
  SLUICE_HOST_DEVICE std::int32_t out_height() const { return turned() ? width : height; }
};

inline JpegTiles tiles_of(const JpegSample& sample) {
  const auto cut = [](std::uint64_t items, std::uint32_t per_tile) {
    return static_cast<std::uint32_t>((items + per_tile - 1) / per_tile);
  };
  const auto runs = static_cast<std::uint64_t>((sample.out_width() + kJpegRun - 1) / kJpegRun);
  const bool packed = sample.coding == JpegCoding::tokens;
  return {
      cut(packed ? 0 : sample.segments, kJpegSegmentsPerTile),
      cut(sample.blocks, kJpegBlocksPerTile),
      cut(runs * static_cast<std::uint64_t>(sample.out_height()), kJpegRunsPerTile),
      cut(sample.unindexed.subsequences, kJpegSubsequencesPerTile),
      cut(sample.unindexed.subsequences, kJpegStartsPerTile),
      cut(sample.pieces > 0 ? sample.fetched : 0, JpegPiece::kLine * kJpegLinesPerTile),
      cut(sample.runs > 0 ? sample.unindexed.bytes : 0, JpegPiece::kLine * kJpegUnstuffersPerTile),
      cut(packed ? sample.segments : 0, kJpegSegmentsPerTile)};
}

// The arguments of all kernels.
struct JpegLaunch {
  const std::byte* block = nullptr;  // the uploaded data
  std::uint64_t block_bytes = 0;
  // Damage, coefficients, component planes, and the findings for files without a JPEG index.
  std::byte* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;
  // In the block: JpegSample[samples], JpegSegment[], JpegCodeSource[codes][4], and for each kernel
  // the sample that each tile belongs to.
  std::uint64_t samples_at = 0, segments_at = 0, sources_at = 0;
  std::uint64_t huffman_tiles_at = 0, dct_tiles_at = 0, pixel_tiles_at = 0;
  // For files without a JPEG index: the same, JpegInterval[], and the numbers of these samples.
  std::uint64_t subsequence_tiles_at = 0, start_tiles_at = 0;
  std::uint64_t intervals_at = 0, unindexed_at = 0;
  // For fetched files: JpegPiece[], JpegRun[], and the sample that each tile belongs to.
  std::uint64_t pieces_at = 0, runs_at = 0, fetch_tiles_at = 0, unstuff_tiles_at = 0;
  // For packed JPEGs: JpegToken[dictionaries][JpegToken::kCount], and the sample of each tile.
  std::uint64_t tokens_at = 0, token_tiles_at = 0;
  std::uint32_t dictionaries = 0;
  std::uint32_t samples = 0, codes = 0, unindexed = 0;
  JpegTiles tiles;
  // Offsets in the scratch memory, which begins with uint32_t[samples] of damage.
  std::uint64_t coefficients_at = 0, planes_at = 0;
  // JpegTally[], JpegStart[], JpegStates[]: one for each subsequence.
  std::uint64_t tallies_at = 0, starts_at = 0, states_at = 0;
  std::uint64_t codes_at = 0;    // JpegCodes[codes]
  std::uint64_t fetched_at = 0;  // the bytes of fetched files, up to the end of the memory
};

}  // namespace sluice::device
