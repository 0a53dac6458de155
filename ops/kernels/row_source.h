// The rows of an image: RowSource, for an image that either exists or is made row by row,
// for_each_run() and copy_pixels(). Internal to the kernels that process an image from top to
// bottom.
//
// Ownership: a RowSource refers to its image. Threads: like the image. Errors: none of its own.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/image_rows.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sluice::kernels {

class RowSource {
 public:
  RowSource() = default;
  RowSource(const Image& image) : image_(&image) {}
  RowSource(ImageRows& rows) : rows_(&rows) {}

  int width() const { return rows_ != nullptr ? rows_->width() : image_->width(); }
  int channels() const { return rows_ != nullptr ? rows_->channels() : image_->channels(); }
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width()) * static_cast<std::size_t>(channels());
  }
  // True if rows stay in memory. Otherwise rows must be read from top to bottom, and only the last
  // ImageRows::kKept of them stay.
  bool keeps_rows() const { return rows_ == nullptr; }
  const std::uint8_t* row(int y) const { return rows_ != nullptr ? rows_->row(y) : image_->row(y); }
  // Bytes that may be read after the pixels of a row.
  std::ptrdiff_t readable_after(int y) const {
    return rows_ != nullptr ? rows_->readable(y) - static_cast<std::ptrdiff_t>(row_bytes())
                            : (image_->height() - 1 - y) * image_->row_stride();
  }

 private:
  const Image* image_ = nullptr;
  ImageRows* rows_ = nullptr;
};

// Calls f(from, pixels, to) for each run of pixels of `in` and of `out`, which has the same height
// and width. All rows are one run if neither the image nor its result has gaps between rows, so a
// kernel handles the end of a run only once.
template <class F>
void for_each_run(const Image& in, Image& out, const F& f) {
  const auto height = static_cast<std::size_t>(in.height());
  const auto width = static_cast<std::size_t>(in.width());
  if (in.contiguous() && out.contiguous()) return f(in.row(0), height * width, out.row(0));
  for (int y = 0; y < in.height(); ++y) f(in.row(y), width, out.row(y));
}

inline void copy_pixels(const Image& in, Image& out) {
  out.create(in.height(), in.width(), in.channels());
  // One large copy is faster than many small ones.
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    std::memcpy(to, from, pixels * static_cast<std::size_t>(in.channels()));
  });
}

}  // namespace sluice::kernels
