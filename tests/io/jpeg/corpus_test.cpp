// Real files, see corpus.h.
#include "tests/io/corpus.h"

#include "tests/io/decode_outcome.h"
#include "tests/io/sha256.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sluice {
namespace corpus_test {

// Returns the hash of djpeg -pnm's output for the image.
std::string pnm_hash(const Image& image) {
  std::ostringstream header;
  header << (image.channels() == 3 ? "P6\n" : "P5\n") << image.width() << ' ' << image.height()
         << "\n255\n";
  const std::string text = header.str();
  Sha256 hash;
  hash.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  for (int y = 0; y < image.height(); ++y) hash.update({image.row(y), image.row_bytes()});
  return hash.finish();
}

// The reference decoder's options: no turning, gray files gray, damaged images kept.
JpegOptions reference_options(const Entry& entry) {
  JpegOptions options;
  options.apply_orientation = false;
  options.damage = DamagePolicy::tolerant;
  if (entry.at("components") == "1") options.color = ColorSpace::gray;
  return options;
}

// The message of the error, or an empty string if the file decodes.
std::string reason_to_refuse(const File& file, const JpegOptions& options) {
  Image image;
  try {
    decode_jpeg_image(file, options, image);
  } catch (const JpegError& error) {
    EXPECT_TRUE(image.empty());
    EXPECT_STRNE(error.what(), "");
    return error.what();
  }
  return {};
}

// Regions of many kinds: corners, single pixels, edges, the middle.
void check_regions(const File& file, JpegOptions options, std::uint64_t seed, int count) {
  Image whole;
  decode_jpeg_image(file, options, whole);
  Random random({.seed = seed});
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<unsigned>(n)));
  };
  Image part;
  for (int i = 0; i < count; ++i) {
    Rectangle w;
    w.height = 1 + below(whole.height());
    w.width = 1 + below(whole.width());
    if (i % 4 == 1) w.height = 1 + below(std::min(whole.height(), 9));
    if (i % 4 == 2) w.width = 1 + below(std::min(whole.width(), 9));
    w.y = below(whole.height() - w.height + 1);
    w.x = below(whole.width() - w.width + 1);
    options.verify = i % 5 == 4;
    decode_jpeg_region(file, w, options, part);
    ASSERT_TRUE(part == whole.crop_view(w.y, w.x, w.height, w.width))
        << w.height << " x " << w.width << " at (" << w.y << ", " << w.x << ") of "
        << whole.height() << " x " << whole.width();
  }
}

