// Resizer: produces a resized image, or a part of it, row by row from top to bottom, so that the
// next step can use a row while it is in the cache. Internal to the resizing kernels.
//
// It keeps the horizontally resized rows that one output row needs, and a few of the next. The
// tables and rows belong to the calling thread (for_this_thread()) and only grow.
#pragma once

#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resize_rows.h>
#include <sluice/ops/kernels/resize_table.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::kernels {

inline Box whole_box(const Image& in) {
  return {0, 0, static_cast<double>(in.height()), static_cast<double>(in.width())};
}

class Resizer {
 public:
  // Returns the calling thread's resizer. A kernel must not call another one that uses it
  // meanwhile.
  static Resizer& for_this_thread();

  // Resizes the rectangle `whole` of `in`; it may reach beyond `in` where nothing is read. `in` has
  // 1 to 4 channels and must stay alive until the last row has been made. Throws
  // std::invalid_argument for a box that is empty or reaches beyond the image, or a size below 1.
  // Only the rectangle `shown` of the resized image is made.
  void start(const RowSource& in, const Rectangle& whole, const Box& box, int height, int width,
             const ResizeFilter& filter, const Rectangle& shown);
  // Writes the shown pixels of row y of the resized image to `out`. Rows must be made in ascending
  // order.
  void make_row(int y, std::uint8_t* out);

 private:
  const std::uint8_t* input_row(int y) const { return in_.row(first_row_ + y); }
  const std::uint8_t* shown_part(int y) const;  // of an input row
  void make_horizontal_rows(int first, int end);
  const std::uint8_t* horizontal_row(int y);
  std::uint8_t* slot(int y);
  void make_nearest_row(int y, std::uint8_t* out) const;

  RowSource in_;
  int first_row_ = 0;  // first image row in `in_`; below 0 if rows are missing
  int left_ = 0;       // the same for columns
  int width_ = 0;      // of the shown part
  int first_column_ = 0;
  bool nearest_ = false;
  bool same_width_ = false;
  bool uses_ring_ = false;  // false: input rows are used in place
  bool same_height_ = false;
  ResizeTable columns_;
  HorizontalTable shown_columns_;
  ResizeTable rows_;
  std::size_t beyond_row_ = 0;        // bytes that blending may read after a row
  std::vector<std::uint8_t> padded_;  // input rows, each with readable bytes after it
  std::size_t slot_bytes_ = 0;
  int slots_ = 0;
  int made_ = 0;                    // input rows [made_ - slots_, made_) are in the ring
  int end_ = 0;                     // the end of the input rows needed
  std::vector<std::uint8_t> ring_;  // row y in slot y % slots_
  std::vector<const std::uint8_t*> taps_;
  std::vector<int> nearest_columns_;
  std::vector<int> nearest_rows_;
};

}  // namespace sluice::kernels
