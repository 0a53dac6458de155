// Files written by these tests decode to their original. Damaged ones are an error, or still the
// same image.
#include "tests/io/images.h"
#include "tests/io/images/gif_writer.h"
#include "tests/io/images/png_writer.h"
#include "tests/tried.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/runtime/random.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_image_test {

using Level = std::function<unsigned(int y, int x, int c)>;

// The image of `webp_level`, 7 x 5 and with an alpha channel, from libwebp's encoder.
constexpr std::string_view kWebp(
    "\x52\x49\x46\x46\x36\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x29\x00\x00\x00"
    "\x2f\x06\x00\x01\x00\x89\x32\x44\xf4\x3f\x16\xe5\x8f\xe8\x7f\x40\x21\xdb\x08\xd0"
    "\x70\xce\x9f\xf1\x45\x18\x0f\x05\x69\x1b\xb0\xb0\xdd\x89\x09\x00\xc4\xca\x71\x7b"
    "\x02\x00",
    62);
constexpr std::string_view kWebpWithAlpha(
    "\x52\x49\x46\x46\x36\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x2a\x00\x00\x00"
    "\x2f\x06\x00\x01\x10\x89\x32\x44\xf4\x3f\x16\xe5\x8f\xe8\x7f\x40\x21\xdb\x08\xd0"
    "\x70\xce\x9f\xf1\x45\x18\x0f\x05\x69\x1b\xb0\xb0\xdd\x19\xf6\x09\x00\x48\x2b\x87"
    "\xb3\x27",
    62);
// 16 x 16 pixels of one gray, with losses.
constexpr std::string_view kLossyWebp(
    "\x52\x49\x46\x46\x26\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x20\x1a\x00\x00\x00"
    "\x30\x01\x00\x9d\x01\x2a\x10\x00\x10\x00\x00\x80\x08\x25\xa4\x00\x03\x70\x00\xfe"
    "\xfe\x7e\x08\x00\x00\x00",
    46);
unsigned webp_level(int y, int x, int c) {
  return static_cast<unsigned>(c == 0 ? x * 30 : c == 1 ? y * 40 : x * y * 5);
}

std::span<const std::uint8_t> bytes_of(std::string_view file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Image decoded(std::string_view file, const ImageOptions& options = {}) {
  Image out;
  decode_image_file(bytes_of(file), options, out);
  return out;
}

std::string error_of(std::string_view file, const ImageOptions& options = {}) {
  Image out = filled(2, 2, 3, 1);
  try {
    decode_image_file(bytes_of(file), options, out);
  } catch (const Error& error) {
    EXPECT_TRUE(out.empty());
    return error.what();
  }
  return "no error";
}

unsigned luma(unsigned red, unsigned green, unsigned blue) {
  return static_cast<unsigned>(std::lround(0.299 * red + 0.587 * green + 0.114 * blue));
}

struct Example {
  std::string name;
  ImageFormat format;
  std::string file;
  int height;
  int width;
  bool gray;    // of the file itself
  Level level;  // of the decoded image
};

unsigned random_level(int y, int x, int c) {
  return (static_cast<unsigned>(y) * 7919U + static_cast<unsigned>(x) * 104729U +
          static_cast<unsigned>(c) * 1299709U) *
             2654435761U >>
         16;
}

Example png(int bits, int color, bool interlaced, int height, int width) {
  PngImage image{
      .width = width, .height = height, .bits = bits, .color = color, .interlaced = interlaced};
  const unsigned most = (1U << bits) - 1;
  image.level = [most](int y, int x, int c) { return random_level(y, x, c) & most; };
  const auto palette = [](unsigned index, int c) {
    return random_level(7, static_cast<int>(index), c) & 255;
  };
  if (color == 3) {
    std::string colors;
    for (unsigned i = 0; i <= most; ++i) {
      for (int c = 0; c < 3; ++c) colors += static_cast<char>(palette(i, c));
    }
    image.before_data = png_chunk("PLTE", colors) + png_chunk("tRNS", std::string(1, '\x10'));
  }
  const bool gray = color == 0 || color == 4;
  Example example{"png of " + std::to_string(bits) + " bits, kind " + std::to_string(color) +
                      (interlaced ? ", interlaced" : ""),
                  ImageFormat::png,
                  png_file(image),
                  height,
                  width,
                  gray,
                  {}};
  example.level = [=, level = image.level](int y, int x, int c) {
    if (color == 3) return palette(level(y, x, 0), c);
    const unsigned value = level(y, x, gray ? 0 : c);
    return bits == 16 ? value >> 8 : value * 255 / most;
  };
  return example;
}

Example gif(const char* name, GifImage image) {
  image.index = [](int y, int x) { return random_level(y, x, 0) & 127; };
  Example example{name, ImageFormat::gif, gif_file(image), image.height, image.width, false, {}};
  example.level = [image](int y, int x, int c) {
    const int height = image.frame_height > 0 ? image.frame_height : image.height;
    const int width = image.frame_width > 0 ? image.frame_width : image.width;
    y -= image.top;
    x -= image.left;
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return gif_level(inside ? image.index(y, x) : static_cast<unsigned>(image.background),
                     static_cast<unsigned>(c));
  };
  return example;
}

std::vector<Example> examples() {
  std::vector<Example> all;
  constexpr int kKinds[][2] = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {8, 2}, {16, 2}, {1, 3},
                               {2, 3}, {4, 3}, {8, 3}, {8, 4}, {16, 4}, {8, 6}, {16, 6}};
  for (const auto& [bits, color] : kKinds) {
    for (const bool interlaced : {false, true}) all.push_back(png(bits, color, interlaced, 11, 13));
  }
  all.push_back(png(8, 2, false, 1, 1));
  all.push_back(png(8, 2, true, 1, 1));
  all.push_back(gif("gif", {.width = 13, .height = 11}));
  all.push_back(gif("gif, interlaced", {.width = 13, .height = 11, .interlaced = true}));
  all.push_back(gif("gif, small frame", {.width = 13,
                                         .height = 11,
                                         .left = 2,
                                         .top = 3,
                                         .frame_width = 5,
                                         .frame_height = 7,
                                         .background = 5}));
  all.push_back({"webp", ImageFormat::webp, std::string(kWebp), 5, 7, false, webp_level});
  all.push_back(
      {"webp, alpha", ImageFormat::webp, std::string(kWebpWithAlpha), 5, 7, false, webp_level});
  std::erase_if(all, [](const Example& example) { return !can_decode(example.format); });
  return all;
}

