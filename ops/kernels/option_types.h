// Types of operators' options: the border, the fill color, the interpolation, the resizing mode,
// the treatment of regions outside an image, and the pixel format.
//
// Threads: like any data. Errors: a Fill throws std::invalid_argument for values outside 0 .. 255.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sluice {

// The content beyond the border of an image, for operators that need pixels there: a constant
// color; the nearest edge pixel; the image mirrored about the center of its outermost pixels.
enum class Border : std::uint8_t { constant, edge, reflect };
const char* name_of(Border border);

class Tensor;

// The color of pixels that have no source, one value for all channels or one for each. An image of
// 2 or 3 channels uses the first values. Operators reject different values for a one-channel image;
// kernels use the first value. Values 0 .. 255; others throw std::invalid_argument.
class Fill {
 public:
  // The type for a parameter that differs per sample: a tensor of such numbers.
  using parameter_value = Tensor;
  // NOLINTNEXTLINE(google-explicit-constructor): `.fill = 0` must be possible.
  Fill(int all = 0) : Fill(all, all, all, all) {}
  Fill(int first, int second, int third, int fourth = 0);
  std::uint8_t operator[](int channel) const { return values_[static_cast<std::size_t>(channel)]; }

 private:
  std::array<std::uint8_t, 4> values_;
};

// The meaning of the height and width of a resize.
//  - as_given: exact sizes; a missing one follows, so that the aspect ratio is kept.
//  - stretch: exact sizes; a missing one is not changed.
//  - not_larger: the largest size of the same aspect ratio that exceeds neither.
//  - not_smaller: the smallest size of the same aspect ratio that is below neither.
enum class ResizeMode : std::uint8_t { as_given, stretch, not_larger, not_smaller };
const char* name_of(ResizeMode mode);

// The treatment of a region that does not lie inside its image: fail; fill the outside; clip it to
// the image.
enum class OutOfBounds : std::uint8_t { error, pad, trim };
const char* name_of(OutOfBounds what);

// The meaning of an image's three channels, in their order. ycbcr is the YCbCr of JPEG, where all
// three have the full range of 0 to 255.
enum class PixelFormat : std::uint8_t { rgb, bgr, ycbcr };
const char* name_of(PixelFormat format);

// The interpolation by which a resized or warped image computes a pixel from its neighbors.
enum class Interpolation : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
const char* name_of(Interpolation interpolation);

}  // namespace sluice

namespace sluice::kernels {

// The filter by which a resized image computes a pixel from its neighbors. An interpolation alone
// converts to an antialiased filter. Used by the resizing kernels; operators have two separate
// options instead.
struct ResizeFilter {
  Interpolation interpolation = Interpolation::bilinear;
  // When an image is reduced, the filter is widened by the same factor, so every input pixel
  // contributes. Without it, only the pixels next to each sampling position count, as for enlarging
  // (torch's antialias=False). That is faster but causes aliasing.
  bool antialias = true;

  constexpr ResizeFilter(Interpolation interpolates = Interpolation::bilinear,
                         bool antialiases = true)
      : interpolation(interpolates), antialias(antialiases) {}
  bool operator==(const ResizeFilter&) const = default;
};

}  // namespace sluice::kernels
