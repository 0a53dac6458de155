// Pixels that the device makes of JPEG files, against the decoder of the host.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/corpus.h"
#include "tests/io/decode_outcome.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/runtime/random.h>

#include <cstdio>
#include <deque>

namespace sluice::device {
namespace {

struct Tally {
  int files = 0, pictures = 0, refused = 0;
  std::uint64_t whole_bytes = 0, region_bytes = 0;
};

struct Wanted {
  int wide = 5;     // regions of any size
  int narrow = 15;  // and small ones
  std::uint32_t grain = 16;
  JpegOptions options = {};
};

// Decodes the whole picture and some regions of it in one batch, and compares each.
class ExactDecode {
 public:
  explicit ExactDecode(std::shared_ptr<Device> device = test_device())
      : device_(std::move(device)) {}

  void compare(const File& file, const Wanted& wanted, const std::string& name) {
    const std::optional<JpegIndexEntry> entry = learnt(file, wanted.grain);
    if (!entry) return;
    const JpegHeader header = peek_jpeg(file);
    JpegOptions options = wanted.options;
    options.entropy = kLibrary;
    Image whole;
    decode_jpeg_image(file, options, whole);
    std::vector<Rectangle> regions{{0, 0, whole.height(), whole.width()}};
    for (int i = 0; i < wanted.wide + wanted.narrow; ++i)
      regions.push_back(any_region(random_, whole.height(), whole.width(), i >= wanted.wide));

    std::vector<DeviceWork> work;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (plans_.size() <= i) plans_.emplace_back();
      const auto region = i == 0 ? std::optional<Rectangle>() : regions[i];
      if (!plans_[i].make(file, header, &*entry, region, options)) {
        EXPECT_EQ(i, 0u) << name << ": " << plans_[i].refusal();
        ++tally.refused;
        return;
      }
      work.push_back({&plans_[i], file});
      EXPECT_LE(plans_[i].bytes(), plans_[0].bytes()) << name;
      tally.region_bytes += i == 0 ? 0 : plans_[i].bytes();
    }
    const auto pictures = decode_on(*device_, work, batch_, 5);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const Rectangle& r = regions[i];
      EXPECT_FALSE(pictures[i].damaged) << name;
      EXPECT_EQ(difference(pictures[i].image, whole, r), "")
          << name << ", " << r.height << " x " << r.width << " at (" << r.y << ", " << r.x
          << "), of " << whole.height() << " x " << whole.width() << ", grain " << wanted.grain;
    }
    ++tally.files;
    tally.pictures += static_cast<int>(regions.size());
    tally.whole_bytes += plans_[0].bytes() * (regions.size() - 1);
  }

  Tally tally;

 private:
  std::shared_ptr<Device> device_;
  JpegBatch batch_;
  std::deque<JpegPlan> plans_;
  Random random_{{.seed = 5}};
};

TEST(JpegOnDevice, SmallPicturesOfAllSizesAreExact) {
  // Many batches, for which streams of the stand-in would be slow.
  ExactDecode decode(std::make_unique<HeapDevice>());
  for (const Sampling& sampling : kSamplings) {
    for (int height = 1; height <= 37; height += height < 4 ? 1 : 5) {
      for (int width = 1; width <= 41; width += width < 7 ? 1 : 4) {
        const File file = encode_test_jpeg(sampling, height, width, 80, 0, 3, false);
        decode.compare(file, {.wide = 4, .narrow = 4},
                       std::string(sampling.name) + ", " + std::to_string(height) + " x " +
                           std::to_string(width));
      }
    }
  }
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_GT(decode.tally.files, 500);
}

TEST(JpegOnDevice, AllKindsAreExact) {
  ExactDecode decode;
  int seed = 0;
  for (const Sampling& sampling : kSamplings) {
    for (const int restart : {0, 1, 5, 7, 100}) {
      for (const std::uint32_t grain : {0u, 1u, 3u, 16u}) {
        for (const int quality : {100, 60}) {
          ++seed;
          const File file =
              turned(encode_test_jpeg(sampling, 70 + seed % 50, 90 + seed % 37, quality, restart,
                                      static_cast<std::uint64_t>(seed), seed % 2 == 0),
                     1 + seed % 8);
          Wanted wanted{.wide = 3, .narrow = 2, .grain = grain};
          wanted.options.color = seed % 5 == 0 ? ColorSpace::gray : ColorSpace::rgb;
          wanted.options.apply_orientation = seed % 7 != 0;
          decode.compare(file, wanted,
                         std::string(sampling.name) + ", restart " + std::to_string(restart) +
                             ", orientation " + std::to_string(1 + seed % 8));
        }
      }
    }
  }
  EXPECT_EQ(decode.tally.files, 200);
  EXPECT_EQ(decode.tally.refused, 0);
}

// Coefficients of any size, as no encoder makes them: the inverse DCT overflows as the library's.
TEST(JpegOnDevice, WildQuantisersAreExact) {
  ExactDecode decode;
  Random random({.seed = 9});
  for (int i = 0; i < 30; ++i) {
    File file = encode_test_jpeg(kSamplings[i % 5], 64, 64, i % 3 == 0 ? 100 : 50, 0, 4, false);
    for (const auto& segment : segments_of(file)) {
      if (segment.marker != 0xdb) continue;
      for (std::size_t k = 0; k < 64; ++k)
        file[segment.begin + 5 + k] = static_cast<std::uint8_t>(1 + random.below(255));
    }
    decode.compare(file, {.wide = 2, .narrow = 2}, "wild " + std::to_string(i));
  }
  EXPECT_EQ(decode.tally.files, 30);
}

using JpegFilesOnDevice = JpegCorpus;

void tell(const Tally& tally) {
  std::printf("%d files, %d pictures, %d files refused; %.3f of the bytes for regions\n",
              tally.files, tally.pictures, tally.refused,
              static_cast<double>(tally.region_bytes) /
                  static_cast<double>(std::max<std::uint64_t>(tally.whole_bytes, 1)));
}

TEST_F(JpegFilesOnDevice, SomePhotographsAreExact) {
  ExactDecode decode;
  const std::vector<File> files = photos();
  // The stand-in takes half a minute for all.
  for (std::size_t i = 0; i < files.size(); i += on_gpu() ? 1 : 8)
    decode.compare(files[i], {.grain = 16u >> i % 3}, "photograph " + std::to_string(i));
  tell(decode.tally);
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_LT(decode.tally.region_bytes, decode.tally.whole_bytes / 2);
}

// Whatever the index can learn of good and odd files.
TEST_F(JpegFilesOnDevice, TheCorpusIsExact) {
  ExactDecode decode(std::make_unique<HeapDevice>());
  for (const char* kind : {"good", "odd"}) {
    const std::vector<Entry> entries = entries_of(kind);
    for (const Entry& entry : entries) {
      if (std::stol("0" + entry.at("bytes")) > 60000) continue;
      decode.compare(read(entry), {.wide = 1, .narrow = 2}, entry.at("path"));
    }
  }
  tell(decode.tally);
  EXPECT_GT(decode.tally.files, 100);
}

}  // namespace
}  // namespace sluice::device
