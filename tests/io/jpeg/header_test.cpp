#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace header_test {

using File = std::vector<std::uint8_t>;

std::string reason(const File& file) {
  try {
    static_cast<void>(peek_jpeg(file));
  } catch (const JpegError& error) {
    return error.what();
  }
  return "no error";
}

File file_of(const JpegEncodeOptions& options) {
  const Bytes bytes = encode_jpeg(draw_image(19, 27, 3), options);
  return {bytes.begin(), bytes.end()};
}

TEST(JpegHeader, SaysWhatElseAFileIs) {
  struct Case {
    std::string start;
    const char* says;
  };
  const Case cases[] = {
      {"", "it is empty"},
      {"\xff", "starts with ff"},
      {"\x89PNG\r\n\x1a\n", "starts with 89 50 4e 47 (PNG); decode_image decodes it"},
      {"GIF89a....", "(GIF); decode_image decodes it"},
      {"RIFF....WEBPVP8 ", "(WebP); decode_image decodes it"},
      {"....ftypavif", "HEIF"},
      {"II*.", "(TIFF)"},
      {"<!DOCTYPE html>", "(HTML or XML text)"},
      {"hello", "starts with 68 65 6c 6c"},
  };
  for (const Case& c : cases) {
    const std::string what = reason(File(c.start.begin(), c.start.end()));
    EXPECT_NE(what.find("not a JPEG file"), std::string::npos) << what;
    EXPECT_NE(what.find(c.says), std::string::npos) << what;
  }
}

// A file that is cut before the scan is an error. A later cut does not change the answer. Each
// prefix lies in memory of exactly its length, so that reading past its end is noticed.
TEST(JpegHeader, CutFilesAreToldFromWholeHeaders) {
  const File whole = file_of({.orientation = 5});
  const std::uint8_t scan[] = {0xff, 0xda};
  const auto header_end =
      std::search(whole.begin(), whole.end(), std::begin(scan), std::end(scan)) - whole.begin() + 2;
  for (std::ptrdiff_t size = 0; size < std::ssize(whole); ++size) {
    const File cut(whole.begin(), whole.begin() + size);
    if (size < header_end) {
      EXPECT_NE(reason(cut), "no error") << size;
    } else {
      const JpegHeader header = peek_jpeg(cut);
      EXPECT_EQ(header.width, 27);
      EXPECT_EQ(header.height, 19);
      EXPECT_EQ(header.orientation, 5);
      EXPECT_EQ(peek_jpeg_orientation(cut), 5);
    }
  }
}

TEST(JpegHeader, BrokenHeadersHaveReasons) {
  struct Case {
    File file;
    const char* says;
  };
  const Case cases[] = {
      {{0xff, 0xd8, 0xff, 0xd9}, "tables only"},
      {{0xff, 0xd8, 0xff, 0xd8}, "second start-of-image"},
      {{0xff, 0xd8, 0xff, 0xda, 0, 2}, "before the frame"},
      {{0xff, 0xd8, 0xff, 0xc0, 0, 4, 8, 0}, "too short"},
      {{0xff, 0xd8, 0xff, 0xdb, 0, 1, 0, 0}, "cut off or damaged"},
      {{0xff, 0xd8, 0xff, 0xe1, 0xff, 0xff, 0}, "cut off or damaged"},
      {{0xff, 0xd8, 0, 0, 0, 0}, "cut off or damaged"},
      {{0xff, 0xd8, 0xff, 0xff, 0xff, 0xff}, "cut off or damaged"},
      {{0xff, 0xd8, 0xff, 0xc0, 0, 8, 8, 0, 0, 0, 9, 1}, "9 x 0 pixels"},
  };
  for (const Case& c : cases) {
    EXPECT_NE(reason(c.file).find(c.says), std::string::npos) << reason(c.file) << " / " << c.says;
    EXPECT_EQ(peek_jpeg_orientation(c.file), 1);
  }
}

