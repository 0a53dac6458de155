#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/color_space_conversion.h>
#include <sluice/ops/kernels/color_space_matrix.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/permute_channels.h>

#include <utility>

namespace sluice {

const char* name_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgb:
      return "rgb";
    case PixelFormat::bgr:
      return "bgr";
    case PixelFormat::ycbcr:
      return "ycbcr";
  }
  return "?";
}

namespace kernels {
namespace {

constexpr double kRed = 0.299, kGreen = 0.587, kBlue = 0.114;
// The maxima of the differences B - Y and R - Y, as multiples of 127.5.
constexpr double kCb = 2 * (1 - kBlue), kCr = 2 * (1 - kRed);

constexpr ColourMatrix kYcbcrOfRgb{{{kRed, kGreen, kBlue, 0},
                                    {-kRed / kCb, -kGreen / kCb, (1 - kBlue) / kCb, 128},
                                    {(1 - kRed) / kCr, -kGreen / kCr, -kBlue / kCr, 128}}};
constexpr double kGreenCb = -kBlue / kGreen * kCb, kGreenCr = -kRed / kGreen * kCr;
constexpr ColourMatrix kRgbOfYcbcr{{{1, 0, kCr, -128 * kCr},
                                    {1, kGreenCb, kGreenCr, -128 * (kGreenCb + kGreenCr)},
                                    {1, kCb, 0, -128 * kCb}}};

}  // namespace

ColourMatrix color_space_matrix(PixelFormat from, PixelFormat to) {
  if (to == PixelFormat::ycbcr) {
    ColourMatrix matrix = kYcbcrOfRgb;
    if (from == PixelFormat::bgr) {
      for (auto& row : matrix) std::swap(row[0], row[2]);
    }
    return matrix;
  }
  if (from == PixelFormat::ycbcr) {
    ColourMatrix matrix = kRgbOfYcbcr;
    if (to == PixelFormat::bgr) std::swap(matrix[0], matrix[2]);
    return matrix;
  }
  return {{{0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}};
}

void color_space_conversion(const Image& in, PixelFormat from, PixelFormat to, Image& out) {
  check_three_colours("color_space_conversion", in);
  if (from == to) return crop(in, {0, 0, in.height(), in.width()}, out);
  if (from != PixelFormat::ycbcr && to != PixelFormat::ycbcr)
    return permute_channels(in, {2, 1, 0}, out);
  apply_colour_matrix(in, color_space_matrix(from, to), out);
}

}  // namespace kernels
}  // namespace sluice
