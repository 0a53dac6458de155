// DeferredRows: the rows of a deferred image, one by one. Internal to the kernels that end with
// such an image.
//
// Ownership: refers to the image, which must stay alive, and to the thread's resizer. A thread has
// one DeferredRows at a time, and runs no resizing kernel meanwhile. Errors: those of
// Resizer::start().
#pragma once

#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

class DeferredRows {
 public:
  explicit DeferredRows(const DeferredImage& picture);
  DeferredRows(const DeferredRows&) = delete;
  DeferredRows& operator=(const DeferredRows&) = delete;

  int count() const { return picture_.height(); }
  // Returns the row of the image that is made as number i. Rows are made from the top of the source
  // to its bottom.
  int place(int i) const { return picture_.upside_down_ ? count() - 1 - i : i; }
  // Makes row number i, for i = 0 .. count() - 1 in order. Returns either `room`, which must hold a
  // row, or a row that already exists elsewhere.
  const std::uint8_t* make(int i, std::uint8_t* room);
  // Returns room for one row, reserved for the caller.
  std::uint8_t* spare_row();

 private:
  std::size_t row_bytes() const;

  const DeferredImage& picture_;
  RowSource source_;
  Resizer* resizer_ = nullptr;
  std::uint8_t* resized_ = nullptr;  // for a row that is then mirrored
};

}  // namespace sluice::kernels
