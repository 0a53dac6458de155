#include <sluice/cuda/kernels/filter.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/random_words.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice::device {
namespace {

const Kernel kBlurDown{"blur_down", tiles_on_host<BlurJob, blur_down_tile>,
                       SLUICE_ON_CUDA(blur_down_on_cuda)};
const Kernel kBlurAcross{"blur_across", tiles_on_host<BlurJob, blur_across_tile>,
                         SLUICE_ON_CUDA(blur_across_on_cuda)};

}  // namespace

BlurJob blur_job(const ImageIn& in, const ImageOut& out) {
  return image_job<BlurJob>(in, out, kBlurPixels);
}

BlurSide box_side(int window) { return {nullptr, window / 2 + 1, 0}; }

void launch_blur(DeviceStream& stream, const Batch<BlurJob>& batch) {
  launch_batch(stream, kBlurDown, batch);
  launch_batch(stream, kBlurAcross, batch);
}

namespace {

const Kernel kFilter2d{"window", tiles_on_host<Filter2dJob, filter_2d_tile>,
                       SLUICE_ON_CUDA(filter_2d_on_cuda)};

const Kernel kMotion{"motion", tiles_on_host<Filter2dJob, motion_tile>,
                     SLUICE_ON_CUDA(motion_on_cuda)};
const Kernel kMedian{"median", tiles_on_host<Filter2dJob, median_tile>,
                     SLUICE_ON_CUDA(median_on_cuda)};

}  // namespace

Filter2dJob sharpness_job(const ImageIn& in, const ImageOut& out, kernels::FixedFactor factor) {
  Filter2dJob job = image_job<Filter2dJob>(in, out, kFilter2dPixels);
  job.work = Filter2dWork::sharpen;
  job.factor = factor.value;
  job.factor_bits = factor.bits;
  return job;
}

Filter2dJob filter_job(const ImageIn& in, const ImageOut& out,
                       const kernels::FilterWeights& filter) {
  kernels::check_filter(filter);
  Filter2dJob job = image_job<Filter2dJob>(in, out, kFilter2dPixels);
  job.work = Filter2dWork::weigh;
  job.rows = filter.rows;
  job.columns = filter.columns;
  static_assert(kMostWeights == kernels::kLargestFilter * kernels::kLargestFilter);
  std::copy(filter.weights.begin(), filter.weights.end(), job.weights);
  return job;
}

Filter2dJob motion_job(const ImageIn& in, const ImageOut& out, const Filter2dStep* steps,
                       int count) {
  Filter2dJob job = image_job<Filter2dJob>(in, out, kFilter2dPixels);
  job.steps = steps;
  job.step_count = count;
  return job;
}

Filter2dJob median_job(const ImageIn& in, const ImageOut& out, int window_size) {
  kernels::check_median_window(window_size);
  Filter2dJob job = image_job<Filter2dJob>(in, out, kFilter2dPixels);
  job.rows = job.columns = window_size;
  return job;
}

void launch_filter_2d(DeviceStream& stream, const Batch<Filter2dJob>& batch) {
  launch_batch(stream, kFilter2d, batch);
}

void launch_motion(DeviceStream& stream, const Batch<Filter2dJob>& batch) {
  launch_batch(stream, kMotion, batch);
}

void launch_median(DeviceStream& stream, const Batch<Filter2dJob>& batch) {
  launch_batch(stream, kMedian, batch);
}

namespace {

const Kernel kMorphologyAcross{"morphology_across",
                               tiles_on_host<MorphologyJob, morphology_across_tile>,
                               SLUICE_ON_CUDA(morphology_across_on_cuda)};
const Kernel kMorphologyDown{"morphology_down", tiles_on_host<MorphologyJob, morphology_down_tile>,
                             SLUICE_ON_CUDA(morphology_down_on_cuda)};

}  // namespace

MorphologyJob morphology_job(const ImageIn& in, const ImageOut& out,
                             const kernels::MorphologyWindow& window, bool largest) {
  MorphologyJob job = image_job<MorphologyJob>(in, out, kMorphologyPixels);
  job.height = window.height;
  job.width = window.width;
  job.largest = largest ? 1 : 0;
  return job;
}

void launch_morphology(DeviceStream& stream, const Batch<MorphologyJob>& batch) {
  launch_batch(stream, kMorphologyAcross, batch);
  launch_batch(stream, kMorphologyDown, batch);
}

