// Pixels of JPEG files that the device decodes, against the decoder of the host.
#include "tests/cuda/jpeg/exact_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/corpus.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdio>

namespace sluice::device {
namespace exact_test {

TEST(JpegOnDevice, SmallImagesOfAllSizesAreExact) {
  // Many batches, which would be slow with streams of the stand-in.
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
  EXPECT_GT(decode.tally.fetched, decode.tally.images / 4);
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

// Coefficients of any size, beyond those of encoders: the inverse DCT overflows like the library's.
TEST(JpegOnDevice, WildQuantizersAreExact) {
  if (!kSamePixelsOfDamage)
    GTEST_SKIP() << "libjpeg-turbo has other pixels for such coefficients here: see docs/jpeg.md";
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
  std::printf("%d files, %d images, %d files refused; %.3f of the bytes for regions\n", tally.files,
              tally.images, tally.refused,
              static_cast<double>(tally.region_bytes) /
                  static_cast<double>(std::max<std::uint64_t>(tally.whole_bytes, 1)));
}

TEST_F(JpegFilesOnDevice, SomePhotographsAreExact) {
  ExactDecode decode;
  const std::vector<File> files = photos();
  // On the stand-in, all cases take half a minute.
  for (std::size_t i = 0; i < files.size(); i += on_gpu() ? 1 : 8)
    decode.compare(files[i], {.grain = 16u >> i % 3}, "photograph " + std::to_string(i));
  tell(decode.tally);
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_LT(decode.tally.region_bytes, decode.tally.whole_bytes / 2);
}

// Everything that the index can learn from good and odd files.
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

}  // namespace exact_test
}  // namespace sluice::device