TEST(DecodeImage, AllKindsGiveThePixelsThatWereWritten) {
  for (const Example& example : examples()) {
    EXPECT_EQ(image_format(bytes_of(example.file)), example.format);
    const ImageSize size = peek_image(bytes_of(example.file));
    EXPECT_EQ(size.height, example.height) << example.name;
    EXPECT_EQ(size.width, example.width) << example.name;
    const Image rgb = decoded(example.file);
    const Image gray = decoded(example.file, {.color = ColorSpace::gray});
    ASSERT_EQ(rgb.height(), example.height) << example.name;
    ASSERT_EQ(rgb.width(), example.width) << example.name;
    ASSERT_EQ(rgb.channels(), 3);
    ASSERT_EQ(gray.channels(), 1);
    for (int y = 0; y < example.height; ++y) {
      for (int x = 0; x < example.width; ++x) {
        const auto& level = example.level;
        for (int c = 0; c < 3; ++c)
          ASSERT_EQ(rgb.at(y, x, c), level(y, x, c))
              << example.name << " " << y << " " << x << " " << c;
        const unsigned wanted =
            example.gray ? level(y, x, 0) : luma(level(y, x, 0), level(y, x, 1), level(y, x, 2));
        ASSERT_NEAR(gray.at(y, x, 0), wanted, example.gray ? 0 : 1) << example.name;
      }
    }
  }
}

// A file with a palette of so many colors.
std::string palette_png(int bits, bool interlaced, unsigned colors,
                        const std::function<unsigned(int y, int x, int c)>& index) {
  std::string palette;
  for (unsigned i = 0; i < 3 * colors; ++i) palette += static_cast<char>(random_level(1, 2, 0) + i);
  return png_file(
      {.width = 13,
       .height = 11,
       .bits = bits,
       .color = 3,
       .interlaced = interlaced,
       .level = index,
       .before_data = png_chunk("PLTE", palette) + png_chunk("tRNS", std::string(2, '\x10'))});
}

void expect_ids(const std::string& file, const std::function<unsigned(int y, int x)>& id,
                const std::string& name) {
  for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
    const Image ids = decoded(file, {.color = color, .ids = true});
    ASSERT_EQ(ids.channels(), 1) << name;
    for (int y = 0; y < ids.height(); ++y)
      for (int x = 0; x < ids.width(); ++x)
        ASSERT_EQ(ids.row(y)[x], id(y, x)) << name << " " << y << " " << x;
  }
  Image part;
  decode_image_region(bytes_of(file), {2, 3, 4, 5}, {.ids = true}, part);
  ASSERT_EQ(part.channels(), 1) << name;
  EXPECT_EQ(part.row(3)[4], id(5, 7)) << name;
}

