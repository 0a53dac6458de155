#include <sluice/cuda/jpeg/codes.h>
#include <sluice/cuda/jpeg/fetch.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/inverse_dct.h>
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/pixels.h>

namespace sluice::device {

#if defined(SLUICE_HAS_CUDA)
// In kernels.cu.
CudaLaunch jpeg_codes_on_cuda(const void* arguments);
CudaLaunch jpeg_fetch_on_cuda(const void* arguments);
CudaLaunch jpeg_unstuff_on_cuda(const void* arguments);
CudaLaunch jpeg_huffman_on_cuda(const void* arguments);
CudaLaunch jpeg_inverse_dct_on_cuda(const void* arguments);
CudaLaunch jpeg_pixels_on_cuda(const void* arguments);
#endif

namespace {

// The uploaded block, as a kernel sees it.
struct Block {
  explicit Block(const JpegLaunch& launch) : at(device_view(launch.block, launch.block_bytes)) {}
  template <class T>
  const T* get(std::uint64_t offset) const {
    return reinterpret_cast<const T*>(at + offset);
  }
  const std::byte* at;
};

// Returns the memory of all fetched bytes, for reading or writing.
template <class Byte>
Byte* fetched_of(const JpegLaunch& launch) {
  return device_view<Byte>(launch.scratch + launch.fetched_at,
                           launch.scratch_bytes - launch.fetched_at);
}

void codes_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  const auto* sources = block.get<JpegCodeSource>(launch.sources_at);
  auto* const codes = reinterpret_cast<JpegCodes*>(
      device_view(launch.scratch + launch.codes_at, launch.codes * sizeof(JpegCodes)));
  for (std::uint32_t i = 0; i < 4 * launch.codes; ++i)
    build_jpeg_codes({}, sources[i], i % 4, codes[i / 4]);
}

void fetch_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  std::byte* const fetched = fetched_of<std::byte>(launch);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    auto* const to = reinterpret_cast<JpegLine*>(fetched + samples[i].raw_at);
    for (std::uint32_t line = 0; line * JpegPiece::kLine < samples[i].fetched; ++line)
      to[line] = fetch_jpeg_line(samples[i], block.get<JpegPiece>(launch.pieces_at), line);
  }
}

void unstuff_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  std::byte* const fetched = fetched_of<std::byte>(launch);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    if (samples[i].runs == 0) continue;
    auto* const to = reinterpret_cast<JpegLine*>(fetched + samples[i].bytes_at);
    const auto* raw = reinterpret_cast<const std::uint8_t*>(fetched + samples[i].raw_at);
    for (std::uint32_t line = 0; line * JpegPiece::kLine < samples[i].unindexed.bytes; ++line)
      to[line] = unstuff_jpeg_line(samples[i], block.get<JpegRun>(launch.runs_at), raw, line);
  }
}

void huffman_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  std::byte* const scratch = device_view(launch.scratch, launch.scratch_bytes);
  const std::byte* const fetched = scratch + launch.fetched_at;
  auto* const damage = reinterpret_cast<std::uint32_t*>(scratch);
  auto* const coefficients = reinterpret_cast<std::int16_t*>(scratch + launch.coefficients_at);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  const auto* segments = block.get<JpegSegment>(launch.segments_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    const JpegSample& sample = samples[i];
    const JpegCodes& codes = jpeg_codes(launch, scratch, sample);
    const std::uint32_t* words = jpeg_words(sample, block.at, fetched);
    for (std::uint32_t j = 0; j < sample.segments; ++j) {
      JpegSegmentReader reader(sample, segments[sample.first_segment + j], words, codes.entries[0],
                               codes, coefficients);
      if (!reader.run()) damage[i] = 1;
    }
  }
}

void inverse_dct_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  std::byte* const scratch = device_view(launch.scratch, launch.scratch_bytes);
  const auto* coefficients =
      reinterpret_cast<const std::int16_t*>(scratch + launch.coefficients_at);
  auto* const planes = reinterpret_cast<std::uint8_t*>(scratch + launch.planes_at);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    for (std::uint32_t j = 0; j < samples[i].blocks; ++j) {
      make_jpeg_plane(samples[i], j, coefficients, planes);
    }
  }
}

void pixels_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  const std::byte* const scratch =
      device_view<const std::byte>(launch.scratch, launch.scratch_bytes);
  const auto* planes = reinterpret_cast<const std::uint8_t*>(scratch + launch.planes_at);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    const JpegSample& sample = samples[i];
    const std::int32_t rows = sample.out_height(), columns = sample.out_width();
    const std::int64_t bytes = (rows - 1) * sample.out_stride + columns * sample.channels;
    std::uint8_t* const out = device_view(sample.out, static_cast<std::size_t>(bytes));
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t column = 0; column < columns; column += kJpegRun) {
        make_jpeg_pixels(sample, planes, out, row, column);
      }
    }
  }
}

}  // namespace

#if defined(SLUICE_HAS_CUDA)
const Kernel kJpegCodes{"jpeg codes", codes_on_host, jpeg_codes_on_cuda};
const Kernel kJpegFetch{"jpeg fetch", fetch_on_host, jpeg_fetch_on_cuda};
const Kernel kJpegUnstuff{"jpeg unstuff", unstuff_on_host, jpeg_unstuff_on_cuda};
const Kernel kJpegHuffman{"jpeg huffman", huffman_on_host, jpeg_huffman_on_cuda};
const Kernel kJpegInverseDct{"jpeg inverse dct", inverse_dct_on_host, jpeg_inverse_dct_on_cuda};
const Kernel kJpegPixels{"jpeg pixels", pixels_on_host, jpeg_pixels_on_cuda};
#else
const Kernel kJpegCodes{"jpeg codes", codes_on_host};
const Kernel kJpegFetch{"jpeg fetch", fetch_on_host};
const Kernel kJpegUnstuff{"jpeg unstuff", unstuff_on_host};
const Kernel kJpegHuffman{"jpeg huffman", huffman_on_host};
const Kernel kJpegInverseDct{"jpeg inverse dct", inverse_dct_on_host};
const Kernel kJpegPixels{"jpeg pixels", pixels_on_host};
#endif

}  // namespace sluice::device
