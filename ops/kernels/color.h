// Operators on the colors of a pixel: saturation, color_twist, hue, grayscale, permute_channels,
// channel_dropout, rgb_shift and color_space_conversion. Most of them are one color matrix
// (ColorMatrix). ComposedColors combines several of them into one.
//
// Ownership: a ComposedColors refers to its source image; the functions keep nothing. Threads:
// any; a ComposedColors is like any data. Errors: std::invalid_argument, as each operator's
// comment says.
#pragma once

#include <sluice/ops/kernels/color_rows.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sluice::kernels {

// A color matrix: three rows of four numbers, one row per output channel.
//
//   out[row] = m[row][0] * R + m[row][1] * G + m[row][2] * B + m[row][3]
//
// The result is clipped to 0 .. 255 and rounded to nearest, halves up. The factors of R, G and B
// are rounded to 2^-16 of the power of two above the largest of them. The rounding keeps their sum,
// so gray stays gray if all rows have one sum. Before rounding, a result can be off by 0.012 per 1
// of the largest factor. Products with pixel values are exact in single precision, so all devices
// and instruction sets produce the same bytes, with or without fused operations. A row whose sums
// can exceed 2^30 is scaled down to that, since such sums are black or white.

using MatrixRow = std::array<double, 4>;
using ColorMatrix = std::array<MatrixRow, 3>;

// Applies the matrix to an image with 3 or 4 channels; a fourth is not changed.
void apply_color_matrix(const Image& in, const ColorMatrix& matrix, Image& out);

// Converts the matrix to the form of the inner loops.
FloatMatrix float_matrix(const ColorMatrix& matrix);

// saturation: moves colors away from the gray of the same luma, or towards it.
//
//   out = clamp(factor * x + (1 - factor) * luma, 0, 255), rounded to nearest
//   luma = (19595 R + 38470 G + 7471 B) / 65536
//
// 0 makes the image gray, 1 changes nothing. torchvision and Pillow round luma to a whole number
// first and truncate the result, so their results differ by 1, or by 2 if the factor is far from 1.
// It is one color matrix. An image of one channel is copied; a fourth channel is not changed.
//
// Errors: an empty image, one of 2 or more than 4 channels, a factor that is below zero or not
// finite.
ColorMatrix saturation_matrix(float factor);
void saturation(const Image& in, float factor, Image& out);

// color_twist: changes brightness, contrast, saturation and hue by one matrix, like DALI's operator
// of that name.
//
//   out = brightness * (contrast * (RGB of YIQ) * turn(hue) * diag(1, saturation, saturation) *
//                       (YIQ of RGB) * x + 128 * (1 - contrast))
//
// The matrices between RGB and YIQ are DALI's, with three digits. They are not quite inverse to
// each other. If hue is 0 and saturation 1, their product is omitted here, so that nothing changes;
// in DALI the blue of white becomes 254. The hue rotates linearly in the plane of I and Q; for hues
// by HSV, see hue(). The matrix is computed in double precision. An image of one channel has no hue
// and no saturation; a fourth channel is not changed.
//
// Errors: an empty image, one of 2 or more than 4 channels, numbers that are not finite, and other
// than hue below zero.
struct ColorTwist {
  float brightness = 1;
  float contrast = 1;
  float saturation = 1;
  float hue = 0;  // degrees
};

ColorMatrix color_twist_matrix(const ColorTwist& twist);
void color_twist(const Image& in, const ColorTwist& twist, Image& out);

// hue: rotates the hues of an image by an angle in degrees, in HSV.
//
// As torchvision's adjust_hue on floats, whose factor is degrees / 360. The hue of a color is the
// position of its values between the largest, V, and the smallest, V - C; V and C do not change.
// For hue h, in sixths of the circle, the new value of each channel is
//
//   V - C * clamp(min(k, 4 - k), 0, 1),  k = (n + h) mod 6,  n = 5, 3, 1 for red, green, blue
//
// rounded to nearest. A gray pixel, an image of one channel and a fourth channel are not changed.
// Computed in single precision, with the clamped number in steps of 2^-15, so that the product and
// the difference are exact and all instruction sets produce the same bytes.
//
// Errors: an empty image, one of 2 or more than 4 channels, degrees that are not finite.
void hue(const Image& in, float degrees, Image& out);

