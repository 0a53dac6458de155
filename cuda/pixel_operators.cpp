// Device versions of operators that change pixel values: colors, filters, noise, blend and paste.
#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/point_operators.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::DeviceBatch;
using kernels::Lut;

const std::uint8_t* upload_table(DeviceBatch& device_batch, const Lut& table) {
  return upload_all(device_batch, table.data(), table.size());
}

void add_tables() {
  detail::for_each_point_operator([]<class... Parameters>(const OperatorPtr& op,
                                                          Lut (*table)(Parameters...)) {
    add_device_version(op, [name = op->name(), table](DeviceBatch& device_batch, const Image& in,
                                                      Parameters... parameters, Image& out) {
      kernels::check_pixels(name.c_str(), in);
      const std::uint8_t* const lut = upload_table(device_batch, table(parameters...));
      move_pixels(device_batch, in, pixels_of(in), in.height(), in.width(), out, lut);
    });
  });
}

// Adds the finished job to the step's launch.
void add_colors_of(DeviceBatch& device_batch, const ColorJob& job) {
  device_batch.launch_of_step<ColorsLaunch>().add(job);
}
void apply_matrix(DeviceBatch& device_batch, const Image& in, const kernels::ColorMatrix& matrix,
                  Image& out) {
  ColorJob job = color_job(image_in(in), create_like(in, out));
  change_by_matrix(job, kernels::float_matrix(matrix));
  add_colors_of(device_batch, job);
}
// For images whose colors do not change.
void copy_image(DeviceBatch& device_batch, const Image& in, Image& out) {
  add_colors_of(device_batch, color_job(image_in(in), create_like(in, out)));
}

void color_twist(DeviceBatch& device_batch, const Image& in, const kernels::ColorTwist& twist,
                 Image& out) {
  kernels::check_colors("color_twist", in);
  const kernels::ColorMatrix matrix = kernels::color_twist_matrix(twist);
  if (in.channels() != 1) return apply_matrix(device_batch, in, matrix, out);
  const Lut table = kernels::brightness_contrast_table(twist.brightness, twist.contrast, 128);
  ColorJob job = color_job(image_in(in), create_like(in, out));
  change_by_tables(job, upload_table(device_batch, table));
  add_colors_of(device_batch, job);
}

void add_matrices() {
  add_device_version(
      detail::color_space_conversion_operator(),
      [](DeviceBatch& device_batch, const Image& in, PixelFormat from, PixelFormat to, Image& out) {
        kernels::check_three_colors("color_space_conversion", in);
        if (from == to) return copy_image(device_batch, in, out);
        apply_matrix(device_batch, in, kernels::color_space_matrix(from, to), out);
      });
  add_device_version(detail::color_twist_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float brightness,
                        float contrast, float saturation, float hue, Image& out) {
                       color_twist(device_batch, in, {brightness, contrast, saturation, hue}, out);
                     });
  add_device_version(
      detail::permute_channels_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t first, std::int32_t second,
         std::int32_t third, Image& out) {
        kernels::check_three_colors("permute_channels", in);
        apply_matrix(device_batch, in, kernels::channel_order_matrix({first, second, third}), out);
      });
  add_device_version(
      detail::rgb_shift_operator(), [](DeviceBatch& device_batch, const Image& in, float red,
                                       float green, float blue, Image& out) {
        kernels::check_three_colors("rgb_shift", in);
        apply_matrix(device_batch, in, kernels::rgb_shift_matrix({red, green, blue}), out);
      });
  add_device_version(detail::saturation_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float factor, Image& out) {
                       kernels::check_colors("saturation", in);
                       const kernels::ColorMatrix matrix = kernels::saturation_matrix(factor);
                       if (in.channels() == 1) return copy_image(device_batch, in, out);
                       apply_matrix(device_batch, in, matrix, out);
                     });
}

void add_channel_dropout() {
  add_device_version(
      detail::channel_dropout_operator(), [](DeviceBatch& device_batch, const Image& in,
                                             std::int32_t channel, std::int32_t fill, Image& out) {
        kernels::check_pixels("channel_dropout", in);
        kernels::check_dropped_channel(in.channels(), channel);
        std::array<Lut, 4> tables;
        tables.fill(kernels::same_levels());
        tables.at(static_cast<std::size_t>(channel)).fill(static_cast<std::uint8_t>(fill));
        ColorJob job = color_job(image_in(in), create_like(in, out));
        change_by_tables(job, upload_all(device_batch, tables.front().data(), kLuts));
        add_colors_of(device_batch, job);
      });
}

