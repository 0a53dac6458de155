// JPEG engines through nvJPEG, with the library that replaces it.
#include "plain_device.h"
#include <sluice/cuda/jpeg/nvjpeg.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::app {
namespace nvjpeg_engines_test {

using device::NvjpegEngines;

std::vector<std::pair<int, bool>> current;  // devices that were made current, and released

std::shared_ptr<void> make_current(int device) {
  current.emplace_back(device, true);
  return {nullptr, [device](void*) { current.emplace_back(device, false); }};
}

class NvjpegEnginesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fake_ = FakeNvjpeg();
    current.clear();
    for (int i = 0; i < 6; ++i) {
      Image image(20 + i, 30 - i, 3);
      for (int y = 0; y < image.height(); ++y)
        std::fill_n(image.row(y), image.row_bytes(), static_cast<std::uint8_t>(100 + 10 * i));
      files_.push_back(encode_jpeg(image));
      pixels_.emplace_back(image.row_bytes() * static_cast<std::size_t>(image.height()));
      work_.push_back({files_.back(), pixels_.back().data(),
                       static_cast<std::ptrdiff_t>(image.row_bytes()), image.height(),
                       image.width()});
    }
    engines_ =
        std::make_unique<NvjpegEngines>(device::open_nvjpeg(SLUICE_FAKE_NVJPEG), 1, make_current);
  }
  void TearDown() override {
    engines_.reset();
    EXPECT_EQ(fake_.objects, 0);
    EXPECT_EQ(fake_.reused, 0);
    EXPECT_EQ(fake_.not_ready, 0);
    int depth = 0;
    for (const auto& [device, begins] : current) {
      EXPECT_EQ(device, 1);
      depth += begins ? 1 : -1;
    }
    EXPECT_EQ(depth, 0);
  }
  // Starts so many files and waits for them.
  bool decode(JpegEngines::Batch& batch, std::size_t count) {
    for (auto& pixels : pixels_) std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
    const bool taken = batch.start(std::span(work_).first(count));
    batch.abandon();
    return taken;
  }

  FakeNvjpeg& fake_ = fake_of_library();
  PlainDevice device_{fake_, 1};
  std::vector<Bytes> files_;
  std::vector<std::vector<std::uint8_t>> pixels_;
  std::vector<JpegEngines::File> work_;
  std::unique_ptr<NvjpegEngines> engines_;
};

TEST_F(NvjpegEnginesTest, DecodeBatchesOfEachSize) {
  EXPECT_EQ(engines_->name(), "7 JPEG engines, nvJPEG 99.1.2");
  const auto batch = engines_->make_batch(device_);
  for (const std::size_t count : {6u, 1u, 6u, 2u}) {
    EXPECT_TRUE(decode(*batch, count));
    for (std::size_t i = 0; i < pixels_.size(); ++i)
      EXPECT_EQ(pixels_[i].front(), i < count ? 100 + 10 * i : 0) << i << " of " << count;
  }
  EXPECT_EQ(fake_.files, 15);
}

TEST_F(NvjpegEnginesTest, RefuseABatchAndTakeTheNext) {
  const auto batch = engines_->make_batch(device_);
  EXPECT_TRUE(decode(*batch, 4));
  fake_.refused_width = 28;  // of the third one
  EXPECT_FALSE(decode(*batch, 4));
  EXPECT_TRUE(decode(*batch, 2));
  fake_.refused_width = 0;
  EXPECT_TRUE(decode(*batch, 4));
}

TEST_F(NvjpegEnginesTest, KeepStatesForTheNextBatch) {
  const int before = fake_.objects;
  for (int i = 0; i < 3; ++i) {
    const auto one = engines_->make_batch(device_), other = engines_->make_batch(device_);
    EXPECT_TRUE(decode(*one, 2));
    EXPECT_TRUE(decode(*other, 3));
  }
  EXPECT_EQ(fake_.objects, before + 2);
}

TEST_F(NvjpegEnginesTest, GetNoMoreFilesWhereNoStateCanBeMade) {
  fake_.refuses_states = true;
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(engines_->has_room()) << i;
    try {
      (void)engines_->make_batch(device_);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& e) {
      EXPECT_STREQ(e.what(), "nvJPEG: making a decoder's state: EXECUTION_FAILED (6)");
    }
  }
  EXPECT_FALSE(engines_->has_room());
}

TEST_F(NvjpegEnginesTest, TakeFilesAgainAfterAStateThatCouldNotBeMade) {
  fake_.refuses_states = true;
  EXPECT_THROW((void)engines_->make_batch(device_), Error);
  fake_.refuses_states = false;
  EXPECT_TRUE(decode(*engines_->make_batch(device_), 2));
  fake_.refuses_states = true;
  const auto kept = engines_->make_batch(device_);  // the one from before
  for (int i = 0; i < 7; ++i) EXPECT_THROW((void)engines_->make_batch(device_), Error);
  EXPECT_TRUE(engines_->has_room());  // the count has begun anew
}

TEST_F(NvjpegEnginesTest, TakeFilesByTheirHeaders) {
  EXPECT_TRUE(engines_->takes(files_[0]));
  const Bytes nothing = Bytes::copy_of(std::vector<std::uint8_t>{1, 2, 3});
  EXPECT_FALSE(engines_->takes(nothing));
}

TEST_F(NvjpegEnginesTest, AreNotThereOnAGpuWithoutThem) {
  fake_.refused_backends = 1u << 3;
  try {
    (void)NvjpegEngines(device::open_nvjpeg(SLUICE_FAKE_NVJPEG), 1, make_current);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "nvJPEG: the GPU's JPEG engines: ARCH_MISMATCH (7)");
  }
}

}  // namespace nvjpeg_engines_test
}  // namespace sluice::app
