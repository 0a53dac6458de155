#include <sluice/cuda/kernels/geometry.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/on_device.h>
#include <tests/ops/kernels/normalizings.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {
namespace resize_test {

using kernels::Box;
using kernels::ResizeFilter;

const ResizeFilter kAll[] = {
    Interpolation::nearest,          Interpolation::box,
    Interpolation::bilinear,         Interpolation::hamming,
    Interpolation::bicubic,          Interpolation::lanczos,
    {Interpolation::box, false},     {Interpolation::bilinear, false},
    {Interpolation::hamming, false}, {Interpolation::bicubic, false},
    {Interpolation::lanczos, false},
};

std::string name_of(const ResizeFilter& filter) {
  return std::string(name_of(filter.interpolation)) + (filter.antialias ? "" : ", not antialiased");
}

bool has_sines(const ResizeFilter& filter) {
  return filter.interpolation == Interpolation::hamming ||
         filter.interpolation == Interpolation::lanczos;
}

// An image, and the requested result.
struct Case {
  int in_height, in_width, height, width;
  Box box = {};       // empty: all of it
  bool view = false;  // the image is a part of a larger one
};

const Case kCases[] = {
    {1, 1, 1, 1},
    {1, 1, 5, 7},
    {9, 7, 1, 1},
    {37, 53, 20, 41},
    {23, 31, 60, 77},
    {40, 64, 40, 32},  // one axis keeps its length
    {33, 48, 16, 48},
    {17, 33, 17, 33},
    {50, 41, 33, 70, {}, true},  // smaller along one axis, larger along the other
    {64, 64, 32, 32},
    {600, 9, 2, 5},  // windows longer than a thread block keeps
    {5, 700, 7, 3},
    {40, 60, 24, 24, {3.25, 7.5, 30.5, 41.25}},
    {40, 60, 50, 70, {0, 0.5, 39.75, 20}, true},
    {30, 30, 13, 29, {29, 29, 1, 1}},
    {30, 30, 30, 30, {0, 0, 29.5, 30}},
    {2, 3, 65, 40},
};

Box box_of(const Case& c) {
  return c.box.height > 0
             ? c.box
             : Box{0, 0, static_cast<double>(c.in_height), static_cast<double>(c.in_width)};
}

struct InputImage {
  Image whole, shown;
};
InputImage image_of(const Case& c, int channels) {
  InputImage image;
  const int edge = c.view ? 3 : 0;
  image.whole = make_image(c.in_height + 2 * edge, c.in_width + 2 * edge, channels,
                           static_cast<std::uint32_t>(c.in_width * channels));
  image.shown = image.whole.crop_view(edge, edge, c.in_height, c.in_width);
  return image;
}
const std::uint8_t* upload(OnDevice& device, const InputImage& image) {
  return device.upload(image.whole) + (image.shown.data() - image.whole.data());
}

std::string text_of(const Case& c, const ResizeFilter& filter, int channels, bool mirror) {
  return std::string(name_of(filter)) + " " + std::to_string(c.in_height) + "x" +
         std::to_string(c.in_width) + " -> " + std::to_string(c.height) + "x" +
         std::to_string(c.width) + ", " + std::to_string(channels) + " channels" +
         (mirror ? ", mirrored" : "");
}

// One launch for images of many sizes, and their expected results.
class ResizeBatch {
 public:
  OnDevice& device() { return device_; }
  void add(const InputImage& image, const Box& box, const ResizeFilter& filter, bool mirror,
           const device::PixelsOut& out, std::vector<std::uint8_t> expected, std::string text) {
    device::ResizeJob job =
        device::resize_job(image.shown.height(), image.shown.width(), box, filter, mirror, out);
    place_resize(job, upload(device_, image), image.shown.row_stride(),
                 device_.allocate(expected.size()), device_.allocate(device::resize_scratch(job)));
    jobs_.push_back(job);
    expected_.push_back(std::move(expected));
    texts_.push_back(std::move(text));
  }
  void check() {
    launch_resize(device_.stream(), device_.upload(jobs_));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const auto got = device_.download(static_cast<const std::uint8_t*>(jobs_[i].out.data),
                                        expected_[i].size());
      if (device_.same_sines() || !has_sines(jobs_[i].filter)) {
        ASSERT_EQ(got, expected_[i]) << texts_[i];
      } else if (jobs_[i].out.dtype == DType::u8) {
        for (std::size_t k = 0; k < got.size(); ++k)
          ASSERT_LE(std::abs(got[k] - expected_[i][k]), 1) << texts_[i];
      }
    }
  }

 private:
  OnDevice device_;
  std::vector<device::ResizeJob> jobs_;
  std::vector<std::vector<std::uint8_t>> expected_;
  std::vector<std::string> texts_;
};

TEST(ResizeOnDevice, IsThatOfTheHost) {
  for (const ResizeFilter& filter : kAll) {
    ResizeBatch batch;
    for (const Case& c : kCases) {
      for (int channels = 1; channels <= 4; ++channels) {
        const bool mirror = channels % 2 == 0;
        const InputImage image = image_of(c, channels);
        Image expected, flipped;
        kernels::resize(image.shown, box_of(c), c.height, c.width, filter, expected);
        kernels::flip(expected, mirror, false, flipped);
        batch.add(image, box_of(c), filter, mirror, device::pixels_out(c.height, c.width, channels),
                  bytes_of(flipped), text_of(c, filter, channels, mirror));
      }
    }
    batch.check();
  }
}

