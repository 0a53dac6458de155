// The kernels of single operators by themselves, on images of all sizes with gaps between their
// rows, many in one launch. They equal the host's kernels, bit for bit, and leave all other bytes
// alone.
#include <sluice/cuda/kernels/color.h>
#include <sluice/cuda/kernels/filter.h>
#include <sluice/cuda/kernels/geometry.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/runtime/random.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/job_batch.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {
namespace images_test {

TEST(ColorsOnDevice, ChangesThemAsTheHostDoes) {
  JobBatch<device::ColorJob, device::launch_colors> batch;
  for_images({3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    const kernels::ColorTwist twist{1.2f, 0.8f, 1.4f, 33};
    kernels::color_twist(image, twist, expected);
    Placed placed = batch.place(image, expected);
    device::ColorJob job = color_job(placed.in, placed.out);
    change_by_matrix(job, kernels::float_matrix(kernels::color_twist_matrix(twist)));
    batch.add(job, "twist " + text);
    for (const float degrees : {-100.f, 0.f, 17.5f, 359.9f}) {
      kernels::hue(image, degrees, expected);
      placed = batch.place(image, expected);
      job = color_job(placed.in, placed.out);
      change_by_hue(job, degrees);
      batch.add(job, "hue " + text);
    }
  });
  for_images({1, 3, 4}, [&](const Image& image, const std::string& text) {
    for (const int channels : {1, 3}) {
      Image expected;
      kernels::grayscale(image, channels, expected);
      const Placed placed = batch.place(image, expected);
      device::ColorJob job = color_job(placed.in, placed.out);
      change_to_gray(job);
      batch.add(job, "gray " + text);
    }
  });
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Placed placed = batch.place(image, image);
    batch.add(color_job(placed.in, placed.out), "copy " + text);
    std::vector<kernels::Lut> tables;
    Image expected = image.clone();
    for (int c = 0; c < image.channels(); ++c) {
      tables.push_back(kernels::lut_of([c](double x) { return 200 - (c + 1) * x / 3; }));
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          std::uint8_t& level = expected.row(y)[x * image.channels() + c];
          level = tables.back()[level];
        }
      }
    }
    placed = batch.place(image, expected);
    device::ColorJob job = color_job(placed.in, placed.out);
    change_by_tables(job, batch.device().upload(tables[0].data(), 256 * tables.size()));
    batch.add(job, "tables " + text);
  });
  batch.launch();
  batch.expect_images();
}

TEST(HistogramOnDevice, MakesTheTablesOfTheHost) {
  JobBatch<device::HistogramJob, device::launch_luts> batch;
  std::vector<device::ColorJob> maps;
  const auto add = [&](const Image& image, const Image& expected, device::LevelsFor what,
                       float factor, const std::string& text) {
    const Placed placed = batch.place(image, expected);
    device::HistogramJob job = histogram_job(placed.in, what, factor);
    const std::vector<std::uint32_t> zeros(device::kHistogram);
    job.counts = batch.device().upload(zeros.data(), zeros.size());
    job.tables = batch.device().allocate<std::uint8_t>(device::kLuts);
    batch.add(job, text);
    maps.push_back(color_job(placed.in, placed.out));
    change_by_tables(maps.back(), job.tables);
  };
  const auto add_all = [&](const Image& image, const std::string& text) {
    Image expected;
    kernels::equalize(image, expected);
    add(image, expected, device::LevelsFor::equalize, 1, "equalize " + text);
    kernels::autocontrast(image, expected);
    add(image, expected, device::LevelsFor::autocontrast, 1, "autocontrast " + text);
    for (const float factor : {0.f, 0.7f, 1.f, 2.9f}) {
      kernels::contrast(image, factor, expected);
      add(image, expected, device::LevelsFor::contrast, factor, "contrast " + text);
    }
  };
  for_images({1, 3, 4}, add_all);
  for (const int level : {0, 77, 255}) add_all(constant_image(40, 30, 3, level), "one level");
  Image two = constant_image(70, 90, 3, 12);
  two.row(5)[7] = 13;
  add_all(two, "two levels");
  batch.launch();
  launch_colors(batch.device().stream(), batch.device().upload(maps));
  batch.expect_images();
}

TEST(FillRectsOnDevice, CoversAsTheHostDoes) {
  JobBatch<device::FillRectsJob, device::launch_fill_rects> batch;
  const Fill fill(1, 20, 130, 255);
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    for (const Rectangle& region :
         {Rectangle{3, 5, 20, 11}, Rectangle{-4, -4, 6, 200}, Rectangle{-9, 0, 5, 5},
          Rectangle{0, 0, 0, 9}, Rectangle{2147483000, 1, 2147483000, 3}}) {
      kernels::erase(image, region, fill, expected);
      const Placed placed = batch.place(image, expected);
      device::FillRectsJob job = fill_rects_job(placed.in, placed.out, fill);
      fill_rectangle(job, region);
      batch.add(job, "erase " + text);
    }
    Random random({.seed = 3});
    const kernels::CoarseDropout params{
        .holes = 7, .height = 0.2f, .width = 0.3f, .normalized = true};
    std::vector<device::FillRect> holes;
    for (const Rectangle& hole :
         kernels::coarse_dropout_holes(random, image.height(), image.width(), params))
      holes.push_back({hole.y, hole.y + hole.height, hole.x, hole.x + hole.width});
    Random again({.seed = 3});
    kernels::coarse_dropout(again, image, params, fill, expected);
    const Placed in_holes = batch.place(image, expected);
    device::FillRectsJob dropout = fill_rects_job(in_holes.in, in_holes.out, fill);
    fill_rectangles(dropout, batch.device().upload(holes.data(), holes.size()), 7);
    batch.add(dropout, "holes " + text);
    for (const float degrees : {0.f, 33.f, -90.f, 1000.f}) {
      const kernels::GridMask mask{9, 0.4f, degrees, -3.5f, 7, fill};
      kernels::grid_mask(image, mask, expected);
      const Placed placed = batch.place(image, expected);
      device::FillRectsJob job = fill_rects_job(placed.in, placed.out, fill);
      fill_grid(job, mask);
      batch.add(job, "grid " + text);
    }
    for (const Border border : {Border::constant, Border::edge, Border::reflect}) {
      const kernels::Margins margins{70, 3, 1, 130};
      kernels::pad(image, margins, border, fill, expected);
      const Placed placed = batch.place(image, expected);
      device::FillRectsJob job = fill_rects_job(placed.in, placed.out, fill);
      fill_margins(job, margins.top, margins.left, border);
      batch.add(job, std::string("pad ") + name_of(border) + " " + text);
    }
  });
  batch.launch();
  batch.expect_images();
}

