#include <sluice/cuda/kernels/geometry.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/warp.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/on_device.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {
namespace warp_test {

using Bytes = std::vector<std::uint8_t>;

class WarpBatch {
 public:
  void add(device::WarpJob job, const Image& image, Bytes expected, std::string text) {
    place_warp(job, device_.upload(image), image.row_stride(), device_.allocate(expected.size()));
    jobs_.push_back(job);
    expected_.push_back(std::move(expected));
    texts_.push_back(std::move(text));
  }
  void check() {
    launch_warp(device_.stream(), device_.upload(jobs_));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      ASSERT_EQ(device_.download(static_cast<const std::uint8_t*>(jobs_[i].out.data),
                                 expected_[i].size()),
                expected_[i])
          << texts_[i];
    }
  }

 private:
  OnDevice device_;
  std::vector<device::WarpJob> jobs_;
  std::vector<Bytes> expected_;
  std::vector<std::string> texts_;
};

TEST(WarpOnDevice, RotatesAsTheHostDoes) {
  const int sizes[][2] = {{1, 1}, {1, 40}, {33, 2}, {37, 53}, {48, 48}, {64, 31}};
  const float angles[] = {0,     90,    180,   270,    -90, 360,     30,      -30,       45,
                          1e-3f, 17.3f, 89.9f, 123.4f, 200, -359.5f, 271.25f, 1234567.0f};
  for (const bool keep_size : {false, true}) {
    for (const Interpolation interpolation : {Interpolation::nearest, Interpolation::bilinear}) {
      WarpBatch batch;
      for (const auto& size : sizes) {
        for (std::size_t i = 0; i < std::size(angles); ++i) {
          const int channels = 1 + static_cast<int>(i) % 4;
          const Border border = i % 3 == 0 ? Border::edge : Border::constant;
          const kernels::RotateOptions options{keep_size, Fill(1, 20, 130, 255), interpolation,
                                               border};
          const Image image = make_image(size[0], size[1], channels);
          Image expected;
          kernels::rotate(image, angles[i], options, expected);
          const device::WarpJob job =
              device::rotate_job(size[0], size[1], channels, angles[i], options);
          const std::string text = std::to_string(size[0]) + "x" + std::to_string(size[1]) +
                                   " by " + std::to_string(angles[i]);
          ASSERT_EQ(job.out.height, expected.height()) << text;
          ASSERT_EQ(job.out.width, expected.width()) << text;
          batch.add(job, image, bytes_of(expected), text);
        }
      }
      batch.check();
    }
  }
}

TEST(WarpOnDevice, AnyAngleGivesTheSameCanvas) {
  for (int i = 0; i < 3000; ++i) {
    const auto degrees = static_cast<float>(i * 0.731 - 700);
    const int height = 1 + i * 37 % 90, width = 1 + i * 53 % 110;
    Image out;
    kernels::rotate(make_image(height, width, 1), degrees, {}, out);
    const device::Rotation turn = device::rotation_of(height, width, degrees, false);
    ASSERT_EQ(turn.height, out.height()) << degrees;
    ASSERT_EQ(turn.width, out.width()) << degrees;
  }
}

TEST(WarpOnDevice, ShearsAsRowsOfTheHostDo) {
  const device::Affine maps[] = {{1, 0.3, -4, 0, 1, 0},
                                 {1, 0, 0, -0.45, 1, 9.25},
                                 {0.5, 0, 0, 0, 2, 0},
                                 {-1.25, 0.1, 60, 0.7, 0.9, -20},
                                 {1, 0, 100, 0, 1, 0}};
  WarpBatch batch;
  const Image image = make_image(41, 57, 3);
  for (const device::Affine& map : maps) {
    for (const Interpolation interpolation : {Interpolation::nearest, Interpolation::bilinear}) {
      Image expected(50, 60, 3);
      for (int y = 0; y < 50; ++y) {
        const kernels::WarpLine line{map.xx * 0.5 + map.xy * (y + 0.5) + map.x0,
                                     map.yx * 0.5 + map.yy * (y + 0.5) + map.y0, map.xx, map.yx};
        kernels::warp_row(image, line, {interpolation, Border::constant, 77}, 60, expected.row(y));
      }
      batch.add(device::warp_job(41, 57, map, interpolation, 77, device::pixels_out(50, 60, 3)),
                image, bytes_of(expected), std::to_string(map.xy));
    }
  }
  batch.check();
}

TEST(WarpOnDevice, NormalizesOnTheWay) {
  const kernels::NormalizeParams params{
      .mean = {0.485f, 0.456f, 0.406f}, .std = {0.229f, 0.224f, 0.225f, 1}, .dtype = DType::f16};
  const Image image = make_image(41, 57, 3);
  const kernels::RotateOptions options{true, 9, Interpolation::bilinear};
  Image turned;
  kernels::rotate(image, 25, options, turned);
  Tensor expected;
  kernels::crop_mirror_normalize(turned, {0, 0, 41, 57}, params, expected);
  device::WarpJob job = device::rotate_job(41, 57, 3, 25, options);
  job.out = device::normalized_out(41, 57, 3, params);
  WarpBatch batch;
  batch.add(job, image, bytes_of(expected), "f16");
  batch.check();
}

TEST(WarpOnDevice, RefusesWhatCannotBe) {
  EXPECT_THROW(device::rotate_job(0, 4, 3, 30, {}), std::invalid_argument);
  EXPECT_THROW(device::rotate_job(4, 4, 5, 30, {}), std::invalid_argument);
  EXPECT_THROW(device::rotate_job(4, 4, 3, std::numeric_limits<float>::quiet_NaN(), {}),
               std::invalid_argument);
  EXPECT_THROW(device::rotate_job(4, 4, 3, 30, {.interpolation = Interpolation::bicubic}),
               std::invalid_argument);
  EXPECT_THROW(device::rotate_job(65535, 65535, 3, 30, {}), std::invalid_argument);
}

}  // namespace warp_test
}  // namespace sluice::testing