namespace {

const Kernel kGaussian{"gaussian_noise", tiles_on_host<NoiseJob, gaussian_noise_tile>,
                       SLUICE_ON_CUDA(gaussian_noise_on_cuda)};
void iso_counts_on_host(const void* arguments) {
  const auto& batch = *static_cast<const Batch<IsoSumsJob>*>(arguments);
  const IsoSumsJob* const jobs = device_view(batch.jobs, static_cast<std::size_t>(batch.count));
  unsigned long long parts[kIsoParts];
  for (int i = 0; i < batch.count; ++i)
    if (is_done(batch, i)) make_iso_counts(jobs[i], ThreadBlock(), parts);
}

const Kernel kIsoSums{"iso_sums",
                      tiles_on_host<IsoSumsJob, std::uint32_t, kIsoParts, iso_sums_tile>,
                      SLUICE_ON_CUDA(iso_sums_on_cuda)};
const Kernel kIsoCounts{"iso_counts", iso_counts_on_host, SLUICE_ON_CUDA(iso_counts_on_cuda)};
const Kernel kIsoNoise{"iso_noise", tiles_on_host<NoiseJob, iso_noise_tile>,
                       SLUICE_ON_CUDA(iso_noise_on_cuda)};
const Kernel kSaltAndPepper{"salt_and_pepper", tiles_on_host<NoiseJob, salt_and_pepper_tile>,
                            SLUICE_ON_CUDA(salt_and_pepper_on_cuda)};
const Kernel kShot{"shot_noise", tiles_on_host<NoiseJob, shot_noise_tile>,
                   SLUICE_ON_CUDA(shot_noise_on_cuda)};
const Kernel kJitter{"jitter", tiles_on_host<NoiseJob, jitter_tile>,
                     SLUICE_ON_CUDA(jitter_on_cuda)};
const Kernel kPoisson{"poisson", tiles_on_host<PoissonJob, poisson_tile>,
                      SLUICE_ON_CUDA(poisson_on_cuda)};

// `units_of_pixel`: units per pixel; `units_of_block`: units made from one block of random words.
NoiseJob noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                   int units_of_pixel, int units_of_block) {
  NoiseJob job = image_job<NoiseJob>(in, out, 1);
  job.words = words;
  const std::int64_t units = std::int64_t{in.height} * in.width * units_of_pixel;
  const std::int64_t of_tile = std::int64_t{units_of_block} * kNoiseBlocks;
  job.tiles = static_cast<std::int32_t>((units + of_tile - 1) / of_tile);
  return job;
}

}  // namespace

NoiseJob gaussian_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                            float mean, float stddev) {
  NoiseJob job = noise_job(in, out, words, in.channels, 8);
  job.mean = static_cast<double>(mean);
  job.stddev = static_cast<double>(stddev);
  job.needs_quantiles = 1;
  return job;
}

NoiseJob iso_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                       const kernels::IsoNoise& params) {
  NoiseJob job = noise_job(in, out, words, 1, 2);
  job.stddev = kernels::iso_hue_deviation(params);
  job.needs_quantiles = 1;
  return job;
}

IsoSumsJob iso_sums_job(const ImageIn& in, const kernels::IsoNoise& params) {
  static_assert(kCountedMean == kernels::kLargePoissonMean);
  IsoSumsJob job;
  job.in = in;
  job.tiles = image_tiles(in.height, in.width, kIsoPixels);
  job.intensity = static_cast<double>(params.intensity);
  return job;
}

NoiseJob salt_and_pepper_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                             const kernels::SaltAndPepper& params) {
  NoiseJob job = noise_job(in, out, words, params.per_channel ? in.channels : 1, 4);
  job.per_channel = params.per_channel ? 1 : 0;
  const kernels::SaltLimits limits = kernels::salt_limits(params);
  job.changed = limits.changed;
  job.white = limits.white;
  return job;
}

NoiseJob shot_noise_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                        float factor) {
  NoiseJob job = noise_job(in, out, words, in.channels, 4);
  job.factor = static_cast<double>(factor);
  if (factor == 0) return job;
  while (job.counted_levels < 256 && job.counted_levels / job.factor < kernels::kLargePoissonMean)
    ++job.counted_levels;
  job.needs_quantiles = job.counted_levels < 256 ? 1 : 0;
  return job;
}

NoiseJob jitter_job(const ImageIn& in, const ImageOut& out, const RandomWords& words,
                    int window_size) {
  NoiseJob job = noise_job(in, out, words, 1, 2);
  job.window = window_size;
  return job;
}

std::span<const float> upper_quantiles() {
  static_assert(kernels::kQuantiles == 2 * kUpperQuantiles);
  return std::span(kernels::normal_quantiles()).last(std::size_t{kUpperQuantiles});
}

void launch_gaussian_noise(DeviceStream& stream, const Batch<NoiseJob>& batch) {
  launch_batch(stream, kGaussian, batch);
}

void launch_iso_sums(DeviceStream& stream, const Batch<IsoSumsJob>& batch) {
  launch_batch(stream, kIsoSums, batch);
  launch_batch(stream, kIsoCounts, batch);
}

void launch_iso_noise(DeviceStream& stream, const Batch<NoiseJob>& batch) {
  launch_batch(stream, kIsoNoise, batch);
}

void launch_salt_and_pepper(DeviceStream& stream, const Batch<NoiseJob>& batch) {
  launch_batch(stream, kSaltAndPepper, batch);
}

void launch_shot_noise(DeviceStream& stream, const Batch<NoiseJob>& batch) {
  launch_batch(stream, kShot, batch);
}

void launch_jitter(DeviceStream& stream, const Batch<NoiseJob>& batch) {
  launch_batch(stream, kJitter, batch);
}

void launch_poisson(DeviceStream& stream, const Batch<PoissonJob>& batch) {
  launch_batch(stream, kPoisson, batch);
}

}  // namespace sluice::device
