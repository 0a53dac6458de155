// Writes TIFF files of all kinds, valid and invalid, for tests. Nothing is compressed, but
// deflate's container is possible.
#pragma once

#include "tests/io/images/png_writer.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sluice {

struct TiffImage {
  int width = 1;
  int height = 1;
  int channels = 1;
  int bits = 8;
  int format = 1;       // 1 unsigned, 2 signed, 3 floating-point
  int photometric = 1;  // 0 white is zero, 1 black is zero, 2 RGB, 3 palette
  bool big_endian = false;
  bool planar = false;
  bool deflated = false;
  int rows_per_strip = 1000;
  int tile = 0;  // side of the tiles, a multiple of 16; 0 for strips
  // Returns the bits of a number.
  std::function<std::uint64_t(int y, int x, int c)> number = {};
  std::vector<std::uint16_t> palette = {};  // 3 * 2^bits numbers
  std::map<int, std::vector<std::uint32_t>> others =
      {};  // values of fields, in place of the right ones
};

inline std::string tiff_number(const TiffImage& image, std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(number >> 8 * (image.big_endian ? bytes - 1 - i : i));
  return text;
}

// Returns a strip or tile; numbers beyond the image are 0.
inline std::string tiff_block(const TiffImage& image, int y0, int x0, int height, int width,
                              int plane) {
  std::string block;
  for (int y = y0; y < y0 + height; ++y) {
    unsigned byte = 0;
    int filled = 0;
    for (int x = x0; x < x0 + width; ++x) {
      for (int c = image.planar ? plane : 0; c < (image.planar ? plane + 1 : image.channels); ++c) {
        const bool inside = y < image.height && x < image.width;
        const std::uint64_t number = inside ? image.number(y, x, c) : 0;
        if (image.bits >= 8) {
          block += tiff_number(image, number, image.bits / 8);
          continue;
        }
        byte = byte << image.bits | static_cast<unsigned>(number);
        filled += image.bits;
        if (filled < 8) continue;
        block += static_cast<char>(byte);
        byte = 0;
        filled = 0;
      }
    }
    if (filled > 0) block += static_cast<char>(byte << (8 - filled));
  }
  return image.deflated ? stored(block) : block;
}

inline std::string tiff_file(const TiffImage& image) {
  std::string blocks;
  std::vector<std::uint32_t> offsets, sizes;
  constexpr std::uint32_t kHeader = 8;
  const int block_height =
      image.tile > 0 ? image.tile : std::min(image.rows_per_strip, image.height);
  const int block_width = image.tile > 0 ? image.tile : image.width;
  for (int plane = 0; plane < (image.planar ? image.channels : 1); ++plane) {
    for (int y = 0; y < image.height; y += block_height) {
      const int rows = image.tile > 0 ? image.tile : std::min(block_height, image.height - y);
      for (int x = 0; x < image.width; x += block_width) {
        const std::string block = tiff_block(image, y, x, rows, block_width, plane);
        offsets.push_back(kHeader + static_cast<std::uint32_t>(blocks.size()));
        sizes.push_back(static_cast<std::uint32_t>(block.size()));
        blocks += block;
      }
    }
  }
  if (blocks.size() % 2 != 0) blocks += '\0';

  const auto all = [&](int number) {
    return std::vector<std::uint32_t>(static_cast<std::size_t>(image.channels),
                                      static_cast<std::uint32_t>(number));
  };
  const auto one = [](int number) {
    return std::vector<std::uint32_t>{static_cast<std::uint32_t>(number)};
  };
  std::map<int, std::vector<std::uint32_t>> fields{
      {256, one(image.width)},          {257, one(image.height)},
      {258, all(image.bits)},           {259, one(image.deflated ? 8 : 1)},
      {262, one(image.photometric)},    {277, one(image.channels)},
      {284, one(image.planar ? 2 : 1)}, {339, all(image.format)}};
  const int colors = image.photometric == 2 ? 3 : 1;
  if (image.channels > colors)
    fields[338] = std::vector<std::uint32_t>(static_cast<std::size_t>(image.channels - colors), 0);
  if (image.tile > 0) {
    fields[322] = fields[323] = one(image.tile);
    fields[324] = offsets;
    fields[325] = sizes;
  } else {
    fields[273] = offsets;
    fields[278] = one(block_height);
    fields[279] = sizes;
  }
  if (!image.palette.empty()) fields[320] = {image.palette.begin(), image.palette.end()};
  for (const auto& [tag, values] : image.others) fields[tag] = values;

  // Offsets and sizes are numbers of 4 bytes, all others of 2.
  const auto is_long = [](int tag) {
    return tag == 256 || tag == 257 || tag == 273 || tag == 279 || tag == 324 || tag == 325;
  };
  const std::uint32_t directory = kHeader + static_cast<std::uint32_t>(blocks.size());
  std::uint32_t beyond = directory + 2 + 12 * static_cast<std::uint32_t>(fields.size()) + 4;
  std::string entries, values_beyond;
  for (const auto& [tag, values] : fields) {
    std::string text;
    for (const std::uint32_t value : values)
      text += tiff_number(image, value, is_long(tag) ? 4 : 2);
    entries += tiff_number(image, static_cast<std::uint64_t>(tag), 2) +
               tiff_number(image, is_long(tag) ? 4 : 3, 2) + tiff_number(image, values.size(), 4);
    if (text.size() <= 4) {
      text.resize(4);
      entries += text;
    } else {
      entries += tiff_number(image, beyond + values_beyond.size(), 4);
      values_beyond += text;
    }
  }
  return (image.big_endian ? "MM" : "II") + tiff_number(image, 42, 2) +
         tiff_number(image, directory, 4) + blocks + tiff_number(image, fields.size(), 2) +
         entries + std::string(4, '\0') + values_beyond;
}

}  // namespace sluice
