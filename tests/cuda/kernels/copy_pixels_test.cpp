#include <sluice/cuda/kernels/geometry.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/on_device.h>
#include <tests/ops/kernels/normalizings.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {
namespace copy_pixels_test {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array<float, 4> kMean{0.485f, 0.456f, 0.406f, 0.1f};
constexpr std::array<float, 4> kStd{0.229f, 0.224f, 0.225f, 0.9f};

// One launch for jobs of all kinds, and their expected results.
class CopyPixelsBatch {
 public:
  OnDevice& device() { return device_; }
  void add(device::CopyPixelsJob job, const void* in, Bytes expected, std::string text) {
    // Bytes that are not written stay as they are.
    place_pixels(job, in, device_.upload(Bytes(expected.size(), 0xEE).data(), expected.size()));
    jobs_.push_back(job);
    expected_.push_back(std::move(expected));
    texts_.push_back(std::move(text));
  }
  void check() {
    launch_copy_pixels(device_.stream(), device_.upload(jobs_));
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      ASSERT_EQ(device_.download(static_cast<const std::uint8_t*>(jobs_[i].out.data),
                                 expected_[i].size()),
                expected_[i])
          << texts_[i];
    }
  }

 private:
  OnDevice device_;
  std::vector<device::CopyPixelsJob> jobs_;
  std::vector<Bytes> expected_;
  std::vector<std::string> texts_;
};

template <class T>
Bytes bytes_of_numbers(const std::vector<T>& numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

constexpr Rectangle kSizes[] = {{0, 0, 1, 1},   {0, 0, 1, 50},  {0, 0, 61, 1},
                                {0, 0, 37, 53}, {0, 0, 32, 32}, {0, 0, 64, 48}};

TEST(CopyPixelsOnDevice, MovesThemAsTheHostDoes) {
  CopyPixelsBatch batch;
  for (const Rectangle& size : kSizes) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image image = make_image(size.height, size.width, channels);
      const std::uint8_t* in = batch.device().upload(image);
      const device::PixelsIn pixels = device::hwc_pixels(channels, image.row_stride());
      const device::PixelsOut same = device::pixels_out(size.height, size.width, channels);
      const device::PixelsOut turned = device::pixels_out(size.width, size.height, channels);
      Image expected;
      const auto add = [&](const device::PixelsIn& from, const device::PixelsOut& out,
                           const char* what) {
        batch.add(device::copy_pixels_job(from, out), in, bytes_of(expected),
                  std::string(what) + " " + std::to_string(size.height) + "x" +
                      std::to_string(size.width) + "x" + std::to_string(channels));
      };
      kernels::flip(image, false, false, expected);
      add(pixels, same, "copy");
      kernels::flip(image, true, false, expected);
      add(mirrored(pixels, size.width), same, "mirror");
      kernels::flip(image, false, true, expected);
      add(upside_down(pixels, size.height), same, "upside down");
      kernels::flip(image, true, true, expected);
      add(upside_down(mirrored(pixels, size.width), size.height), same, "half a turn");
      kernels::rotate(image, 90, {}, expected);
      add(turned_left(pixels, size.width), turned, "left");
      kernels::rotate(image, 270, {}, expected);
      add(turned_right(pixels, size.height), turned, "right");
      const Rectangle part{size.height / 3, size.width / 4, size.height / 2 + 1,
                           size.width / 2 + 1};
      kernels::crop(image, part, expected);
      add(cropped(pixels, part), device::pixels_out(part.height, part.width, channels), "crop");
      const auto table = kernels::brightness_contrast_table(0.7f, 2.0f, 128);
      kernels::brightness_contrast(image, 0.7f, 2.0f, 128, expected);
      device::PixelsOut mapped = same;
      mapped.lut = batch.device().upload(table.data(), table.size());
      add(pixels, mapped, "table");
    }
  }
  batch.check();
}

