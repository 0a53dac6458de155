// What steps on a device launch: the jobs of all samples of a gather, one launch for each step. For
// the versions of operators in cuda/.
//
// Ownership: with the gather. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/jpeg/batch.h>
#include <sluice/cuda/kernels/pixels.h>
#include <sluice/cuda/kernels/resize.h>
#include <sluice/cuda/kernels/warp.h>
#include <sluice/graph/plan/gather.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sluice::device {

// Jobs of kernels that are launched by `kLaunch`.
template <class Job, void (*kLaunch)(DeviceStream&, const Batch<Job>&)>
class JobsLaunch : public detail::StepLaunch {
 public:
  void add(const Job& job) { jobs_.push_back(job); }
  void clear() noexcept override {
    jobs_.clear();
    batch_ = {};
  }
  void write(detail::Gather& gather) override {
    if (jobs_.empty()) return;
    const auto count = static_cast<int>(jobs_.size());
    const detail::Gather::Upload at = gather.upload(JobBlock<Job>::bytes(count));
    JobBlock<Job> block(at.host, count);
    for (const Job& job : jobs_) block.add(job);
    batch_ = block.on_device(at.device);
  }
  void launch(DeviceStream& stream) override {
    if (!jobs_.empty()) kLaunch(stream, batch_);
  }

 private:
  std::vector<Job> jobs_;
  Batch<Job> batch_;
};
using PixelsLaunch = JobsLaunch<PixelsJob, launch_pixels>;
using ResizeLaunch = JobsLaunch<ResizeJob, launch_resize>;
using WarpLaunch = JobsLaunch<WarpJob, launch_warp>;

// What the host finds out about a JPEG file before a gather: how the device decodes it, or else its
// pixels.
struct PreparedJpeg {
  JpegPlan plan;
  // Changed by the gather: where the device gives the file back, the host decodes it after all.
  mutable bool planned = false;
  mutable Image pixels;          // pinned, contiguous
  mutable bool counted = false;  // as decoded by the device
  // Keeps what the plan needs for the next one.
  void release() noexcept {
    planned = counted = false;
    pixels.release();
  }
};

// JPEG files, some of which the device decodes; of the others the host has the pixels, which are
// copied there.
class JpegFilesLaunch : public detail::StepLaunch {
 public:
  // What is prepared, and the file, must live until the gather is over. False when there is no room
  // for the file.
  bool add(detail::Sample& sample, const PreparedJpeg& prepared, std::span<const std::uint8_t> file,
           Image& out);
  void add_pixels(const Image& pixels, Image& out);

  void clear() noexcept override;
  void write(detail::Gather& gather) override;
  void launch(DeviceStream& stream) override;
  void check(detail::Gather& gather) override;

 private:
  struct Pixels {
    const std::uint8_t* from;
    std::uint8_t* to;
    std::size_t bytes;
  };
  struct File {
    detail::Sample* sample;
    const detail::Step* step;
    const PreparedJpeg* prepared;
  };
  std::vector<File> files_;  // of the batch, and perhaps one more
  std::vector<Pixels> pixels_;
  JpegBatch batch_;
  JpegBatch::Memory memory_;
  Buffer damage_;
};

}  // namespace sluice::device
