// The launches of the kernels in kernels.h: one block of threads for each tile, Huffman table, or
// sample.
#include <sluice/cuda/jpeg/fetch.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/pixels.h>
#include <sluice/cuda/jpeg/synchronize.h>
#include <sluice/cuda/jpeg/tokens.h>
#include <sluice/runtime/device.h>

#include <algorithm>

#include <cuda_runtime.h>

namespace sluice::device {
namespace {

// Returns a part of the uploaded block.
template <class T>
__device__ const T* get(const JpegLaunch& launch, std::uint64_t offset) {
  return reinterpret_cast<const T*>(launch.block + offset);
}
// Returns the sample of this tile.
__device__ std::uint32_t tile_owner(const JpegLaunch& launch, std::uint64_t tiles_at) {
  return get<std::uint32_t>(launch, tiles_at)[blockIdx.x];
}

__device__ volatile std::uint32_t& damage_of(const JpegLaunch& launch, std::uint32_t owner) {
  return reinterpret_cast<volatile std::uint32_t*>(launch.scratch)[owner];
}

// Copies a table to shared memory, where many lookups are fast.
constexpr std::size_t kEntries = sizeof(JpegCodes::entries) / sizeof(uint4);
constexpr std::size_t kSteps = (kJpegDcSteps + kJpegAcSteps) / 4;  // of uint4
template <std::size_t kCount>
__device__ void load_table(const void* table, uint4 (&to)[kCount]) {
  const auto* const from = static_cast<const uint4*>(table);
  for (std::uint32_t i = threadIdx.x; i < kCount; i += blockDim.x) to[i] = from[i];
  __syncthreads();
}

__global__ void __launch_bounds__(kJpegCodeBuilders) jpeg_build_codes(const JpegLaunch launch) {
  auto* const codes = reinterpret_cast<JpegCodes*>(launch.scratch + launch.codes_at);
  const JpegCodeSource& source = get<JpegCodeSource>(launch, launch.sources_at)[blockIdx.x];
  const JpegThreadBlock threads{threadIdx.x, blockDim.x};
  build_jpeg_codes(threads, source, blockIdx.x % 4, codes[blockIdx.x / 4]);
  if (launch.unindexed > 0)
    build_jpeg_steps(threads, source, blockIdx.x % 4, codes[blockIdx.x / 4]);
}

// Enough blocks to keep PCI Express busy with reads. More would only wait, and displace blocks that
// compute.
constexpr std::uint32_t kFetchingBlocks = 32;
constexpr std::uint32_t kFetchers = kJpegLinesPerTile / kJpegLinesPerThread;
__global__ void __launch_bounds__(kFetchers) jpeg_fetch(const JpegLaunch launch) {
  const auto* const owners = get<std::uint32_t>(launch, launch.fetch_tiles_at);
  const auto* const pieces = get<JpegPiece>(launch, launch.pieces_at);
  for (std::uint32_t tile = blockIdx.x; tile < launch.tiles.fetch; tile += gridDim.x) {
    const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owners[tile]];
    auto* const to =
        reinterpret_cast<JpegLine*>(launch.scratch + launch.fetched_at + sample.raw_at);
    const std::uint32_t lines = (sample.fetched + JpegPiece::kLine - 1) / JpegPiece::kLine;
    const std::uint32_t first = (tile - sample.first_tile.fetch) * kJpegLinesPerTile + threadIdx.x;
    JpegLine fetched[kJpegLinesPerThread];
    SLUICE_UNROLL
    for (std::uint32_t i = 0; i < kJpegLinesPerThread; ++i) {
      const std::uint32_t line = first + i * kFetchers;
      if (line < lines) fetched[i] = fetch_jpeg_line(sample, pieces, line);
    }
    SLUICE_UNROLL
    for (std::uint32_t i = 0; i < kJpegLinesPerThread; ++i) {
      const std::uint32_t line = first + i * kFetchers;
      if (line < lines) to[line] = fetched[i];
    }
  }
}

__global__ void __launch_bounds__(kJpegUnstuffersPerTile) jpeg_unstuff(const JpegLaunch launch) {
  const JpegSample& sample =
      get<JpegSample>(launch, launch.samples_at)[tile_owner(launch, launch.unstuff_tiles_at)];
  const std::uint32_t line =
      (blockIdx.x - sample.first_tile.unstuff) * kJpegUnstuffersPerTile + threadIdx.x;
  if (line * JpegPiece::kLine >= sample.unindexed.bytes) return;
  std::byte* const fetched = launch.scratch + launch.fetched_at;
  reinterpret_cast<JpegLine*>(fetched + sample.bytes_at)[line] =
      unstuff_jpeg_line(sample, get<JpegRun>(launch, launch.runs_at),
                        reinterpret_cast<const std::uint8_t*>(fetched + sample.raw_at), line);
}

__global__ void __launch_bounds__(kJpegSegmentsPerTile) jpeg_huffman(const JpegLaunch launch) {
  const std::uint32_t owner = tile_owner(launch, launch.huffman_tiles_at);
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const JpegCodes& codes = jpeg_codes(launch, launch.scratch, sample);
  __shared__ uint4 entries[kEntries];
  load_table(codes.entries, entries);
  const std::uint32_t number =
      (blockIdx.x - sample.first_tile.huffman) * kJpegSegmentsPerTile + threadIdx.x;
  if (number >= sample.segments) return;
  const JpegSegment& segment =
      get<JpegSegment>(launch, launch.segments_at)[sample.first_segment + number];
  auto* const coefficients =
      reinterpret_cast<std::int16_t*>(launch.scratch + launch.coefficients_at);
  JpegSegmentReader reader(sample, segment,
                           jpeg_words(sample, launch.block, launch.scratch + launch.fetched_at),
                           reinterpret_cast<const std::uint16_t*>(entries), codes, coefficients);
  // Other threads may write the same value.
  if (!reader.run()) damage_of(launch, owner) = 1;
}

// The dictionary is not copied to shared memory: it has 64 KB, and an image uses few different
// tokens, which stay in the L1 cache.
__global__ void __launch_bounds__(kJpegSegmentsPerTile) jpeg_tokens_of(const JpegLaunch launch) {
  const std::uint32_t owner = tile_owner(launch, launch.token_tiles_at);
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const std::uint32_t number =
      (blockIdx.x - sample.first_tile.tokens) * kJpegSegmentsPerTile + threadIdx.x;
  if (number >= sample.segments) return;
  const JpegSegment& segment =
      get<JpegSegment>(launch, launch.segments_at)[sample.first_segment + number];
  JpegTokenReader reader(sample, segment,
                         jpeg_words(sample, launch.block, launch.scratch + launch.fetched_at),
                         jpeg_tokens(launch, launch.block, sample),
                         reinterpret_cast<std::int16_t*>(launch.scratch + launch.coefficients_at));
  // Other threads may write the same value.
  if (!reader.run()) damage_of(launch, owner) = 1;
}

__global__ void __launch_bounds__(kJpegBlocksPerTile) jpeg_inverse_dct(const JpegLaunch launch) {
  const std::uint32_t owner = tile_owner(launch, launch.dct_tiles_at);
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const std::uint32_t number =
      (blockIdx.x - sample.first_tile.dct) * kJpegBlocksPerTile + threadIdx.x;
  if (number >= sample.blocks) return;
  make_jpeg_plane(sample, number,
                  reinterpret_cast<const std::int16_t*>(launch.scratch + launch.coefficients_at),
                  reinterpret_cast<std::uint8_t*>(launch.scratch + launch.planes_at));
}

__global__ void __launch_bounds__(kJpegRunsPerTile) jpeg_pixels(const JpegLaunch launch) {
  const std::uint32_t owner = tile_owner(launch, launch.pixel_tiles_at);
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const std::uint32_t number =
      (blockIdx.x - sample.first_tile.pixels) * kJpegRunsPerTile + threadIdx.x;
  const auto runs = static_cast<std::uint32_t>((sample.out_width() + kJpegRun - 1) / kJpegRun);
  const std::uint32_t row = number / runs;
  if (row >= static_cast<std::uint32_t>(sample.out_height())) return;
  make_jpeg_pixels(sample, reinterpret_cast<const std::uint8_t*>(launch.scratch + launch.planes_at),
                   sample.out, static_cast<std::int32_t>(row),
                   static_cast<std::int32_t>(number - row * runs) * kJpegRun);
}

// The rest is for files without a JPEG index.
template <class T>
__device__ T* found_of(const JpegLaunch& launch, std::uint64_t offset,
                       const JpegUnindexed& sample) {
  return reinterpret_cast<T*>(launch.scratch + offset) + sample.first_subsequence;
}
__device__ JpegFindings findings_of(const JpegLaunch& launch, const JpegUnindexed& sample) {
  return {get<JpegInterval>(launch, launch.intervals_at) + sample.first_interval,
          found_of<JpegStates>(launch, launch.states_at, sample),
          found_of<JpegTally>(launch, launch.tallies_at, sample)};
}
__device__ JpegCodesOfSample codes_of(const JpegLaunch& launch, const JpegSample& sample,
                                      const JpegCodes& codes) {
  return {sample.unindexed, jpeg_words(sample, launch.block, launch.scratch + launch.fetched_at),
          codes, sample.group_blocks};
}

template <bool kAgain>
__global__ void __launch_bounds__(kJpegSubsequencesPerTile)
    jpeg_synchronize(const JpegLaunch launch) {
  const std::uint32_t owner = get<std::uint32_t>(launch, launch.subsequence_tiles_at)[blockIdx.x];
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const JpegCodes& codes = jpeg_codes(launch, launch.scratch, sample);
  __shared__ JpegTileMemory memory;
  // The second pass reads little or nothing, so the copy is not worth it.
  const std::uint32_t* steps = codes.steps;
  if constexpr (!kAgain) {
    __shared__ uint4 table[kSteps];
    load_table(codes.steps, table);
    steps = reinterpret_cast<const std::uint32_t*>(table);
  }
  synchronize_jpeg_tile({threadIdx.x, blockDim.x}, memory, codes_of(launch, sample, codes), steps,
                        findings_of(launch, sample.unindexed),
                        (blockIdx.x - sample.first_tile.subsequences) * kJpegSubsequencesPerTile,
                        kAgain);
}

__global__ void __launch_bounds__(kJpegFinders) jpeg_find_starts(const JpegLaunch launch) {
  const std::uint32_t owner = get<std::uint32_t>(launch, launch.unindexed_at)[blockIdx.x];
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  __shared__ JpegSums sums[kJpegFinders];
  const bool good = find_jpeg_starts(
      {threadIdx.x, blockDim.x}, sums, sample, findings_of(launch, sample.unindexed),
      found_of<JpegStart>(launch, launch.starts_at, sample.unindexed));
  // Other threads may write the same value.
  if (!good) damage_of(launch, owner) = 1;
}

__global__ void __launch_bounds__(kJpegStartsPerTile)
    jpeg_huffman_unindexed(const JpegLaunch launch) {
  const std::uint32_t owner = get<std::uint32_t>(launch, launch.start_tiles_at)[blockIdx.x];
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const std::uint32_t number =
      (blockIdx.x - sample.first_tile.starts) * kJpegStartsPerTile + threadIdx.x;
  JpegStart start;
  if (number < sample.unindexed.subsequences) {
    start = found_of<JpegStart>(launch, launch.starts_at, sample.unindexed)[number];
  }
  const bool wanted =
      damage_of(launch, owner) == 0 && JpegStartReader::wanted(sample.unindexed, start);
  if (__syncthreads_or(wanted ? 1 : 0) == 0) return;
  const JpegCodes& codes = jpeg_codes(launch, launch.scratch, sample);
  __shared__ uint4 entries[kEntries];
  load_table(codes.entries, entries);
  if (!wanted) return;
  const JpegCodesOfSample from = codes_of(launch, sample, codes);
  JpegStartReader reader(sample, from, reinterpret_cast<const std::uint16_t*>(entries), start,
                         reinterpret_cast<std::int16_t*>(launch.scratch + launch.coefficients_at));
  if (!reader.run()) damage_of(launch, owner) = 1;
}

using JpegKernel = void (*)(const JpegLaunch);

CudaLaunch blocks_on_cuda(JpegKernel kernel, std::uint32_t blocks, std::uint32_t threads) {
  return {reinterpret_cast<const void*>(kernel), blocks, threads};
}

const JpegLaunch& launch_of(const void* arguments) {
  return *static_cast<const JpegLaunch*>(arguments);
}

template <bool kAgain>
CudaLaunch synchronize(const void* arguments) {
  return blocks_on_cuda(jpeg_synchronize<kAgain>, launch_of(arguments).tiles.subsequences,
                        kJpegSubsequencesPerTile);
}

}  // namespace

