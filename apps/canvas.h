// Drawing for demo images and contact sheets: Canvas draws smooth shapes, and a small bitmap font
// writes labels into images.
//
// A shape is a function that returns the distance of a point to its edge, negative inside. Edges
// are antialiased, so that rotated and shrunk images show no steps. Points are in units of the
// shorter side, which goes from -0.5 to 0.5: (0, 0) is the center, x points right, y points down.
// Colors are 0 to 1.
//
// The font has printable ASCII, 5 x 9 dots per letter (7 above the baseline, 2 below), 6 dots
// apart. It draws other characters as a hollow box, and clips text at the image's borders.
//
// Ownership: a Canvas owns its pixels; the caller owns the images. Threads: one for a Canvas, any
// for the rest. Errors: std::bad_alloc.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::app {

struct Color {
  float r = 0, g = 0, b = 0;
};
Color mix(Color a, Color b, float t);

struct Point {
  float x = 0, y = 0;
};

// These return the distance of a point to a shape's edge, negative inside.
float circle(Point p, Point center, float radius);
// A box of the given half sides with rounded corners.
float box(Point p, Point center, Point half, float rounding);
// A thick line with round ends.
float line(Point p, Point from, Point to, float half_width);
// The polygon with these corners.
float polygon(Point p, const std::vector<Point>& corners);

class Canvas {
 public:
  Canvas(int height, int width);

  // Half the width and half the height, in canvas units.
  float right() const { return 0.5f * static_cast<float>(width_) / unit_; }
  float bottom() const { return 0.5f * static_cast<float>(height_) / unit_; }

  // Sets every pixel to color(Point).
  template <class F>
  void paint(F color) {
    each([&](Point p, Color& pixel) { pixel = color(p); });
  }
  // Draws a shape in one color, from distance(Point). `softness` is the width of the edge, in
  // canvas units.
  template <class F>
  void shape(Color color, F distance, float softness = 0, float opacity = 1) {
    const float edge = std::max(softness, 1.f / unit_);
    each([&](Point p, Color& pixel) {
      const float cover = std::clamp(0.5f - distance(p) / edge, 0.f, 1.f) * opacity;
      if (cover > 0) pixel = mix(pixel, color, cover);
    });
  }

  Image image() const;       // RGB
  Image gray_image() const;  // luma as in ITU-R BT.601

 private:
  template <class F>
  void each(F visit) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        const Point p{(static_cast<float>(x) + 0.5f - 0.5f * static_cast<float>(width_)) / unit_,
                      (static_cast<float>(y) + 0.5f - 0.5f * static_cast<float>(height_)) / unit_};
        visit(p, pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                         static_cast<std::size_t>(x)]);
      }
    }
  }

  int height_;
  int width_;
  float unit_;
  std::vector<Color> pixels_;
};

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
