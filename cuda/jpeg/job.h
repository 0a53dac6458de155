// What the kernels that decode JPEG files are told: plain data, laid out by JpegBatch in one block
// that is uploaded, and read by the kernels there.
//
// Places within the block and the scratch memory are offsets, so that the block is the same
// wherever it lies. An MCU, the standard's word, is a group of blocks that are coded together.
#pragma once

#include <sluice/cuda/device_view.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::device {

// Many bytes at once, at a multiple of their size.
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

inline constexpr int kJpegLookupBits = 10;

// A Huffman table as a file says it: how many codes there are of 1 to 16 bits, and what they stand
// for.
struct JpegCodeSource {
  std::uint8_t bits[16] = {};
  std::uint8_t values[256] = {};
};
static_assert(sizeof(JpegCodeSource) % 16 == 0);

// The four Huffman tables of a file: two for DC (0 and 1), two for AC (2 and 3). A kernel makes
// them from four JpegCodeSource, zeros for a table that no component uses.
struct JpegCodes {
  // What the next kJpegLookupBits bits lead to: bits 0..3 how many extra bits, 4..7 how many zeros
  // before, 8..11 bits of the code. 0 for the beginning of a longer code, and for none at all.
  std::uint16_t entries[4][1 << kJpegLookupBits];
  // For longer codes, by their length less kJpegLookupBits + 1: one more than the last code, as the
  // upper of 16 bits; and what leads from a code to its value.
  std::uint32_t end[4][16 - kJpegLookupBits];
  std::int32_t offset[4][16 - kJpegLookupBits];
  std::uint8_t values[4][256];
};
static_assert(sizeof(JpegCodes) % 16 == 0);

// A run of MCUs in a row of them, from one record of the index to the next.
struct JpegSegment {
  std::uint32_t begin = 0;  // bytes, from the sample's first
  std::uint32_t end = 0;    // no byte from here on is read; see zero_ends
  std::int16_t predictors[3] = {};
  std::int16_t predictors_left[3] = {};  // what they must be at its end
  std::uint8_t bits_behind = 0;          // of the first byte
  // What must be left of the last byte: so many bits; or kBelowAByte, or kAnything, and then the
  // predictors, too, may be what they like.
  std::uint8_t bits_left = 0;
  std::uint8_t turn = 0;     // of the next restart marker: its number
  bool marker_ends = false;  // the next record lies after a marker, not before
  std::int32_t column = 0;   // of the first MCU in what is kept; those below 0 are passed over
  std::uint16_t row = 0;
  std::uint16_t count = 0;       // MCUs
  std::uint16_t to_restart = 0;  // MCUs before that marker
  // Its last byte belongs to it only if the one before is 0xff: as the zero that is stuffed in.
  bool zero_ends = false;
  std::uint8_t unused = 0;

  static constexpr std::uint8_t kBelowAByte = 8, kAnything = 255;
};
static_assert(sizeof(JpegSegment) == 36);

// Of files that no index knows, the device finds out itself where MCUs begin (see synchronise.h).
// Their codes are uploaded without restart markers and the zeros that are stuffed in, and cut into
// subsequences of the same size, one for each thread.
inline constexpr std::uint32_t kJpegSubsequenceBytes = 256;
// Bits before a subsequence that are read to guess in which state it begins. Of photographs, 65 of
// 100 guesses are right then; more bits cost more than what has to be read again.
inline constexpr std::uint32_t kJpegWarmUpBits = 512;

// A part of a file that a kernel fetches from pinned memory of the host. `at`: where it belongs,
// counted from the sample's first byte. Multiples of kLine, but for the bytes at a file's end.
struct JpegPiece {
  const std::uint8_t* from = nullptr;
  std::uint32_t at = 0;
  std::uint32_t bytes = 0;
  static constexpr std::uint32_t kLine = 16;
};
static_assert(sizeof(JpegPiece) == 16);

// Of a file that no index knows, fetched as it is: bytes between two stuffed zeros or markers,
// which end where the next ones begin. Both places count from the sample's first byte, `from` in
// what was fetched, `at` where they belong.
struct JpegRun {
  std::uint32_t from = 0, at = 0;
};

