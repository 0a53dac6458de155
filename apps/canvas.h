// Canvas: draws smooth shapes for pictures and sheets. A shape is a function that gives the
// distance of a point to its edge, negative inside; edges are antialiased, so that turning and
// shrinking such pictures shows no steps.
//
// Points are in units of the shorter side, (0, 0) in the middle, x to the right and y down: the
// shorter side goes from -0.5 to 0.5. Colours are 0 to 1. A Canvas owns its pixels; use it on one
// thread; nothing here fails but memory.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sluice::app {

struct Colour {
  float r = 0, g = 0, b = 0;
};
Colour mix(Colour a, Colour b, float t);

struct Point {
  float x = 0, y = 0;
};

// Distances of a point to a shape's edge, negative inside.
float circle(Point p, Point centre, float radius);
// A box of the given half sides with rounded corners.
float box(Point p, Point centre, Point half, float rounding);
// A thick line with round ends.
float line(Point p, Point from, Point to, float half_width);
// The polygon through these points.
float polygon(Point p, const std::vector<Point>& corners);

class Canvas {
 public:
  Canvas(int height, int width);

  // Half the width and half the height, in units.
  float right() const { return 0.5f * static_cast<float>(width_) / unit_; }
  float bottom() const { return 0.5f * static_cast<float>(height_) / unit_; }

  // The whole canvas: colour(Point).
  template <class F>
  void paint(F colour) {
    each([&](Point p, Colour& pixel) { pixel = colour(p); });
  }
  // A shape in one colour: distance(Point). `softness` widens the edge, in units.
  template <class F>
  void shape(Colour colour, F distance, float softness = 0, float opacity = 1) {
    const float edge = std::max(softness, 1.f / unit_);
    each([&](Point p, Colour& pixel) {
      const float cover = std::clamp(0.5f - distance(p) / edge, 0.f, 1.f) * opacity;
      if (cover > 0) pixel = mix(pixel, colour, cover);
    });
  }

  Image image() const;       // RGB
  Image gray_image() const;  // luma of ITU-R BT.601

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
  std::vector<Colour> pixels_;
};

}  // namespace sluice::app
