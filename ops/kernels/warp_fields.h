// Displacement fields: tensors that say for each pixel of an image where its content comes from.
// elastic_field() and grid_field() draw them, remap() applies them to images and masks, and
// field_places() moves boxes and points with them.
//
// A field is f32, height x width x 2. Pixel (x, y) of the result shows the input at
//
//   (x + 0.5 + field[y][x][0], y + 0.5 + field[y][x][1]),
//
// in pixels, where pixel (x, y) covers [x, x + 1) x [y, y + 1). Image and field have the same
// height and width.
//
// Ownership: a function of field_places() refers to its field, which must stay alive. The others
// keep nothing. Threads: any. Errors: std::invalid_argument, with the name `op`, for tensors that
// are no field, and as each function says.
#pragma once

#include <sluice/ops/kernels/places.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <vector>

namespace sluice::kernels {

// Requires a field: f32, height x width x 2, with elements.
void check_field(const char* op, const Tensor& field);
// Throws the errors of remap(). The field may lie on a device.
void check_remap(const char* op, const Image& in, const Tensor& field, const WarpOptions& options);

// Samples the image at the positions of the field: see PlaceSampler for interpolation and borders.
// A displacement that is not finite counts as beyond the border.
//
// Errors: an empty image, more than 4 channels, an unsupported interpolation or border, and a field
// of another size.
void remap(const char* op, const Image& in, const Tensor& field, const WarpOptions& options,
           Image& out);

// Draws the field of elastic(): with the same `random`, the numbers are those by which elastic()
// moves the pixels of an image of this size, rounded to f32. So remap() with it differs from
// elastic() by the rounding of positions only. `random` does not advance.
//
// Errors: an invalid size, and numbers outside the ranges of ElasticParams.
void elastic_field(const Random& random, int height, int width, const ElasticParams& params,
                   Tensor& out);

// Draws the field of grid_distortion, like albumentations' GridDistortion with `normalized`: the
// result is cut into steps x steps cells of equal size. Column i of cells shows a part of the input
// whose width is proportional to 1 + u, with u uniform in [-limit, limit); the parts cover the
// input from the left to the right edge. Rows of cells do the same from top to bottom. Within a
// cell, positions are proportional.
//
// Draws one number for each column of cells, then one for each row. Errors: an invalid size, and
// numbers outside the ranges of GridParams.
inline constexpr int kMostGridSteps = 1000;
inline constexpr float kLargestGridLimit = 0.9f;
struct GridParams {
  int steps = 5;       // 1 to kMostGridSteps
  float limit = 0.3f;  // 0 to kLargestGridLimit
};
// The displacements of a grid: of each column along x, and of each row along y.
struct GridShifts {
  std::vector<float> along_x, along_y;
};
GridShifts grid_shifts(const char* op, Random& random, int height, int width,
                       const GridParams& params);
void grid_field(Random& random, int height, int width, const GridParams& params, Tensor& out);

// Writes the field to `out`, 2 x height x width numbers.
void write_field(const GridShifts& shifts, float* out);

// Deforms the image by grid_field(). No position lies outside of the image, so there is no border.
void grid_distortion(Random& random, const Image& in, const GridParams& params,
                     Interpolation interpolation, Image& out);

// Returns the function that moves positions with an image that remap() deforms. Between the
// centers of pixels, the field is interpolated linearly; beyond the outermost ones, it continues
// with their numbers.
//
// The function returns a position q whose input position q + field(q) lies within kFieldAccuracy
// pixels of (x, y) along each axis. It iterates q = (x, y) - field(q), which converges where the
// field changes by less than a pixel per pixel. Elsewhere it searches all cells between four
// centers. If the field folds the image, several positions show (x, y), and one of them is
// returned. Errors of the function: a field that is not finite or so rough that none is found.
inline constexpr double kFieldAccuracy = 1e-3;
PlaceFunction field_places(const char* op, const Tensor& field);

}  // namespace sluice::kernels