TEST(CopyPixelsOnDevice, NormalizesAsTheHostDoes) {
  CopyPixelsBatch batch;
  for (const Rectangle& size : kSizes) {
    for (int variant = 0; variant < 4 * kNormalizings; ++variant) {
      const int channels = 1 + variant % 4;
      const kernels::NormalizeParams params = test_normalizing(variant / 4, channels);
      const Image image = make_image(size.height, size.width, channels);
      const Rectangle part{size.height / 4, size.width / 3, size.height / 2 + 1,
                           size.width / 2 + 1};
      Tensor expected;
      kernels::crop_mirror_normalize(image, part, params, expected);
      device::PixelsIn in = cropped(device::hwc_pixels(channels, image.row_stride()), part);
      if (params.mirror) in = device::mirrored(in, part.width);
      const device::PixelsOut out =
          device::normalized_out(part.height, part.width, channels, params);
      batch.add(device::copy_pixels_job(in, out), batch.device().upload(image), bytes_of(expected),
                std::to_string(variant));
    }
  }
  batch.check();
}

// All pixel values, through a lookup table, to numbers.
TEST(CopyPixelsOnDevice, NormalizesEveryLevelAfterATable) {
  CopyPixelsBatch batch;
  Image all(16, 16, 1), changed;
  for (int i = 0; i < 256; ++i) all.data()[i] = static_cast<std::uint8_t>(i);
  for (const float brightness : {0.0f, 0.3f, 1.0f, 1.7f, 300.0f}) {
    kernels::brightness_contrast(all, brightness, 1.1f, 120.0f, changed);
    Tensor expected;
    const kernels::NormalizeParams params{
        .mean = {kMean[0]}, .std = {kStd[0]}, .dtype = DType::f16};
    kernels::crop_mirror_normalize(changed, {0, 0, 16, 16}, params, expected);
    device::PixelsOut out = device::normalized_out(16, 16, 1, params);
    const auto table = kernels::brightness_contrast_table(brightness, 1.1f, 120.0f);
    out.lut = batch.device().upload(table.data(), table.size());
    batch.add(device::copy_pixels_job(device::hwc_pixels(1, 16), out), batch.device().upload(all),
              bytes_of(expected), std::to_string(brightness));
  }
  batch.check();
}

TEST(CopyPixelsOnDevice, CastsAsHalfAndRoundingSay) {
  std::vector<float> numbers = {0,      -0.0f,   0.5f,    1.5f,     2.5f,   254.5f,   255,
                                255.4f, 256,     -1,      1e30f,    -1e30f, 65504.0f, 65519.0f,
                                65520,  6e-8f,   2.9e-8f, 1e-40f,   0.1f,   -0.3f,    1.0009765f,
                                3e-5f,  6.1e-5f, 127.49f, 127.501f, 1,      2,        1e-7f};
  numbers.push_back(std::numeric_limits<float>::infinity());
  for (int i = 0; i < 2000; ++i)
    numbers.push_back(std::ldexp(1.0f + static_cast<float>(i) * 0.001f, i % 40 - 26));
  std::vector<std::uint16_t> halves;
  std::vector<float> of_halves;
  Bytes levels, levels_of_halves;
  std::vector<float> of_levels;
  std::vector<std::uint16_t> halves_of_levels;
  for (const float number : numbers) {
    const Half half(number);
    halves.push_back(half.bits);
    of_halves.push_back(static_cast<float>(half));
    const auto level = [](float x) {
      return static_cast<std::uint8_t>(std::nearbyint(std::clamp(x, 0.0f, 255.0f)));
    };
    levels.push_back(level(number));
    levels_of_halves.push_back(level(of_halves.back()));
    of_levels.push_back(levels.back());
    halves_of_levels.push_back(Half(of_levels.back()).bits);
  }
  CopyPixelsBatch batch;
  const void* const in[] = {batch.device().upload(numbers.data(), numbers.size()),
                            batch.device().upload(halves.data(), halves.size()),
                            batch.device().upload(levels.data(), levels.size())};
  const DType types[] = {DType::f32, DType::f16, DType::u8};
  const Bytes expected[3][3] = {
      {bytes_of_numbers(numbers), bytes_of_numbers(halves), levels},
      {bytes_of_numbers(of_halves), bytes_of_numbers(halves), levels_of_halves},
      {bytes_of_numbers(of_levels), bytes_of_numbers(halves_of_levels), levels}};
  const int width = static_cast<int>(numbers.size());
  for (std::size_t from = 0; from < 3; ++from) {
    for (std::size_t to = 0; to < 3; ++to) {
      batch.add(device::copy_pixels_job(device::hwc_pixels(1, width, types[from]),
                                        device::pixels_out(1, width, 1, types[to])),
                in[from], expected[from][to],
                std::string(name_of(types[from])) + " to " + name_of(types[to]));
    }
  }
  batch.check();
}

