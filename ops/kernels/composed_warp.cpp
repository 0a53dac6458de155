#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/composed_warp.h>
#include <sluice/ops/kernels/turn.h>
#include <sluice/ops/kernels/warp_affine.h>

namespace sluice::kernels {
namespace {

// Returns the map that applies `first`, then `then`.
AffineMap in_turn(const AffineMap& first, const AffineMap& then) {
  return {then.xx * first.xx + then.xy * first.yx,
          then.xx * first.xy + then.xy * first.yy,
          then.xx * first.x0 + then.xy * first.y0 + then.x0,
          then.yx * first.xx + then.yy * first.yx,
          then.yx * first.xy + then.yy * first.yy,
          then.yx * first.x0 + then.yy * first.y0 + then.y0};
}

}  // namespace

ComposedWarp::ComposedWarp(const Image& from)
    : from_(&from), height_(from.height()), width_(from.width()) {}

void ComposedWarp::check(const char* op) const { check_pixels(op, *from_); }

// An output position goes through the last map first.
void ComposedWarp::add(const AffineMap& map, int height, int width) {
  map_ = in_turn(map, map_);
  height_ = height;
  width_ = width;
}

void ComposedWarp::warp(const char* op, const AffineMap& map, int height, int width,
                        const WarpOptions& options) {
  check(op);
  check_affine(op, height_, width_, map, height, width, options);
  add(map, height, width);
  options_ = options;
}

void ComposedWarp::rotate(float degrees, const RotateOptions& options) {
  check("rotate");
  check_finite("rotate", "the angle", degrees);
  check_warp("rotate", options.interpolation);
  const Turn turn = turn_of(height_, width_, degrees, options.keep_size);
  check_size("rotate", turn.height, turn.width);
  add(turn.from_canvas, turn.height, turn.width);
  options_ = {options.interpolation, Border::constant, options.fill};
}

void ComposedWarp::flip(bool horizontal, bool vertical) {
  check("flip");
  AffineMap map;
  if (horizontal) map.xx = -1, map.x0 = width_;
  if (vertical) map.yy = -1, map.y0 = height_;
  add(map, height_, width_);
}

void ComposedWarp::check_made() const {
  check_affine("the composed warp", from_->height(), from_->width(), map_, height_, width_,
               options_);
}

void ComposedWarp::write_to(Image& out) const {
  check_made();
  out.create(height_, width_, from_->channels());
  warp_rows(*from_, map_, options_, out);
}

}  // namespace sluice::kernels
