// The inner loops of resizing: a few rows at a time, by SIMD instructions chosen when the program
// runs. Internal to the resizing kernels.
//
// All results are integers and the same on every machine.
#pragma once

#include <sluice/ops/kernels/resize_table.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::kernels {

// Bytes that blend_horizontally() may read beyond the last tap and write beyond the last pixel.
inline constexpr std::size_t kRowSlack = 16;

// The maximum number of rows that blend_horizontally() makes at once; they share the reads of the
// table.
inline constexpr int kRowsAtOnce = 4;

// The entries of a table in the order in which blend_horizontally() reads them: four taps of each
// pixel in turn, then the next four taps of all. Belongs to one thread; only grows.
class HorizontalTable {
 public:
  static constexpr int kTaps = 4;
  static constexpr std::size_t kPixelsAtOnce = 4;

  // Builds entries first .. first + width - 1 of the table, whose taps() is a multiple of kTaps.
  // Its pixel 0 is the row's pixel `left`, which need not exist. If the table is not `changed` and
  // the last request is repeated, the previous result is kept.
  void build(const ResizeTable& table, bool changed, int first, int width, int left, int channels);

  int width() const { return width_; }
  int channels() const { return channels_; }
  int steps() const { return steps_; }  // of kTaps each
  // True if no pixel has weights beyond its first two.
  bool two_taps() const { return two_taps_; }
  int shift() const { return shift_; }
  // The offset in the row, in bytes, of each pixel's first tap. Offsets and weights of a step may
  // be read for kPixelsAtOnce - 1 more pixels, whose values are not used.
  const int* offsets() const { return offsets_.data(); }
  const std::int16_t* weights() const { return weights_.data(); }
  std::size_t weights_of_step() const { return weights_of_step_; }

 private:
  int first_ = 0;
  int left_ = 0;
  int width_ = 0;  // 0: empty
  int channels_ = 0;
  int steps_ = 0;
  int shift_ = 0;
  bool two_taps_ = false;
  std::size_t weights_of_step_ = 0;
  std::vector<int> offsets_;
  std::vector<std::int16_t> weights_;
};

// Each pixel of out[r] is the weighted sum of pixels of in[r] by an entry of the table, rounded to
// 8 bits, for r < rows <= kRowsAtOnce. Each `in` must be readable for all taps + kRowSlack bytes
// from every offset; each `out` must be writable for kRowSlack bytes beyond its end. 1 to 4
// channels.
void blend_horizontally(const std::uint8_t* const* in, int rows, const HorizontalTable& table,
                        std::uint8_t* const* out);

// out[i] = sum over k < count of rows[k][i] * weights[k], rounded to 8 bits, for i < bytes. Reads
// and writes nothing beyond. count is even; the weights sum to 1 << shift.
void blend_vertically(const std::uint8_t* const* rows, const std::int16_t* weights, int count,
                      int shift, std::size_t bytes, std::uint8_t* out);

}  // namespace sluice::kernels
