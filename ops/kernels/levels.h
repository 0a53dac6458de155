// Operators that map each pixel value by a lookup table: solarize, posterize, gamma_correction,
// brightness_contrast, contrast, autocontrast, equalize and clahe. Also the tables (Lut), and
// their application to images.
//
// Threads: any. Errors: std::invalid_argument, as each operator's comment says; map_levels(),
// map_channels() and map_colors() check nothing.
#pragma once

#include <sluice/runtime/image.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sluice::kernels {

// A lookup table for the 256 pixel values.
using Lut = std::array<std::uint8_t, 256>;

// Rounds to nearest, halves up, and clips to 0 .. 255.
inline std::uint8_t to_level(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

// Returns the table of to_level(value(x)) for x = 0 .. 255; value returns a double.
template <class F>
Lut lut_of(const F& value) {
  Lut table{};
  for (std::size_t x = 0; x < table.size(); ++x) table[x] = to_level(value(static_cast<double>(x)));
  return table;
}

// Returns the identity table.
inline Lut same_levels() {
  return lut_of([](double x) { return x; });
}
// Returns the table that maps x to 255 - x.
inline Lut invert_table() {
  return lut_of([](double x) { return 255 - x; });
}
// Returns the table of these numbers, by to_level().
Lut rounded_table(const std::array<float, 256>& numbers);

// Maps every channel by the same table.
void map_levels(const Image& in, const Lut& table, Image& out);
// Maps each channel by its own table: as many tables as channels, 1, 3 or 4.
void map_channels(const Image& in, std::span<const Lut> tables, Image& out);
// Like map_levels(), but does not change a fourth channel; for 1, 3 or 4 channels.
void map_colors(const Image& in, const Lut& table, Image& out);

// solarize: inverts all pixel values from a threshold on.
//
//   out = x >= threshold ? 255 - x : x
//
// As in torchvision and Pillow, for all channels. 0 inverts all values, 256 none.
//
// Errors: an empty image, more than 4 channels, a threshold outside 0 .. 256.
Lut solarize_table(float threshold);
void solarize(const Image& in, float threshold, Image& out);

// posterize: keeps only the upper bits of each pixel value.
//
//   out = x & mask, where mask has the upper `bits` of 8 bits
//
// As in torchvision and Pillow, for all channels.
//
// Errors: an empty image, more than 4 channels, bits outside 1 .. 8.
Lut posterize_table(int bits);
void posterize(const Image& in, int bits, Image& out);

// gamma_correction: applies a power curve to the pixel values.
//
//   out = clamp(255 * (x / 255)^gamma * gain, 0, 255), rounded to nearest
//
// As torchvision's adjust_gamma, which truncates where this rounds, so results differ by at most 1.
// A gamma below 1 lightens dark parts; 0 to the power of 0 is 1. Applies to all channels. Computed
// in double precision; halves round up.
//
// Errors: an empty image, more than 4 channels, a gamma or gain that is below zero or not finite.
Lut gamma_correction_table(float gamma, float gain);
void gamma_correction(const Image& in, float gamma, float gain, Image& out);

// brightness_contrast: changes brightness and contrast by one table of 256 values.
//
//   out = clamp(((x - center) * contrast + center) * brightness + 255 * shift, 0, 255), rounded
//                                                                                  to nearest
//
// The contrast comes first, with a mid-gray of 128 as the default pivot, then the brightness, then
// the shift. The result is clipped once, at the end. Computed in double precision; halves round up.
//
// Errors: an empty image, more than 4 channels, numbers that are not finite, a brightness or
// contrast below zero.

// Throws if one of these is invalid.
void check_brightness_contrast(float brightness, float contrast, float contrast_center,
                               float shift);
// Returns the table of the new pixel values.
Lut brightness_contrast_table(float brightness, float contrast, float contrast_center,
                              float shift = 0);
void brightness_contrast(const Image& in, float brightness, float contrast, float contrast_center,
                         float shift, Image& out);
inline void brightness_contrast(const Image& in, float brightness, float contrast,
                                float contrast_center, Image& out) {
  brightness_contrast(in, brightness, contrast, contrast_center, 0.0f, out);
}
inline void brightness_contrast(const Image& in, float brightness, float contrast, Image& out) {
  brightness_contrast(in, brightness, contrast, 128.0f, 0.0f, out);
}

// contrast: moves pixel values away from the image's mean, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * mean, 0, 255), rounded to nearest
//
// The pivot is the mean luma (color_rows.h) of the image, as in torchvision and Pillow;
// brightness_contrast has one pivot for all images. The mean keeps its fraction, which Pillow
// rounds. One pass computes the mean, one the pixel values. A fourth channel is not changed.
// Computed in double precision; halves round up.
//
// Errors: an empty image, one of 2 or more than 4 channels, a factor that is below zero or not
// finite.
void contrast(const Image& in, float factor, Image& out);

// autocontrast: stretches each channel to the range 0 to 255.
//
//   out = (x - lowest) * 255 / (highest - lowest), truncated to a whole number
//
// As in torchvision and Pillow, which truncate the same value in floating point: results differ by
// at most 1 where that value is not quite whole. A channel with a single value, and a fourth
// channel, are not changed. One pass finds the lowest and highest values, one applies the table.
//
// Errors: an empty image, one of 2 or more than 4 channels.
void autocontrast(const Image& in, Image& out);

// equalize: equalizes the histogram of each channel.
//
//   step  = (pixels - those of the highest value that occurs) / 255
//   out   = min(255, (pixels below x + step / 2) / step), all in whole numbers
//
// Pillow's table, bit for bit, and so torchvision's. A channel with a single value, or with too few
// pixels for a step of 1, is not changed; neither is a fourth channel. One pass counts the values,
// one maps them.
//
// Errors: an empty image, one of 2 or more than 4 channels.
void equalize(const Image& in, Image& out);

// clahe: contrast limited adaptive histogram equalization, as OpenCV defines it for 8 bits.
//
// The image is cut into tiles. If they do not fit, it is first extended to the right and the bottom
// by mirroring about its outermost pixels. Each tile has a table that equalizes its histogram. No
// entry of the histogram may exceed clip_limit times the mean; the excess is spread over all
// entries. A pixel's result is interpolated between the tables of the four nearest tiles. In color
// images the luma (color_rows.h) is equalized, and red, green and blue move by the same amount. A
// fourth channel is not changed.
//
// Errors: an empty image, 2 or more than 4 channels, and numbers outside of what ClaheParams
// allows.

inline constexpr float kLargestClipLimit = 1e6f;
inline constexpr int kMostTiles = 256;

struct ClaheParams {
  float clip_limit = 2;          // 0: no limit
  int tiles_y = 8, tiles_x = 8;  // 1 to kMostTiles
};

// The tiles of an image, and the clip limit as a number of pixels.
struct ClaheGrid {
  int across = 1, down = 1;   // tiles
  int width = 1, height = 1;  // pixels of each tile
  int limit = 0;              // 0: no limit
};
// Computes the grid. Throws the errors of clahe().
ClaheGrid clahe_grid(const Image& in, const ClaheParams& params);

void clahe(const Image& in, const ClaheParams& params, Image& out);

}  // namespace sluice::kernels
