#include <sluice/cuda/jpeg/codes.h>
#include <sluice/cuda/jpeg/fetch.h>
#include <sluice/cuda/jpeg/find_starts.h>
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/synchronise.h>
#include <sluice/cuda/jpeg/unindexed.h>

namespace sluice::device {

#if defined(SLUICE_HAS_CUDA)
// In kernels.cu.
CudaLaunch jpeg_synchronise_on_cuda(const void* arguments);
CudaLaunch jpeg_synchronise_more_on_cuda(const void* arguments);
CudaLaunch jpeg_find_starts_on_cuda(const void* arguments);
CudaLaunch jpeg_huffman_unindexed_on_cuda(const void* arguments);
#endif

namespace {

// The data of the kernels, with a loop that calls work(...) for each sample without a JPEG index.
class Work {
 public:
  explicit Work(const void* arguments)
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
    return {sample.unindexed, jpeg_words(sample, block_, scratch_ + launch_.fetched_at),
            codes.entries[0], codes, sample.group_blocks};
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

void synchronise(const void* arguments, bool again) {
  const Work work(arguments);
  JpegTileMemory memory;
  work.for_each([&](const JpegSample& sample) {
    const JpegCodesOfSample from = work.codes_of(sample);
    const JpegFindings found = work.findings_of(sample.unindexed);
    // From the last one, because on a GPU tiles do not wait for the one before either.
    for (std::uint32_t tile = tiles_of(sample).subsequences; tile-- > 0;) {
      synchronise_jpeg_tile({}, memory, from, found, tile * kJpegSubsequencesPerTile, again);
    }
  });
}
void synchronise_on_host(const void* arguments) { synchronise(arguments, false); }
void synchronise_more_on_host(const void* arguments) { synchronise(arguments, true); }

void find_starts_on_host(const void* arguments) {
  const Work work(arguments);
  work.for_each([&](const JpegSample& sample) {
    JpegSums sums;
    const JpegFindings found = work.findings_of(sample.unindexed);
    if (!find_jpeg_starts({}, &sums, sample, found, work.starts_of(sample.unindexed)))
      work.damage() = 1;
  });
}

void huffman_unindexed_on_host(const void* arguments) {
  const Work work(arguments);
  work.for_each([&](const JpegSample& sample) {
    if (work.damage() != 0) return;
    const JpegCodesOfSample from = work.codes_of(sample);
    const JpegStart* starts = work.starts_of(sample.unindexed);
    for (std::uint32_t i = 0; i < sample.unindexed.subsequences; ++i) {
      if (!JpegStartReader::wanted(sample.unindexed, starts[i])) continue;
      if (!JpegStartReader(sample, from, starts[i], work.coefficients()).run()) work.damage() = 1;
    }
  });
}

}  // namespace

#if defined(SLUICE_HAS_CUDA)
const Kernel kJpegSynchronise{"jpeg synchronise", synchronise_on_host, jpeg_synchronise_on_cuda};
const Kernel kJpegSynchroniseMore{"jpeg synchronise more", synchronise_more_on_host,
                                  jpeg_synchronise_more_on_cuda};
const Kernel kJpegFindStarts{"jpeg find starts", find_starts_on_host, jpeg_find_starts_on_cuda};
const Kernel kJpegHuffmanUnindexed{"jpeg huffman, unindexed", huffman_unindexed_on_host,
                                   jpeg_huffman_unindexed_on_cuda};
#else
const Kernel kJpegSynchronise{"jpeg synchronise", synchronise_on_host};
const Kernel kJpegSynchroniseMore{"jpeg synchronise more", synchronise_more_on_host};
const Kernel kJpegFindStarts{"jpeg find starts", find_starts_on_host};
const Kernel kJpegHuffmanUnindexed{"jpeg huffman, unindexed", huffman_unindexed_on_host};
#endif

}  // namespace sluice::device