// What lies between two restart markers; the whole scan when there are none.
struct JpegInterval {
  std::uint32_t begin = 0;  // bytes, from the sample's first
  std::uint32_t end = 0;
  std::uint32_t first_subsequence = 0;  // of the sample's
};

// In which state a reader comes into a subsequence and leaves it: bits 0..4 how many bits beyond
// its first one, 5..7 which block of an MCU, 8..13 the place of the next coefficient in zigzag
// order. An interval's first subsequence begins in kKnown: with an MCU, and nothing was guessed.
struct JpegStates {
  std::uint32_t entry = 0, exit = 0;
  static constexpr std::uint32_t kKnown = 1u << 31;
};

// What lies in a subsequence.
struct alignas(16) JpegTally {
  std::uint32_t first = 0;   // bit, from the sample's first, in which its first MCU begins
  std::uint16_t starts = 0;  // MCUs that begin here; those in an interval's last byte count apart,
  std::uint8_t in_last = 0;  // one that would begin at its end included: they may be padding
  std::uint8_t bad = 0;      // whether there is something that a sound file cannot contain
  std::int32_t before[3] = {};  // sums of the differences of DC before the first MCU,
  std::int32_t sums[3] = {};    // and of all
};
static_assert(sizeof(JpegTally) == 32);

// Those MCUs of the sample that begin in a subsequence.
struct alignas(16) JpegStart {
  std::uint32_t bit = 0;     // where the first one begins, from the sample's first
  std::uint32_t number = 0;  // of the first one, in the picture
  std::int16_t predictors[3] = {};
  std::uint16_t count = 0;
};
static_assert(sizeof(JpegStart) == 16);

// A file that no index knows. MCUs, rows and columns of them count in the whole picture.
struct JpegUnindexed {
  std::uint32_t bytes = 0;  // 0 for a file that the index knows
  std::uint32_t subsequence_bits = 0;
  std::uint32_t subsequences = 0, first_subsequence = 0;
  std::uint32_t intervals = 0, first_interval = 0;
  std::uint32_t columns = 0, rows = 0;
  std::uint32_t top = 0, bottom = 0, left = 0, right = 0;  // those that are wanted
  // Four bits for each block of an MCU: 0 the table of DC, 1 that of AC, 2..3 the component.
  std::uint32_t pattern = 0;
};

struct JpegComponent {
  std::uint64_t first_block = 0;  // of all samples'; a block has 64 coefficients, and 64 bytes
  std::uint32_t blocks_wide = 0;  // of what is kept, row by row
  std::uint32_t blocks = 0;
  std::uint8_t across = 1, down = 1;  // blocks in an MCU
  std::uint8_t dc = 0, ac = 2;        // which tables
  // The last column and row that the picture has, where the first that is kept is 0.
  std::int32_t last_column = 0, last_row = 0;
  std::uint16_t quantisers[64] = {};  // row by row
};

// A block of every MCU.
struct alignas(16) JpegGroupBlock {
  std::uint64_t first = 0;     // of all samples' blocks: the one in the first MCU that is kept
  std::uint32_t row_step = 0;  // to the next row of MCUs
  std::uint8_t across = 1;     // to the next MCU
  std::uint8_t component = 0;
  std::uint8_t dc = 0, ac = 2;  // which tables
};

// How a component of half the size is brought to the full one.
enum class JpegStretch : std::uint8_t { none, repeat, fancy };

// Work is cut into tiles that belong to one sample each; a tile is a block of a GPU's threads.
inline constexpr std::uint32_t kJpegSegmentsPerTile = 64;
inline constexpr std::uint32_t kJpegBlocksPerTile = 128;
inline constexpr std::uint32_t kJpegRunsPerTile = 128;
inline constexpr std::uint32_t kJpegSubsequencesPerTile = 256;
inline constexpr std::uint32_t kJpegStartsPerTile = 128;
// Of a thread that fetches, all under way at once.
inline constexpr std::uint32_t kJpegLinesPerThread = 4;
inline constexpr std::uint32_t kJpegLinesPerTile = 128 * kJpegLinesPerThread;
inline constexpr std::uint32_t kJpegUnstuffersPerTile = 128;
// Neighbouring pixels of a row that one thread makes.
inline constexpr std::int32_t kJpegRun = 4;

