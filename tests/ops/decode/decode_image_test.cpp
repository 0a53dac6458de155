// decode_image in pipelines: files of several formats side by side, and crops that reach into the
// decoder.
#include "tests/io/images.h"
#include "tests/io/images/png_writer.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/readers/memory.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_image_test {

Bytes png_of(const Image& image) {
  const std::string file = png_file(
      {.width = image.width(), .height = image.height(), .level = [&](int y, int x, int c) {
         return unsigned{image.at(y, x, c)};
       }});
  return Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
}

class DecodeImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build has no PNG";
  }
  // A JPEG file, a PNG file, and one that is neither.
  static std::vector<Bytes> files() {
    std::vector<Bytes> files;
    files.push_back(encode_jpeg(draw_image(40, 60, 3), {.quality = 90}));
    files.push_back(png_of(draw_image(40, 60, 3)));
    files.push_back(Bytes::copy_of(std::vector<std::uint8_t>{'s', 'o', 'm', 'e'}));
    return files;
  }
};

TEST_F(DecodeImageTest, FilesAreToldByTheirContent) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    return decode_image(std::get<0>(g.read(memory_in(files(), std::vector<int>{0, 1, 2}))));
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2U);
  ASSERT_EQ(batch->errors().size(), 1U);
  EXPECT_EQ(batch->errors()[0].what,
            "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 73 6f 6d 65");
  const Image drawn = draw_image(40, 60, 3);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 60; ++x) {
      ASSERT_EQ(batch->get<0>()[1].at(y, x, 1), drawn.at(y, x, 1));
      ASSERT_NEAR(batch->get<0>()[0].at(y, x, 1), drawn.at(y, x, 1), 90);
    }
  }
}

TEST_F(DecodeImageTest, CropsReachIntoTheDecoder) {
  const auto images = [](bool pushed) {
    auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [&](Graph& g) {
      auto [file, number] = g.read(memory_in(files(), std::vector<int>{0, 1, 2}));
      auto image = decode_image(file);
      auto part = crop(image, Rectangle{5, 7, 20, 30});
      // A crop of all of the image needs it whole.
      return std::tuple{part, pushed ? part : crop(image, Rectangle{0, 0, 40, 60})};
    });
    EXPECT_EQ(to_string(pipeline.plan()).find("decode_image's size") != std::string::npos, pushed);
    auto batch = pipeline.epoch().next();
    std::vector<Image> parts;
    for (std::size_t i = 0; i < batch->size(); ++i) parts.push_back(batch->get<0>()[i].clone());
    EXPECT_EQ(batch->errors().size(), 1U);
    return parts;
  };
  const std::vector<Image> pushed = images(true);
  const std::vector<Image> cut = images(false);
  ASSERT_EQ(pushed.size(), 2U);
  ASSERT_EQ(cut.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(pushed[i] == cut[i]) << i;
}

// The next operator uses the rows of a JPEG file while they are decoded. Other images are decoded
// as a whole.
TEST_F(DecodeImageTest, RowsForTheNextOperatorAreThoseOfTheImage) {
  const auto run = [](bool tapped, bool region) {
    auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [&](Graph& g) {
      auto [file, number] = g.read(memory_in(files(), std::vector<int>{0, 1, 2}));
      auto image = region ? decode_image(file, Rectangle{3, 5, 30, 40}) : decode_image(file);
      if (tapped)
        g.tap(
            "tap", [](const Image&) {}, image);
      return flip(resize(image, {.height = 35, .width = 25}), {.vertical = true});
    });
    EXPECT_EQ(to_string(pipeline.plan()).find("[rows") == std::string::npos, tapped);
    auto batch = pipeline.epoch().next();
    std::vector<Image> images;
    for (std::size_t i = 0; i < batch->size(); ++i) images.push_back(batch->get<0>()[i].clone());
    EXPECT_EQ(batch->errors().size(), 1U);
    EXPECT_EQ(batch->errors()[0].what,
              "not a JPEG, PNG, TIFF, WebP or GIF file: starts with 73 6f 6d 65");
    EXPECT_EQ(batch->errors()[0].step, "decode_image");
    return images;
  };
  for (const bool region : {false, true}) {
    const std::vector<Image> expected = run(true, region);
    const std::vector<Image> found = run(false, region);
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_TRUE(found == expected) << region;
  }
}

// All decoding operators return the ids of a palette. The pipeline warns once of gray pixels in
// their place, and of a JPEG file.
TEST_F(DecodeImageTest, MasksGiveIds) {
  const auto id = [](int y, int x) { return static_cast<unsigned>(y * 7 + x) % 4; };
  const std::string text = png_file({.width = 13,
                                     .height = 11,
                                     .bits = 2,
                                     .color = 3,
                                     .level = [id](int y, int x, int) { return id(y, x); },
                                     .before_data = png_chunk("PLTE", "abcdefghijkl")});
  const Bytes png =
      Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const Bytes jpeg = encode_jpeg(draw_image(11, 13, 3));
  const struct {
    Bytes file;
    ImageOptions options;
    std::string warning;
  } cases[] = {
      {Bytes::view_of(png), {.ids = true}, ""},
      {Bytes::view_of(png), {.color = ColorSpace::gray}, "decode it with `ids`"},
      {Bytes::view_of(jpeg), {.ids = true}, "save masks as PNG"},
      {Bytes::view_of(jpeg), {.color = ColorSpace::gray}, ""},
  };
  for (const auto& c : cases) {
    for (const int how : {0, 1, 2, 3}) {
      auto pipeline = make_pipeline({.batch_size = 3}, [&](Graph& g) {
        auto file = g.source(3, [&](const SampleInfo&) { return Bytes::view_of(c.file); });
        const Rectangle part{2, 3, 8, 9};
        if (how == 0) return crop(decode_image(file, c.options), part);
        if (how == 1) return decode_image(file, part, c.options);
        auto image = decode_image(file, c.options);
        if (how == 2) return flip(crop(image, part), {.horizontal = true});
        return resize(crop(image, part),
                      {.height = 8, .width = 9, .interpolation = Interpolation::nearest});
      });
      const auto batch = pipeline.epoch().next();
      ASSERT_TRUE(batch.has_value());
      ASSERT_EQ(batch->warnings().size(), c.warning.empty() ? 0U : 1U) << how << c.warning;
      for (const SampleError& warning : batch->warnings())
        EXPECT_NE(warning.what.find(c.warning), std::string::npos) << warning.what;
      const auto image = batch->get<0>()[2];
      ASSERT_EQ(image.channels(), 1);
      ASSERT_EQ(image.width(), 9);
      if (!c.options.ids || !c.warning.empty()) continue;
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 9; ++x)
          ASSERT_EQ(image.at(y, x, 0), id(y + 2, (how == 2 ? 8 - x : x) + 3)) << how;
    }
  }
}

TEST_F(DecodeImageTest, ARegionAndGrayAreOptions) {
  auto pipeline = make_pipeline({.batch_size = 2}, [](Graph& g) {
    auto [file, region] = g.read(memory_in(
        [] {
          auto two = files();
          two.pop_back();
          return two;
        }(),
        std::vector<Rectangle>{{1, 2, 10, 12}, {3, 4, 10, 12}}));
    return decode_image(file, region, {.color = ColorSpace::gray});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2U);
  const Image whole = [] {
    Image image;
    decode_image_file(png_of(draw_image(40, 60, 3)), {.color = ColorSpace::gray}, image);
    return image;
  }();
  EXPECT_TRUE(batch->get<0>()[1].clone() == whole.crop_view(3, 4, 10, 12).clone());
}

}  // namespace decode_image_test
}  // namespace sluice
