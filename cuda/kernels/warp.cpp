#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/warp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace sluice::device {
namespace {

const Kernel kWarp{"warp", tiles_on_host<WarpJob, std::uint8_t, 256, warp_tile>,
                   SLUICE_ON_CUDA(warp_on_cuda)};

// Rounds sines and cosines like rotate(): the sine of 30 degrees is exactly one half.
double at_15_digits(double value) { return std::round(value * 1e15) / 1e15; }

// Returns the extent of a rotated image in one direction: ceil of the largest minus floor of the
// smallest of (across, down) times a corner relative to the center, plus `to`.
int span_of(double across, double down, int height, int width, double to) {
  double least = 0, most = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double x = (corner % 2 == 0 ? 0 : width) - width / 2.0;
    const double y = (corner / 2 == 0 ? 0 : height) - height / 2.0;
    const double at = across * x + down * y + to;
    least = corner == 0 ? at : std::min(least, at);
    most = corner == 0 ? at : std::max(most, at);
  }
  return static_cast<int>(std::ceil(most) - std::floor(least));
}

}  // namespace

Rotation rotation_of(int in_height, int in_width, float degrees, bool keep_size) {
  if (in_height < 1 || in_width < 1) throw std::invalid_argument("rotate: the image is empty");
  if (!std::isfinite(degrees))
    throw std::invalid_argument("rotate: the angle must be a finite number");
  double angle = std::fmod(static_cast<double>(degrees), 360.0);
  if (angle < 0.0) angle += 360.0;
  const double h = in_height, w = in_width;
  if (angle == 0.0 || angle == 360.0) return {{}, in_height, in_width, true};
  if (angle == 180.0) return {{-1, 0, w, 0, -1, h}, in_height, in_width, true};
  if (!keep_size || in_height == in_width) {
    if (angle == 90.0) return {{0, -1, w, 1, 0, 0}, in_width, in_height, true};
    if (angle == 270.0) return {{0, 1, 0, -1, 0, h}, in_width, in_height, true};
  }

  const double radians = -angle * (std::numbers::pi / 180.0);
  const double cosine = at_15_digits(std::cos(radians));
  const double sine = at_15_digits(std::sin(radians));
  Rotation turn{{}, in_height, in_width, false};
  if (!keep_size) {
    turn.height = span_of(-sine, cosine, in_height, in_width, h / 2);
    turn.width = span_of(cosine, sine, in_height, in_width, w / 2);
  }
  const double middle_x = turn.width / 2.0, middle_y = turn.height / 2.0;
  turn.from = {cosine, sine,   w / 2 - (cosine * middle_x + sine * middle_y),
               -sine,  cosine, h / 2 - (-sine * middle_x + cosine * middle_y)};
  return turn;
}

WarpJob warp_job(int in_height, int in_width, const Affine& from, Interpolation interpolation,
                 const Fill& fill, const PixelsOut& out) {
  constexpr int kLargest = 65535;
  if (in_height < 1 || in_width < 1 || in_height > kLargest || in_width > kLargest)
    throw std::invalid_argument("warp: the picture must have 1 .. 65535 rows and columns");
  if (interpolation != Interpolation::nearest && interpolation != Interpolation::bilinear) {
    throw std::invalid_argument(std::string("warp: interpolation ") + name_of(interpolation) +
                                " is not possible; take nearest or bilinear");
  }
  WarpJob job;
  job.in_height = in_height;
  job.in_width = in_width;
  job.nearest = interpolation == Interpolation::nearest;
  for (int c = 0; c < 4; ++c) job.fill[c] = fill[c];
  job.from = from;
  job.out = out;
  job.tiles = warp_tiles_across(out.width) * ((out.height + kWarpTileHeight - 1) / kWarpTileHeight);
  return job;
}

WarpJob warp_job(int in_height, int in_width, const kernels::AffineMap& from,
                 const kernels::WarpOptions& options, const PixelsOut& out) {
  WarpJob job =
      warp_job(in_height, in_width, Affine{from.xx, from.xy, from.x0, from.yx, from.yy, from.y0},
               options.interpolation, options.fill, out);
  job.edge = options.border == Border::edge;
  return job;
}

WarpJob rotate_job(int in_height, int in_width, int channels, float degrees,
                   const kernels::RotateOptions& options) {
  const Rotation turn = rotation_of(in_height, in_width, degrees, options.keep_size);
  WarpJob job = warp_job(in_height, in_width, turn.from, options.interpolation, options.fill,
                         pixels_out(turn.height, turn.width, channels));
  if (turn.whole_pixels) job.nearest = true;
  return job;
}

void place_warp(WarpJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out) {
  job.in = in;
  job.in_stride = in_stride;
  job.out.data = out;
}

void launch_warp(DeviceStream& stream, const Batch<WarpJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kWarp, batch);
}

}  // namespace sluice::device
