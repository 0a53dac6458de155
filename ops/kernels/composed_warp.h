// ComposedWarp: a deferred image, described by its source image and one affine map of positions
// (warp_rows.h) that combines several operators.
//
// Pixels are interpolated and rounded once, when the image is computed. Its size is that of the
// last operator. Pixels from outside the source get the fill. Pixels that one operator would move
// off its canvas are restored if a later one moves them back.
//
// Ownership: refers to the source image, which must stay alive. Threads: like any data. Errors:
// std::invalid_argument with the message of the kernel that does the same at once; `op` is the
// operator's name in it.
#pragma once

#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

class ComposedWarp {
 public:
  ComposedWarp() = default;
  // The unchanged image. Nothing is checked: it may be empty.
  explicit ComposedWarp(const Image& from);

  int height() const { return height_; }
  int width() const { return width_; }
  // Makes the checks of check_pixels().
  void check(const char* op) const;

  // Do the same as warp_affine(), rotate() and flip().
  void warp(const char* op, const AffineMap& map, int height, int width,
            const WarpOptions& options);
  void rotate(float degrees, const RotateOptions& options);
  void flip(bool horizontal, bool vertical);

  // The recipe of the image. check_made() throws if the map leads too far away to compute it.
  const Image& from() const { return *from_; }
  const AffineMap& map() const { return map_; }
  const WarpOptions& options() const { return options_; }
  void check_made() const;
  void write_to(Image& out) const;

 private:
  void add(const AffineMap& map, int height, int width);

  const Image* from_ = nullptr;
  AffineMap map_;
  int height_ = 0, width_ = 0;
  WarpOptions options_;
};

}  // namespace sluice::kernels