void add_composed_colors() {
  add_device_version(detail::composed_colors_operator(),
                     [](DeviceBatch& device_batch, const kernels::ComposedColors& map, Image& out) {
                       const Image& in = map.from();
                       const auto fourth = map.fourth();
                       out.create(in.height(), in.width(), map.channels());
                       ColorJob job = color_job(image_in(in), image_out(out));
                       change_by_matrix(job, kernels::float_matrix(map.matrix()),
                                        fourth ? upload_table(device_batch, *fourth) : nullptr);
                       add_colors_of(device_batch, job);
                     });
}

void add_hue_and_gray() {
  add_device_version(detail::hue_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float degrees, Image& out) {
                       kernels::check_colors("hue", in);
                       kernels::check_finite("hue", "degrees", degrees);
                       if (in.channels() == 1) return copy_image(device_batch, in, out);
                       ColorJob job = color_job(image_in(in), create_like(in, out));
                       change_by_hue(job, degrees);
                       add_colors_of(device_batch, job);
                     });
  add_device_version(detail::grayscale_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                      std::int32_t channels, Image& out) {
    kernels::check_colors("grayscale", in);
    kernels::check_gray_channels(channels);
    out.create(in.height(), in.width(), channels);
    ColorJob job = color_job(image_in(in), image_out(out));
    change_to_gray(job);
    add_colors_of(device_batch, job);
  });
}

// Maps images by lookup tables that are computed from their own histograms.
class LevelsLaunch : public detail::StepLaunch {
 public:
  void add(const ImageIn& in, const ImageOut& out, LevelsFor what, float factor = 1);
  void clear() noexcept override;
  void write(detail::DeviceBatch& device_batch) override;
  void launch(DeviceStream& stream) override;

 private:
  std::vector<HistogramJob> histograms_;  // one for each of maps_, and perhaps one more
  std::vector<ColorJob> maps_;
  std::vector<DeviceGuard> guards_;  // of both; perhaps one more
  std::uint32_t* counts_ = nullptr;  // of all samples
  Batch<HistogramJob> counted_;
  Batch<ColorJob> mapped_;
};

void LevelsLaunch::add(const ImageIn& in, const ImageOut& out, LevelsFor what, float factor) {
  guards_.resize(maps_.size());
  guards_.push_back(guard());
  histograms_.resize(maps_.size());
  histograms_.push_back(histogram_job(in, what, factor));
  maps_.push_back(color_job(in, out));
}

void LevelsLaunch::clear() noexcept {
  histograms_.clear();
  maps_.clear();
  guards_.clear();
  counted_ = {};
  mapped_ = {};
}

void LevelsLaunch::write(detail::DeviceBatch& device_batch) {
  if (maps_.empty()) return;
  const std::size_t samples = maps_.size();
  histograms_.resize(samples);
  counts_ = reinterpret_cast<std::uint32_t*>(
      device_batch.scratch(samples * kHistogram * sizeof(std::uint32_t)));
  auto* const tables = reinterpret_cast<std::uint8_t*>(device_batch.scratch(samples * kLuts));
  for (std::size_t i = 0; i < samples; ++i) {
    histograms_[i].counts = counts_ + i * kHistogram;
    histograms_[i].tables = tables + i * kLuts;
    change_by_tables(maps_[i], histograms_[i].tables);
  }
  counted_ = upload_jobs(device_batch, histograms_, guards_);
  mapped_ = upload_jobs(device_batch, maps_, guards_);
}

void LevelsLaunch::launch(DeviceStream& stream) {
  if (maps_.empty()) return;
  stream.fill(counts_, 0, maps_.size() * kHistogram * sizeof(std::uint32_t));
  launch_luts(stream, counted_);
  launch_colors(stream, mapped_);
}

void add_levels(DeviceBatch& device_batch, const char* op, const Image& in, LevelsFor what,
                float factor, Image& out) {
  kernels::check_colors(op, in);
  if (what == LevelsFor::contrast) kernels::check_not_negative(op, "factor", factor);
  device_batch.launch_of_step<LevelsLaunch>().add(image_in(in), create_like(in, out), what, factor);
}

