// NvjpegRival: nvJPEG as a contender of `sluice bench`, at its best, as far as one knows how.
//
// It decodes whole files to interleaved RGB in the GPU's memory, as ours does, and into memory that
// is there already. Batches go round a few states, each with a stream, so that the next is read
// while others are decoded; a state is used again when its last batch is over. The GPU's JPEG
// engines and its cores are both tried, with several sizes of batches, and the quickest is kept.
//
// Left out, and counted, are files that it refuses (progressive ones among them), and those of
// which it gives another picture than we do; pixels may differ by a few levels.
//
// Ownership: refers to the corpus, which outlives it; shares the device. Threads: one, the one that
// made it. nvJPEG uses what is CUDA's current device there, so only device 0 will do. Errors: Error
// in one sentence, DeviceError, std::bad_alloc.
#pragma once

#include "benchmarks/workloads/corpus.h"
#include <sluice/cuda/jpeg/nvjpeg.h>
#include <sluice/runtime/device.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace sluice::app {

using device::Nvjpeg;

// What runs, and how many files are left out.
struct NvjpegFacts {
  std::string version;
  std::string decodes_on;
  int batch = 0;
  std::int64_t files = 0;
  std::int64_t files_not_decoded = 0;
};

class NvjpegRival {
 public:
  virtual ~NvjpegRival() = default;
  // Decodes so many images, and more to fill the last batch; seconds for so many.
  virtual double run(std::int64_t images) = 0;
  // As it was when the batches were chosen.
  virtual double images_per_second() const = 0;
  virtual NvjpegFacts facts() const = 0;
};

// `threads`: of the host, where nvJPEG uses some. Says on `out` what was tried. Throws Error when
// nothing runs.
std::unique_ptr<NvjpegRival> make_nvjpeg_rival(const Nvjpeg& library, const Corpus& corpus,
                                               const std::shared_ptr<Device>& device, int threads,
                                               std::FILE* out);

}  // namespace sluice::app
