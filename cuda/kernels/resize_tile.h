// Resize tiles: the weights of resizing along one axis, and one tile of a resized image. Internal
// to the resizing kernels.
//
// The weights are the ResizeTable of ops/, made by a thread block with the same steps in the same
// order. So the numbers are the same. For filters with sines, the last bit of a weight may differ.
//
// Input rows are resized to the tile's columns, rounded to 8 bits, and kept in memory that the
// thread block shares. Output rows are then blended from them. The arithmetic is that of Resizer in
// ops/: the same weights produce the same bits. Input rows are processed in pieces of kResizeRows,
// however many an output row needs.
//
// Ownership: none; the tables lie in the launch's scratch memory. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/resize_weight.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The pixels that contribute to an output pixel: `count` of them, from `start` on.
struct ResizeWindow {
  std::int32_t start, count;
};

// One axis of a sample. `start` and `length`: the part of the input to resize.
struct ResizeAxis {
  double start = 0, length = 0;
  std::int32_t in_length = 0, out_length = 0;
  std::int32_t taps = 0;  // the largest size of a window
  bool reversed = false;
  bool same = false;  // output pixel i is pixel i
  // In scratch memory: one window for each output pixel. weights[k * out_length + i] is the weight
  // of pixel k of window i, in units of 2^-shift.
  ResizeWindow* windows = nullptr;
  std::int16_t* weights = nullptr;
  std::int32_t* shift = nullptr;

  SLUICE_HOST_DEVICE std::size_t weight_count() const {
    return static_cast<std::size_t>(taps) * static_cast<std::size_t>(out_length);
  }
};

// Computes the exact weights of one output pixel.
class ResizeWeights {
 public:
  SLUICE_HOST_DEVICE ResizeWeights(const ResizeAxis& axis, const kernels::ResizeFilter& filter,
                                   int i)
      : interpolation_(filter.interpolation) {
    const double scale = axis.length / axis.out_length;
    const double filter_scale = kernels::resize_widening(filter, scale);
    const double support = kernels::resize_half_width(interpolation_) * filter_scale;
    unscale_ = 1.0 / filter_scale;
    center_ = axis.start + (i + 0.5) * scale;
    const int first = static_cast<int>(floor(center_ - support + 0.5));
    const int end = static_cast<int>(floor(center_ + support + 0.5));
    window_.start = first > 0 ? first : 0;
    window_.count = 1;
    const int beyond = end < axis.in_length ? end : axis.in_length;
    double largest = 0.0;
    for (int x = window_.start; x < beyond; ++x) {
      const double weight = unscaled(x);
      sum_ += weight;
      largest = fabs(weight) > largest ? fabs(weight) : largest;
      if (weight != 0.0) window_.count = x - window_.start + 1;
    }
    if (sum_ == 0.0) {
      // The window has no weight (a box between two pixel centers): use the pixel at the center.
      const int at = static_cast<int>(center_);
      window_.start = at < axis.in_length - 1 ? at : axis.in_length - 1;
      window_.count = 1;
      largest_ = 1.0;
    } else {
      largest_ = fabs(largest / sum_);
    }
  }

  SLUICE_HOST_DEVICE const ResizeWindow& window() const { return window_; }
  SLUICE_HOST_DEVICE double largest() const { return largest_; }
  // Returns the weight of pixel k of the window.
  SLUICE_HOST_DEVICE double weight(int k) const {
    return sum_ == 0.0 ? 1.0 : unscaled(window_.start + k) / sum_;
  }

 private:
  SLUICE_HOST_DEVICE double unscaled(int x) const {
    return kernels::resize_weight(interpolation_, (x - center_ + 0.5) * unscale_);
  }

  Interpolation interpolation_;
  double unscale_ = 1, center_ = 0, sum_ = 0, largest_ = 0;
  ResizeWindow window_{0, 1};
};

inline constexpr int kResizeLeastShift = 14, kResizeMostShift = 21;

