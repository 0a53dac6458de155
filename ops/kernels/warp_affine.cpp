#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <cmath>
#include <stdexcept>

#include <Eigen/Geometry>
#include <fmt/format.h>

namespace sluice::kernels {
namespace {

std::string text_of(const AffineMap& map) {
  return fmt::format("[{:.6g} {:.6g} {:.6g}; {:.6g} {:.6g} {:.6g}]", map.xx, map.xy, map.x0, map.yx,
                     map.yy, map.y0);
}

void check_map(const char* op, const AffineMap& map, int height, int width) {
  // Corners are the farthest positions. Numbers that are not finite fail here too.
  for (const double x : {0.0, static_cast<double>(width)}) {
    for (const double y : {0.0, static_cast<double>(height)}) {
      const double at_x = map.xx * x + map.xy * y + map.x0;
      const double at_y = map.yx * x + map.yy * y + map.y0;
      if (std::abs(at_x) < kFarthest && std::abs(at_y) < kFarthest) continue;
      throw std::invalid_argument(fmt::format(
          "{}: the map {} takes the pixels at {:.6g} x {:.6g} (x, y), for an output of {} x {} "
          "(height x width); places must lie within {} of the picture's corner",
          op, text_of(map), at_x, at_y, height, width, kFarthest));
    }
  }
}

}  // namespace

void check_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                  const WarpOptions& options) {
  check_pixels(op, in);
  check_affine(op, in.height(), in.width(), from, height, width, options);
}

void check_affine(const char* op, int in_height, int in_width, const AffineMap& from, int height,
                  int width, const WarpOptions& options) {
  check_size(op, in_height, in_width);
  check_size(op, height, width);
  check_warp(op, options.interpolation);
  if (options.border == Border::reflect) {
    throw std::invalid_argument(
        fmt::format("{}: border reflect is not possible; take constant or edge", op));
  }
  check_map(op, from, height, width);
}

void warp_affine(const char* op, const Image& in, const AffineMap& from, int height, int width,
                 const WarpOptions& options, Image& out) {
  check_affine(op, in, from, height, width, options);
  out.create(height, width, in.channels());
  warp_rows(in, from, options, out);
}

AffineMap inverse(const char* op, const AffineMap& map) {
  Eigen::Matrix2d there;
  there << map.xx, map.xy, map.yx, map.yy;
  const double area = there.determinant();
  const Eigen::Matrix2d back = there.inverse();
  if (area == 0.0 || !back.allFinite()) {
    throw std::invalid_argument(fmt::format(
        "{}: the map {} leads all places to one line, so none leads back", op, text_of(map)));
  }
  const Eigen::Vector2d offset = -(back * Eigen::Vector2d(map.x0, map.y0));
  return {back(0, 0), back(0, 1), offset.x(), back(1, 0), back(1, 1), offset.y()};
}

}  // namespace sluice::kernels
