// Resizer: produces a resized image, or a part of it, row by row from top to bottom. So the next
// step can use a row while it is in the cache. Also its tables of weights (ResizeTable,
// HorizontalTable) and its inner loops. Internal to the resizing kernels.
//
// A resizer keeps the horizontally resized rows that one output row needs, and a few of the next.
//
// Ownership and threads: the tables and rows belong to the calling thread
// (Resizer::for_this_thread()) and only grow. Errors: Resizer::start() throws
// std::invalid_argument.
#pragma once

#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/row_source.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::kernels {

// A part of an axis in pixels, possibly fractional.
struct AxisPart {
  double start = 0;
  double length = 0;
  bool operator==(const AxisPart&) const = default;
};

// Pixels begin .. end - 1 of an axis.
struct AxisRange {
  int begin = 0;
  int end = 0;
};

// Returns the input pixels, of `in_length`, that contribute to the pixels `shown` of `part` resized
// to `out_length`, or a few more.
AxisRange touched(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
                  const AxisRange& shown);

// The input pixels and weights of each output pixel along one axis. Weights are 16-bit fixed point
// numbers with shift() fractional bits. For every output pixel they sum to exactly 1 << shift().
// shift() is as large as the largest weight allows, so that a strong reduction, which has many
// small weights, keeps its precision.
class ResizeTable {
 public:
  // Builds the table. Lengths are in pixels, each at least 1. The output shows `part` of the input.
  // `reversed` builds the output from its far end (a mirrored image). Each output pixel has taps()
  // weights, a multiple of `tap_multiple`; those beyond its own count() are zero. Returns false,
  // and keeps the table, if the request equals the last one.
  bool build(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
             bool reversed, int tap_multiple);

  int taps() const { return taps_; }
  int shift() const { return shift_; }
  int start(int i) const { return starts_[static_cast<std::size_t>(i)]; }
  int count(int i) const { return counts_[static_cast<std::size_t>(i)]; }
  const int* starts() const { return starts_.data(); }
  const std::int16_t* weights(int i) const {
    return weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(taps_);
  }
  // The count() weights before rounding; their sum is 1.
  const double* exact_weights(int i) const {
    return exact_.data() + static_cast<std::size_t>(i) * exact_taps_;
  }

 private:
  struct Request {
    int in_length = 0;
    AxisPart part;
    int out_length = 0;
    ResizeFilter filter;
    bool reversed = false;
    int tap_multiple = 0;
    bool operator==(const Request&) const = default;
  };

  Request built_;  // out_length is 0 if empty
  int taps_ = 0;
  int shift_ = 0;
  std::vector<int> starts_;
  std::vector<int> counts_;
  std::vector<std::int16_t> weights_;
  std::size_t exact_taps_ = 0;
  std::vector<double> exact_;  // exact_taps_ per output pixel
};

// Computes the nearest input pixel of each output pixel. `table` only grows.
void build_nearest(std::vector<int>& table, int in_length, const AxisPart& part, int out_length);

// The inner loops, in resize_rows.cpp: a few rows at a time, by SIMD instructions chosen when the
// program runs. All results are integers and the same on every machine.

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

// The byte permutations for blending the pixels of a row in 16-byte vectors, for 1 to 4 channels.
// 0x80 produces a zero.
struct Shuffles {
  // Two taps of one pixel as 16-bit pairs: byte `channel` of tap 2p in the even lanes, of tap 2p +
  // 1 in the odd ones; lanes of channels that do not exist become zero.
  alignas(16) std::uint8_t pairs[2][16]{};
  // The channels of four pixels side by side. The first two pixels are in the lower bytes of 16-bit
  // lanes, four lanes per pixel; the other two are in the upper bytes.
  alignas(16) std::uint8_t packed[16]{};

  explicit constexpr Shuffles(std::size_t channels) {
    for (std::size_t p = 0; p < 2; ++p) {
      for (std::size_t lane = 0; lane < 8; ++lane) {
        const std::size_t channel = lane / 2, tap = 2 * p + lane % 2;
        pairs[p][2 * lane] =
            static_cast<std::uint8_t>(channel < channels ? tap * channels + channel : 0x80);
        pairs[p][2 * lane + 1] = 0x80;
      }
    }
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t pixel = i / channels, lane = pixel % 2 * 4 + i % channels;
      packed[i] = static_cast<std::uint8_t>(i < 4 * channels ? 2 * lane + pixel / 2 : 0x80);
    }
  }
};
inline constexpr Shuffles kShuffles[] = {Shuffles(1), Shuffles(2), Shuffles(3), Shuffles(4)};

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
