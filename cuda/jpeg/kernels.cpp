#include <sluice/cuda/jpeg/fetch.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/pixels.h>
#include <sluice/cuda/jpeg/synchronize.h>
#include <sluice/cuda/jpeg/tokens.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

// In kernels.cu.
CudaLaunch jpeg_codes_on_cuda(const void* arguments);
CudaLaunch jpeg_fetch_on_cuda(const void* arguments);
CudaLaunch jpeg_unstuff_on_cuda(const void* arguments);
CudaLaunch jpeg_huffman_on_cuda(const void* arguments);
CudaLaunch jpeg_tokens_on_cuda(const void* arguments);
CudaLaunch jpeg_inverse_dct_on_cuda(const void* arguments);
CudaLaunch jpeg_pixels_on_cuda(const void* arguments);
CudaLaunch jpeg_synchronize_on_cuda(const void* arguments);
CudaLaunch jpeg_synchronize_more_on_cuda(const void* arguments);
CudaLaunch jpeg_find_starts_on_cuda(const void* arguments);
CudaLaunch jpeg_huffman_unindexed_on_cuda(const void* arguments);

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
  for (std::uint32_t i = 0; i < 4 * launch.codes; ++i) {
    build_jpeg_codes({}, sources[i], i % 4, codes[i / 4]);
    if (launch.unindexed > 0) build_jpeg_steps({}, sources[i], i % 4, codes[i / 4]);
  }
}

void fetch_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  std::byte* const fetched = fetched_of<std::byte>(launch);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    if (samples[i].pieces == 0) continue;
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

// Reads the segments of all samples with this coding. `read(sample, segment, words, coefficients)`
// returns false for damage.
template <class Read>
void read_segments(const JpegLaunch& launch, JpegCoding coding, const Read& read) {
  const Block block(launch);
  std::byte* const scratch = device_view(launch.scratch, launch.scratch_bytes);
  auto* const damage = reinterpret_cast<std::uint32_t*>(scratch);
  auto* const coefficients = reinterpret_cast<std::int16_t*>(scratch + launch.coefficients_at);
  const auto* samples = block.get<JpegSample>(launch.samples_at);
  const auto* segments = block.get<JpegSegment>(launch.segments_at);
  for (std::uint32_t i = 0; i < launch.samples; ++i) {
    const JpegSample& sample = samples[i];
    if (sample.coding != coding) continue;
    const std::uint32_t* words = jpeg_words(sample, block.at, scratch + launch.fetched_at);
    for (std::uint32_t j = 0; j < sample.segments; ++j)
      if (!read(sample, segments[sample.first_segment + j], words, coefficients)) damage[i] = 1;
  }
}

void huffman_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  std::byte* const scratch = device_view(launch.scratch, launch.scratch_bytes);
  read_segments(launch, JpegCoding::huffman,
                [&](const JpegSample& sample, const JpegSegment& segment,
                    const std::uint32_t* words, std::int16_t* coefficients) {
                  const JpegCodes& codes = jpeg_codes(launch, scratch, sample);
                  return JpegSegmentReader(sample, segment, words, codes.entries[0], codes,
                                           coefficients)
                      .run();
                });
}