TEST(Sha256, KnownAnswer) {
  Sha256 hash;
  const std::uint8_t text[] = {'a', 'b', 'c'};
  hash.update(text);
  EXPECT_EQ(hash.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(JpegCorpus, GoodAndOddFilesDecodeToTheReferencePixels) {
  int decoded = 0;
  Image image;
  for (const char* kind : {"good", "odd"}) {
    for (const Entry& entry : entries_of(kind)) {
      if (entry.at("djpeg_exit") != "0") continue;
      SCOPED_TRACE(entry.at("path"));
      const File file = read(entry);
      try {
        decode_jpeg_image(file, reference_options(entry), image);
        EXPECT_EQ(pnm_hash(image), entry.at("ppm_sha256"));
        ++decoded;
      } catch (const JpegError& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
  EXPECT_GT(decoded, 700 / part());
}

TEST_F(JpegCorpus, GoodFilesPassTheStrictPolicy) {
  for (const Entry& entry : entries_of("good")) {
    EXPECT_EQ(reason_to_refuse(read(entry), {}), "") << entry.at("path");
  }
}

TEST_F(JpegCorpus, GrayFilesBecomeRgbByRepetition) {
  int checked = 0;
  Image gray;
  Image rgb;
  for (const Entry& entry : entries_of("good")) {
    if (entry.at("components") != "1" || ++checked > 20) continue;
    const File file = read(entry);
    JpegOptions options = reference_options(entry);
    decode_jpeg_image(file, options, gray);
    options.color = ColorSpace::rgb;
    decode_jpeg_image(file, options, rgb);
    ASSERT_EQ(rgb.channels(), 3);
    for (int y = 0; y < gray.height(); ++y) {
      for (int x = 0; x < gray.width(); ++x) {
        for (int c = 0; c < 3; ++c) ASSERT_EQ(rgb.at(y, x, c), gray.at(y, x, 0));
      }
    }
  }
  EXPECT_GT(checked, 0);
}

TEST_F(JpegCorpus, HeadersAgreeWithTheManifest) {
  for (const char* kind : {"good", "odd"}) {
    for (const Entry& entry : entries_of(kind)) {
      if (entry.at("djpeg_exit") != "0") continue;
      SCOPED_TRACE(entry.at("path"));
      const JpegHeader header = peek_jpeg(read(entry));
      if (entry.at("width").empty()) continue;  // the manifest's own parser gave up
      EXPECT_EQ(std::to_string(header.width), entry.at("width"));
      EXPECT_EQ(std::to_string(header.height), entry.at("height"));
      EXPECT_EQ(std::to_string(header.components), entry.at("components"));
      EXPECT_EQ(header.progressive ? "1" : "0", entry.at("progressive"));
      EXPECT_EQ(header.arithmetic ? "1" : "0", entry.at("arithmetic"));
      // The manifest also notes values that are no orientation, or not written as one.
      const std::string& noted = entry.at("exif_orientation");
      const bool valid = noted.size() == 1 && noted >= "1" && noted <= "8";
      if (entry.at("orient_note").empty()) {
        EXPECT_EQ(std::to_string(header.orientation), valid ? noted : "1");
      }
    }
  }
}

TEST_F(JpegCorpus, UnusualNumbersOfComponentsAreRefusedByName) {
  const auto entries = entries_of("odd/not-1-3-4-components");
  EXPECT_FALSE(entries.empty());
  for (const Entry& entry : entries) {
    JpegOptions options = reference_options(entry);
    options.max_output_bytes = std::int64_t{1} << 40;
    EXPECT_NE(reason_to_refuse(read(entry), options).find("components"), std::string::npos)
        << entry.at("path");
  }
}

TEST_F(JpegCorpus, FilesForLaterLibrariesDecodeOrAreRefused) {
  for (const Entry& entry : entries_of("odd/needs-ljt3")) {
    EXPECT_NE(reason_to_refuse(read(entry), reference_options(entry)), "") << entry.at("path");
  }
}

TEST_F(JpegCorpus, RejectedFilesEndInAReason) {
  for (const Entry& entry : entries_of("bad/reject")) {
    EXPECT_NE(reason_to_refuse(read(entry), reference_options(entry)), "") << entry.at("path");
  }
}

TEST_F(JpegCorpus, BombsAreRefusedBeforeTheyCostMemory) {
  const auto kilobytes = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = kilobytes();
  for (const Entry& entry : entries_of("bad/limit")) {
    JpegOptions options;
    options.damage = DamagePolicy::tolerant;
    options.max_output_bytes = std::int64_t{1} << 28;
    EXPECT_NE(reason_to_refuse(read(entry), options), "") << entry.at("path");
  }
  // The thread and memory sanitizers keep bytes of their own for each byte that is touched.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_MEMORY__)
  EXPECT_LT(kilobytes() - before, 256 * 1024);
#else
  (void)before;
#endif
}

TEST_F(JpegCorpus, DefaultLimitsRefuseAllBombsButThePlainLargeImage) {
  for (const Entry& entry : entries_of("bad/limit")) {
    // A sound image of 144 megapixels, 432 MB of pixels: below the default limit.
    if (entry.at("path").find("real-flat-12000x12000") != std::string::npos) continue;
    EXPECT_NE(reason_to_refuse(read(entry), reference_options(entry)), "") << entry.at("path");
  }
}

TEST_F(JpegCorpus, DamagedFilesFollowThePolicy) {
  // Kinds of warnings that are no damage; the manifest names the first of a file.
  const auto may_be_harmless = [](const Entry& entry) {
    const std::string& text = entry.at("djpeg_stderr1");
    return text.starts_with("Invalid SOS parameters") || text.starts_with("Unknown Adobe") ||
           text.starts_with("Warning: unknown JFIF") ||
           text.find("extraneous") != std::string::npos;
  };
  Image image;
  int refused = 0;
  for (const Entry& entry : entries_of("bad/warn")) {
    SCOPED_TRACE(entry.at("path"));
    const File file = read(entry);
    const bool countable = entry.at("components") == "1" || entry.at("components") == "3" ||
                           entry.at("components") == "4";
    JpegOptions options = reference_options(entry);
    options.max_scans = 1000;
    bool damaged = true;
    try {
      const JpegReport report = decode_jpeg_image(file, options, image);
      EXPECT_EQ(report.damaged, !report.warning.empty());
      damaged = report.damaged;
      if (kSamePixelsOfDamage && !entry.at("ppm_sha256").empty()) {
        EXPECT_EQ(pnm_hash(image), entry.at("ppm_sha256"));
      }
    } catch (const JpegError& error) {
      EXPECT_FALSE(countable) << error.what();
    }
    if (!may_be_harmless(entry)) {
      EXPECT_TRUE(damaged);
    }
    options.damage = DamagePolicy::strict;
    const std::string reason = reason_to_refuse(file, options);
    EXPECT_EQ(reason.empty(), !damaged) << reason;
    refused += reason.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 100 / part());
}

TEST_F(JpegCorpus, RegionsOfTheCorpusEqualCuts) {
  std::uint64_t seed = 0;
  for (const char* kind : {"good", "odd"}) {
    for (const Entry& entry : entries_of(kind)) {
      if (entry.at("djpeg_exit") != "0") continue;
      SCOPED_TRACE(entry.at("path"));
      const File file = read(entry);
      JpegOptions options = reference_options(entry);
      options.apply_orientation = true;
      const JpegHeader header = peek_jpeg(file);
      const bool large = std::int64_t{header.width} * header.height > 1'000'000;
      check_regions(file, options, ++seed, large ? 2 : 6);
    }
  }
}

TEST_F(JpegCorpus, RegionsOfPhotosEqualCuts) {
  const std::vector<File> files = photos();
  ASSERT_FALSE(files.empty());
  for (std::size_t i = 0; i < files.size(); ++i) {
    SCOPED_TRACE(i);
    check_regions(files[i], {}, 1000 + i, 6);
  }
}

}  // namespace corpus_test
}  // namespace sluice
