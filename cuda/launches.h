// Launches: what steps run on a device. Each step collects the jobs of all samples of a GPU batch
// and launches them at once. Also uploads the data that goes to a device with a GPU batch, and
// describes the images of a sample as kernels need them; the outputs of a step are created first.
// For the device versions of operators in cuda/.
//
// Ownership: launches belong to the DeviceBatch, and what is uploaded is in its memory until it is
// over. Threads: one. Errors: as DeviceBatch says.
#pragma once

#include <sluice/cuda/kernels/color.h>
#include <sluice/cuda/kernels/filter.h>
#include <sluice/cuda/kernels/geometry.h>
#include <sluice/cuda/kernels/image_view.h>
#include <sluice/cuda/kernels/tensors.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/graph/exec/device_batch.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <vector>

namespace sluice::device {

// Returns the jobs of a launch at their addresses on the device. `guards`: one for each job, or
// none.
template <class Job>
Batch<Job> upload_jobs(detail::DeviceBatch& device_batch, const std::vector<Job>& jobs,
                       const std::vector<DeviceGuard>& guards = {}) {
  const auto count = static_cast<int>(jobs.size());
  const bool guarded = std::any_of(guards.begin(), guards.end(),
                                   [](const DeviceGuard& guard) { return guard.taken != nullptr; });
  const detail::DeviceBatch::Upload at = device_batch.upload(JobBlock<Job>::bytes(count, guarded));
  JobBlock<Job> block(at.host, count, guarded);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    block.add(jobs[i], guarded ? guards[i] : DeviceGuard());
  return block.on_device(at.device);
}

// Returns `count` elements at their address on the device.
template <class T>
const T* upload_all(detail::DeviceBatch& device_batch, const T* from, std::size_t count) {
  const detail::DeviceBatch::Upload at = device_batch.upload(count * sizeof(T));
  std::memcpy(at.host, from, count * sizeof(T));
  return reinterpret_cast<const T*>(at.device);
}

// Jobs of a kernel that `kLaunch` launches.
template <class Job, void (*kLaunch)(DeviceStream&, const Batch<Job>&)>
class JobsLaunch : public detail::StepLaunch {
 public:
  void add(const Job& job) { add(job, guard()); }
  void add(const Job& job, const DeviceGuard& guard) {
    guards_.resize(jobs_.size());
    guards_.push_back(guard);
    jobs_.push_back(job);
  }
  void clear() noexcept override {
    jobs_.clear();
    guards_.clear();
    batch_ = {};
  }
  void write(detail::DeviceBatch& device_batch) override {
    if (!jobs_.empty()) batch_ = upload_jobs(device_batch, jobs_, guards_);
  }
  void launch(DeviceStream& stream) override {
    if (!jobs_.empty()) kLaunch(stream, batch_);
  }

 protected:
  std::vector<Job> jobs_;  // guards_ may have one more

 private:
  std::vector<DeviceGuard> guards_;
  Batch<Job> batch_;
};
using BlurLaunch = JobsLaunch<BlurJob, launch_blur>;
using ColorsLaunch = JobsLaunch<ColorJob, launch_colors>;
using JitterLaunch = JobsLaunch<NoiseJob, launch_jitter>;
using BlendLaunch = JobsLaunch<BlendJob, launch_blend>;
using MedianLaunch = JobsLaunch<Filter2dJob, launch_median>;
using MorphologyLaunch = JobsLaunch<MorphologyJob, launch_morphology>;
using MotionLaunch = JobsLaunch<Filter2dJob, launch_motion>;
using CopyPixelsLaunch = JobsLaunch<CopyPixelsJob, launch_copy_pixels>;
using RemapLaunch = JobsLaunch<RemapJob, launch_remap>;
using ResizeLaunch = JobsLaunch<ResizeJob, launch_resize>;
using SaltAndPepperLaunch = JobsLaunch<NoiseJob, launch_salt_and_pepper>;
using DisplacementLaunch = JobsLaunch<DisplacementJob, launch_displacement>;
using WarpLaunch = JobsLaunch<WarpJob, launch_warp>;
using ZoomBlurLaunch = JobsLaunch<ZoomBlurJob, launch_zoom_blur>;
using Filter2dLaunch = JobsLaunch<Filter2dJob, launch_filter_2d>;
using MoveLaunch = JobsLaunch<MoveJob, launch_move>;
using ResampleLaunch = JobsLaunch<ResampleJob, launch_resample>;
using RotateTensorPixelsLaunch = JobsLaunch<RotateTensorJob, launch_rotate_tensor>;
using NormalizeTensorLaunch = JobsLaunch<NormalizeTensorJob, launch_normalize_tensor>;

// Normally distributed noise. The quantiles that it is made from are uploaded once for all samples.
template <class Job, void (*kLaunch)(DeviceStream&, const Batch<Job>&)>
class NormalNoiseLaunch : public JobsLaunch<Job, kLaunch> {
 public:
  void write(detail::DeviceBatch& device_batch) override {
    const float* quantiles = nullptr;
    for (Job& job : this->jobs_) {
      if (job.needs_quantiles == 0) continue;
      const auto all = upper_quantiles();
      if (quantiles == nullptr) quantiles = upload_all(device_batch, all.data(), all.size());
      job.quantiles = quantiles;
    }
    JobsLaunch<Job, kLaunch>::write(device_batch);
  }
};
using FillRectsLaunch = NormalNoiseLaunch<FillRectsJob, launch_fill_rects>;
using GaussianNoiseLaunch = NormalNoiseLaunch<NoiseJob, launch_gaussian_noise>;

// Several launches of one step, one after the other: jobs use the results of earlier launches. A
// sample may have jobs in some of them only.
template <class... Launches>
class LaunchesInTurn : public detail::StepLaunch {
 public:
  // Adds a job to launch number `which`, from 0.
  template <std::size_t which, class Job>
  void add(const Job& job) {
    std::get<which>(launches_).add(job, guard());
  }
  void clear() noexcept override {
    std::apply([](auto&... each) { (each.clear(), ...); }, launches_);
  }
  void write(detail::DeviceBatch& device_batch) override {
    std::apply([&](auto&... each) { (each.write(device_batch), ...); }, launches_);
  }
  void launch(DeviceStream& stream) override {
    std::apply([&](auto&... each) { (each.launch(stream), ...); }, launches_);
  }

