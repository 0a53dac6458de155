// Decodes JPEG files and regions of them on a device, and compares each with the host's decoder.
#pragma once

#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/runtime/random.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::device {

struct Tally {
  int files = 0, images = 0, refused = 0, fetched = 0;
  std::uint64_t whole_bytes = 0, region_bytes = 0;
};

struct Wanted {
  int wide = 5;     // regions of any size
  int narrow = 15;  // and small ones
  std::uint32_t grain = 16;
  JpegOptions options = {};
  std::uint32_t subsequence = 0;  // bytes; the index does not know the file then
  // The device gets the packed JPEG with this dictionary; no index is used then.
  const File* dictionary = nullptr;
};

// Decodes the whole image and some regions of it in one batch, and compares each.
class ExactDecode {
 public:
  explicit ExactDecode(std::shared_ptr<Device> device = test_device())
      : device_(std::move(device)) {}

  void compare(const File& original, const Wanted& wanted, const std::string& name) {
    std::optional<JpegIndexEntry> entry;
    File file = original;
    if (wanted.dictionary != nullptr) {
      const auto coefficients = JpegCoefficients::read(original);
      if (!coefficients) return;
      file = pack_jpeg(*coefficients, *wanted.dictionary);
    } else if (wanted.subsequence == 0 && !(entry = learnt(file, wanted.grain))) {
      return;
    }
    const JpegHeader header = peek_jpeg(file);
    JpegOptions options = wanted.options;
    options.entropy = kLibrary;
    Image whole;
    decode_jpeg_image(original, options, whole);
    std::vector<Rectangle> regions{{0, 0, whole.height(), whole.width()}};
    for (int i = 0; i < wanted.wide + wanted.narrow; ++i)
      regions.push_back(any_region(random_, whole.height(), whole.width(), i >= wanted.wide));

    // The device fetches every other one; the host copies the rest.
    BufferPool pinned(device_->pinned());
    const BufferPoolScope scope(pinned);
    const Bytes there = Bytes::copy_of(file);
    std::vector<DeviceWork> work;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (plans_.size() <= i) plans_.emplace_back();
      const auto region = i == 0 ? std::optional<Rectangle>() : regions[i];
      if (wanted.subsequence > 0) plans_[i].set_subsequence_bytes(wanted.subsequence);
      if (!plans_[i].make(file, header, entry ? &*entry : nullptr, region, options)) {
        EXPECT_EQ(i, 0u) << name << ": " << plans_[i].refusal();
        ++tally.refused;
        return;
      }
      const bool fetched =
          (i + static_cast<std::size_t>(tally.files)) % 2 == 0 && plans_[i].fetch(there, *device_);
      tally.fetched += fetched ? 1 : 0;
      work.push_back({&plans_[i], fetched ? std::span<const std::uint8_t>(there) : file});
      EXPECT_LE(plans_[i].bytes(), plans_[0].bytes()) << name;
      tally.region_bytes += i == 0 ? 0 : plans_[i].bytes();
    }
    const auto images = decode_on(*device_, work, batch_, 5);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const Rectangle& r = regions[i];
      EXPECT_FALSE(images[i].damaged)
          << name << ", subsequences of " << wanted.subsequence << " bytes";
      EXPECT_EQ(difference(images[i].image, whole, r), "")
          << name << ", " << r.height << " x " << r.width << " at (" << r.y << ", " << r.x
          << "), of " << whole.height() << " x " << whole.width() << ", grain " << wanted.grain
          << ", subsequences of " << wanted.subsequence << " bytes";
    }
    ++tally.files;
    tally.images += static_cast<int>(regions.size());
    tally.whole_bytes += plans_[0].bytes() * (regions.size() - 1);
  }

  Tally tally;

 private:
  std::shared_ptr<Device> device_;
  JpegBatch batch_;
  std::deque<JpegPlan> plans_;
  Random random_{{.seed = 5}};
};

}  // namespace sluice::device