TEST(CopyPixelsOnDevice, ExchangesLayouts) {
  CopyPixelsBatch batch;
  for (std::size_t channels = 1; channels <= 4; ++channels) {
    const int height = 19, width = 45, each = static_cast<int>(channels);
    const std::size_t pixels = std::size_t{19} * 45, all = pixels * channels;
    std::vector<float> hwc, chw(all);
    for (std::size_t i = 0; i < all; ++i) {
      hwc.push_back(static_cast<float>(i) * 0.37f);
      chw[i % channels * pixels + i / channels] = hwc.back();
    }
    batch.add(
        device::copy_pixels_job(device::hwc_pixels(each, width * each, DType::f32),
                                device::pixels_out(height, width, each, DType::f32, Layout::chw)),
        batch.device().upload(hwc.data(), hwc.size()), bytes_of_numbers(chw), "to planes");
    batch.add(
        device::copy_pixels_job(device::chw_pixels(height, width, DType::f32),
                                device::pixels_out(height, width, each, DType::f32, Layout::hwc)),
        batch.device().upload(chw.data(), chw.size()), bytes_of_numbers(hwc), "to pixels");
  }
  batch.check();
}

TEST(CopyPixelsOnDevice, CopiesRowsAndLeavesWhatIsBetween) {
  const struct {
    int rows, bytes, in_stride, out_stride;
  } cases[] = {{1, 1, 1, 1}, {7, 13, 20, 16}, {7, 13, 13, 13}, {3, 5000, 5001, 5003}};
  CopyPixelsBatch batch;
  for (const auto& c : cases) {
    Bytes in(static_cast<std::size_t>((c.rows - 1) * c.in_stride + c.bytes));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 7 % 251);
    Bytes expected(static_cast<std::size_t>((c.rows - 1) * c.out_stride + c.bytes), 0xEE);
    for (int row = 0; row < c.rows; ++row)
      std::copy_n(in.begin() + row * c.in_stride, c.bytes, expected.begin() + row * c.out_stride);
    batch.add(device::copy_job(c.rows, c.bytes, c.in_stride, c.out_stride),
              batch.device().upload(in.data(), in.size()), expected, std::to_string(c.bytes));
  }
  batch.check();
}

TEST(CopyPixelsOnDevice, RefusesWhatCannotBe) {
  device::PixelsOut out = device::pixels_out(4, 4, 3);
  EXPECT_THROW(device::copy_pixels_job(device::hwc_pixels(3, 12, DType::i32), out),
               std::invalid_argument);
  const kernels::Lut table = kernels::same_levels();
  out.lut = table.data();
  EXPECT_THROW(device::copy_pixels_job(device::hwc_pixels(3, 12, DType::f32), out),
               std::invalid_argument);
  EXPECT_THROW(device::copy_job(0, 1, 1, 1), std::invalid_argument);
}

TEST(Tiles, AreFoundWhereverTheyBelong) {
  const std::int32_t first[] = {0, 0, 3, 3, 3, 4, 9, 9};
  const int expected[] = {1, 1, 1, 4, 5, 5, 5, 5, 5};
  for (int tile = 0; tile < 9; ++tile)
    EXPECT_EQ(device::job_of_tile(first, 7, tile), expected[tile]);
}

TEST(Tiles, ABlockRefusesMoreThanItHolds) {
  alignas(256) std::byte memory[4096];
  device::CopyPixelsJob job = device::copy_job(1, 1, 1, 1);
  device::JobBlock<device::CopyPixelsJob> block(memory, 2);
  job.tiles = INT32_MAX;
  block.add(job);
  EXPECT_THROW(block.add(job), std::invalid_argument);
  job.tiles = 0;
  block.add(job);
  EXPECT_THROW(block.add(job), std::invalid_argument);
  EXPECT_EQ(block.on_device(memory).count, 2);
  EXPECT_EQ(block.on_device(memory).tiles, INT32_MAX);
}

}  // namespace copy_pixels_test
}  // namespace sluice::testing
