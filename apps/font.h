// A small bitmap font for labels in images: printable ASCII, 5 x 9 dots per letter (7 above the
// baseline, 2 below), 6 dots apart. Other characters are drawn as a hollow box.
//
// Ownership: the caller owns the image. Threads: any; no state. Errors: none; text is clipped at
// the image's borders.
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

// In dots: the width of a letter, the distance to the next letter, and the height.
constexpr int kLetterWidth = 5;
constexpr int kLetterStep = 6;
constexpr int kLetterHeight = 9;
constexpr int kBaseline = 7;

// The dots of a letter, one byte per row, top row first; bit 4 is the leftmost dot.
std::array<std::uint8_t, kLetterHeight> letter_dots(char letter);

// The width of a line of text in pixels, at `scale` pixels per dot.
int text_width(std::string_view text, int scale);

// Draws one line with its upper left corner at (y, x).
void draw_text(Image& image, int y, int x, std::string_view text, Ink ink, int scale = 1);

// Cuts out the middle of a text that is longer than `letters`: "a_very_l...g_name.jpg".
std::string shorten(std::string_view text, int letters);

// Breaks a text at spaces into at most `lines` lines of at most `letters` letters. Longer words are
// cut. If text is left over, the last line ends in "...".
std::vector<std::string> wrap(std::string_view text, int letters, int lines);

}  // namespace sluice::app
