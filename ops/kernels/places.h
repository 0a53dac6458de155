// Warps that do not follow straight lines: perspective, random_perspective, lens_distortion,
// elastic and jitter; and PlaceSampler, which samples an image at arbitrary positions for them.
//
// Ownership: a PlaceSampler refers to its image, which must stay alive; the functions keep nothing.
// Threads: any; a PlaceSampler is like any data. Errors: std::invalid_argument, as each operator's
// comment says.
#pragma once

#include <sluice/ops/kernels/remap_rows.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace sluice::kernels {

// PlaceSampler: samples an image at arbitrary positions, for warps that do not follow straight
// lines.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1). `nearest` takes the pixel there, `bilinear`
// interpolates the four around it, `bicubic` the sixteen (a = -0.75, like torch and OpenCV). Pixels
// beyond the border are replaced by the nearest pixel. Bilinear and bicubic round the position to
// 2^-11 pixels, so results are within 1 of those for the exact position. A position outside the
// image or NaN produces the fill, or, with Border::edge, the value of the nearest pixels.
//
// Ownership: refers to the image, which must stay alive.
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

struct ImagePlace {
  double x = 0, y = 0;
};

// Returns the position in the output image that shows position (x, y) of the input. Throws
// std::invalid_argument if there is none.
using PlaceFunction = std::function<ImagePlace(double x, double y)>;

// The same with place(x, y), the ImagePlace of one pixel center.
template <class F>
void warp_places(const Image& in, const WarpOptions& options, const F& place, Image& out) {
  warp_rows_of_places(
      in, options,
      [&, width = out.width()](int y, double* xs, double* ys) {
        for (int x = 0; x < width; ++x) {
          const ImagePlace from = place(x + 0.5, y + 0.5);
          xs[x] = from.x;
          ys[x] = from.y;
        }
      },
      out);
}

// perspective: applies a perspective transformation: straight lines stay straight, but parallel
// lines need not stay parallel.
//
// Pixel (x, y) covers [x, x + 1) x [y, y + 1). Each output pixel samples the input at the position
// to which the map takes its center: see PlaceSampler. A position that is not finite counts as
// beyond the border.
//
// Errors, with the name `op`: an empty image, more than 4 channels, an invalid size, numbers that
// are not finite, and points that no map brings to their targets.

// Row by row: maps (x, y) to ((m0 x + m1 y + m2) / w, (m3 x + m4 y + m5) / w), where w is
// m6 x + m7 y + m8.
using PerspectiveMap = std::array<double, 9>;

struct PerspectivePoint {
  double x = 0, y = 0;
};
using PerspectivePoints = std::array<PerspectivePoint, 4>;

// Returns the map that takes each point of `from` to the one of `to`.
PerspectiveMap map_of_points(const char* op, const PerspectivePoints& from,
                             const PerspectivePoints& to);

// Returns the inverse map, up to a factor. Throws if the map collapses the image to a line or a
// point.
PerspectiveMap inverse_perspective(const char* op, const PerspectiveMap& map);

// `from` maps output coordinates to input coordinates.
void warp_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                      int width, const WarpOptions& options, Image& out);

// Throws the errors of warp_perspective().
void check_perspective(const char* op, const Image& in, const PerspectiveMap& from, int height,
                       int width, const WarpOptions& options);

// random_perspective: applies a perspective transformation that moves the four corners inward by
// random distances.
//
// The draws are those of torchvision's RandomPerspective. A corner moves along x by a whole number
// of pixels, uniformly from 0 to distortion_scale * (width / 2), and along y likewise; both
// products are cut to whole numbers. Above 0.5, three corners can lie on a line; then all are drawn
// again. An image with a side of one pixel stays as it is.
//
// Errors: those of warp_perspective(), and numbers outside of 0 .. 1.
struct RandomPerspective {
  float distortion_scale = 0.5f;  // 0 changes nothing
  float probability = 0.5f;       // that an image changes
};

