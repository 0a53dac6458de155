// DeferredRows: the rows of a picture that has not been made, one by one. Internal to the kernels
// that end with such a picture.
//
// Ownership: refers to the picture, which must stay, and to the resizer of the thread: there is one
// of these at a time on a thread, and no kernel that resizes runs meanwhile. Errors: those of
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
  // The row of the picture that is made as number i; they are made from the top of the source to
  // its bottom.
  int place(int i) const { return picture_.upside_down_ ? count() - 1 - i : i; }
  // Makes number i, for i = 0 .. count() - 1 one after the other: either in `room`, which takes a
  // row, or it lies somewhere else already.
  const std::uint8_t* make(int i, std::uint8_t* room);
  // Room for one row, kept for the caller.
  std::uint8_t* spare_row();

 private:
  std::size_t row_bytes() const;

  const DeferredImage& picture_;
  RowSource source_;
  Resizer* resizer_ = nullptr;
  std::uint8_t* resized_ = nullptr;  // room for a row that is mirrored then
};

}  // namespace sluice::kernels