TEST(DecodeImage, AMaskIsItsIds) {
  for (const bool interlaced : {false, true}) {
    for (const int bits : {1, 2, 4, 8}) {
      const unsigned most = (1U << bits) - 1;
      const auto index = [most](int y, int x, int) { return random_level(y, x, 0) & most; };
      const std::string name = std::to_string(bits) + (interlaced ? " interlaced" : "");
      if (can_decode(ImageFormat::png)) {
        // Ids may be beyond the palette: some programs cut it to the classes that have a name.
        for (const unsigned colors : {most + 1, most / 2 + 1}) {
          expect_ids(
              palette_png(bits, interlaced, colors, index),
              [&](int y, int x) { return index(y, x, 0); }, name);
        }
        const Example gray = png(bits, 0, interlaced, 11, 13);
        expect_ids(
            gray.file, [&](int y, int x) { return gray.level(y, x, 0); }, gray.name);
      }
    }
    if (can_decode(ImageFormat::gif)) {
      GifImage image{.width = 9,
                     .height = 8,
                     .left = 2,
                     .top = 1,
                     .frame_width = 6,
                     .frame_height = 7,
                     .interlaced = interlaced,
                     .background = 5};
      image.index = [](int y, int x) { return random_level(y, x, 0) & 127; };
      expect_ids(
          gif_file(image),
          [&](int y, int x) {
            const bool inside = y >= 1 && x >= 2 && x < 8;
            return inside ? image.index(y - 1, x - 2) : 5U;
          },
          "gif");
    }
  }
}

TEST(DecodeImage, AMaskOf16BitsHasItsIdsOrIsRefused) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP();
  for (const int color : {0, 4}) {
    for (const unsigned most : {255U, 256U, 1000U}) {
      const std::string file =
          png_file({.width = 13,
                    .height = 11,
                    .bits = 16,
                    .color = color,
                    .level = [most](int y, int x, int c) {
                      return c > 0 ? 777U : y == 10 && x == 12 ? most : 200U + (x & 1U);
                    }});
      if (most > 255) {
        EXPECT_EQ(error_of(file, {.ids = true}),
                  "a mask of 16 bits has the id " + std::to_string(most) + "; ids go to 255");
        continue;
      }
      expect_ids(
          file, [&](int y, int x) { return y == 10 && x == 12 ? most : 200U + (x & 1U); }, "16");
    }
  }
}

TEST(DecodeImage, WhatHasNoIdsIsNoMask) {
  const std::string cure = "; save masks as PNG with a palette or in gray";
  for (const Example& example : examples()) {
    const bool is_mask =
        example.gray || example.format == ImageFormat::gif || example.file.find("PLTE") < 60;
    const std::string error = error_of(example.file, {.ids = true});
    if (is_mask && error == "no error") continue;
    if (is_mask) {
      EXPECT_NE(error.find("ids go to 255"), std::string::npos) << example.name << error;
      continue;
    }
    EXPECT_EQ(error, std::string("this ") + name_of(example.format) +
                         " file is not a mask: it has colors instead of ids" + cure)
        << example.name;
  }
  const Bytes jpeg = encode_jpeg(filled(8, 8, 3, 3));
  Image out;
  decode_image_file(jpeg, {.ids = true}, out);
  EXPECT_EQ(out.channels(), 1);
  EXPECT_NE(doubt_about_ids(jpeg, {.ids = true}), "");
  EXPECT_EQ(doubt_about_ids(jpeg, {.color = ColorSpace::gray}), "");
}

TEST(DecodeImage, AnIndexBeyondThePaletteIsDamage) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP();
  for (const bool interlaced : {false, true}) {
    for (const int bits : {1, 2, 4, 8}) {
      const unsigned most = (1U << bits) - 1;
      const std::string file = palette_png(bits, interlaced, most, [most](int y, int x, int) {
        return y == 10 && x == 12 ? most : 0;
      });
      for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
        EXPECT_EQ(error_of(file, {.color = color}),
                  "broken PNG file: a pixel has color " + std::to_string(most) +
                      ", but the palette has " + std::to_string(most));
      }
    }
  }
}

