#include "canvas.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sluice::app {
namespace {

std::uint8_t to_byte(float x) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(x, 0.f, 1.f) * 255.f));
}

float length(float x, float y) { return std::sqrt(x * x + y * y); }

}  // namespace

Color mix(Color a, Color b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

float circle(Point p, Point center, float radius) {
  return length(p.x - center.x, p.y - center.y) - radius;
}

float box(Point p, Point center, Point half, float rounding) {
  const float dx = std::abs(p.x - center.x) - half.x + rounding;
  const float dy = std::abs(p.y - center.y) - half.y + rounding;
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
  for (const Color& pixel : pixels_) {
    *to++ = to_byte(pixel.r);
    *to++ = to_byte(pixel.g);
    *to++ = to_byte(pixel.b);
  }
  return out;
}

Image Canvas::gray_image() const {
  Image out(height_, width_, 1);
  std::uint8_t* to = out.data();
  for (const Color& pixel : pixels_)
    *to++ = to_byte(0.299f * pixel.r + 0.587f * pixel.g + 0.114f * pixel.b);
  return out;
}

namespace {

// Rows from top to bottom, separated by spaces. Seven are above the baseline, the eighth and ninth
// below it.
constexpr std::array<const char*, 95> kLetters = {
    "..... ..... ..... ..... ..... ..... .....",              // space
    "..#.. ..#.. ..#.. ..#.. ..#.. ..... ..#..",              // !
    ".#.#. .#.#. .#.#. ..... ..... ..... .....",              // "
    ".#.#. .#.#. ##### .#.#. ##### .#.#. .#.#.",              // #
    "..#.. .#### #.#.. .###. ..#.# ####. ..#..",              // $
    "##..# ##..# ...#. ..#.. .#... #..## #..##",              // %
    ".##.. #..#. #.#.. .#... #.#.# #..#. .##.#",              // &
    "..#.. ..#.. ..#.. ..... ..... ..... .....",              // '
    "...#. ..#.. .#... .#... .#... ..#.. ...#.",              // (
    ".#... ..#.. ...#. ...#. ...#. ..#.. .#...",              // )
    "..... ..#.. #.#.# .###. #.#.# ..#.. .....",              // *
    "..... ..#.. ..#.. ##### ..#.. ..#.. .....",              // +
    "..... ..... ..... ..... ..... .##.. .##.. ..#.. .#...",  // ,
    "..... ..... ..... ##### ..... ..... .....",              // -
    "..... ..... ..... ..... ..... .##.. .##..",              // .
    "....# ...#. ...#. ..#.. .#... .#... #....",              // /
    ".###. #...# #..## #.#.# ##..# #...# .###.",              // 0
    "..#.. .##.. #.#.. ..#.. ..#.. ..#.. #####",              // 1
    ".###. #...# ....# ...#. ..#.. .#... #####",              // 2
    "####. ....# ....# .###. ....# ....# ####.",              // 3
    "...#. ..##. .#.#. #..#. ##### ...#. ...#.",              // 4
    "##### #.... ####. ....# ....# #...# .###.",              // 5
    ".###. #.... #.... ####. #...# #...# .###.",              // 6
    "##### ....# ...#. ...#. ..#.. ..#.. ..#..",              // 7
    ".###. #...# #...# .###. #...# #...# .###.",              // 8
    ".###. #...# #...# .#### ....# ....# .###.",              // 9
    "..... .##.. .##.. ..... .##.. .##.. .....",              // :
    "..... .##.. .##.. ..... .##.. .##.. ..#.. .#... .....",  // ;
    "....# ...#. ..#.. .#... ..#.. ...#. ....#",              // <
    "..... ..... ##### ..... ##### ..... .....",              // =
    "#.... .#... ..#.. ...#. ..#.. .#... #....",              // >
    ".###. #...# ....# ..##. ..#.. ..... ..#..",              // ?
    ".###. #...# #.### #.#.# #.### #.... .####",              // @
    "..#.. .#.#. #...# #...# ##### #...# #...#",              // A
    "####. #...# #...# ####. #...# #...# ####.",              // B
    ".#### #.... #.... #.... #.... #.... .####",              // C
    "####. #...# #...# #...# #...# #...# ####.",              // D
    "##### #.... #.... ####. #.... #.... #####",              // E
    "##### #.... #.... ####. #.... #.... #....",              // F
    ".#### #.... #.... #..## #...# #...# .####",              // G
    "#...# #...# #...# ##### #...# #...# #...#",              // H
    ".###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.",              // I
    "..### ...#. ...#. ...#. ...#. #..#. .##..",              // J
    "#...# #..#. #.#.. ##... #.#.. #..#. #...#",              // K
    "#.... #.... #.... #.... #.... #.... #####",              // L
    "#...# ##.## #.#.# #.#.# #...# #...# #...#",              // M
    "#...# ##..# ##..# #.#.# #..## #..## #...#",              // N
    ".###. #...# #...# #...# #...# #...# .###.",              // O
    "####. #...# #...# ####. #.... #.... #....",              // P
    ".###. #...# #...# #...# #.#.# #..#. .##.#",              // Q
    "####. #...# #...# ####. #.#.. #..#. #...#",              // R
    ".#### #.... #.... .###. ....# ....# ####.",              // S
    "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",              // T
    "#...# #...# #...# #...# #...# #...# .###.",              // U
    "#...# #...# #...# #...# .#.#. .#.#. ..#..",              // V
    "#...# #...# #...# #.#.# #.#.# ##.## #...#",              // W
    "#...# #...# .#.#. ..#.. .#.#. #...# #...#",              // X
    "#...# #...# .#.#. ..#.. ..#.. ..#.. ..#..",              // Y
    "##### ....# ...#. ..#.. .#... #.... #####",              // Z
    ".###. .#... .#... .#... .#... .#... .###.",              // [
    "#.... .#... .#... ..#.. ...#. ...#. ....#",              // backslash
    ".###. ...#. ...#. ...#. ...#. ...#. .###.",              // ]
    "..#.. .#.#. #...# ..... ..... ..... .....",              // ^
    "..... ..... ..... ..... ..... ..... ..... #####",        // _
    ".#... ..#.. ..... ..... ..... ..... .....",              // `
    "..... ..... .###. ....# .#### #...# .####",              // a
    "#.... #.... ####. #...# #...# #...# ####.",              // b
    "..... ..... .#### #.... #.... #.... .####",              // c
    "....# ....# .#### #...# #...# #...# .####",              // d
    "..... ..... .###. #...# ##### #.... .####",              // e
    "..##. .#... .#... ####. .#... .#... .#...",              // f
    "..... ..... .#### #...# #...# #...# .#### ....# .###.",  // g
    "#.... #.... ####. #...# #...# #...# #...#",              // h
    "..#.. ..... .##.. ..#.. ..#.. ..#.. .###.",              // i
    "...#. ..... ..##. ...#. ...#. ...#. ...#. #..#. .##..",  // j
    "#.... #.... #..#. #.#.. ##... #.#.. #..#.",              // k
    ".##.. ..#.. ..#.. ..#.. ..#.. ..#.. .###.",              // l
    "..... ..... ##.#. #.#.# #.#.# #.#.# #.#.#",              // m
    "..... ..... ####. #...# #...# #...# #...#",              // n
    "..... ..... .###. #...# #...# #...# .###.",              // o
    "..... ..... ####. #...# #...# #...# ####. #.... #....",  // p
    "..... ..... .#### #...# #...# #...# .#### ....# ....#",  // q
    "..... ..... #.##. ##..# #.... #.... #....",              // r
    "..... ..... .#### #.... .###. ....# ####.",              // s
    ".#... .#... ####. .#... .#... .#... ..##.",              // t
    "..... ..... #...# #...# #...# #...# .####",              // u
    "..... ..... #...# #...# .#.#. .#.#. ..#..",              // v
    "..... ..... #...# #.#.# #.#.# #.#.# .#.#.",              // w
    "..... ..... #...# .#.#. ..#.. .#.#. #...#",              // x
    "..... ..... #...# #...# #...# #...# .#### ....# .###.",  // y
    "..... ..... ##### ...#. ..#.. .#... #####",              // z
    "...## ..#.. ..#.. .#... ..#.. ..#.. ...##",              // {
    "..#.. ..#.. ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",        // |
    "##... ..#.. ..#.. ...#. ..#.. ..#.. ##...",              // }
    "..... ..... .#..# #.#.# #..#. ..... .....",              // ~
};
constexpr const char* kUnknown = "##### #...# #...# #...# #...# #...# #####";

void fill_dot(Image& image, int y, int x, int scale, Ink ink) {
  const int bottom = std::min(y + scale, image.height());
  const int right = std::min(x + scale, image.width());
  for (int row = std::max(y, 0); row < bottom; ++row) {
    for (int column = std::max(x, 0); column < right; ++column) {
      std::uint8_t* pixel = image.row(row) + column * image.channels();
      const std::array<std::uint8_t, 3> rgb = {ink.r, ink.g, ink.b};
      for (int c = 0; c < std::min(image.channels(), 3); ++c)
        pixel[c] = rgb[static_cast<std::size_t>(c)];
    }
  }
}

}  // namespace

std::array<std::uint8_t, kLetterHeight> letter_dots(char letter) {
  const auto index = static_cast<std::size_t>(static_cast<unsigned char>(letter)) - 32;
  const std::string_view rows = index < kLetters.size() ? kLetters[index] : kUnknown;
  std::array<std::uint8_t, kLetterHeight> dots{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = i / kLetterStep;
    const std::size_t column = i % kLetterStep;
    if (rows[i] == '#') dots[row] = static_cast<std::uint8_t>(dots[row] | (16u >> column));
  }
  return dots;
}

int text_width(std::string_view text, int scale) {
  if (text.empty()) return 0;
  return (static_cast<int>(text.size()) * kLetterStep - (kLetterStep - kLetterWidth)) * scale;
}

void draw_text(Image& image, int y, int x, std::string_view text, Ink ink, int scale) {
  for (const char letter : text) {
    const auto dots = letter_dots(letter);
    for (int row = 0; row < kLetterHeight; ++row) {
      for (int column = 0; column < kLetterWidth; ++column) {
        if ((dots[static_cast<std::size_t>(row)] & (16u >> column)) == 0) continue;
        fill_dot(image, y + row * scale, x + column * scale, scale, ink);
      }
    }
    x += kLetterStep * scale;
  }
}

std::string shorten(std::string_view text, int letters) {
  const auto room = static_cast<std::size_t>(std::max(letters, 0));
  if (text.size() <= room) return std::string(text);
  if (room <= 3) return std::string(text.substr(0, room));
  const std::size_t tail = (room - 3) / 2;
  const std::size_t head = room - 3 - tail;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(text.size() - tail));
}

std::vector<std::string> wrap(std::string_view text, int letters, int lines) {
  const auto room = static_cast<std::size_t>(std::max(letters, 1));
  std::vector<std::string> result;
  while (!text.empty() && static_cast<int>(result.size()) < lines) {
    if (text.front() == ' ') {
      text.remove_prefix(1);
      continue;
    }
    if (text.size() <= room) {
      result.emplace_back(text);
      return result;
    }
    std::size_t cut = text.substr(0, room + 1).rfind(' ');
    if (cut == std::string_view::npos || cut == 0) cut = room;
    result.emplace_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  if (!text.empty() && !result.empty()) {
    std::string& last = result.back();
    last = last.substr(0, room > 3 ? room - 3 : 0) + "...";
  }
  return result;
}

}  // namespace sluice::app
