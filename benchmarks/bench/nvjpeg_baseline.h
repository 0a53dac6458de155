// NvjpegBaseline: nvJPEG as a baseline of `sluice bench`, configured as fast as we know how.
//
// Like our decoder, it decodes whole files to interleaved RGB in GPU memory that is already
// allocated. Batches rotate over a few states, each with a stream, so the next batch is parsed
// while others are decoded. A state is reused when its last batch is over. It tries both the GPU's
// JPEG engines and its cores, with several batch sizes, and keeps the fastest.
//
// It leaves out and counts the files that nvJPEG refuses (such as progressive ones), and those
// whose image differs from ours. Small differences in pixel values are accepted.
//
// Ownership: refers to the corpus, which outlives it; shares the device. Threads: one, the thread
// that made it. nvJPEG uses that thread's current CUDA device, so only device 0 works. Errors:
// Error in one sentence, DeviceError, std::bad_alloc.
#pragma once

#include "benchmarks/bench/workloads.h"
#include <sluice/cuda/jpeg/nvjpeg.h>
#include <sluice/runtime/device.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace sluice::app {

using device::Nvjpeg;

// The configuration, and the number of files left out.
struct NvjpegFacts {
  std::string version;
  std::string decodes_on;
  int batch = 0;
  std::int64_t files = 0;
  std::int64_t files_not_decoded = 0;
};

class NvjpegBaseline {
 public:
  virtual ~NvjpegBaseline() = default;
  // Decodes `images` images, and more to fill the last batch. Returns the seconds for `images`.
  virtual double run(std::int64_t images) = 0;
  // The rate measured when the batch size was chosen.
  virtual double images_per_second() const = 0;
  virtual NvjpegFacts facts() const = 0;
};

// `threads`: host threads, for backends that use them. Prints the attempts to `out`. Throws Error
// if nothing runs.
std::unique_ptr<NvjpegBaseline> make_nvjpeg_baseline(const Nvjpeg& library, const Corpus& corpus,
                                                     const std::shared_ptr<Device>& device,
                                                     int threads, std::FILE* out);

}  // namespace sluice::app
