#include "canvas.h"

#include <cstdint>

namespace sluice::app {
namespace {

std::uint8_t to_byte(float x) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(x, 0.f, 1.f) * 255.f));
}

float length(float x, float y) { return std::sqrt(x * x + y * y); }

}  // namespace

Colour mix(Colour a, Colour b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

float circle(Point p, Point centre, float radius) {
  return length(p.x - centre.x, p.y - centre.y) - radius;
}

float box(Point p, Point centre, Point half, float rounding) {
  const float dx = std::abs(p.x - centre.x) - half.x + rounding;
  const float dy = std::abs(p.y - centre.y) - half.y + rounding;
  return length(std::max(dx, 0.f), std::max(dy, 0.f)) + std::min(std::max(dx, dy), 0.f) - rounding;
}

float line(Point p, Point from, Point to, float half_width) {
  const float dx = to.x - from.x;
  const float dy = to.y - from.y;
  const float along = ((p.x - from.x) * dx + (p.y - from.y) * dy) / (dx * dx + dy * dy);
  const float t = std::clamp(along, 0.f, 1.f);
  return length(p.x - from.x - t * dx, p.y - from.y - t * dy) - half_width;
}

float polygon(Point p, const std::vector<Point>& corners) {
  float nearest = 1e9f;
  bool inside = false;
  for (std::size_t i = 0, j = corners.size() - 1; i < corners.size(); j = i++) {
    const Point a = corners[i];
    const Point b = corners[j];
    nearest = std::min(nearest, line(p, a, b, 0));
    // True if a ray to the right crosses this side.
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * (p.y - a.y) / (b.y - a.y))
      inside = !inside;
  }
  return inside ? -nearest : nearest;
}

Canvas::Canvas(int height, int width)
    : height_(height),
      width_(width),
      unit_(static_cast<float>(std::min(height, width))),
      pixels_(static_cast<std::size_t>(height) * static_cast<std::size_t>(width)) {}

Image Canvas::image() const {
  Image out(height_, width_, 3);
  std::uint8_t* to = out.data();
  for (const Colour& pixel : pixels_) {
    *to++ = to_byte(pixel.r);
    *to++ = to_byte(pixel.g);
    *to++ = to_byte(pixel.b);
  }
  return out;
}

Image Canvas::gray_image() const {
  Image out(height_, width_, 1);
  std::uint8_t* to = out.data();
  for (const Colour& pixel : pixels_)
    *to++ = to_byte(0.299f * pixel.r + 0.587f * pixel.g + 0.114f * pixel.b);
  return out;
}

}  // namespace sluice::app