TEST(JpegHeader, SkipsFillBytesStrayBytesAndMarkersWithoutSegments) {
  const File plain = file_of({.orientation = 8});
  const File between{0xff, 0xff, 0xff, 0xd3, 0xff, 0x01, 0x12, 0xff, 0x00, 0x34, 0xff};
  File file(plain.begin(), plain.begin() + 2);
  file.insert(file.end(), between.begin(), between.end());
  file.insert(file.end(), plain.begin() + 2, plain.end());
  EXPECT_EQ(peek_jpeg(file).width, 27);
  EXPECT_EQ(peek_jpeg(file).orientation, 8);
}

// A file that the decoder accepts has a header with the size of its image. Returns whether the
// decoder accepts it.
bool agrees_with_the_decoder(const File& file) {
  Image image;
  try {
    decode_jpeg_image(file, {.apply_orientation = false, .damage = DamagePolicy::tolerant}, image);
  } catch (const JpegError&) {
    return false;
  }
  EXPECT_EQ(reason(file), "no error");
  const JpegHeader header = peek_jpeg(file);
  EXPECT_EQ(header.width, image.width());
  EXPECT_EQ(header.height, image.height());
  return true;
}

TEST(JpegHeader, EveryCutAgreesWithTheTolerantDecoder) {
  const JpegEncodeOptions kinds[] = {{},
                                     {.subsampling = Subsampling::s444},
                                     {.progressive = true},
                                     {.orientation = 6},
                                     {.optimize = true, .restart_rows = 1}};
  for (const JpegEncodeOptions& kind : kinds) {
    for (const int channels : {1, 3}) {
      const Bytes whole = encode_jpeg(draw_image(19, 27, channels), kind);
      const std::uint8_t scan[] = {0xff, 0xda};
      const auto header = std::search(whole.begin(), whole.end(), std::begin(scan), std::end(scan));
      const auto data = header + 2 + 6 + 2 * channels;
      int in_header = 0;
      for (const std::uint8_t* end = whole.begin(); end <= whole.end(); ++end) {
        const bool decodes = agrees_with_the_decoder(File(whole.begin(), end));
        if (end <= header) {
          EXPECT_FALSE(decodes) << end - whole.begin();
        } else if (end < data) {
          in_header += decodes ? 1 : 0;
        }
      }
      EXPECT_EQ(in_header > 0, !kind.progressive);
    }
  }
}

// A segment of every kind that libjpeg knows, with impossible lengths.
TEST(JpegHeader, ImpossibleLengthsAgreeWithTheTolerantDecoder) {
  const File plain = file_of({});
  int decoded = 0;
  for (int marker = 0xc0; marker <= 0xfe; ++marker) {
    for (std::uint8_t length = 0; length < 4; ++length) {
      SCOPED_TRACE(::testing::Message() << "marker " << marker << ", length " << int{length});
      File file(plain.begin(), plain.begin() + 2);
      file.insert(file.end(), {0xff, static_cast<std::uint8_t>(marker), 0, length});
      file.insert(file.end(), plain.begin() + 2, plain.end());
      decoded += agrees_with_the_decoder(file) ? 1 : 0;
    }
  }
  EXPECT_GT(decoded, 4 * 18);  // APP0 to APP15, comments and DNL
}

TEST(JpegHeader, EveryMutantAgreesWithTheTolerantDecoder) {
  Random random({.seed = 11});
  for (const bool progressive : {false, true}) {
    const File whole = file_of({.progressive = progressive, .orientation = 3});
    int decoded = 0;
    for (int i = 0; i < 5000; ++i) {
      File file = whole;
      for (std::uint32_t k = random.below(3) + 1; k > 0; --k)
        file[2 + random.below(600)] = static_cast<std::uint8_t>(random.below(256));
      decoded += agrees_with_the_decoder(file) ? 1 : 0;
    }
    EXPECT_GT(decoded, 500);
  }
}

TEST(JpegHeader, AnyBytesEndInAnAnswer) {
  const File whole = file_of({.progressive = true, .orientation = 3});
  Random random({.seed = 9});
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    File file = whole;
    for (int k = 0; k < 4; ++k) {
      file[2 + random.below(400)] = static_cast<std::uint8_t>(random.below(256));
    }
    refused += reason(file) == "no error" ? 0 : 1;
    const int orientation = peek_jpeg_orientation(file);
    ASSERT_TRUE(orientation >= 1 && orientation <= 8);
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 20000);
}

}  // namespace header_test
}  // namespace sluice
