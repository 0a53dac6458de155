// Writes PNG files of all kinds, valid and invalid, for tests. Nothing is compressed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sluice {

struct PngImage {
  int width = 1;
  int height = 1;
  int bits = 8;   // of a sample
  int color = 2;  // 0 gray, 2 rgb, 3 palette, 4 gray and alpha, 6 rgb and alpha
  bool interlaced = false;
  // Returns the value of a PNG sample, of 0 to 2^bits - 1.
  std::function<unsigned(int y, int x, int c)> level = {};
  std::string before_data = {};  // chunks
};

inline std::string png_number(std::uint32_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
  return text;
}

inline std::string png_chunk(std::string_view type, std::string_view data) {
  const std::string body = std::string(type) + std::string(data);
  std::uint32_t crc = ~0U;
  for (const char byte : body) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1)));
  }
  return png_number(static_cast<std::uint32_t>(data.size())) + body + png_number(~crc);
}

// Returns the data as a zlib stream without compression.
inline std::string stored(std::string_view data) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const char byte : data) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  std::string stream = "\x78\x01";
  for (std::size_t at = 0; at < data.size() || at == 0; at += 65535) {
    const std::string_view part = data.substr(at, 65535);
    const auto size = static_cast<std::uint16_t>(part.size());
    stream += at + 65535 >= data.size() ? '\1' : '\0';
    for (const std::uint16_t number : {size, static_cast<std::uint16_t>(~size)}) {
      stream += static_cast<char>(number);
      stream += static_cast<char>(number >> 8);
    }
    stream += part;
  }
  return stream + png_number(b << 16 | a);
}

// Adds the pixels of every dx-th column and dy-th row, each row after its filter type.
inline void add_png_rows(const PngImage& image, int y0, int x0, int dy, int dx, std::string& data) {
  const int channels = image.color == 2 ? 3 : image.color == 6 ? 4 : image.color == 4 ? 2 : 1;
  if (x0 >= image.width) return;
  for (int y = y0; y < image.height; y += dy) {
    data += '\0';
    unsigned byte = 0;
    int filled = 0;
    for (int x = x0; x < image.width; x += dx) {
      for (int c = 0; c < channels; ++c) {
        const unsigned level = image.level(y, x, c);
        if (image.bits == 16) data += static_cast<char>(level >> 8);
        if (image.bits >= 8) {
          data += static_cast<char>(level);
          continue;
        }
        byte = byte << image.bits | level;
        filled += image.bits;
        if (filled == 8) {
          data += static_cast<char>(byte);
          byte = 0;
          filled = 0;
        }
      }
    }
    if (filled > 0) data += static_cast<char>(byte << (8 - filled));
  }
}

inline std::string png_header(const PngImage& image) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", png_number(static_cast<std::uint32_t>(image.width)) +
                               png_number(static_cast<std::uint32_t>(image.height)) +
                               static_cast<char>(image.bits) + static_cast<char>(image.color) +
                               std::string(2, '\0') + (image.interlaced ? '\1' : '\0'));
}

inline std::string png_file(const PngImage& image) {
  std::string data;
  if (image.interlaced) {
    constexpr int kPasses[][4] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4},
                                  {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};
    for (const auto& [y, x, dy, dx] : kPasses) add_png_rows(image, y, x, dy, dx, data);
  } else {
    add_png_rows(image, 0, 0, 1, 1, data);
  }
  return png_header(image) + image.before_data + png_chunk("IDAT", stored(data)) +
         png_chunk("IEND", "");
}

}  // namespace sluice
