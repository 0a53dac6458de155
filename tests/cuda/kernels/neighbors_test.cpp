// The kernels of operators that use neighbors, other places or other images, or that draw, by
// themselves. They equal the host's kernels, bit for bit, also on images with gaps between their
// rows.
#include <sluice/cuda/kernels/color.h>
#include <sluice/cuda/kernels/filter.h>
#include <sluice/cuda/kernels/geometry.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/places.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/kernels/warp_fields.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/job_batch.h>

namespace sluice::testing {
namespace neighbors_test {

Random a_random() { return Random({.seed = 3, .epoch = 1, .sample = 7, .generator = 2}); }

TEST(Filter2dOnDevice, FollowsMotionsAndFindsMediansAsTheHostDoes) {
  JobBatch<device::Filter2dJob, device::launch_motion> motions;
  JobBatch<device::Filter2dJob, device::launch_median> medians;
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    for (const float degrees : {0.f, 33.f, -90.f}) {
      kernels::motion_blur(image, 21, degrees, expected);
      std::vector<device::Filter2dStep> steps;
      for (const kernels::WindowWeight& one : kernels::motion_weights(21, degrees))
        steps.push_back({one.row, one.column, one.weight});
      const Placed placed = motions.place(image, expected);
      motions.add(
          motion_job(placed.in, placed.out, motions.device().upload(steps.data(), steps.size()),
                     static_cast<int>(steps.size())),
          "motion " + text);
    }
    for (const int window : {3, 5}) {
      kernels::median_blur(image, window, expected);
      const Placed placed = medians.place(image, expected);
      medians.add(median_job(placed.in, placed.out, window), "median " + text);
    }
  });
  motions.launch();
  motions.expect_images();
  medians.launch();
  medians.expect_images();
}

TEST(ZoomBlurOnDevice, AveragesCopiesAsTheHostDoes) {
  JobBatch<device::ZoomBlurJob, device::launch_zoom_blur> batch;
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    for (const float most : {1.f, 1.11f, 1.5f}) {
      Image expected;
      kernels::zoom_blur(image, most, 0.02f, expected);
      std::vector<device::ZoomedCopy> copies;
      for (const kernels::ZoomedCopy& one :
           kernels::zoomed_copies(image.height(), image.width(), most, 0.02f))
        copies.push_back({one.x, one.dx, one.y, one.dy});
      const Placed placed = batch.place(image, expected);
      const device::ZoomedCopy* const uploaded =
          copies.empty() ? nullptr : batch.device().upload(copies.data(), copies.size());
      batch.add(zoom_blur_job(placed.in, placed.out, uploaded, static_cast<int>(copies.size())),
                "zoom " + text);
    }
  });
  batch.launch();
  batch.expect_images();
}

TEST(MorphologyOnDevice, PicksLevelsAsTheHostDoes) {
  JobBatch<device::MorphologyJob, device::launch_morphology> batch;
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    for (const kernels::MorphologyWindow& window :
         {kernels::MorphologyWindow{1, 1}, {3, 4}, {2, 9}, {255, 8}}) {
      for (const bool largest : {true, false}) {
        Image expected;
        (largest ? kernels::dilate : kernels::erode)(image, window, expected);
        const Placed placed = batch.place(image, expected);
        device::MorphologyJob job = morphology_job(placed.in, placed.out, window, largest);
        job.between = batch.device().allocate<std::uint8_t>(levels_of(job));
        batch.add(job, (largest ? "dilate " : "erode ") + text);
      }
    }
  });
  batch.launch();
  batch.expect_images();
}

TEST(BlendOnDevice, LiesOverEachOtherAsOnTheHost) {
  JobBatch<device::BlendJob, device::launch_blend> batch;
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    const Image patch = make_image(20, 30, image.channels(), 5), mask = make_image(20, 30, 1);
    const kernels::PastePlace place{.y = -3, .x = 9, .alpha = 0.7f};
    Image expected;
    for (const bool masked : {false, true}) {
      kernels::paste(image, patch, masked ? &mask : nullptr, place, expected);
      const Placed placed = batch.place(image, expected);
      device::BlendJob job = blend_job(placed.in, batch.place(patch), placed.out);
      if (masked) {
        paste_layer(job, place, batch.place(mask));
      } else {
        paste_layer(job, place);
      }
      batch.add(job, "paste " + text);
    }
    const Image other = make_image(image.height(), image.width(), image.channels(), 8);
    kernels::blend(image, other, 0.3f, expected);
    const Placed placed = batch.place(image, expected);
    device::BlendJob job = blend_job(placed.in, batch.place(other), placed.out);
    blend_layers(job, 0.3f);
    batch.add(job, "blend " + text);
  });
  batch.launch();
  batch.expect_images();
}