// Rounds the running sum, so the weights add up to exactly one.
SLUICE_HOST_DEVICE inline void write_weights(const ResizeWeights& exact, int shift, int step,
                                             std::int16_t* weights) {
  const double one = static_cast<double>(1 << shift);
  const int count = exact.window().count;
  double running = 0.0;
  long rounded = 0;
  for (int k = 0; k < count; ++k, weights += step) {
    running += exact.weight(k);
    const long next = k + 1 == count ? 1L << shift : lrint(running * one);
    *weights = static_cast<std::int16_t>(next - rounded);
    rounded = next;
  }
}

// Makes the table of one axis. `largest`: kThreadBlockSize numbers that the thread block shares.
SLUICE_HOST_DEVICE inline void make_resize_table(const ResizeAxis& axis,
                                                 const kernels::ResizeFilter& filter,
                                                 const ThreadBlock& thread_block, double* largest) {
  const int length = axis.out_length;
  ResizeWindow* const windows = device_view(axis.windows, static_cast<std::size_t>(length));
  const auto place = [&](int i) { return axis.reversed ? length - 1 - i : i; };
  if (filter.interpolation == Interpolation::nearest) {
    // Positions are added up one by one: this decides how exact halves are rounded.
    if (thread_block.index != 0) return;
    const double scale = axis.length / length;
    double at = axis.start + scale * 0.5;
    for (int i = 0; i < length; ++i, at += scale) {
      const int pixel = static_cast<int>(at);
      windows[place(i)] = {pixel < axis.in_length - 1 ? pixel : axis.in_length - 1, 1};
    }
    return;
  }
  std::int16_t* const weights = device_view(axis.weights, axis.weight_count());
  std::int32_t* const shift = device_view(axis.shift, 1);
  if (axis.same) {
    if (thread_block.index == 0) *shift = kResizeLeastShift;
    for (int i = thread_block.index; i < length; i += kThreadBlockSize) {
      windows[place(i)] = {i, 1};
      weights[i] = static_cast<std::int16_t>(1 << kResizeLeastShift);
    }
    return;
  }

  double mine = 0.0;
  for (int i = thread_block.index; i < length; i += kThreadBlockSize) {
    const ResizeWeights exact(axis, filter, i);
    windows[place(i)] = exact.window();
    mine = exact.largest() > mine ? exact.largest() : mine;
  }
  largest[thread_block.index] = mine;
  thread_block.sync();
  for (int step = kThreadBlockSize / 2; step > 0; step /= 2) {
    if (thread_block.index < step &&
        largest[thread_block.index + step] > largest[thread_block.index])
      largest[thread_block.index] = largest[thread_block.index + step];
    thread_block.sync();
  }
  // A weight must stay below 2^15.
  int bits = kResizeLeastShift;
  while (bits < kResizeMostShift && largest[0] * static_cast<double>(1 << (bits + 1)) < 32766.0)
    ++bits;
  if (thread_block.index == 0) *shift = bits;
  for (int i = thread_block.index; i < length; i += kThreadBlockSize)
    write_weights(ResizeWeights(axis, filter, i), bits, length, weights + place(i));
}

// One sample. Addresses are in device memory.
struct ResizeJob {
  std::int32_t tiles = 0;
  std::int32_t channels = 0;
  kernels::ResizeFilter filter;
  const std::uint8_t* in = nullptr;
  std::int64_t in_stride = 0;  // bytes from row to row, not negative
  ResizeAxis columns, rows;
  PixelsOut out;
};

inline constexpr int kResizeTileHeight = 16, kResizeTileWidth = 32, kResizeRows = 96;

SLUICE_HOST_DEVICE inline int resize_tiles_across(int width) {
  return (width + kResizeTileWidth - 1) / kResizeTileWidth;
}

// The number of a tile's pixels for each thread: it has every kThreadBlockSize-th one.
inline constexpr int kResizeOwn =
    (kResizeTileHeight * kResizeTileWidth + kThreadBlockSize - 1) / kThreadBlockSize;

// Memory that a thread block shares.
struct ResizeMemory {
  std::uint8_t rows[kResizeRows][kResizeTileWidth * 4];
  std::uint8_t levels[256];
};

