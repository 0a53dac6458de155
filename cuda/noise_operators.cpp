#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/jitter.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/noise.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;

// Returns the job that makes the Poisson tables for pixel values with small means.
PoissonJob poisson_job(Gather& gather, const NoiseJob& noise) {
  PoissonJob job;
  job.levels = noise.counted_levels;
  job.factor = noise.factor;
  std::array<double, 256> none{};
  for (int level = 0; level < job.levels; ++level)
    none.at(static_cast<std::size_t>(level)) = std::exp(-(level / job.factor));
  const auto levels = static_cast<std::size_t>(job.levels);
  job.none = upload_all(gather, none.data(), levels);
  job.counts = reinterpret_cast<std::uint32_t*>(
      gather.scratch(levels * kMostCounts * sizeof(std::uint32_t)));
  return job;
}

}  // namespace

bool add_noises() {
  add_device_version(
      detail::gaussian_noise_operator(),
      [](Gather& gather, Random& random, const Image& in, float mean, float stddev, Image& out) {
        kernels::check_gaussian_noise(in, mean, stddev);
        gather.launch_of_step<GaussianNoiseLaunch>().add(
            gaussian_noise_job(picture_in(in), create_like(in, out), random.words(), mean, stddev));
      });
  add_device_version(detail::salt_and_pepper_noise_operator(),
                     [](Gather& gather, Random& random, const Image& in, float probability,
                        float salt_share, bool per_channel, Image& out) {
                       const kernels::SaltAndPepper params{probability, salt_share, per_channel};
                       kernels::check_salt_and_pepper(in, params);
                       gather.launch_of_step<SaltAndPepperLaunch>().add(salt_and_pepper_job(
                           picture_in(in), create_like(in, out), random.words(), params));
                     });
  add_device_version(detail::shot_noise_operator(), [](Gather& gather, Random& random,
                                                       const Image& in, float factor, Image& out) {
    kernels::check_shot_noise(in, factor);
    NoiseJob job = shot_noise_job(picture_in(in), create_like(in, out), random.words(), factor);
    auto& launch = gather.launch_of_step<ShotNoiseLaunch>();
    if (job.counted_levels != 0) {
      const PoissonJob counts = poisson_job(gather, job);
      job.counts = counts.counts;
      launch.add_first(counts);
    }
    launch.add_second(job);
  });
  add_device_version(detail::jitter_operator(), [](Gather& gather, Random& random, const Image& in,
                                                   std::int32_t window, Image& out) {
    kernels::check_pixels("jitter", in);
    kernels::check_jitter_window(window);
    gather.launch_of_step<JitterLaunch>().add(
        jitter_job(picture_in(in), create_like(in, out), random.words(), window));
  });
  return true;
}

}  // namespace sluice::device
