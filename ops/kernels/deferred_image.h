// DeferredImage: an image that has not been computed yet. It names its source image and the
// operations on it: resizing, a crop, mirroring, and a map of pixel values. The user gets row after
// row (DeferredRows), each while it is in the cache, and no intermediate image is made.
//
// The pixels equal those of crop(), resize(), flip() and map_levels() in sequence, byte for byte,
// including the rounding to 8 bits after each.
//
// Until rows are requested, only the size of the source image is needed. Then needed() returns the
// rectangle of the source that must exist. Supply it by take_part(), or by take_rows() if its rows
// are made while they are used.
//
// Ownership: refers to the source image, which must stay alive. Threads: like any data; one thread
// makes rows of one image at a time. Errors: std::invalid_argument with the message of the kernel
// that does the same at once; `op` is the operator's name in it. After these checks, computing the
// image fails only for lack of memory.
#pragma once

#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/image_rows.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

class DeferredImage {
 public:
  DeferredImage() = default;
  // The unchanged image. Nothing is checked: it may be empty, or a size only.
  explicit DeferredImage(const Image& from);

  int height() const { return shown_.height; }
  int width() const { return shown_.width; }
  int channels() const { return from_->channels(); }
  // Makes the checks of check_pixels().
  void check(const char* op) const;

  // Takes a rectangle of it.
  void crop(const char* op, const Rectangle& region);
  // Resizes it. Only crop() may have been called before.
  void resize(const char* op, int height, int width, const ResizeFilter& filter);
  // Resizes the content of `box`, which must not be empty nor reach beyond the image.
  void resize(const char* op, const Box& box, int height, int width, const ResizeFilter& filter);
  void flip(bool horizontal, bool vertical);
  // Maps each value of each channel by the table.
  void map_levels(const Lut& table);

  // Returns the whole source image.
  Rectangle whole() const { return {0, 0, from_->height(), from_->width()}; }
  // Returns the part of the source image that is read.
  Rectangle needed() const;
  // Uses `part`, which shows that region of the source image. This function and take_rows() throw
  // std::runtime_error if its size differs, because the file has changed in the meantime.
  void take_part(const Image& part, const Rectangle& region);
  // Uses rows instead, which can be read once.
  void take_rows(ImageRows& rows, const Rectangle& region);
  // The rows that it reads; null if there are none.
  ImageRows* rows() const { return rows_; }

  // Computes the image.
  void write_to(Image& out) const;

 private:
  friend class DeferredRows;

  void check_part(int height, int width, int channels, const Rectangle& region) const;
  RowSource source() const { return rows_ != nullptr ? RowSource(*rows_) : RowSource(*from_); }

  const Image* from_ = nullptr;
  ImageRows* rows_ = nullptr;  // source in place of the image
  int from_y_ = 0;             // position of the rows in the image
  int from_x_ = 0;
  bool resized_ = false;
  Rectangle part_;  // of the source image; `box_` in it is resized
  Box box_;
  int height_ = 0;  // the resized size
  int width_ = 0;
  ResizeFilter filter_;
  Rectangle shown_;  // of the resized image, or of the source if not resized
  bool mirrored_ = false;
  bool upside_down_ = false;
  bool mapped_ = false;
  Lut table_{};  // valid if mapped_ is set
};

class Resizer;

// The rows of a deferred image, one by one, for the kernels that end with such an image.
//
// Ownership: refers to the image, which must stay alive, and to the thread's resizer. A thread has
// one DeferredRows at a time, and runs no resizing kernel meanwhile. Errors: those of
// Resizer::start().
class DeferredRows {
 public:
  explicit DeferredRows(const DeferredImage& image);
  DeferredRows(const DeferredRows&) = delete;
  DeferredRows& operator=(const DeferredRows&) = delete;

  int count() const { return image_.height(); }
  // Returns the row of the image that is made as number i. Rows are made from the top of the source
  // to its bottom.
  int place(int i) const { return image_.upside_down_ ? count() - 1 - i : i; }
  // Makes row number i, for i = 0 .. count() - 1 in order. Returns either `room`, which must hold a
  // row, or a row that already exists elsewhere.
  const std::uint8_t* make(int i, std::uint8_t* room);
  // Returns room for one row, reserved for the caller.
  std::uint8_t* spare_row();

 private:
  std::size_t row_bytes() const;

  const DeferredImage& image_;
  RowSource source_;
  Resizer* resizer_ = nullptr;
  std::uint8_t* resized_ = nullptr;  // for a row that is then mirrored
};

}  // namespace sluice::kernels