// A finished table, for reading.
struct ResizeTableView {
  const ResizeWindow* windows;
  const std::int16_t* weights;
  int length, shift;

  SLUICE_HOST_DEVICE ResizeTableView(const ResizeAxis& axis, bool nearest)
      : windows(device_view(static_cast<const ResizeWindow*>(axis.windows),
                            static_cast<std::size_t>(axis.out_length))),
        weights(nearest ? nullptr
                        : device_view(static_cast<const std::int16_t*>(axis.weights),
                                      axis.weight_count())),
        length(axis.out_length),
        shift(nearest ? 0 : *device_view(static_cast<const std::int32_t*>(axis.shift), 1)) {}
};

SLUICE_HOST_DEVICE inline std::uint8_t rounded_level(std::int32_t sum, int shift) {
  const std::int32_t level = sum >> shift;
  return static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
}

// Computes pixel `x` of the output's columns from one input row.
template <int channels>
SLUICE_HOST_DEVICE void blend_across(const std::uint8_t* row, const ResizeTableView& table, int x,
                                     std::uint8_t* out) {
  const ResizeWindow window = table.windows[x];
  const std::uint8_t* pixel = row + static_cast<std::ptrdiff_t>(window.start) * channels;
  const std::int16_t* weight = table.weights + x;
  std::int32_t sums[channels];
  SLUICE_UNROLL for (int c = 0; c < channels; ++c) sums[c] = 1 << (table.shift - 1);
  for (int k = 0; k < window.count; ++k, pixel += channels, weight += table.length) {
    SLUICE_UNROLL for (int c = 0; c < channels; ++c) sums[c] += pixel[c] * *weight;
  }
  for (int c = 0; c < channels; ++c) out[c] = rounded_level(sums[c], table.shift);
}

// The output pixels of a tile: `height` x `width`, from (y, x) on.
struct ResizeTile {
  int y, x, height, width;
};

// Computes the pixels of this thread, with channel c in the bits from 8 * c on.
template <int channels>
SLUICE_HOST_DEVICE void resize_filtered(const ResizeJob& job, const ResizeTile& tile,
                                        const std::uint8_t* in, const ThreadBlock& thread_block,
                                        ResizeMemory& memory, std::uint32_t (&pixels)[kResizeOwn]) {
  const ResizeTableView columns(job.columns, false), rows(job.rows, false);
  int first = job.rows.in_length, end = 0;
  for (int y = 0; y < tile.height; ++y) {
    const ResizeWindow window = rows.windows[tile.y + y];
    first = window.start < first ? window.start : first;
    end = window.start + window.count > end ? window.start + window.count : end;
  }

  std::int32_t sums[kResizeOwn][channels];
  SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
    SLUICE_UNROLL for (int c = 0; c < channels; ++c) sums[own][c] = 1 << (rows.shift - 1);
  }
  for (int from = first; from < end; from += kResizeRows) {
    const int to = from + kResizeRows < end ? from + kResizeRows : end;
    for (int i = thread_block.index; i < (to - from) * kResizeTileWidth; i += kThreadBlockSize) {
      const int row = i / kResizeTileWidth, x = i % kResizeTileWidth;
      if (x >= tile.width) continue;
      blend_across<channels>(in + (from + row) * job.in_stride, columns, tile.x + x,
                             &memory.rows[row][x * channels]);
    }
    thread_block.sync();
    SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
      const int i = thread_block.index + own * kThreadBlockSize;
      const int y = i / kResizeTileWidth, x = i % kResizeTileWidth;
      if (y >= tile.height || x >= tile.width) continue;
      const ResizeWindow window = rows.windows[tile.y + y];
      const int begin = window.start > from ? window.start : from;
      const int beyond = window.start + window.count < to ? window.start + window.count : to;
      const std::int16_t* weights = rows.weights + tile.y + y;
      for (int row = begin; row < beyond; ++row) {
        const std::int32_t weight =
            weights[static_cast<std::ptrdiff_t>(row - window.start) * rows.length];
        const std::uint8_t* pixel = &memory.rows[row - from][x * channels];
        SLUICE_UNROLL for (int c = 0; c < channels; ++c) sums[own][c] += pixel[c] * weight;
      }
    }
    thread_block.sync();
  }
  SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
    pixels[own] = 0;
    SLUICE_UNROLL for (int c = 0; c < channels; ++c) {
      pixels[own] |= std::uint32_t{rounded_level(sums[own][c], rows.shift)} << (8 * c);
    }
  }
}

