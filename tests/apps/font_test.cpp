#include "apps/canvas.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::app {
namespace font_test {

Image blank(int height, int width, int channels) {
  Image image(height, width, channels);
  std::fill_n(image.data(), image.row_bytes() * static_cast<std::size_t>(height), std::uint8_t{0});
  return image;
}

TEST(Font, EveryPrintableLetterHasAShapeOfItsOwn) {
  std::set<std::array<std::uint8_t, kLetterHeight>> shapes;
  for (char c = ' '; c <= '~'; ++c) EXPECT_TRUE(shapes.insert(letter_dots(c)).second) << c;
  EXPECT_EQ(letter_dots('\t'), letter_dots('\xe9'));  // the hollow box
  EXPECT_EQ(shapes.count(letter_dots('\t')), 0u);
}

TEST(Font, OnlyLettersThatHangReachBelowTheLine) {
  const std::string hanging = ",;gjpqy_|";
  for (char c = ' '; c <= '~'; ++c) {
    const auto dots = letter_dots(c);
    EXPECT_EQ((dots[kBaseline] | dots[kBaseline + 1]) != 0, hanging.find(c) != std::string::npos)
        << c;
    for (const std::uint8_t row : dots) EXPECT_LT(row, 32) << c;
  }
}

TEST(Font, DrawsDotsWhereTheyBelong) {
  for (const int channels : {1, 3}) {
    for (const int scale : {1, 2, 3}) {
      Image image = blank(40, 60, channels);
      draw_text(image, 2, 3, "L", {9, 9, 9}, scale);
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
          const int row = (y - 2 + 100 * scale) / scale - 100;
          const int column = (x - 3 + 100 * scale) / scale - 100;
          const bool stem = column == 0 && row >= 0 && row < 7;
          const bool foot = row == 6 && column >= 0 && column < 5;
          EXPECT_EQ(image.at(y, x, 0), stem || foot ? 9 : 0)
              << y << " " << x << " at scale " << scale;
        }
      }
    }
  }
}

TEST(Font, ClipsAtTheBorders) {
  Image image = blank(6, 7, 3);
  Image frame = image.crop_view(1, 1, 4, 5);
  draw_text(frame, -3, -4, "WWWWWW", {255, 255, 255}, 2);
  draw_text(frame, 100, 100, "W", {255, 255, 255}, 2);
  for (int x = 0; x < 7; ++x) {
    EXPECT_EQ(image.at(0, x, 0), 0);
    EXPECT_EQ(image.at(5, x, 2), 0);
  }
}

TEST(Font, WidthOfAText) {
  EXPECT_EQ(text_width("", 2), 0);
  EXPECT_EQ(text_width("a", 1), 5);
  EXPECT_EQ(text_width("abc", 2), 2 * (6 + 6 + 5));
}

TEST(Font, Shorten) {
  EXPECT_EQ(shorten("photo.jpg", 9), "photo.jpg");
  EXPECT_EQ(shorten("a_very_long_name.jpg", 12), "a_ver....jpg");
  EXPECT_EQ(shorten("abcdef", 3), "abc");
  EXPECT_EQ(shorten("abcdef", 0), "");
}

TEST(Font, Wrap) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap("", 10, 2), Lines{});
  EXPECT_EQ(wrap("one two", 10, 2), (Lines{"one two"}));
  EXPECT_EQ(wrap("one two three", 7, 3), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("abcdefghij", 4, 3), (Lines{"abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap("one two three four", 7, 1), (Lines{"one ..."}));
}

}  // namespace font_test
}  // namespace sluice::app