TEST(Filter2dOnDevice, FiltersAsTheHostDoes) {
  JobBatch<device::Filter2dJob, device::launch_filter_2d> batch;
  kernels::FilterWeights filter{7, 5, {}};
  for (std::size_t i = 0; i < 35; ++i) filter.weights[i] = 0.3f - 0.017f * static_cast<float>(i);
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    for (const float factor : {0.f, 0.55f, 1.f, 1.9f, 100.f}) {
      kernels::sharpness(image, factor, expected);
      const Placed placed = batch.place(image, expected);
      batch.add(sharpness_job(placed.in, placed.out, kernels::sharpness_factor(factor)),
                "sharpness " + text);
    }
    kernels::filter_2d(image, filter, expected);
    const Placed placed = batch.place(image, expected);
    batch.add(filter_job(placed.in, placed.out, filter), "filter " + text);
  });
  batch.launch();
  batch.expect_images();
}

TEST(BlurOnDevice, BlursAsTheHostDoes) {
  JobBatch<device::BlurJob, device::launch_blur> batch;
  const auto side = [&](int window, const kernels::WeightOf& weight_of) {
    kernels::WindowSide weights;
    weights.build(window, weight_of);
    const kernels::SideWeights view = weights.view();
    return device::BlurSide{
        batch.device().upload(view.weights, static_cast<std::size_t>(view.count)), view.count,
        view.bits};
  };
  const auto add = [&](const Image& image, const Image& expected, const device::BlurSide& down,
                       const device::BlurSide& across, const std::string& text) {
    const Placed placed = batch.place(image, expected);
    device::BlurJob job = blur_job(placed.in, placed.out);
    job.levels = batch.device().allocate<std::uint16_t>(levels_of(job));
    job.down = down;
    job.across = across;
    batch.add(job, text);
  };
  for_images({1, 2, 3, 4}, [&](const Image& image, const std::string& text) {
    Image expected;
    for (const int window : {1, 3, 21, 255}) {
      kernels::box_blur(image, window, expected);
      const device::BlurSide box = device::box_side(window);
      add(image, expected, box, box, "box " + text);
    }
    for (const float sigma : {0.3f, 2.f, 8.f}) {
      const kernels::GaussianBlurParams params{sigma, 3 * sigma, 0};
      kernels::gaussian_blur(image, params, expected);
      const kernels::GaussianWindows windows = kernels::gaussian_windows(params);
      add(image, expected, side(windows.down, windows.weight_down),
          side(windows.across, windows.weight_across), "gaussian " + text);
    }
  });
  batch.launch();
  batch.expect_images();
}

TEST(ImagesOnDevice, RefuseWhatCannotBe) {
  const auto in = [](int height, int width, int channels) {
    return ImageIn{nullptr, width * channels, height, width, channels};
  };
  const auto out = [](int height, int width, int channels) {
    return ImageOut{nullptr, height, width, channels};
  };
  EXPECT_THROW(device::color_job(in(3, 4, 3), out(4, 3, 3)), std::invalid_argument);
  EXPECT_THROW(device::color_job(in(3, 4, 5), out(3, 4, 5)), std::invalid_argument);
  EXPECT_THROW(device::color_job(in(0, 4, 3), out(0, 4, 3)), std::invalid_argument);
  device::ColorJob gray = device::color_job(in(3, 4, 1), out(3, 4, 1));
  device::ColorJob two = device::color_job(in(3, 4, 2), out(3, 4, 2));
  EXPECT_THROW(change_by_matrix(two, {}), std::invalid_argument);
  device::ColorJob fourth = device::color_job(in(3, 4, 3), out(3, 4, 4));
  EXPECT_THROW(change_by_matrix(fourth, {}), std::invalid_argument);
  EXPECT_THROW(change_by_hue(gray, 10), std::invalid_argument);
  EXPECT_THROW(device::histogram_job(in(3, 4, 2), device::LevelsFor::equalize),
               std::invalid_argument);
  EXPECT_THROW(device::fill_rects_job(in(3, 4, 3), out(3, 4, 1), 0), std::invalid_argument);
  EXPECT_THROW(device::blur_job(in(3, 4, 3), out(3, 5, 3)), std::invalid_argument);
  EXPECT_THROW(device::filter_job(in(3, 4, 3), out(3, 4, 3), {2, 3, {}}), std::invalid_argument);
  EXPECT_THROW(device::sharpness_job(in(3, 70000, 3), out(3, 70000, 3), {}), std::invalid_argument);
}

}  // namespace images_test
}  // namespace sluice::testing