 private:
  std::tuple<Launches...> launches_;
};
using ClaheLaunch = LaunchesInTurn<JobsLaunch<ClaheTablesJob, launch_clahe_tables>,
                                   JobsLaunch<ClaheJob, launch_clahe>>;
using DownscaleLaunch = LaunchesInTurn<ResizeLaunch, ResizeLaunch>;
using ElasticLaunch = LaunchesInTurn<DisplacementLaunch, RemapLaunch>;
using IsoNoiseLaunch = LaunchesInTurn<JobsLaunch<IsoSumsJob, launch_iso_sums>,
                                      NormalNoiseLaunch<NoiseJob, launch_iso_noise>>;
using JpegDistortionLaunch = LaunchesInTurn<JobsLaunch<JpegBlocksJob, launch_jpeg_blocks>,
                                            JobsLaunch<JpegPixelsJob, launch_jpeg_pixels>>;
using ShotNoiseLaunch = LaunchesInTurn<JobsLaunch<PoissonJob, launch_poisson>,
                                       NormalNoiseLaunch<NoiseJob, launch_shot_noise>>;
// Tensors of u8 with up to 4 channels use the kernels for images. Others use ResampleLaunch twice,
// or RotateTensorPixelsLaunch.
using ResizeTensorLaunch = LaunchesInTurn<ResizeLaunch, ResampleLaunch, ResampleLaunch>;
using RotateTensorLaunch = LaunchesInTurn<WarpLaunch, RemapLaunch, RotateTensorPixelsLaunch>;

inline PixelsIn pixels_of(const Image& in) { return hwc_pixels(in.channels(), in.row_stride()); }

inline ImageIn image_in(const Image& in) {
  return {in.data(), in.row_stride(), in.height(), in.width(), in.channels()};
}
inline ImageOut image_out(Image& out) {
  return {out.data(), out.height(), out.width(), out.channels()};
}
inline ImageOut create_like(const Image& in, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  return image_out(out);
}

inline void add_pixels(detail::DeviceBatch& device_batch, CopyPixelsJob job, const Image& in,
                       void* out) {
  place_pixels(job, in.data(), out);
  device_batch.launch_of_step<CopyPixelsLaunch>().add(job);
}

// Adds a job that copies `what` of the image, as an image of this size, through the lookup table if
// there is one.
inline void move_pixels(detail::DeviceBatch& device_batch, const Image& in, const PixelsIn& what,
                        int height, int width, Image& out, const std::uint8_t* lut = nullptr) {
  out.create(height, width, in.channels());
  PixelsOut to = pixels_out(height, width, in.channels());
  to.lut = lut;
  add_pixels(device_batch, copy_pixels_job(what, to), in, out.data());
}

// Add the device versions of operators, file by file; add_device_operators() calls all of them. The
// operators keep them until the process ends. A second call throws BuildError.
void add_decoders();            // decode_operators.cpp: JPEG files and regions of them
void add_geometry_operators();  // crops, flips, resize, warps, perspectives, margins and covers
void add_pixel_operators();     // colors, windows around each pixel, noise, blend and paste
void add_tensor_operators();    // cat, reshape, permute, and images of any number of channels

}  // namespace sluice::device
