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

// JPEG files, some of which the device decodes; of the others the host has the pixels, which are
// copied there.
class JpegFilesLaunch : public detail::StepLaunch {
 public:
  // A plan to be made for the next file.
  JpegPlan& next_plan();
  // The file of that plan, which must live until the launch. False when there is no room for it.
  bool add(detail::Sample& sample, std::span<const std::uint8_t> file, Image& out);
  void add_pixels(Image pixels, Image& out);

  void clear() noexcept override;
  void write(detail::Gather& gather) override;
  void launch(DeviceStream& stream) override;
  void check(detail::Gather& gather) override;

 private:
  struct Pixels {
    Image from;
    std::uint8_t* to;
  };
  std::vector<std::unique_ptr<JpegPlan>> plans_;
  std::size_t planned_ = 0;
  std::vector<detail::Sample*> samples_;  // of the files in the batch, and perhaps one more
  std::vector<Pixels> pixels_;
  JpegBatch batch_;
  JpegBatch::Memory memory_;
  Buffer damage_;
};

}  // namespace sluice::device
