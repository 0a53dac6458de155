// ImageRows: an image whose rows are produced from top to bottom while another component reads
// them. So only a few rows are in memory at a time.
//
// The producer keeps the last rows in a ring, and makes several more than requested. If making rows
// fails, the error is kept for the caller that began the image; the rows then hold anything.
//
// Ownership: the producer owns the rows. A requested row stays valid until the row kKept below it
// is requested. Threads: only the one that began the image. Errors: row() and end() throw only
// Restarted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

class ImageRows {
 public:
  // The number of rows that stay valid: the one requested last and those before it.
  static constexpr int kKept = 8;

  // Thrown if the producer must start over. Rows that it returned before may be wrong, so begin
  // again with row 0.
  struct Restarted {};

  ImageRows(const ImageRows&) = delete;
  ImageRows& operator=(const ImageRows&) = delete;

  int height() const { return height_; }
  int width() const { return width_; }
  int channels() const { return channels_; }

  // Returns a row: the one requested last, one below it, or one that is still valid.
  const std::uint8_t* row(int y) {
    if (y >= made_) make_until(y + 1);
    return first_ + (y % rows_) * stride_;
  }
  // Call it when no more rows are needed: the producer does its remaining work. It may throw
  // Restarted, too.
  virtual void end() = 0;
  // Ends an image that is not needed any more.
  virtual void discard() noexcept = 0;
  // The number of bytes that may be read from the beginning of row y.
  std::ptrdiff_t readable(int y) const { return bytes_ - (y % rows_) * stride_; }

 protected:
  ImageRows() = default;
  ~ImageRows() = default;

  // Makes the rows up to `end` - 1, and more as long as no valid row is overwritten: at most rows_
  // - kKept. Updates made_.
  virtual void make_until(int end) = 0;

  int height_ = 0;
  int width_ = 0;
  int channels_ = 0;
  int made_ = 0;  // rows
  // Row y begins at first_ + (y % rows_) * stride_. The ring has bytes_ bytes from first_ on.
  int rows_ = 1;
  const std::uint8_t* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  std::ptrdiff_t bytes_ = 0;
};

}  // namespace sluice