TEST(RemapOnDevice, AreLookedUpAsOnTheHost) {
  JobBatch<device::RemapJob, device::launch_remap> batch;
  std::vector<device::DisplacementJob> all_shifts;
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    for (const Interpolation way :
         {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
      const kernels::WarpOptions options{way, Border::constant, Fill(1, 20, 130, 255)};
      Image expected;
      const kernels::PerspectiveMap map{1.1, 0.2, -3, -0.1, 0.8, 4, 0.002, -0.001, 1};
      kernels::warp_perspective("warp", image, map, 40, 50, options, expected);
      Placed placed = batch.place(image, expected);
      device::RemapJob job = remap_job(placed.in, placed.out, options);
      from_matrix(job, map);
      batch.add(job, "matrix " + text);
      kernels::lens_distortion(image, 0.3f, -0.2f, options, expected);
      placed = batch.place(image, expected);
      job = remap_job(placed.in, placed.out, options);
      from_lens(job, kernels::lens_for(image, 0.3f, -0.2f, options));
      batch.add(job, "lens " + text);
      Random random = a_random();
      kernels::elastic(random, image, {30, 1.5f}, options, expected);
      placed = batch.place(image, expected);
      device::DisplacementJob shifts =
          device::displacement_job(image.height(), image.width(), a_random().words());
      const std::vector<float> weights = kernels::elastic_weights(1.5f);
      shifts.weights = batch.device().upload(weights.data(), weights.size());
      shifts.count = static_cast<int>(weights.size());
      shifts.shifts = batch.device().allocate<float>(displacement_size(shifts));
      shifts.between = batch.device().allocate<float>(displacement_size(shifts));
      all_shifts.push_back(shifts);
      job = remap_job(placed.in, placed.out, options);
      from_displacement(job, shifts.shifts, 15);
      batch.add(job, "shifts " + text);
      Tensor field;
      kernels::elastic_field(a_random(), image.height(), image.width(), {30, 1.5f}, field);
      kernels::remap("remap", image, field, options, expected);
      placed = batch.place(image, expected);
      job = remap_job(placed.in, placed.out, options);
      from_field(job, batch.device().upload(field.data<float>(),
                                            static_cast<std::size_t>(field.elements())));
      batch.add(job, "field " + text);
    }
  });
  launch_displacement(batch.device().stream(), batch.device().upload(all_shifts));
  batch.launch();
  batch.expect_images();
}

TEST(NoiseOnDevice, IsThatOfTheHost) {
  JobBatch<device::NoiseJob, device::launch_gaussian_noise> normal;
  JobBatch<device::NoiseJob, device::launch_salt_and_pepper> salt;
  JobBatch<device::NoiseJob, device::launch_jitter> moved;
  const auto upper = device::upper_quantiles();
  const float* const quantiles = normal.device().upload(upper.data(), upper.size());
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    Random random = a_random();
    kernels::gaussian_noise(random, image, 2, 30, expected);
    Placed placed = normal.place(image, expected);
    device::NoiseJob job = gaussian_noise_job(placed.in, placed.out, a_random().words(), 2, 30);
    job.quantiles = quantiles;
    normal.add(job, "normal " + text);
    for (const bool per_channel : {false, true}) {
      const kernels::SaltAndPepper params{0.3f, 0.6f, per_channel};
      random = a_random();
      kernels::salt_and_pepper_noise(random, image, params, expected);
      placed = salt.place(image, expected);
      salt.add(salt_and_pepper_job(placed.in, placed.out, a_random().words(), params),
               "salt " + text);
    }
    random = a_random();
    kernels::jitter(random, image, 9, expected);
    placed = moved.place(image, expected);
    moved.add(jitter_job(placed.in, placed.out, a_random().words(), 9), "jitter " + text);
  });
  normal.launch();
  normal.expect_images();
  salt.launch();
  salt.expect_images();
  moved.launch();
  moved.expect_images();
}