// Draws the corners of the result: those at the upper left, upper right, lower right and lower
// left. Returns nothing if the image stays as it is.
std::optional<PerspectivePoints> random_corners(Random& random, int height, int width,
                                                const RandomPerspective& params);
// Draws the map from the result to the image, for warp_perspective().
std::optional<PerspectiveMap> random_perspective_map(Random& random, int height, int width,
                                                     const RandomPerspective& params);

void random_perspective(Random& random, const Image& in, const RandomPerspective& params,
                        const WarpOptions& options, Image& out);

// lens_distortion: bends straight lines like a simple lens.
//
// An output pixel at distance r from the center (r = 1 at the corners) samples the input on the
// same ray at distance r (1 + k1 r^2 + k2 r^4): see PlaceSampler. Positive numbers push the image
// inward (barrel), negative ones pull it outward (pincushion).
//
// Errors: an empty image, more than 4 channels, and numbers that are not finite.

// The center of the image, the squared distance of its corners from there, and the two
// coefficients.
struct Lens {
  double middle_x = 0, middle_y = 0, corner = 1;
  double k1 = 0, k2 = 0;
};
// Computes the lens. Throws the errors of lens_distortion().
Lens lens_for(const Image& in, float k1, float k2, const WarpOptions& options);

void lens_distortion(const Image& in, float k1, float k2, const WarpOptions& options, Image& out);

// Returns the function that moves positions with an image of this size. It solves
// s = r (1 + k1 r^2 + k2 r^4) for the distance r at which the input distance s is shown, by
// Newton's method and bisection, to 1e-9 of half the diagonal. A large s that no r produces is
// continued beyond the image's corners, so such a position moves out of the image.
//
// Throws std::invalid_argument, with the name `op`, for numbers that are not finite, and if the
// distance s does not grow with r up to the corners: then the image shows some positions twice.
PlaceFunction lens_places(const char* op, int height, int width, float k1, float k2);

// elastic: elastic deformation by a smoothed random displacement field.
//
// The displacement of each pixel along x and along y is uniform in [-1, 1), blurred over the image
// by a Gaussian of `sigma` pixels (window (8 sigma + 1) | 1, borders reflected), times alpha / 2
// pixels. For square images these are exactly torchvision's alpha and sigma.
//
// The draws are those of `random` from its first one on: for each pixel's x, row by row, then for
// each y. `random` does not advance. Errors: an empty image, more than 4 channels, and numbers
// outside the ranges of ElasticParams.

inline constexpr float kLargestElasticAlpha = 1e5f;
inline constexpr float kLargestElasticSigma = 64;

struct ElasticParams {
  float alpha = 50;  // 0 to kLargestElasticAlpha
  float sigma = 5;   // 0, which does not blur, to kLargestElasticSigma
};

// Throws the errors of elastic().
void check_elastic(const Image& in, const ElasticParams& params, const WarpOptions& options);
// Returns the weights of the window of `sigma`, which is not 0.
std::vector<float> elastic_weights(float sigma);

void elastic(const Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out);

// The blurred numbers of each pixel, before they are multiplied by alpha / 2: those that elastic()
// draws for an image of this size.
struct ElasticShifts {
  std::vector<float> along_x, along_y;
};
ElasticShifts elastic_shifts(const Random& random, int height, int width, float sigma);
// Throws the errors of elastic() for the numbers, with the name `op`.
void check_elastic_params(const char* op, const ElasticParams& params);

// Blurs height x width numbers in place.
void blur_shifts(std::vector<float>& numbers, int height, int width, float sigma);

// jitter: replaces each pixel by a random one from a window around it.
//
// Rows and columns are uniform in the window; positions beyond the border use the nearest pixel.
// Takes two draws per pixel, row by row: first for the row, then for the column.
//
// Errors: an empty image, more than 4 channels, and a window that is even or outside of 1 ..
// kLargestJitterWindow.

inline constexpr int kLargestJitterWindow = 255;
void check_jitter_window(int window_size);

void jitter(Random& random, const Image& in, int window_size, Image& out);

}  // namespace sluice::kernels
