// PictureRows: a picture that somebody makes row by row, from the top to the bottom, while somebody
// else uses the rows. So no more than a few of them are ever in memory.
//
// Whoever makes them keeps the last ones in a ring, and makes several more than were asked for.
// Where making rows fails, the error waits for whoever began the picture: rows then hold anything.
//
// Ownership: the maker owns the rows; one that was asked for stays until kKept rows further down
// have been. Threads: one, that which began the picture. Errors: row() and end() throw Restarted
// alone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice {

class PictureRows {
 public:
  // How many rows stay: the one that was asked for last and those before it.
  static constexpr int kKept = 8;

  // The maker has to begin again, and rows that it has given may be wrong: begin again with row 0.
  struct Restarted {};

  PictureRows(const PictureRows&) = delete;
  PictureRows& operator=(const PictureRows&) = delete;

  int height() const { return height_; }
  int width() const { return width_; }
  int channels() const { return channels_; }

  // The last row that was asked for, one below it, or one that is still there.
  const std::uint8_t* row(int y) {
    if (y >= made_) make_until(y + 1);
    return first_ + (y % rows_) * stride_;
  }
  // No more rows are wanted: the maker does what is left to do. May say Restarted, too.
  virtual void end() = 0;
  // Ends a picture that nobody wants.
  virtual void discard() noexcept = 0;
  // Bytes that may be read from the beginning of a row on.
  std::ptrdiff_t readable(int y) const { return bytes_ - (y % rows_) * stride_; }

 protected:
  PictureRows() = default;
  ~PictureRows() = default;

  // Makes the rows up to `end` - 1, and as many more as leave those that are to stay: at the most
  // rows_ - kKept. Moves made_.
  virtual void make_until(int end) = 0;

  int height_ = 0;
  int width_ = 0;
  int channels_ = 0;
  int made_ = 0;  // rows
  // Row y begins at first_ + (y % rows_) * stride_; from first_ on there are bytes_.
  int rows_ = 1;
  const std::uint8_t* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
  std::ptrdiff_t bytes_ = 0;
};

}  // namespace sluice
