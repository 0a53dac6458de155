// The launches of kernels.h for files that no index knows: a block of threads for each tile, or for
// each sample.
#include <sluice/cuda/jpeg/codes.h>
#include <sluice/cuda/jpeg/fetch.h>
#include <sluice/cuda/jpeg/find_starts.h>
#include <sluice/cuda/jpeg/synchronise.h>
#include <sluice/cuda/jpeg/unindexed.h>
#include <sluice/runtime/device.h>

#include <cuda_runtime.h>

namespace sluice::device {
namespace {

// What is uploaded, as a kernel sees it.
template <class T>
__device__ const T* get(const JpegLaunch& launch, std::uint64_t offset) {
  return reinterpret_cast<const T*>(launch.block + offset);
}
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
__device__ volatile std::uint32_t& damage_of(const JpegLaunch& launch, std::uint32_t owner) {
  return reinterpret_cast<volatile std::uint32_t*>(launch.scratch)[owner];
}

// Whoever looks up most looks up here.
constexpr std::size_t kEntries = sizeof(JpegCodes::entries) / sizeof(uint4);
__device__ void load_entries(const JpegCodes& codes, uint4* entries) {
  const auto* const from = reinterpret_cast<const uint4*>(codes.entries);
  for (std::uint32_t i = threadIdx.x; i < kEntries; i += blockDim.x) entries[i] = from[i];
  __syncthreads();
}
__device__ JpegCodesOfSample codes_of(const JpegLaunch& launch, const JpegSample& sample,
                                      const JpegCodes& codes, const uint4* entries) {
  return {sample.unindexed, jpeg_words(sample, launch.block, launch.scratch + launch.fetched_at),
          reinterpret_cast<const std::uint16_t*>(entries), codes, sample.group_blocks};
}

template <bool kAgain>
__global__ void __launch_bounds__(kJpegSubsequencesPerTile)
    jpeg_synchronise(const JpegLaunch launch) {
  const std::uint32_t owner = get<std::uint32_t>(launch, launch.subsequence_tiles_at)[blockIdx.x];
  const JpegSample& sample = get<JpegSample>(launch, launch.samples_at)[owner];
  const JpegCodes& codes = jpeg_codes(launch, launch.scratch, sample);
  __shared__ JpegTileMemory memory;
  // What is read again is mostly nothing, and then little: not worth waiting for.
  const uint4* at = reinterpret_cast<const uint4*>(codes.entries);
  if constexpr (!kAgain) {
    __shared__ uint4 entries[kEntries];
    load_entries(codes, entries);
    at = entries;
  }
  synchronise_jpeg_tile({threadIdx.x, blockDim.x}, memory, codes_of(launch, sample, codes, at),
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
  // Others may write the same.
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
  load_entries(codes, entries);
  if (!wanted) return;
  const JpegCodesOfSample from = codes_of(launch, sample, codes, entries);
  JpegStartReader reader(sample, from, start,
                         reinterpret_cast<std::int16_t*>(launch.scratch + launch.coefficients_at));
  if (!reader.run()) damage_of(launch, owner) = 1;
}

template <bool kAgain>
CudaLaunch synchronise(const void* arguments) {
  return {reinterpret_cast<const void*>(jpeg_synchronise<kAgain>),
          static_cast<const JpegLaunch*>(arguments)->tiles.subsequences, kJpegSubsequencesPerTile};
}

}  // namespace

CudaLaunch jpeg_synchronise_on_cuda(const void* arguments) { return synchronise<false>(arguments); }
CudaLaunch jpeg_synchronise_more_on_cuda(const void* arguments) {
  return synchronise<true>(arguments);
}
CudaLaunch jpeg_find_starts_on_cuda(const void* arguments) {
  return {reinterpret_cast<const void*>(jpeg_find_starts),
          static_cast<const JpegLaunch*>(arguments)->unindexed, kJpegFinders};
}
CudaLaunch jpeg_huffman_unindexed_on_cuda(const void* arguments) {
  return {reinterpret_cast<const void*>(jpeg_huffman_unindexed),
          static_cast<const JpegLaunch*>(arguments)->tiles.starts, kJpegStartsPerTile};
}

}  // namespace sluice::device