// Tiles of each kernel.
struct JpegTiles {
  std::uint32_t huffman = 0, dct = 0, pixels = 0;
  std::uint32_t subsequences = 0, starts = 0;  // of files that no index knows
  std::uint32_t fetch = 0, unstuff = 0;        // of files that are fetched
};
struct JpegSample {
  JpegGroupBlock group[6];
  std::uint32_t group_blocks = 0;  // of them, those that there are
  JpegComponent components[3];
  std::int32_t coded = 0;   // components in the file
  std::int32_t shown = 0;   // of them, those that are needed
  std::uint32_t codes = 0;  // which JpegCodes
  std::uint32_t segments = 0, first_segment = 0;
  std::uint32_t interval = 0;  // MCUs between restart markers, or 0
  JpegUnindexed unindexed;
  std::uint64_t bytes_at = 0;  // in the block; of those that are fetched, from `fetched_at`
  // Where the bytes are not in what was uploaded: how many are fetched, and to where.
  std::uint32_t fetched = 0;
  std::uint32_t pieces = 0, first_piece = 0;
  std::uint32_t runs = 0, first_run = 0;
  std::uint64_t raw_at = 0;
  std::uint32_t blocks = 0;  // of the components that are shown
  JpegStretch across = JpegStretch::none, down = JpegStretch::none;
  std::uint8_t orientation = 1;
  std::uint8_t channels = 3;
  // What is wanted of the stored picture, from the first pixel that is kept.
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
  return {
      cut(sample.segments, kJpegSegmentsPerTile),
      cut(sample.blocks, kJpegBlocksPerTile),
      cut(runs * static_cast<std::uint64_t>(sample.out_height()), kJpegRunsPerTile),
      cut(sample.unindexed.subsequences, kJpegSubsequencesPerTile),
      cut(sample.unindexed.subsequences, kJpegStartsPerTile),
      cut(sample.fetched, JpegPiece::kLine * kJpegLinesPerTile),
      cut(sample.runs > 0 ? sample.unindexed.bytes : 0, JpegPiece::kLine * kJpegUnstuffersPerTile)};
}

// The arguments of all kernels.
struct JpegLaunch {
  const std::byte* block = nullptr;  // what was uploaded
  std::uint64_t block_bytes = 0;
  // Damage, coefficients, components, and what is found out of files that no index knows.
  std::byte* scratch = nullptr;
  std::uint64_t scratch_bytes = 0;
  // In the block: JpegSample[samples], JpegSegment[], JpegCodeSource[codes][4], and for each kernel
  // the sample that each tile belongs to.
  std::uint64_t samples_at = 0, segments_at = 0, sources_at = 0;
  std::uint64_t huffman_tiles_at = 0, dct_tiles_at = 0, pixel_tiles_at = 0;
  // The same for files that no index knows, JpegInterval[], and the numbers of these samples.
  std::uint64_t subsequence_tiles_at = 0, start_tiles_at = 0;
  std::uint64_t intervals_at = 0, unindexed_at = 0;
  // Of those that are fetched: JpegPiece[], JpegRun[], and the sample that each tile belongs to.
  std::uint64_t pieces_at = 0, runs_at = 0, fetch_tiles_at = 0, unstuff_tiles_at = 0;
  std::uint32_t samples = 0, codes = 0, unindexed = 0;
  JpegTiles tiles;
  // In the scratch memory; uint32_t[samples] of damage lie at its beginning.
  std::uint64_t coefficients_at = 0, planes_at = 0;
  // And JpegTally[], JpegStart[], JpegStates[]: one for each subsequence.
  std::uint64_t tallies_at = 0, starts_at = 0, states_at = 0;
  std::uint64_t codes_at = 0;    // JpegCodes[codes]
  std::uint64_t fetched_at = 0;  // bytes of files that are fetched, to the memory's end
};

}  // namespace sluice::device