CudaLaunch jpeg_codes_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_build_codes, 4 * launch_of(arguments).codes, kJpegCodeBuilders);
}
CudaLaunch jpeg_fetch_on_cuda(const void* arguments) {
  const std::uint32_t tiles = launch_of(arguments).tiles.fetch;
  return blocks_on_cuda(jpeg_fetch, std::min(tiles, kFetchingBlocks), kFetchers);
}
CudaLaunch jpeg_unstuff_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_unstuff, launch_of(arguments).tiles.unstuff, kJpegUnstuffersPerTile);
}
CudaLaunch jpeg_huffman_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_huffman, launch_of(arguments).tiles.huffman, kJpegSegmentsPerTile);
}
CudaLaunch jpeg_tokens_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_tokens_of, launch_of(arguments).tiles.tokens, kJpegSegmentsPerTile);
}
CudaLaunch jpeg_inverse_dct_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_inverse_dct, launch_of(arguments).tiles.dct, kJpegBlocksPerTile);
}
CudaLaunch jpeg_pixels_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_pixels, launch_of(arguments).tiles.pixels, kJpegRunsPerTile);
}
CudaLaunch jpeg_synchronize_on_cuda(const void* arguments) { return synchronize<false>(arguments); }
CudaLaunch jpeg_synchronize_more_on_cuda(const void* arguments) {
  return synchronize<true>(arguments);
}
CudaLaunch jpeg_find_starts_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_find_starts, launch_of(arguments).unindexed, kJpegFinders);
}
CudaLaunch jpeg_huffman_unindexed_on_cuda(const void* arguments) {
  return blocks_on_cuda(jpeg_huffman_unindexed, launch_of(arguments).tiles.starts,
                        kJpegStartsPerTile);
}

}  // namespace sluice::device