// As Pillow does. Pixels beyond the frame have the background color.
TEST(DecodeImage, AFrameThatReachesBeyondTheCanvasEnlargesIt) {
  if (!can_decode(ImageFormat::gif)) GTEST_SKIP();
  const struct {
    int width, height, left, top, frame_width, frame_height;
    int made_width, made_height;
  } cases[] = {{2, 2, 0, 0, 4, 3, 4, 3}, {2, 2, 1, 1, 3, 3, 4, 4}, {4, 4, 1, 0, 4, 4, 5, 4},
               {9, 1, 3, 5, 2, 2, 9, 7}, {0, 0, 0, 0, 3, 3, 3, 3}, {0, 7, 2, 0, 3, 3, 5, 7}};
  for (const auto& c : cases) {
    GifImage image{.width = c.width,
                   .height = c.height,
                   .left = c.left,
                   .top = c.top,
                   .frame_width = c.frame_width,
                   .frame_height = c.frame_height,
                   .background = 9};
    image.index = [](int y, int x) { return static_cast<unsigned>(10 + 8 * y + x); };
    const std::string file = gif_file(image);
    const ImageSize size = peek_image(bytes_of(file));
    EXPECT_EQ(size.width, c.made_width);
    EXPECT_EQ(size.height, c.made_height);
    const Image out = decoded(file);
    ASSERT_EQ(out.width(), c.made_width);
    ASSERT_EQ(out.height(), c.made_height);
    for (int y = 0; y < out.height(); ++y) {
      for (int x = 0; x < out.width(); ++x) {
        const bool inside =
            y >= c.top && y < c.top + c.frame_height && x >= c.left && x < c.left + c.frame_width;
        EXPECT_EQ(out.row(y)[3 * x],
                  gif_level(inside ? image.index(y - c.top, x - c.left) : 9U, 0));
      }
    }
    EXPECT_NE(error_of(file, {.max_output_bytes = 3L * size.width * size.height - 1}), "no error");
  }
}

