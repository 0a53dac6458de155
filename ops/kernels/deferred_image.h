// DeferredImage: a picture that has not been made. It says of which picture it will be made, and
// what happens on the way: that one in another size, a rectangle of that, mirrored, its levels
// mapped. Whoever uses it gets row after row, each while it is in the cache, and no picture in
// between is ever made.
//
// The pixels are those of crop(), resize(), flip() and map_levels() one after the other, byte for
// byte: rounding to 8 bits after each of them included.
//
// Of the picture that it will be made of the size is enough until its rows are asked for: then
// needed() tells which rectangle of that picture must be there, and take_part() gives it, or
// take_rows(), where the rectangle's rows are made while they are used.
//
// Ownership: refers to the picture that it will be made of, which must stay. Threads: like any
// data; one thread makes rows of one picture at a time. Errors: std::invalid_argument, in the words
// of the kernel that would do the same at once; `op` is the operator's name in them. What is made
// of a picture that these have accepted fails only for lack of memory.
#pragma once

#include <sluice/ops/kernels/interpolation.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/picture_rows.h>

#include <cstdint>

namespace sluice::kernels {

class DeferredImage {
 public:
  DeferredImage() = default;
  // The picture as it is. Nothing is checked: it may be empty, or a size only.
  explicit DeferredImage(const Image& from);

  int height() const { return shown_.height; }
  int width() const { return shown_.width; }
  int channels() const { return from_->channels(); }
  // As check_pixels().
  void check(const char* op) const;

  // A rectangle of it.
  void crop(const char* op, const Rectangle& region);
  // In another size. Only rectangles may have been taken before.
  void resize(const char* op, int height, int width, const ResizeFilter& filter);
  // The same of what lies in `box`, which must not be empty nor reach beyond it.
  void resize(const char* op, const Box& box, int height, int width, const ResizeFilter& filter);
  void flip(bool horizontal, bool vertical);
  // Each level of each channel by the table.
  void map_levels(const LevelTable& table);

  // All of the picture that it is made of.
  Rectangle whole() const { return {0, 0, from_->height(), from_->width()}; }
  // What must be there of the picture that it is made of; no more is ever looked at.
  Rectangle needed() const;
  // It is made of `part`, which shows that region of the picture. Here and below
  // std::runtime_error where it has another size: somebody has changed the file in between.
  void take_part(const Image& part, const Rectangle& region);
  // The same of rows, which may be used once.
  void take_rows(PictureRows& rows, const Rectangle& region);
  // The rows that it is made of; null where there are none.
  PictureRows* rows() const { return rows_; }

  // Makes it.
  void write_to(Image& out) const;

 private:
  friend class DeferredRows;

  void check_part(int height, int width, int channels, const Rectangle& region) const;
  RowSource source() const { return rows_ != nullptr ? RowSource(*rows_) : RowSource(*from_); }

  const Image* from_ = nullptr;
  PictureRows* rows_ = nullptr;  // of which it is made instead
  int from_y_ = 0;               // where in the picture these lie
  int from_x_ = 0;
  bool resized_ = false;
  Rectangle part_;  // of the picture, in which `box_` is resized
  Box box_;
  int height_ = 0;  // to this size
  int width_ = 0;
  ResizeFilter filter_;
  Rectangle shown_;  // of what has been resized; of the picture, if nothing has
  bool mirrored_ = false;
  bool upside_down_ = false;
  bool mapped_ = false;
  LevelTable table_{};  // where mapped_ says so
};

}  // namespace sluice::kernels
