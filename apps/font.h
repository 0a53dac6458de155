// A small bitmap font for labels in pictures: printable ASCII, 5 x 9 dots a letter (7 above the
// line, 2 below), spaced 6 apart. Anything else is drawn as a hollow box.
//
// Plain functions without state; they draw into an image that the caller owns, clip at its borders
// and never fail.
#pragma once

#include <sluice/runtime/image.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::app {

struct Ink {
  std::uint8_t r = 0, g = 0, b = 0;
};

// Dots per letter: its own width, the distance to the next one, and its height.
constexpr int kLetterWidth = 5;
constexpr int kLetterStep = 6;
constexpr int kLetterHeight = 9;
constexpr int kBaseline = 7;

// The dots of a letter, one byte a row, top row first; bit 4 is the leftmost dot.
std::array<std::uint8_t, kLetterHeight> letter_dots(char letter);

// Pixels that a text takes in one line at `scale` pixels a dot.
int text_width(std::string_view text, int scale);

// Draws one line with its upper left corner at (y, x).
void draw_text(Image& image, int y, int x, std::string_view text, Ink ink, int scale = 1);

// Cuts out the middle of a text that is longer than `letters`: "a_very_l...g_name.jpg".
std::string shorten(std::string_view text, int letters);

// Breaks a text at spaces into lines of at most `letters`; words that are longer are cut. At most
// `lines` lines, the last of which ends in "..." if something is left over.
std::vector<std::string> wrap(std::string_view text, int letters, int lines);

}  // namespace sluice::app
