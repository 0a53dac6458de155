// Launches: what steps run on a device. Each step collects the jobs of all samples of a GPU batch
// and launches them at once. For the device versions of operators in cuda/.
//
// Ownership: they belong to the Gather. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/kernels/blur.h>
#include <sluice/cuda/kernels/clahe.h>
#include <sluice/cuda/kernels/colours.h>
#include <sluice/cuda/kernels/cover.h>
#include <sluice/cuda/kernels/histogram.h>
#include <sluice/cuda/kernels/jpeg_distortion.h>
#include <sluice/cuda/kernels/layers.h>
#include <sluice/cuda/kernels/morphology.h>
#include <sluice/cuda/kernels/noise.h>
#include <sluice/cuda/kernels/pixels.h>
#include <sluice/cuda/kernels/places.h>
#include <sluice/cuda/kernels/resize.h>
#include <sluice/cuda/kernels/shifts.h>
#include <sluice/cuda/kernels/warp.h>
#include <sluice/cuda/kernels/window.h>
#include <sluice/cuda/uploads.h>
#include <sluice/graph/plan/gather.h>

#include <cstddef>
#include <vector>

namespace sluice::device {

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
  void write(detail::Gather& gather) override {
    if (!jobs_.empty()) batch_ = upload_jobs(gather, jobs_, guards_);
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
using ColoursLaunch = JobsLaunch<ColourJob, launch_colours>;
using CoverLaunch = JobsLaunch<CoverJob, launch_cover>;
using JitterLaunch = JobsLaunch<NoiseJob, launch_jitter>;
using LayersLaunch = JobsLaunch<LayersJob, launch_layers>;
using MedianLaunch = JobsLaunch<WindowJob, launch_median>;
using MorphologyLaunch = JobsLaunch<MorphologyJob, launch_morphology>;
using MotionLaunch = JobsLaunch<WindowJob, launch_motion>;
using PixelsLaunch = JobsLaunch<PixelsJob, launch_pixels>;
using PlacesLaunch = JobsLaunch<PlacesJob, launch_places>;
using ResizeLaunch = JobsLaunch<ResizeJob, launch_resize>;
using SaltAndPepperLaunch = JobsLaunch<NoiseJob, launch_salt_and_pepper>;
using ShiftsLaunch = JobsLaunch<ShiftsJob, launch_shifts>;
using WarpLaunch = JobsLaunch<WarpJob, launch_warp>;
using WindowLaunch = JobsLaunch<WindowJob, launch_window>;

// Normally distributed noise. The quantiles that it is made from are uploaded once for all samples.
template <void (*kLaunch)(DeviceStream&, const Batch<NoiseJob>&)>
class NormalNoiseLaunch : public JobsLaunch<NoiseJob, kLaunch> {
 public:
  void write(detail::Gather& gather) override {
    const float* quantiles = nullptr;
    for (NoiseJob& job : this->jobs_) {
      if (job.needs_quantiles == 0) continue;
      const auto all = upper_quantiles();
      if (quantiles == nullptr) quantiles = upload_all(gather, all.data(), all.size());
      job.quantiles = quantiles;
    }
    JobsLaunch<NoiseJob, kLaunch>::write(gather);
  }
};
using GaussianNoiseLaunch = NormalNoiseLaunch<launch_gaussian_noise>;

// Two launches of one step: the jobs of the second use the results of the first.
template <class First, class Second>
class LaunchInTurn : public detail::StepLaunch {
 public:
  template <class Job>
  void add_first(const Job& job) {
    first_.add(job, guard());
  }
  template <class Job>
  void add_second(const Job& job) {
    second_.add(job, guard());
  }
  void clear() noexcept override {
    first_.clear();
    second_.clear();
  }
  void write(detail::Gather& gather) override {
    first_.write(gather);
    second_.write(gather);
  }
  void launch(DeviceStream& stream) override {
    first_.launch(stream);
    second_.launch(stream);
  }

 private:
  First first_;
  Second second_;
};
using ClaheLaunch = LaunchInTurn<JobsLaunch<ClaheTablesJob, launch_clahe_tables>,
                                 JobsLaunch<ClaheJob, launch_clahe>>;
using ElasticLaunch = LaunchInTurn<ShiftsLaunch, PlacesLaunch>;
using JpegDistortionLaunch = LaunchInTurn<JobsLaunch<JpegBlocksJob, launch_jpeg_blocks>,
                                          JobsLaunch<JpegPixelsJob, launch_jpeg_pixels>>;
using ShotNoiseLaunch =
    LaunchInTurn<JobsLaunch<PoissonJob, launch_poisson>, NormalNoiseLaunch<launch_shot_noise>>;

// Maps images by lookup tables that are computed from their own histograms.
class LevelsLaunch : public detail::StepLaunch {
 public:
  void add(const PictureIn& in, const PictureOut& out, LevelsFor what, float factor = 1);
  void clear() noexcept override;
  void write(detail::Gather& gather) override;
  void launch(DeviceStream& stream) override;

 private:
  std::vector<HistogramJob> histograms_;  // one for each of maps_, and perhaps one more
  std::vector<ColourJob> maps_;
  std::vector<DeviceGuard> guards_;  // of both; perhaps one more
  std::uint32_t* counts_ = nullptr;  // of all samples
  Batch<HistogramJob> counted_;
  Batch<ColourJob> mapped_;
};

}  // namespace sluice::device
