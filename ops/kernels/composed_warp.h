// ComposedWarp: a picture that has not been made: it says of which picture it will be made, and by
// which affine map of places (warp_rows.h), to which those of several operators have become one.
//
// Pixels are interpolated and rounded once, when the picture is made. Its size is that of the last
// operator. What lies outside of the picture that it is made of gets the fill; what an operator on
// the way would have moved off its canvas comes back, where a later one moves it back.
//
// Ownership: refers to the picture that it will be made of, which must stay. Threads: like any
// data. Errors: std::invalid_argument, in the words of the kernel that would do the same at once;
// `op` is the operator's name in them.
#pragma once

#include <sluice/ops/kernels/rotate.h>
#include <sluice/ops/kernels/warp_rows.h>
#include <sluice/runtime/image.h>

namespace sluice::kernels {

class ComposedWarp {
 public:
  ComposedWarp() = default;
  // The picture as it is. Nothing is checked: it may be empty.
  explicit ComposedWarp(const Image& from);

  int height() const { return height_; }
  int width() const { return width_; }
  // As check_pixels().
  void check(const char* op) const;

  // As warp_affine(), rotate() and flip().
  void warp(const char* op, const AffineMap& map, int height, int width,
            const WarpOptions& options);
  void rotate(float degrees, const RotateOptions& options);
  void flip(bool horizontal, bool vertical);

  // How it is made. check_made() throws if the map leads too far away for that.
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
