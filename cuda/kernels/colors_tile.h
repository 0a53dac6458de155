// Color tiles: one tile of an image whose pixels are computed from the pixels at the same
// positions: by a color matrix, a hue rotation, the luma, or a lookup table for each channel. The
// arithmetic is that of color.h and levels.h in ops/kernels, so the bits are the same. Internal to
// the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/kernels/image_view.h>

#include <cstdint>

namespace sluice::device {

enum class ColorChange : std::int32_t { none, matrix, hue, gray, tables };

// A fourth channel is copied, unless it has a lookup table, or the output has none. A matrix can
// also make one channel from three, or three from one; then only its first column counts.
struct ColorJob {
  std::int32_t tiles = 0;
  ColorChange change = ColorChange::none;
  ImageIn in;
  ImageOut out;
  float matrix[3][4] = {};
  float sixths = 0;  // of the hue circle, 0 .. 6
  std::int32_t unused = 0;
  // Device memory: 256 bytes for each channel; with a matrix, only for the fourth one.
  const std::uint8_t* tables = nullptr;
};

inline constexpr int kColorPixels = 1024;  // per tile
inline constexpr int kLuts = 4 * 256;

SLUICE_HOST_DEVICE inline int luma_of(int red, int green, int blue) {
  return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
}

SLUICE_HOST_DEVICE inline std::uint8_t matrix_level(const float (&row)[4], float r, float g,
                                                    float b) {
  const float sum = row[3] + row[0] * r + row[1] * g + row[2] * b;
  return static_cast<std::uint8_t>(sum < 0.0f ? 0.0f : sum > 255.0f ? 255.0f : sum);
}

// Wraps 0 .. 12 to 0 .. 6.
SLUICE_HOST_DEVICE inline float within_circle(float sixths) {
  return sixths >= 6.0f ? sixths - 6.0f : sixths;
}
// Returns the value of a channel that is `k` sixths from the hue. The factor of the chroma is
// rounded to a multiple of 2^-15.
SLUICE_HOST_DEVICE inline std::uint8_t hue_level(float value, float chroma, float k) {
  const float slope = k < 4.0f - k ? k : 4.0f - k;
  const float part = slope < 0.0f ? 0.0f : slope > 1.0f ? 1.0f : slope;
  const float rounded = (part + 256.0f) - 256.0f;
  return static_cast<std::uint8_t>(value - chroma * rounded + 0.5f);
}
SLUICE_HOST_DEVICE inline void turn_hue(const std::uint8_t* from, float sixths, std::uint8_t* to) {
  const float r = from[0], g = from[1], b = from[2];
  const float larger = g > b ? g : b, smaller = g < b ? g : b;
  const float value = r > larger ? r : larger;
  const float chroma = value - (r < smaller ? r : smaller);
  const bool is_red = value == r, is_green = value == g;
  const float difference = is_red ? g - b : is_green ? b - r : r - g;
  const float offset = difference / (chroma > 1.0f ? chroma : 1.0f);
  const float old_hue = within_circle((is_red ? 6.0f : is_green ? 2.0f : 4.0f) + offset);
  const float hue = within_circle(old_hue + sixths);
  to[0] = hue_level(value, chroma, within_circle(hue + 5.0f));
  to[1] = hue_level(value, chroma, within_circle(hue + 3.0f));
  to[2] = hue_level(value, chroma, within_circle(hue + 1.0f));
}

SLUICE_HOST_DEVICE inline void change_colors(const ColorJob& job, const std::uint8_t* tables,
                                             const std::uint8_t* from, std::uint8_t* to) {
  switch (job.change) {
    case ColorChange::matrix: {
      const bool gray = job.in.channels == 1;
      const float r = from[0], g = gray ? 0.0f : from[1], b = gray ? 0.0f : from[2];
      const int colors = job.out.channels == 1 ? 1 : 3;
      for (int c = 0; c < colors; ++c) to[c] = matrix_level(job.matrix[c], r, g, b);
      if (job.out.channels == 4) to[3] = job.tables == nullptr ? from[3] : tables[from[3]];
      return;
    }
    case ColorChange::hue:
      turn_hue(from, job.sixths, to);
      break;
    case ColorChange::gray: {
      const int gray = job.in.channels == 1 ? from[0] : luma_of(from[0], from[1], from[2]);
      for (int c = 0; c < job.out.channels; ++c) to[c] = static_cast<std::uint8_t>(gray);
      return;
    }
    case ColorChange::tables:
      for (int c = 0; c < job.in.channels; ++c) to[c] = tables[256 * c + from[c]];
      return;
    case ColorChange::none:
      for (int c = 0; c < job.in.channels; ++c) to[c] = from[c];
      return;
  }
  if (job.in.channels == 4) to[3] = from[3];
}

// Does the `number`th tile of the sample. `tables`: kLuts bytes that the thread block shares.
SLUICE_HOST_DEVICE inline void colors_tile(const ColorJob& job, int number,
                                           const ThreadBlock& thread_block, std::uint8_t* tables) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  if (job.tables != nullptr) {
    const int bytes = job.change == ColorChange::tables ? 256 * job.in.channels : 256;
    const std::uint8_t* const given = device_view(job.tables, static_cast<std::size_t>(bytes));
    for (int i = thread_block.index; i < bytes; i += kThreadBlockSize) tables[i] = given[i];
    thread_block.sync();
  }
  const int height = job.out.height, width = job.out.width;
  const int before = job.in.channels, after = job.out.channels;
  for_pixels<kColorPixels>(height, width, number, thread_block, [&](int y, int x) {
    change_colors(job, tables, in + y * job.in.stride + std::int64_t{x} * before,
                  out + (std::int64_t{y} * width + x) * after);
  });
}

}  // namespace sluice::device