void clahe(DeviceBatch& device_batch, const Image& in, const kernels::ClaheParams& params,
           Image& out) {
  ClaheTablesJob tables = clahe_tables_job(image_in(in), kernels::clahe_grid(in, params));
  tables.tables = reinterpret_cast<std::uint8_t*>(device_batch.scratch(table_bytes(tables.cells)));
  auto& launch = device_batch.launch_of_step<ClaheLaunch>();
  launch.add<0>(tables);
  launch.add<1>(clahe_job(tables, create_like(in, out)));
}

void add_own_levels() {
  add_device_version(detail::clahe_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float clip_limit,
                        std::int32_t tiles_y, std::int32_t tiles_x, Image& out) {
                       clahe(device_batch, in, {clip_limit, tiles_y, tiles_x}, out);
                     });
  add_device_version(
      detail::autocontrast_operator(), [](DeviceBatch& device_batch, const Image& in, Image& out) {
        add_levels(device_batch, "autocontrast", in, LevelsFor::autocontrast, 1, out);
      });
  add_device_version(detail::contrast_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float factor, Image& out) {
                       add_levels(device_batch, "contrast", in, LevelsFor::contrast, factor, out);
                     });
  add_device_version(detail::equalize_operator(),
                     [](DeviceBatch& device_batch, const Image& in, Image& out) {
                       add_levels(device_batch, "equalize", in, LevelsFor::equalize, 1, out);
                     });
}

void add_jpeg_distortion() {
  add_device_version(
      detail::jpeg_distortion_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t quality, Image& out) {
        kernels::check_jpeg_distortion(in, quality);
        JpegBlocksJob blocks = jpeg_blocks_job(image_in(in), quality);
        blocks.planes.data =
            reinterpret_cast<std::uint8_t*>(device_batch.scratch(blocks.planes.bytes()));
        auto& launch = device_batch.launch_of_step<JpegDistortionLaunch>();
        launch.add<0>(blocks);
        launch.add<1>(jpeg_pixels_job(blocks, create_like(in, out)));
      });
}

BlurSide upload_side(DeviceBatch& device_batch, int window, const kernels::WeightOf& weight_of) {
  thread_local kernels::WindowSide side;
  side.build(window, weight_of);
  const kernels::SideWeights weights = side.view();
  return {upload_all(device_batch, weights.weights, static_cast<std::size_t>(weights.count)),
          weights.count, weights.bits};
}

void add_blur(DeviceBatch& device_batch, const Image& in, const BlurSide& down,
              const BlurSide& across, Image& out) {
  BlurJob job = blur_job(image_in(in), create_like(in, out));
  job.down = down;
  job.across = across;
  job.levels = reinterpret_cast<std::uint16_t*>(
      device_batch.scratch(levels_of(job) * sizeof(std::uint16_t)));
  device_batch.launch_of_step<BlurLaunch>().add(job);
}

void add_blurs() {
  add_device_version(detail::box_blur_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                     std::int32_t window, Image& out) {
    kernels::check_pixels("box_blur", in);
    kernels::check_window("box_blur", window);
    add_blur(device_batch, in, box_side(window), box_side(window), out);
  });
  add_device_version(detail::gaussian_blur_operator(), [](DeviceBatch& device_batch,
                                                          const Image& in, float sigma,
                                                          float sigma_y, std::int32_t window,
                                                          Image& out) {
    kernels::check_pixels("gaussian_blur", in);
    const kernels::GaussianWindows windows = kernels::gaussian_windows({sigma, sigma_y, window});
    add_blur(device_batch, in, upload_side(device_batch, windows.down, windows.weight_down),
             upload_side(device_batch, windows.across, windows.weight_across), out);
  });
}

void add_filter(DeviceBatch& device_batch, const Image& in, const kernels::FilterWeights& filter,
                Image& out) {
  kernels::check_filter(filter);
  device_batch.launch_of_step<Filter2dLaunch>().add(
      filter_job(image_in(in), create_like(in, out), filter));
}

