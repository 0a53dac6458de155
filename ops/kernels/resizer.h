// Resizer: gives a resized picture, or a part of it, row by row, from the top to the bottom, so
// that whatever comes next can use a row while it is in the cache. Internal to the resizing
// kernels.
//
// It keeps as many horizontally resized rows as one output row needs, and a few that come next. The
// tables and rows belong to the thread that asks (for_this_thread()) and only grow.
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
  // The one of the calling thread. A kernel that uses it must not call another one that does.
  static Resizer& for_this_thread();

  // The picture is what the rectangle `whole` of `in` shows; it may reach beyond `in` where nothing
  // is looked at. `in` has 1 to 4 channels, and must stay until the last row has been made. Throws
  // std::invalid_argument for a box that is empty or reaches beyond the picture, or a size below 1.
  // Of the rows no more is made than what lies in the rectangle `shown` of the resized picture.
  void start(const RowSource& in, const Rectangle& whole, const Box& box, int height, int width,
             const ResizeFilter& filter, const Rectangle& shown);
  // Writes row y of the resized picture, as much as is shown of it: so many pixels at `out`. Rows
  // in ascending order.
  void make_row(int y, std::uint8_t* out);

 private:
  const std::uint8_t* input_row(int y) const { return in_.row(first_row_ + y); }
  const std::uint8_t* shown_part(int y) const;  // of an input row
  void make_horizontal_rows(int first, int end);
  const std::uint8_t* horizontal_row(int y);
  std::uint8_t* slot(int y);
  void make_nearest_row(int y, std::uint8_t* out) const;

  RowSource in_;
  int first_row_ = 0;  // of the picture in `in_`; below 0 where that lacks some
  int left_ = 0;       // the same of columns
  int width_ = 0;      // that is shown
  int first_column_ = 0;
  bool nearest_ = false;
  bool same_width_ = false;
  bool uses_ring_ = false;  // else rows of the input are used where they lie
  bool same_height_ = false;
  ResizeTable columns_;
  HorizontalTable shown_columns_;
  ResizeTable rows_;
  std::size_t beyond_row_ = 0;        // bytes that blending a row may read after it
  std::vector<std::uint8_t> padded_;  // input rows, each with readable bytes behind it
  std::size_t slot_bytes_ = 0;
  int slots_ = 0;
  int made_ = 0;                    // input rows [made_ - slots_, made_) are in the ring
  int end_ = 0;                     // input rows from here on are not needed
  std::vector<std::uint8_t> ring_;  // row y in slot y % slots_
  std::vector<const std::uint8_t*> taps_;
  std::vector<int> nearest_columns_;
  std::vector<int> nearest_rows_;
};

}  // namespace sluice::kernels
