#include "apps/sheet.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace sluice::app {
namespace sheet_test {

Image plain(int height, int width, int channels, std::array<std::uint8_t, 3> color) {
  Image image(height, width, channels);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c)
        image.row(y)[x * channels + c] = color[static_cast<std::size_t>(c)];
    }
  }
  return image;
}

std::int64_t count(const Image& image, std::array<std::uint8_t, 3> color) {
  std::int64_t n = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      n += image.at(y, x, 0) == color[0] && image.at(y, x, 1) == color[1] &&
           image.at(y, x, 2) == color[2];
    }
  }
  return n;
}

constexpr std::array<std::uint8_t, 3> kGreen{10, 200, 30}, kPink{250, 20, 180}, kRed{200, 50, 47};
constexpr std::int64_t kWhole = std::int64_t{ContactSheet::kThumb} * ContactSheet::kThumb;

TEST(ContactSheet, AnEmptyOneHasItsHeading) {
  const Image sheet = ContactSheet("heading", "caption").draw();
  EXPECT_EQ(sheet.channels(), 3);
  EXPECT_GT(count(sheet, {30, 38, 54}), 100);
}

TEST(ContactSheet, ThumbnailsFitAndKeepTheirShape) {
  struct Case {
    int height, width;
    std::int64_t pixels;
  };
  const Case cases[] = {{400, 400, kWhole},
                        {168, 168, kWhole},
                        {20, 30, 600},
                        {336, 672, kWhole / 2},
                        {1, 5000, 168}};
  for (const Case& c : cases) {
    ContactSheet sheet("h", "c");
    sheet.add("name.jpg", "note", TileStatus::changed, plain(c.height, c.width, 3, kGreen),
              plain(c.height, c.width, 3, kPink));
    const Image drawn = sheet.draw();
    EXPECT_EQ(count(drawn, kGreen), c.pixels) << c.height << " x " << c.width;
    EXPECT_EQ(count(drawn, kPink), c.pixels) << c.height << " x " << c.width;
  }
}

TEST(ContactSheet, GrayImagesAreShownGray) {
  ContactSheet sheet("h", "c");
  sheet.add("name.jpg", "note", TileStatus::unchanged, plain(300, 300, 1, {77, 0, 0}),
            plain(10, 10, 1, {78, 0, 0}));
  const Image drawn = sheet.draw();
  EXPECT_EQ(count(drawn, {77, 77, 77}), kWhole);
  EXPECT_EQ(count(drawn, {78, 78, 78}), 100);
}

TEST(ContactSheet, BeforeStandsLeftOfAfter) {
  ContactSheet sheet("h", "c");
  sheet.add("name.jpg", "note", TileStatus::changed, plain(200, 200, 3, kGreen),
            plain(200, 200, 3, kPink));
  const Image drawn = sheet.draw();
  int first_green = drawn.width();
  int first_pink = drawn.width();
  for (int y = 0; y < drawn.height(); ++y) {
    for (int x = 0; x < drawn.width(); ++x) {
      if (drawn.at(y, x, 0) == kGreen[0] && drawn.at(y, x, 1) == kGreen[1])
        first_green = std::min(first_green, x);
      if (drawn.at(y, x, 0) == kPink[0] && drawn.at(y, x, 1) == kPink[1])
        first_pink = std::min(first_pink, x);
    }
  }
  EXPECT_LT(first_green + ContactSheet::kThumb, first_pink);
}

TEST(ContactSheet, AFailureIsARedField) {
  ContactSheet good("h", "c");
  good.add("name.jpg", "note", TileStatus::unchanged, plain(200, 200, 3, kGreen),
           plain(200, 200, 3, kGreen));
  EXPECT_EQ(count(good.draw(), kRed), 0);
  ContactSheet bad("h", "c");
  bad.add("name.jpg", "the file ends early", TileStatus::failed, Image(), Image());
  const Image drawn = bad.draw();
  EXPECT_GT(count(drawn, kRed), kWhole / 2);
  EXPECT_EQ(drawn.height(), good.draw().height());
}

TEST(ContactSheet, ALongNoteMakesItsRowTaller) {
  const auto height = [](std::size_t long_notes) {
    ContactSheet sheet("h", "c");
    for (std::size_t i = 0; i < 6; ++i) {
      sheet.add("n", i < long_notes ? "nine word nine word nine word nine word nine word" : "t",
                TileStatus::changed, plain(9, 9, 3, kGreen), plain(9, 9, 3, kGreen));
    }
    return sheet.draw().height();
  };
  EXPECT_GT(height(1), height(0));
  EXPECT_EQ(height(3), height(1));
  EXPECT_EQ(height(4) - height(3), height(1) - height(0));
}

TEST(ContactSheet, ThreeTilesARow) {
  ContactSheet sheet("h", "c");
  std::array<int, 8> heights{};
  for (int& height : heights) {
    height = sheet.draw().height();
    sheet.add("n", "t", TileStatus::unchanged, plain(9, 9, 3, kGreen), plain(9, 9, 3, kGreen));
  }
  EXPECT_EQ(heights[1], heights[3]);
  EXPECT_EQ(heights[4], heights[6]);
  EXPECT_EQ(heights[7] - heights[4], heights[4] - heights[1]);
}

}  // namespace sheet_test
}  // namespace sluice::app