void tokens_on_host(const void* arguments) {
  const JpegLaunch& launch = *static_cast<const JpegLaunch*>(arguments);
  const Block block(launch);
  read_segments(launch, JpegCoding::tokens,
                [&](const JpegSample& sample, const JpegSegment& segment,
                    const std::uint32_t* words, std::int16_t* coefficients) {
                  const JpegToken* tokens = jpeg_tokens(launch, block.at, sample);
                  return JpegTokenReader(sample, segment, words, tokens, coefficients).run();
                });
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

void copy_pixels_on_host(const void* arguments) {
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

// The data of the kernels, with a loop that calls work(...) for each sample without a JPEG index.
class UnindexedWork {
 public:
  explicit UnindexedWork(const void* arguments)
      : launch_(*static_cast<const JpegLaunch*>(arguments)),
        block_(device_view(launch_.block, launch_.block_bytes)),
        scratch_(device_view(launch_.scratch, launch_.scratch_bytes)) {}

  template <class Function>
  void for_each(const Function& work) const {
    for (std::uint32_t i = 0; i < launch_.unindexed; ++i) {
      owner_ = get<std::uint32_t>(launch_.unindexed_at)[i];
      work(get<JpegSample>(launch_.samples_at)[owner_]);
    }
  }
  // For the given sample:
  JpegCodesOfSample codes_of(const JpegSample& sample) const {
    const JpegCodes& codes = jpeg_codes(launch_, scratch_, sample);
    return {sample.unindexed, jpeg_words(sample, block_, scratch_ + launch_.fetched_at), codes,
            sample.group_blocks};
  }
  JpegFindings findings_of(const JpegUnindexed& sample) const {
    return {get<JpegInterval>(launch_.intervals_at) + sample.first_interval,
            found<JpegStates>(launch_.states_at, sample),
            found<JpegTally>(launch_.tallies_at, sample)};
  }
  JpegStart* starts_of(const JpegUnindexed& sample) const {
    return found<JpegStart>(launch_.starts_at, sample);
  }
  std::int16_t* coefficients() const {
    return reinterpret_cast<std::int16_t*>(scratch_ + launch_.coefficients_at);
  }
  std::uint32_t& damage() const { return reinterpret_cast<std::uint32_t*>(scratch_)[owner_]; }

 private:
  template <class T>
  const T* get(std::uint64_t offset) const {
    return reinterpret_cast<const T*>(block_ + offset);
  }
  template <class T>
  T* found(std::uint64_t offset, const JpegUnindexed& sample) const {
    return reinterpret_cast<T*>(scratch_ + offset) + sample.first_subsequence;
  }

  const JpegLaunch& launch_;
  const std::byte* const block_;
  std::byte* const scratch_;
  mutable std::uint32_t owner_ = 0;
};

void synchronize(const void* arguments, bool again) {
  const UnindexedWork work(arguments);
  JpegTileMemory memory;
  work.for_each([&](const JpegSample& sample) {
    const JpegCodesOfSample from = work.codes_of(sample);
    const JpegFindings found = work.findings_of(sample.unindexed);
    // From the last one, because on a GPU tiles do not wait for the one before either.
    for (std::uint32_t tile = tiles_of(sample).subsequences; tile-- > 0;) {
      synchronize_jpeg_tile({}, memory, from, from.codes.steps, found,
                            tile * kJpegSubsequencesPerTile, again);
    }
  });
}
void synchronize_on_host(const void* arguments) { synchronize(arguments, false); }
void synchronize_more_on_host(const void* arguments) { synchronize(arguments, true); }

void find_starts_on_host(const void* arguments) {
  const UnindexedWork work(arguments);
  work.for_each([&](const JpegSample& sample) {
    JpegSums sums;
    const JpegFindings found = work.findings_of(sample.unindexed);
    if (!find_jpeg_starts({}, &sums, sample, found, work.starts_of(sample.unindexed)))
      work.damage() = 1;
  });
}

void huffman_unindexed_on_host(const void* arguments) {
  const UnindexedWork work(arguments);
  work.for_each([&](const JpegSample& sample) {
    if (work.damage() != 0) return;
    const JpegCodesOfSample from = work.codes_of(sample);
    const JpegStart* starts = work.starts_of(sample.unindexed);
    for (std::uint32_t i = 0; i < sample.unindexed.subsequences; ++i) {
      if (!JpegStartReader::wanted(sample.unindexed, starts[i])) continue;
      if (!JpegStartReader(sample, from, from.codes.entries[0], starts[i], work.coefficients())
               .run())
        work.damage() = 1;
    }
  });
}

}  // namespace

const Kernel kJpegCodes{"jpeg codes", codes_on_host, SLUICE_ON_CUDA(jpeg_codes_on_cuda)};
const Kernel kJpegFetch{"jpeg fetch", fetch_on_host, SLUICE_ON_CUDA(jpeg_fetch_on_cuda)};
const Kernel kJpegUnstuff{"jpeg unstuff", unstuff_on_host, SLUICE_ON_CUDA(jpeg_unstuff_on_cuda)};
const Kernel kJpegHuffman{"jpeg huffman", huffman_on_host, SLUICE_ON_CUDA(jpeg_huffman_on_cuda)};
const Kernel kJpegTokens{"jpeg tokens", tokens_on_host, SLUICE_ON_CUDA(jpeg_tokens_on_cuda)};
const Kernel kJpegInverseDct{"jpeg inverse dct", inverse_dct_on_host,
                             SLUICE_ON_CUDA(jpeg_inverse_dct_on_cuda)};
const Kernel kJpegPixels{"jpeg pixels", copy_pixels_on_host, SLUICE_ON_CUDA(jpeg_pixels_on_cuda)};
const Kernel kJpegSynchronize{"jpeg synchronize", synchronize_on_host,
                              SLUICE_ON_CUDA(jpeg_synchronize_on_cuda)};
const Kernel kJpegSynchronizeMore{"jpeg synchronize more", synchronize_more_on_host,
                                  SLUICE_ON_CUDA(jpeg_synchronize_more_on_cuda)};
const Kernel kJpegFindStarts{"jpeg find starts", find_starts_on_host,
                             SLUICE_ON_CUDA(jpeg_find_starts_on_cuda)};
const Kernel kJpegHuffmanUnindexed{"jpeg huffman, unindexed", huffman_unindexed_on_host,
                                   SLUICE_ON_CUDA(jpeg_huffman_unindexed_on_cuda)};

}  // namespace sluice::device
