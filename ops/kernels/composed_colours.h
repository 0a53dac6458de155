// ComposedColours: a picture that has not been made: it says of which picture it will be made, and
// by which colour matrix (colour_matrix.h), to which those of several operators have become one.
//
// The matrix is computed in double precision, and levels are rounded and cut off once, when the
// picture is made: what an operator on the way would have cut off comes back, where a later one
// leads it back.
//
// Ownership: refers to the picture that it will be made of, which must stay. Threads: like any
// data. Errors: std::invalid_argument, in the words of the kernel that would do the same at once;
// `op` is the operator's name in them.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

#include <optional>

namespace sluice::kernels {

class ComposedColours {
 public:
  ComposedColours() = default;
  // The picture as it is. Nothing is checked: it may be empty.
  explicit ComposedColours(const Image& from);

  int channels() const { return channels_; }
  // As the checks of arguments.h.
  void check_pixels(const char* op) const;
  void check_colours(const char* op) const;
  void check_three_colours(const char* op) const;

  // Of 3 or 4 channels; a fourth stays as it is.
  void apply(const ColourMatrix& matrix);
  // Level x of each channel becomes factor * x + offset.
  void map_levels(double factor, double offset);
  // 1 channel, or 3 equal ones; a fourth is left out.
  void to_gray(int channels);

  // How it is made. Of a picture of one channel the matrix knows its first column only; where one
  // channel is made, its first row counts.
  const Image& from() const { return *from_; }
  const ColourMatrix& matrix() const { return matrix_; }
  // What becomes of a fourth channel; none: nothing.
  std::optional<LevelTable> fourth() const;
  void write_to(Image& out) const;

 private:
  const Image* from_ = nullptr;
  int channels_ = 0;
  ColourMatrix matrix_{};
  double fourth_factor_ = 1, fourth_offset_ = 0;
};

}  // namespace sluice::kernels