TEST(DecodeImage, ARegionIsThatPartOfTheImage) {
  const Image drawn = draw_image(31, 29, 3);
  std::vector<std::string> files;
  for (const Example& example : examples()) files.push_back(example.file);
  const Bytes jpeg = encode_jpeg(drawn, {.orientation = 6});
  files.emplace_back(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
  for (const std::string& file : files) {
    const Image whole = decoded(file);
    const Rectangle region{whole.height() / 3, whole.width() / 2,
                           whole.height() - whole.height() / 3, whole.width() - whole.width() / 2};
    Image part;
    decode_image_region(bytes_of(file), region, {}, part);
    EXPECT_TRUE(part == whole.crop_view(region.y, region.x, region.height, region.width));
    for (const Rectangle& wrong : {Rectangle{0, 0, whole.height() + 1, 1}, Rectangle{-1, 0, 1, 1},
                                   Rectangle{0, 0, 1, 0}, Rectangle{0, whole.width(), 1, 1}}) {
      EXPECT_THROW(decode_image_region(bytes_of(file), wrong, {}, part), Error);
      EXPECT_TRUE(part.empty());
    }
  }
}

TEST(DecodeImage, JpegFilesDecodeAsWithDecodeJpeg) {
  const Bytes jpeg = encode_jpeg(draw_image(31, 29, 3), {.orientation = 6});
  for (const bool turned : {false, true}) {
    for (const ColorSpace color : {ColorSpace::rgb, ColorSpace::gray}) {
      Image expected, got;
      decode_jpeg_image(jpeg, {.color = color, .apply_orientation = turned}, expected);
      const auto report =
          decode_image_file(jpeg, {.color = color, .apply_orientation = turned}, got);
      EXPECT_TRUE(report.has_value());
      EXPECT_TRUE(got == expected);
      const ImageSize size = peek_image(jpeg, {.apply_orientation = turned});
      EXPECT_EQ(size.height * 1000 + size.width, got.height() * 1000 + got.width());
    }
  }
}

TEST(DecodeImage, LossyWebpIsNearWhatItWasMadeFrom) {
  if (!can_decode(ImageFormat::webp)) GTEST_SKIP() << "this build has no WebP";
  const Image image = decoded(kLossyWebp);
  ASSERT_EQ(image.height() * 100 + image.width(), 1616);
  for (int i = 0; i < 16; ++i) EXPECT_NEAR(image.at(i, i, i % 3), 200, 3);
}

TEST(DecodeImage, WhatIsNoneOfTheFormatsIsNamed) {
  EXPECT_EQ(error_of(""), "not a JPEG, PNG, TIFF, WebP or GIF file: it is empty");
  EXPECT_EQ(error_of("II*"),
            "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 49 49 2a (TIFF)");
  EXPECT_EQ(error_of("some text"),
            "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 73 6f 6d 65");
  EXPECT_EQ(error_of("GIF88a"),
            "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 47 49 46 38 (GIF)");
}

// Without the library of a format the error says what to do.
TEST(DecodeImage, AFormatThatThisBuildLacksIsNamed) {
  struct Case {
    ImageFormat format;
    std::string_view begin;
    const char* error;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {ImageFormat::png, "\x89PNG\r\n\x1a\n",
       "this build of Sluice cannot decode PNG: install libpng-dev and build it again"},
      {ImageFormat::webp, "RIFF....WEBP",
       "this build of Sluice cannot decode WebP: install libwebp-dev and build it again"},
      {ImageFormat::gif, "GIF89a",
       "this build of Sluice cannot decode GIF: install libgif-dev and build it again"},
      {ImageFormat::tiff, "MM\0*"sv,
       "this build of Sluice cannot decode TIFF: install libtiff-dev and build it again"}};
  for (const Case& c : cases) {
    if (can_decode(c.format)) continue;
    EXPECT_EQ(error_of(std::string(c.begin)), c.error);
  }
}

// A header that claims a large image without data is refused before memory is taken.
TEST(DecodeImage, TheLimitIsCheckedFirst) {
  const std::string large_png = png_header({.width = 1 << 30, .height = 1 << 30});
  if (can_decode(ImageFormat::png)) {
    EXPECT_EQ(
        error_of(large_png),
        "1073741824 x 1073741824 pixels of 3 bytes are more than the limit of 536870912 bytes; "
        "raise max_output_bytes");
    EXPECT_EQ(error_of(png_header({.width = 0})),
              "broken header: an image of 0 x 1 pixels (width x height)");
    EXPECT_EQ(error_of(png_header({.width = -1})),
              "broken PNG file: a side of more than 2^31 - 1 pixels");
  }
  if (can_decode(ImageFormat::gif)) {
    EXPECT_EQ(error_of("GIF89a" + gif_number(65535) + gif_number(65535) + std::string(3, '\0')),
              "65535 x 65535 pixels of 3 bytes are more than the limit of 536870912 bytes; raise "
              "max_output_bytes");
  }
  for (const Example& example : examples()) {
    const std::int64_t bytes = std::int64_t{example.height} * example.width * 3;
    EXPECT_EQ(error_of(example.file, {.max_output_bytes = bytes}), "no error");
    EXPECT_NE(error_of(example.file, {.max_output_bytes = bytes - 1}), "no error");
    // Gray pixels take a third, but a color file is decoded in color first.
    const ImageOptions third{.color = ColorSpace::gray, .max_output_bytes = bytes / 3};
    EXPECT_EQ(error_of(example.file, third) == "no error", example.gray) << example.name;
  }
}

TEST(DecodeImage, WrongFilesAreErrors) {
  if (can_decode(ImageFormat::gif)) {
    EXPECT_EQ(error_of("GIF89a" + gif_number(1) + gif_number(1) + std::string(3, '\0') + ";"),
              "a GIF file without an image");
  }
  if (can_decode(ImageFormat::png)) {
    std::string wrong_sum = png(8, 2, false, 3, 3).file;
    wrong_sum[60] = static_cast<char>(wrong_sum[60] ^ 1);
    EXPECT_EQ(error_of(wrong_sum).substr(0, 17), "broken PNG file: ");
  }
}

// Each prefix of each file. A GIF file may lack everything behind its first frame.
TEST(DecodeImage, AFileThatIsCutIsAnError) {
  for (const Example& example : examples()) {
    const Image whole = decoded(example.file);
    for (std::size_t size = 0; size < example.file.size(); ++size) {
      testing::tried("damaged-images");
      const std::string cut = example.file.substr(0, size);
      const std::string error = error_of(cut);
      if (error != "no error") continue;
      EXPECT_NE(example.format, ImageFormat::png) << example.name << " " << size;
      EXPECT_TRUE(decoded(cut) == whole) << example.name << " " << size;
    }
  }
}

// Inverted bits: an error, or some image of the header's size.
TEST(DecodeImage, DamageDoesNoHarm) {
  Random random({.seed = 11});
  for (const Example& example : examples()) {
    for (int time = 0; time < 200; ++time) {
      testing::tried("damaged-images");
      std::string bad = example.file;
      for (std::uint32_t flips = 1 + random.below(4); flips > 0; --flips) {
        const auto at = random.below(static_cast<std::uint32_t>(bad.size()));
        bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
      }
      Image out;
      try {
        decode_image_file(bytes_of(bad), {.max_output_bytes = 1 << 20}, out);
        const ImageSize size = peek_image(bytes_of(bad));
        EXPECT_EQ(out.height(), size.height);
        EXPECT_EQ(out.width(), size.width);
      } catch (const Error&) {
        EXPECT_TRUE(out.empty());
      }
    }
  }
}

}  // namespace decode_image_test
}  // namespace sluice