// grayscale: converts colors to luma (color_rows.h), in one channel or three equal ones.
//
// Pillow's convert("L"), bit for bit. An image of one channel is already gray and is copied. A
// fourth channel is dropped.
//
// Errors: an empty image, one of 2 or more than 4 channels, an output of other than 1 or 3
// channels.

void check_gray_channels(int channels);
void grayscale(const Image& in, int channels, Image& out);

// permute_channels: reorders the three color channels. A fourth channel stays in place.
//
// Errors: an empty image, one of fewer than 3 or more than 4 channels, an order in which 0, 1 and 2
// do not each occur once.

// Channel c of the result is channel order[c] of the image.
using ChannelOrder = std::array<int, 3>;

void check_channel_order(const ChannelOrder& order);
// Returns the order as a color matrix, after checking it.
ColorMatrix channel_order_matrix(const ChannelOrder& order);
void permute_channels(const Image& in, const ChannelOrder& order, Image& out);

// channel_dropout: sets all values of one channel to a constant. The first channel is 0.
//
// Errors: an empty image, more than 4 channels, a channel that the image does not have.

void check_dropped_channel(int channels, int channel);
void channel_dropout(const Image& in, int channel, std::uint8_t fill, Image& out);

// rgb_shift: adds a number to each of the three color channels.
//
//   out = clamp(x + shift, 0, 255), rounded to nearest, halves up
//
// It is one color matrix. A fourth channel is not changed.
//
// Errors: an empty image, one of fewer than 3 or more than 4 channels, numbers that are not finite.
struct RgbShift {
  float red = 0, green = 0, blue = 0;
};

ColorMatrix rgb_shift_matrix(const RgbShift& shift);
void rgb_shift(const Image& in, const RgbShift& shift, Image& out);

// color_space_conversion: converts pixels from one color format to another.
//
//   Y  = 0.299 R + 0.587 G + 0.114 B
//   Cb = (B - Y) / 1.772 + 128
//   Cr = (R - Y) / 1.402 + 128
//
// This is the YCbCr of JPEG, where all three have the full range of 0 to 255. DALI's operator uses
// the YCbCr of video instead. Each direction is one color matrix. Channels are in the order of the
// format's name; a fourth channel is not changed.
//
// Errors: an empty image, one of fewer than 3 or more than 4 channels.
void color_space_conversion(const Image& in, PixelFormat from, PixelFormat to, Image& out);

// Returns the color matrix between two different pixel formats.
ColorMatrix color_space_matrix(PixelFormat from, PixelFormat to);

// ComposedColors: a deferred image, described by its source image and one color matrix that
// combines several operators.
//
// The matrix is computed in double precision. Pixel values are rounded and clipped once, when the
// image is computed: values that one operator would clip are restored if a later one brings them
// back.
//
// Ownership: refers to the source image, which must stay alive. Errors: std::invalid_argument with
// the message of the kernel that does the same at once; `op` is the operator's name in it.
class ComposedColors {
 public:
  ComposedColors() = default;
  // The unchanged image. Nothing is checked: it may be empty.
  explicit ComposedColors(const Image& from);

  int channels() const { return channels_; }
  // Make the checks of arguments.h.
  void check_pixels(const char* op) const;
  void check_colors(const char* op) const;
  void check_three_colors(const char* op) const;

  // For 3 or 4 channels; a fourth is not changed.
  void apply(const ColorMatrix& matrix);
  // Replaces each value x of each channel by factor * x + offset.
  void map_levels(double factor, double offset);
  // Sets all values of one channel to `level`.
  void set_channel(int channel, double level);
  // Makes 1 channel, or 3 equal ones; a fourth is dropped.
  void to_gray(int channels);

  // The recipe of the image. For a source of one channel only the first column of the matrix
  // counts; for a result of one channel only its first row counts.
  const Image& from() const { return *from_; }
  const ColorMatrix& matrix() const { return matrix_; }
  // The table for a fourth channel; none if it is not changed.
  std::optional<Lut> fourth() const;
  void write_to(Image& out) const;

 private:
  const Image* from_ = nullptr;
  int channels_ = 0;
  ColorMatrix matrix_{};
  double fourth_factor_ = 1, fourth_offset_ = 0;
};

}  // namespace sluice::kernels
