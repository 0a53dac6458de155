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
inline void add_png_rows(const PngImage& picture, int y0, int x0, int dy, int dx,
                         std::string& data) {
  const int channels = picture.color == 2 ? 3 : picture.color == 6 ? 4 : picture.color == 4 ? 2 : 1;
  if (x0 >= picture.width) return;
  for (int y = y0; y < picture.height; y += dy) {
    data += '\0';
    unsigned byte = 0;
    int filled = 0;
    for (int x = x0; x < picture.width; x += dx) {
      for (int c = 0; c < channels; ++c) {
        const unsigned level = picture.level(y, x, c);
        if (picture.bits == 16) data += static_cast<char>(level >> 8);
        if (picture.bits >= 8) {
          data += static_cast<char>(level);
          continue;
        }
        byte = byte << picture.bits | level;
        filled += picture.bits;
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

inline std::string png_header(const PngImage& picture) {
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", png_number(static_cast<std::uint32_t>(picture.width)) +
                               png_number(static_cast<std::uint32_t>(picture.height)) +
                               static_cast<char>(picture.bits) + static_cast<char>(picture.color) +
                               std::string(2, '\0') + (picture.interlaced ? '\1' : '\0'));
}

inline std::string png_file(const PngImage& picture) {
  std::string data;
  if (picture.interlaced) {
    constexpr int kPasses[][4] = {{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4},
                                  {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}};
    for (const auto& [y, x, dy, dx] : kPasses) add_png_rows(picture, y, x, dy, dx, data);
  } else {
    add_png_rows(picture, 0, 0, 1, 1, data);
  }
  return png_header(picture) + picture.before_data + png_chunk("IDAT", stored(data)) +
         png_chunk("IEND", "");
}

}  // namespace sluice
