// Writes GIF files for tests. Nothing is compressed: each pixel is a code of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sluice {

struct GifImage {
  int width = 1;
  int height = 1;
  // The first frame; 0 x 0: all of it.
  int left = 0, top = 0, frame_width = 0, frame_height = 0;
  bool interlaced = false;
  int background = 0;
  std::function<unsigned(int y, int x)> index = {};  // of the frame; 0 to 127
};

// Returns the pixel value of a color: index 0 to 127, channel 0 to 2.
inline unsigned gif_level(unsigned index, unsigned c) { return (index * (c + 1) + 7 * c) & 0xff; }

inline std::string gif_number(int number) {
  return {static_cast<char>(number), static_cast<char>(number >> 8)};
}

// Returns codes of 8 bits. 128 clears the table, before codes become longer; 129 is the end.
inline std::string gif_data(const GifImage& image, int width, int height) {
  std::string codes = "\x80";
  const auto add_row = [&](int y) {
    for (int x = 0; x < width; ++x) {
      codes += static_cast<char>(image.index(y, x));
      if (codes.size() % 100 == 0) codes += '\x80';
    }
  };
  if (image.interlaced) {
    constexpr int kPasses[][2] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    for (const auto& [start, step] : kPasses) {
      for (int y = start; y < height; y += step) add_row(y);
    }
  } else {
    for (int y = 0; y < height; ++y) add_row(y);
  }
  codes += '\x81';
  std::string blocks = "\x07";  // bits of a pixel
  for (std::size_t at = 0; at < codes.size(); at += 255) {
    const std::string part = codes.substr(at, 255);
    blocks += static_cast<char>(part.size());
    blocks += part;
  }
  return blocks + '\0';
}

inline std::string gif_file(const GifImage& image) {
  const int width = image.frame_width > 0 ? image.frame_width : image.width;
  const int height = image.frame_height > 0 ? image.frame_height : image.height;
  std::string file = "GIF89a" + gif_number(image.width) + gif_number(image.height) + '\xf6' +
                     static_cast<char>(image.background) + '\0';
  for (unsigned index = 0; index < 128; ++index) {
    for (unsigned c = 0; c < 3; ++c) file += static_cast<char>(gif_level(index, c));
  }
  file += std::string("\x21\xfe\x04note\0", 8);  // a comment
  const std::string frame = "," + gif_number(image.left) + gif_number(image.top) +
                            gif_number(width) + gif_number(height) +
                            (image.interlaced ? '\x40' : '\0') + gif_data(image, width, height);
  return file + frame + frame + ";";  // the second frame is not looked at
}

}  // namespace sluice
