// Images with gaps between their rows, for one launch of a kernel, and the expected results. The
// bytes around the results must stay as they are.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/on_device.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {

using device::ImageIn;
using device::ImageOut;

// An input image on a device, cut out of a larger one, and the output image.
struct Placed {
  ImageIn in;
  ImageOut out;
};

// Jobs of one kind, and their expected results.
template <class Job, void (*kLaunch)(DeviceStream&, const device::Batch<Job>&)>
class JobBatch {
 public:
  OnDevice& device() { return device_; }
  // Adds another input image.
  ImageIn place(const Image& image) {
    Image larger = make_image(image.height() + 2, image.width() + 5, image.channels(), 99);
    const std::ptrdiff_t first = larger.row_stride() + 3 * image.channels();
    for (int y = 0; y < image.height(); ++y) {
      std::memcpy(larger.data() + first + y * larger.row_stride(), image.row(y), image.row_bytes());
    }
    return {device_.upload(larger) + first, larger.row_stride(), image.height(), image.width(),
            image.channels()};
  }
  Placed place(const Image& image, const Image& expected) {
    expected_.push_back(bytes_of(expected));
    std::vector<std::uint8_t> unwritten(expected_.back().size() + 2 * kAround, kUnwritten);
    outputs_.push_back(device_.upload(unwritten.data(), unwritten.size()));
    return {place(image),
            {outputs_.back() + kAround, expected.height(), expected.width(), expected.channels()}};
  }
  void add(const Job& job, std::string text) {
    jobs_.push_back(job);
    texts_.push_back(std::move(text));
  }
  const std::vector<Job>& jobs() const { return jobs_; }
  void launch() { kLaunch(device_.stream(), device_.upload(jobs_)); }
  void expect_images() {
    ASSERT_EQ(jobs_.size(), outputs_.size());
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      std::vector<std::uint8_t> all =
          device_.download(outputs_[i], expected_[i].size() + 2 * kAround);
      std::vector<std::uint8_t> expected(all.size(), kUnwritten);
      std::copy(expected_[i].begin(), expected_[i].end(), expected.begin() + kAround);
      ASSERT_EQ(all, expected) << texts_[i];
    }
  }

 private:
  static constexpr std::uint8_t kUnwritten = 0xEE;
  static constexpr int kAround = 16;
  OnDevice device_;
  std::vector<Job> jobs_;
  std::vector<std::uint8_t*> outputs_;
  std::vector<std::vector<std::uint8_t>> expected_;
  std::vector<std::string> texts_;
};

// Calls f(image, text) for images of many sizes.
inline void for_images(std::initializer_list<int> channels,
                       const std::function<void(const Image&, const std::string&)>& f) {
  const int sizes[][2] = {{1, 1}, {1, 70}, {61, 1}, {2, 2}, {37, 53}, {32, 32}, {103, 97}};
  for (const auto& size : sizes) {
    for (const int n : channels) {
      f(make_image(size[0], size[1], n),
        std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(n));
    }
  }
}

}  // namespace sluice::testing