TEST(ResizeOnDevice, NormalizesAsTheHostDoes) {
  const Case cases[] = {{37, 53, 20, 41}, {23, 31, 60, 77}, {1, 1, 3, 3}, {17, 33, 17, 33}};
  for (const ResizeFilter& filter : kAll) {
    ResizeBatch batch;
    for (const Case& c : cases) {
      for (int variant = 0; variant < 4 * kNormalizings; ++variant) {
        const int channels = 1 + variant % 4;
        const kernels::NormalizeParams params = test_normalizing(variant / 4, channels);
        const bool mirror = params.mirror;
        const InputImage image = image_of(c, channels);
        Tensor expected;
        kernels::resize_mirror_normalize(image.shown, c.height, c.width, filter, params, expected);
        batch.add(image, box_of(c), filter, mirror,
                  device::normalized_out(c.height, c.width, channels, params), bytes_of(expected),
                  text_of(c, filter, channels, mirror));
      }
    }
    batch.check();
  }
}

TEST(ResizeOnDevice, ChangesLevelsOnTheWay) {
  ResizeBatch batch;
  const Case c{37, 53, 20, 41};
  const InputImage image = image_of(c, 3);
  Image small, expected;
  kernels::resize(image.shown, c.height, c.width, Interpolation::bilinear, small);
  kernels::brightness_contrast(small, 1.3f, 0.7f, 100.0f, expected);
  device::PixelsOut out = device::pixels_out(c.height, c.width, 3);
  const auto table = kernels::brightness_contrast_table(1.3f, 0.7f, 100.0f);
  out.lut = batch.device().upload(table.data(), table.size());
  batch.add(image, box_of(c), Interpolation::bilinear, false, out, bytes_of(expected), "levels");
  batch.check();
}

// Compares weights as numbers: images would hide small differences.
TEST(ResizeOnDevice, TablesAreThoseOfTheHost) {
  const struct {
    int in_length;
    double start, length;
    int out_length;
  } axes[] = {{1, 0, 1, 1},        {1, 0, 1, 9},        {9, 0, 9, 1},       {500, 0, 500, 224},
              {375, 0, 375, 224},  {100, 0, 100, 1000}, {777, 0, 777, 776}, {64, 0, 64, 16},
              {64, 3.3, 41.7, 20}, {64, 63.5, 0.5, 3},  {64, 0.25, 0.5, 7}, {3000, 0, 3000, 7},
              {60, 7.5, 1.0, 1},   {40, 39.9, 0.05, 70}};
  for (const ResizeFilter& filter : kAll) {
    if (filter.interpolation == Interpolation::nearest) continue;
    OnDevice device;
    std::vector<device::ResizeJob> jobs;
    for (const auto& axis : axes) {
      for (const bool mirror : {false, true}) {
        device::ResizeJob job =
            device::resize_job(1, axis.in_length, {0, axis.start, 1, axis.length}, filter, mirror,
                               device::pixels_out(1, axis.out_length, 1));
        const std::vector<std::uint8_t> black(static_cast<std::size_t>(axis.in_length));
        place_resize(job, device.upload(black.data(), black.size()), axis.in_length,
                     device.allocate(static_cast<std::size_t>(axis.out_length)),
                     device.allocate(device::resize_scratch(job)));
        jobs.push_back(job);
      }
    }
    launch_resize(device.stream(), device.upload(jobs));
    for (const device::ResizeJob& job : jobs) {
      const device::ResizeAxis& axis = job.columns;
      kernels::ResizeTable table;
      table.build(axis.in_length, {axis.start, axis.length}, axis.out_length, filter, axis.reversed,
                  1);
      const int shift = device.download(axis.shift, 1)[0];
      ASSERT_EQ(shift, table.shift());
      const auto length = static_cast<std::size_t>(axis.out_length);
      const auto windows = device.download(axis.windows, length);
      const auto weights = device.download(axis.weights, axis.weight_count());
      for (int i = 0; i < axis.out_length; ++i) {
        const device::ResizeWindow& window = windows[static_cast<std::size_t>(i)];
        ASSERT_EQ(window.start, table.start(i));
        ASSERT_EQ(window.count, table.count(i));
        for (int k = 0; k < window.count; ++k) {
          const std::size_t at = static_cast<std::size_t>(k) * length + static_cast<std::size_t>(i);
          ASSERT_LE(std::abs(weights[at] - table.weights(i)[k]),
                    device.same_sines() || !has_sines(filter) ? 0 : 1);
        }
      }
    }
  }
}

TEST(ResizeOnDevice, RefusesWhatCannotBe) {
  const device::PixelsOut out = device::pixels_out(4, 4, 3);
  for (const Box& box : {Box{0, 0, 0, 4}, Box{-1, 0, 4, 4}, Box{0, 0, 9, 8.5}})
    EXPECT_THROW(device::resize_job(9, 8, box, Interpolation::box, false, out),
                 std::invalid_argument);
  EXPECT_THROW(device::resize_job(0, 8, {0, 0, 1, 1}, Interpolation::box, false, out),
               std::invalid_argument);
  EXPECT_THROW(device::pixels_out(0, 4, 3), std::invalid_argument);
  EXPECT_THROW(device::pixels_out(4, 65536, 3), std::invalid_argument);
  EXPECT_THROW(device::pixels_out(4, 4, 5), std::invalid_argument);
  EXPECT_THROW(device::pixels_out(4, 4, 3, DType::i32), std::invalid_argument);
  EXPECT_THROW(device::pixels_out(4, 4, 3, DType::u8, Layout::none), std::invalid_argument);
  EXPECT_THROW(device::normalized_out(4, 4, 3, {.std = {1, 1, 0, 1}}), std::invalid_argument);
}

TEST(ResizeOnDevice, NothingIsLaunchedForNothing) {
  OnDevice device;
  launch_resize(device.stream(), device.upload(std::vector<device::ResizeJob>()));
}

}  // namespace resize_test
}  // namespace sluice::testing