void add_window(DeviceBatch& device_batch, const Image& in,
                const std::vector<kernels::WindowWeight>& weights, Image& out) {
  std::vector<Filter2dStep> steps;
  for (const kernels::WindowWeight& one : weights)
    steps.push_back({one.row, one.column, one.weight});
  device_batch.launch_of_step<MotionLaunch>().add(motion_job(
      image_in(in), create_like(in, out), upload_all(device_batch, steps.data(), steps.size()),
      static_cast<int>(steps.size())));
}

void add_windows() {
  add_device_version(
      detail::defocus_operator(), [](DeviceBatch& device_batch, const Image& in,
                                     std::int32_t radius, float alias_blur, Image& out) {
        kernels::check_pixels("defocus", in);
        kernels::check_size("defocus", in.height(), in.width());
        add_window(device_batch, in, kernels::defocus_weights(radius, alias_blur), out);
      });
  add_device_version(
      detail::filter_2d_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t rows, std::int32_t columns,
         const decltype(kernels::FilterWeights::weights)& weights, Image& out) {
        kernels::check_pixels("filter_2d", in);
        add_filter(device_batch, in, {rows, columns, weights}, out);
      });
  add_device_version(
      detail::laplacian_operator(),
      [](DeviceBatch& device_batch, const Image& in, std::int32_t window, float scale, Image& out) {
        kernels::check_pixels("laplacian", in);
        add_filter(device_batch, in, kernels::laplacian_weights(window, scale), out);
      });
  add_device_version(detail::median_blur_operator(), [](DeviceBatch& device_batch, const Image& in,
                                                        std::int32_t window, Image& out) {
    kernels::check_pixels("median_blur", in);
    kernels::check_median_window(window);
    device_batch.launch_of_step<MedianLaunch>().add(
        median_job(image_in(in), create_like(in, out), window));
  });
  add_device_version(detail::motion_blur_operator(),
                     [](DeviceBatch& device_batch, const Image& in, std::int32_t length,
                        float degrees, Image& out) {
                       kernels::check_pixels("motion_blur", in);
                       kernels::check_size("motion_blur", in.height(), in.width());
                       add_window(device_batch, in, kernels::motion_weights(length, degrees), out);
                     });
  add_device_version(detail::sharpness_operator(),
                     [](DeviceBatch& device_batch, const Image& in, float factor, Image& out) {
                       kernels::check_pixels("sharpness", in);
                       const kernels::FixedFactor fixed = kernels::sharpness_factor(factor);
                       device_batch.launch_of_step<Filter2dLaunch>().add(
                           sharpness_job(image_in(in), create_like(in, out), fixed));
                     });
}

void add_morphology() {
  for (const bool largest : {true, false}) {
    add_device_version(
        largest ? detail::dilate_operator() : detail::erode_operator(),
        [largest](DeviceBatch& device_batch, const Image& in, std::int32_t height,
                  std::int32_t width, Image& out) {
          kernels::check_morphology(largest ? "dilate" : "erode", in, {height, width});
          MorphologyJob job =
              morphology_job(image_in(in), create_like(in, out), {height, width}, largest);
          job.between = reinterpret_cast<std::uint8_t*>(device_batch.scratch(levels_of(job)));
          device_batch.launch_of_step<MorphologyLaunch>().add(job);
        });
  }
}

// Returns the job that makes the Poisson tables for pixel values with small means.
PoissonJob poisson_job(DeviceBatch& device_batch, const NoiseJob& noise) {
  PoissonJob job;
  job.levels = noise.counted_levels;
  job.factor = noise.factor;
  std::array<double, 256> none{};
  for (int level = 0; level < job.levels; ++level)
    none.at(static_cast<std::size_t>(level)) = std::exp(-(level / job.factor));
  const auto levels = static_cast<std::size_t>(job.levels);
  job.none = upload_all(device_batch, none.data(), levels);
  job.counts = reinterpret_cast<std::uint32_t*>(
      device_batch.scratch(levels * kMostCounts * sizeof(std::uint32_t)));
  return job;
}

