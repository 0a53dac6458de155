// ComposedColours: a deferred image, described by its source image and one color matrix
// (colour_matrix.h) that combines several operators.
//
// The matrix is computed in double precision. Pixel values are rounded and clipped once, when the
// image is computed: values that one operator would clip are restored if a later one brings them
// back.
//
// Ownership: refers to the source image, which must stay alive. Threads: like any data. Errors:
// std::invalid_argument with the message of the kernel that does the same at once; `op` is the
// operator's name in it.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/runtime/image.h>

#include <optional>

namespace sluice::kernels {

class ComposedColours {
 public:
  ComposedColours() = default;
  // The unchanged image. Nothing is checked: it may be empty.
  explicit ComposedColours(const Image& from);

  int channels() const { return channels_; }
  // Make the checks of arguments.h.
  void check_pixels(const char* op) const;
  void check_colours(const char* op) const;
  void check_three_colours(const char* op) const;

  // For 3 or 4 channels; a fourth is not changed.
  void apply(const ColourMatrix& matrix);
  // Replaces each value x of each channel by factor * x + offset.
  void map_levels(double factor, double offset);
  // Makes 1 channel, or 3 equal ones; a fourth is dropped.
  void to_gray(int channels);

  // The recipe of the image. For a source of one channel only the first column of the matrix
  // counts; for a result of one channel only its first row counts.
  const Image& from() const { return *from_; }
  const ColourMatrix& matrix() const { return matrix_; }
  // The table for a fourth channel; none if it is not changed.
  std::optional<LevelTable> fourth() const;
  void write_to(Image& out) const;

 private:
  const Image* from_ = nullptr;
  int channels_ = 0;
  ColourMatrix matrix_{};
  double fourth_factor_ = 1, fourth_offset_ = 0;
};

}  // namespace sluice::kernels