// Separate from the code that computes the pixels, because compilers take long to repeat a
// PixelWriter for each number of channels. Images of three channels have their own version; all
// others share one.
template <bool three>
SLUICE_HOST_DEVICE void write_resized(const ResizeJob& job, const ResizeTile& tile,
                                      const std::uint32_t (&pixels)[kResizeOwn],
                                      const PixelWriter& out, const ThreadBlock& thread_block) {
  SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
    const int i = thread_block.index + own * kThreadBlockSize;
    const int y = i / kResizeTileWidth, x = i % kResizeTileWidth;
    if (y >= tile.height || x >= tile.width) continue;
    const auto write = [&](int c) {
      out.write_level(tile.y + y, tile.x + x, c, static_cast<int>(pixels[own] >> (8 * c) & 255));
    };
    if constexpr (three) {
      SLUICE_UNROLL for (int c = 0; c < 3; ++c) write(c);
    } else {
      SLUICE_NO_UNROLL for (int c = 0; c < job.channels; ++c) write(c);
    }
  }
}

SLUICE_HOST_DEVICE inline void resize_nearest(const ResizeJob& job, const ResizeTile& tile,
                                              const std::uint8_t* in, const PixelWriter& out,
                                              const ThreadBlock& thread_block) {
  const ResizeTableView columns(job.columns, true), rows(job.rows, true);
  for (int i = thread_block.index; i < tile.height * kResizeTileWidth; i += kThreadBlockSize) {
    const int y = tile.y + i / kResizeTileWidth, x = tile.x + i % kResizeTileWidth;
    if (i % kResizeTileWidth >= tile.width) continue;
    const std::uint8_t* pixel =
        in + rows.windows[y].start * job.in_stride +
        static_cast<std::ptrdiff_t>(columns.windows[x].start) * job.channels;
    SLUICE_NO_UNROLL for (int c = 0; c < job.channels; ++c) out.write_level(y, x, c, pixel[c]);
  }
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void resize_tile(const ResizeJob& job, int number,
                                           const ThreadBlock& thread_block, ResizeMemory& memory) {
  const int height = job.rows.out_length, width = job.columns.out_length;
  const int across = resize_tiles_across(width);
  ResizeTile tile{number / across * kResizeTileHeight, number % across * kResizeTileWidth,
                  kResizeTileHeight, kResizeTileWidth};
  if (tile.height > height - tile.y) tile.height = height - tile.y;
  if (tile.width > width - tile.x) tile.width = width - tile.x;
  const std::uint8_t* const in = device_view(
      job.in, static_cast<std::size_t>((job.rows.in_length - 1) * job.in_stride +
                                       std::int64_t{job.columns.in_length} * job.channels));
  const PixelWriter out(job.out, thread_block, memory.levels);
  thread_block.sync();
  if (job.filter.interpolation == Interpolation::nearest)
    return resize_nearest(job, tile, in, out, thread_block);
  std::uint32_t pixels[kResizeOwn];
  switch (job.channels) {
    case 1:
      resize_filtered<1>(job, tile, in, thread_block, memory, pixels);
      break;
    case 2:
      resize_filtered<2>(job, tile, in, thread_block, memory, pixels);
      break;
    case 3:
      resize_filtered<3>(job, tile, in, thread_block, memory, pixels);
      return write_resized<true>(job, tile, pixels, out, thread_block);
    default:
      resize_filtered<4>(job, tile, in, thread_block, memory, pixels);
  }
  write_resized<false>(job, tile, pixels, out, thread_block);
}

}  // namespace sluice::device