void add_noises() {
  add_device_version(
      detail::gaussian_noise_operator(), [](DeviceBatch& device_batch, Random& random,
                                            const Image& in, float mean, float stddev, Image& out) {
        kernels::check_gaussian_noise(in, mean, stddev);
        device_batch.launch_of_step<GaussianNoiseLaunch>().add(
            gaussian_noise_job(image_in(in), create_like(in, out), random.words(), mean, stddev));
      });
  add_device_version(
      detail::iso_noise_operator(), [](DeviceBatch& device_batch, Random& random, const Image& in,
                                       float color_shift, float intensity, Image& out) {
        const kernels::IsoNoise params{color_shift, intensity};
        kernels::check_iso_noise(in, params);
        IsoSumsJob sums = iso_sums_job(image_in(in), params);
        sums.sums = reinterpret_cast<std::uint32_t*>(
            device_batch.scratch(2 * static_cast<std::size_t>(sums.tiles) * sizeof(std::uint32_t)));
        sums.counts = reinterpret_cast<IsoCounts*>(device_batch.scratch(sizeof(IsoCounts)));
        NoiseJob job = iso_noise_job(image_in(in), create_like(in, out), random.words(), params);
        job.iso = sums.counts;
        auto& launch = device_batch.launch_of_step<IsoNoiseLaunch>();
        launch.add<0>(sums);
        launch.add<1>(job);
      });
  add_device_version(detail::salt_and_pepper_noise_operator(),
                     [](DeviceBatch& device_batch, Random& random, const Image& in,
                        float probability, float salt_share, bool per_channel, Image& out) {
                       const kernels::SaltAndPepper params{probability, salt_share, per_channel};
                       kernels::check_salt_and_pepper(in, params);
                       device_batch.launch_of_step<SaltAndPepperLaunch>().add(salt_and_pepper_job(
                           image_in(in), create_like(in, out), random.words(), params));
                     });
  add_device_version(detail::shot_noise_operator(), [](DeviceBatch& device_batch, Random& random,
                                                       const Image& in, float factor, Image& out) {
    kernels::check_shot_noise(in, factor);
    NoiseJob job = shot_noise_job(image_in(in), create_like(in, out), random.words(), factor);
    auto& launch = device_batch.launch_of_step<ShotNoiseLaunch>();
    if (job.counted_levels != 0) {
      const PoissonJob counts = poisson_job(device_batch, job);
      job.counts = counts.counts;
      launch.add<0>(counts);
    }
    launch.add<1>(job);
  });
  add_device_version(detail::jitter_operator(),
                     [](DeviceBatch& device_batch, Random& random, const Image& in,
                        std::int32_t window, Image& out) {
                       kernels::check_pixels("jitter", in);
                       kernels::check_jitter_window(window);
                       device_batch.launch_of_step<JitterLaunch>().add(
                           jitter_job(image_in(in), create_like(in, out), random.words(), window));
                     });
}

void paste(DeviceBatch& device_batch, const Image& in, const Image& patch, const Image* mask,
           const kernels::PastePlace& place, Image& out) {
  kernels::check_paste(in, patch, mask, place.alpha);
  BlendJob job = blend_job(image_in(in), image_in(patch), create_like(in, out));
  if (mask == nullptr) {
    paste_layer(job, place);
  } else {
    paste_layer(job, place, image_in(*mask));
  }
  device_batch.launch_of_step<BlendLaunch>().add(job);
}

void add_compositions() {
  add_device_version(detail::blend_operator(), [](DeviceBatch& device_batch, const Image& a,
                                                  const Image& b, float weight, Image& out) {
    kernels::check_blend(a, b, weight);
    BlendJob job = blend_job(image_in(a), image_in(b), create_like(a, out));
    blend_layers(job, weight);
    device_batch.launch_of_step<BlendLaunch>().add(job);
  });
  add_device_version(detail::paste_operator(),
                     [](DeviceBatch& device_batch, const Image& in, const Image& patch,
                        std::int32_t y, std::int32_t x, float alpha, Image& out) {
                       paste(device_batch, in, patch, nullptr, {y, x, alpha}, out);
                     });
  add_device_version(
      detail::paste_masked_operator(),
      [](DeviceBatch& device_batch, const Image& in, const Image& patch, const Image& mask,
         std::int32_t y, std::int32_t x, float alpha, Image& out) {
        paste(device_batch, in, patch, &mask, {y, x, alpha}, out);
      });
}

}  // namespace

void add_pixel_operators() {
  add_tables();
  add_matrices();
  add_channel_dropout();
  add_composed_colors();
  add_hue_and_gray();
  add_own_levels();
  add_jpeg_distortion();
  add_blurs();
  add_windows();
  add_morphology();
  add_noises();
  add_compositions();
}

}  // namespace sluice::device
