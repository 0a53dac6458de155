#include "annotations.h"

#include "font.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#ifdef SLUICE_HAS_PNG
#include <png.h>
#endif

namespace sluice::app {
namespace {

constexpr std::array<Ink, 6> kInks = {
    {{230, 40, 60}, {40, 110, 230}, {250, 190, 20}, {30, 170, 90}, {170, 60, 200}, {20, 190, 210}}};

void fill(Image& picture, int y0, int x0, int y1, int x1, Ink ink) {
  for (int y = std::max(y0, 0); y < std::min(y1, picture.height()); ++y) {
    for (int x = std::max(x0, 0); x < std::min(x1, picture.width()); ++x) {
      std::uint8_t* const pixel = picture.row(y) + 3 * x;
      pixel[0] = ink.r;
      pixel[1] = ink.g;
      pixel[2] = ink.b;
    }
  }
}

int pixel_of(float edge, int most) {
  return static_cast<int>(std::lround(std::clamp(edge, 0.f, static_cast<float>(most))));
}

}  // namespace

void draw_boxes(std::span<const float> boxes, Image& picture) {
  if (picture.channels() != 3) return;
  const int line = std::max(2, std::max(picture.height(), picture.width()) / 80);
  for (std::size_t i = 0; i + 4 <= boxes.size(); i += 4) {
    const Ink ink = kInks[i / 4 % kInks.size()];
    const int x0 = pixel_of(boxes[i], picture.width()),
              y0 = pixel_of(boxes[i + 1], picture.height());
    const int x1 = pixel_of(boxes[i + 2], picture.width()),
              y1 = pixel_of(boxes[i + 3], picture.height());
    fill(picture, y0, x0, y0 + line, x1, ink);
    fill(picture, y1 - line, x0, y1, x1, ink);
    fill(picture, y0, x0, y1, x0 + line, ink);
    fill(picture, y0, x1 - line, y1, x1, ink);
  }
}

void draw_mask(const Bytes& mask, Image& picture) {
  if (picture.channels() != 3) return;
  Image ids;
  (void)decode_image_file(mask, {.ids = true}, ids);
  for (int y = 0; y < std::min(ids.height(), picture.height()); ++y) {
    for (int x = 0; x < std::min(ids.width(), picture.width()); ++x) {
      const int id = ids.row(y)[x];
      if (id == 0) continue;
      const Ink ink =
          id == 255 ? Ink{255, 255, 255} : kInks[static_cast<std::size_t>(id - 1) % kInks.size()];
      std::uint8_t* const pixel = picture.row(y) + 3 * x;
      pixel[0] = static_cast<std::uint8_t>((pixel[0] + ink.r) / 2);
      pixel[1] = static_cast<std::uint8_t>((pixel[1] + ink.g) / 2);
      pixel[2] = static_cast<std::uint8_t>((pixel[2] + ink.b) / 2);
    }
  }
}

#ifdef SLUICE_HAS_PNG

bool can_write_masks() { return true; }

Bytes write_mask(const Image& mask) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(mask.width());
  png.height = static_cast<png_uint_32>(mask.height());
  png.format = PNG_FORMAT_GRAY;
  const auto stride = static_cast<png_int_32>(mask.width());
  png_alloc_size_t size = 0;
  Bytes file;
  bool made = mask.channels() == 1 &&
              png_image_write_to_memory(&png, nullptr, &size, 0, mask.data(), stride, nullptr) != 0;
  if (made) {
    file = Bytes(size);
    made =
        png_image_write_to_memory(&png, file.data(), &size, 0, mask.data(), stride, nullptr) != 0;
  }
  if (!made) throw Error(std::string("a mask cannot be made a PNG file: ") + png.message);
  return file;
}

#else

bool can_write_masks() { return false; }
Bytes write_mask(const Image&) { throw Error("a mask cannot be made a PNG file without libpng"); }

#endif

}  // namespace sluice::app
