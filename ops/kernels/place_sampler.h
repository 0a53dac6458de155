// PlaceSampler: samples an image at arbitrary positions, for warps that do not follow straight
// lines. Internal to the geometric kernels.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1). `nearest` takes the pixel there, `bilinear`
// interpolates the four around it, `bicubic` the sixteen (a = -0.75, like torch and OpenCV). Pixels
// beyond the border are replaced by the nearest pixel. Bilinear and bicubic round the position to
// 2^-11 pixels, so results are within 1 of those for the exact position. A position outside the
// image or NaN produces the fill, or, with Border::edge, the value of the nearest pixels.
//
// Ownership: refers to the image, which must stay alive. Threads: like any data. Errors: none;
// check() throws std::invalid_argument, with the name `op`, for invalid images, interpolations and
// borders.
#pragma once

#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::kernels {

class PlaceSampler {
 public:
  static void check(const char* op, const Image& in, const WarpOptions& options);

  PlaceSampler(const Image& in, const WarpOptions& options);
  void sample(double x, double y, std::uint8_t* out) const;
  // Writes the pixels at (x[i], y[i]) for i < count, side by side.
  void sample_row(const double* x, const double* y, int count, std::uint8_t* out) const;

 private:
  template <int channels>
  void sample_row_of(const double* x, const double* y, int count, std::uint8_t* out) const;
  // Take positions from place_after_middle().
  void bilinear(int x, int y, std::uint8_t* out) const;
  void bicubic(int x, int y, std::uint8_t* out) const;
  const std::uint8_t* pixel(int y, int x) const;

  const Image& in_;
  WarpOptions options_;
  std::array<std::uint8_t, std::size_t{kPlacesAtOnce} * 4> fills_;  // pixels of the fill
};

// Writes all pixels of `out`, which must have its size. places_of_row(y, xs, ys) writes the source
// positions of the pixel centers of row y.
template <class F>
void warp_rows_of_places(const Image& in, const WarpOptions& options, const F& places_of_row,
                         Image& out) {
  const PlaceSampler sampler(in, options);
  std::vector<double> xs(static_cast<std::size_t>(out.width())), ys(xs.size());
  for (int y = 0; y < out.height(); ++y) {
    places_of_row(y, xs.data(), ys.data());
    sampler.sample_row(xs.data(), ys.data(), out.width(), out.row(y));
  }
}

struct PicturePlace {
  double x = 0, y = 0;
};

// The same with place(x, y), the PicturePlace of one pixel center.
template <class F>
void warp_places(const Image& in, const WarpOptions& options, const F& place, Image& out) {
  warp_rows_of_places(
      in, options,
      [&, width = out.width()](int y, double* xs, double* ys) {
        for (int x = 0; x < width; ++x) {
          const PicturePlace from = place(x + 0.5, y + 0.5);
          xs[x] = from.x;
          ys[x] = from.y;
        }
      },
      out);
}

}  // namespace sluice::kernels