TEST(IsoNoiseOnDevice, IsThatOfTheHost) {
  JobBatch<device::NoiseJob, device::launch_iso_noise> batch;
  std::vector<device::IsoSumsJob> sums;
  const auto upper = device::upper_quantiles();
  const float* const quantiles = batch.device().upload(upper.data(), upper.size());
  // 10 makes large Poisson means, which follow another formula.
  for (const float intensity : {0.f, 0.5f, 10.f}) {
    for_images({1, 3, 4}, [&](const Image& image, const std::string& text) {
      const kernels::IsoNoise params{.color_shift = 0.1f, .intensity = intensity};
      Image expected;
      kernels::iso_noise(a_random(), image, params, expected);
      const Placed placed = batch.place(image, expected);
      device::IsoSumsJob of_image = iso_sums_job(placed.in, params);
      of_image.sums =
          batch.device().allocate<std::uint32_t>(2 * static_cast<std::size_t>(of_image.tiles));
      of_image.counts = batch.device().allocate<device::IsoCounts>(1);
      sums.push_back(of_image);
      device::NoiseJob job = iso_noise_job(placed.in, placed.out, a_random().words(), params);
      job.quantiles = quantiles;
      job.iso = of_image.counts;
      batch.add(job, "iso " + text);
    });
  }
  launch_iso_sums(batch.device().stream(), batch.device().upload(sums));
  batch.launch();
  batch.expect_images();
}

TEST(ClaheOnDevice, EvensOutAsTheHostDoes) {
  JobBatch<device::ClaheTablesJob, device::launch_clahe_tables> batch;
  std::vector<device::ClaheJob> images;
  for_images({1, 3, 4}, [&](const Image& image, const std::string& text) {
    for (const kernels::ClaheParams& params :
         {kernels::ClaheParams{2, 8, 8}, {0, 1, 1}, {40, 3, 70}}) {
      Image expected;
      kernels::clahe(image, params, expected);
      const Placed placed = batch.place(image, expected);
      device::ClaheTablesJob job = clahe_tables_job(placed.in, kernels::clahe_grid(image, params));
      job.tables = batch.device().allocate<std::uint8_t>(table_bytes(job.cells));
      batch.add(job, text);
      images.push_back(clahe_job(job, placed.out));
    }
  });
  batch.launch();
  launch_clahe(batch.device().stream(), batch.device().upload(images));
  batch.expect_images();
}

TEST(JpegDistortionOnDevice, LosesWhatAFileLoses) {
  JobBatch<device::JpegBlocksJob, device::launch_jpeg_blocks> batch;
  std::vector<device::JpegPixelsJob> images;
  for_images({1, 3}, [&](const Image& image, const std::string& text) {
    for (const int quality : {1, 10, 49, 50, 77, 95, 100}) {
      Image expected;
      kernels::jpeg_distortion(image, quality, expected);
      const Placed placed = batch.place(image, expected);
      device::JpegBlocksJob job = device::jpeg_blocks_job(placed.in, quality);
      job.planes.data = batch.device().allocate<std::uint8_t>(job.planes.bytes());
      batch.add(job, text + " at " + std::to_string(quality));
      images.push_back(jpeg_pixels_job(job, placed.out));
    }
  });
  batch.launch();
  launch_jpeg_pixels(batch.device().stream(), batch.device().upload(images));
  batch.expect_images();
}

TEST(NeighborsOnDevice, RefuseWhatCannotBe) {
  const auto in = [](int height, int width, int channels) {
    return ImageIn{nullptr, width * channels, height, width, channels};
  };
  const ImageOut out{nullptr, 3, 4, 3};
  EXPECT_THROW(device::blend_job(in(3, 4, 3), in(3, 4, 1), out), std::invalid_argument);
  device::BlendJob layers = device::blend_job(in(3, 4, 3), in(2, 4, 3), out);
  EXPECT_THROW(blend_layers(layers, 0.5f), std::invalid_argument);
  EXPECT_THROW(paste_layer(layers, {}, in(3, 4, 1)), std::invalid_argument);
  EXPECT_THROW(device::remap_job(in(3, 4, 1), out, {}), std::invalid_argument);
  EXPECT_THROW(device::median_job(in(3, 4, 3), out, 7), std::invalid_argument);
  EXPECT_THROW(device::morphology_job(in(3, 5, 3), out, {}, true), std::invalid_argument);
  EXPECT_THROW(device::clahe_tables_job(in(3, 4, 2), {}), std::invalid_argument);
  EXPECT_THROW(device::jpeg_blocks_job(in(3, 4, 4), 50), std::invalid_argument);
  EXPECT_THROW(device::jpeg_blocks_job(in(3, 4, 3), 0), std::invalid_argument);
}

}  // namespace neighbors_test
}  // namespace sluice::testing
