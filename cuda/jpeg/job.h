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

// Loops whose arrays shall be registers of a GPU.
#if defined(__CUDACC__)
#define SLUICE_UNROLL _Pragma("unroll")
#else
#define SLUICE_UNROLL
#endif

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

// The four Huffman tables of a file: two for DC (0 and 1), two for AC (2 and 3).
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
  std::uint32_t end = 0;    // no byte from here on is read
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
  std::uint32_t to_restart = 0;  // MCUs before that marker

  static constexpr std::uint8_t kBelowAByte = 8, kAnything = 255;
};
static_assert(sizeof(JpegSegment) == 36);

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
// Neighbouring pixels of a row that one thread makes.
inline constexpr std::int32_t kJpegRun = 4;

// Tiles of each kernel.
struct JpegTiles {
  std::uint32_t huffman = 0, dct = 0, pixels = 0;
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
  std::uint64_t bytes_at = 0;  // in the block
  std::uint32_t blocks = 0;    // of the components that are shown
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
  return {cut(sample.segments, kJpegSegmentsPerTile), cut(sample.blocks, kJpegBlocksPerTile),
          cut(runs * static_cast<std::uint64_t>(sample.out_height()), kJpegRunsPerTile)};
}

// The arguments of all three kernels.
struct JpegLaunch {
  const std::byte* block = nullptr;  // what was uploaded
  std::uint64_t block_bytes = 0;
  std::byte* scratch = nullptr;  // damage, coefficients and components, one after the other
  std::uint64_t scratch_bytes = 0;
  // In the block: JpegSample[samples], JpegSegment[], JpegCodes[], and for each kernel the sample
  // that each tile belongs to.
  std::uint64_t samples_at = 0, segments_at = 0, codes_at = 0;
  std::uint64_t huffman_tiles_at = 0, dct_tiles_at = 0, pixel_tiles_at = 0;
  std::uint32_t samples = 0;
  JpegTiles tiles;
  // In the scratch memory; uint32_t[samples] of damage lie at its beginning.
  std::uint64_t coefficients_at = 0, planes_at = 0;
};

}  // namespace sluice::device
