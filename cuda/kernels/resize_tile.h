// Resize tiles: one tile of a resized image. Input rows are resized to the tile's columns, rounded
// to 8 bits, and kept in memory that the team shares. Output rows are then blended from them. The
// arithmetic is that of Resizer in ops/: the same weights produce the same bits. Internal to the
// resizing kernels.
//
// Input rows are processed in pieces of kResizeRows, however many an output row needs.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/pixels_out.h>
#include <sluice/cuda/kernels/resize_axis.h>
#include <sluice/cuda/kernels/tiles.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

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

// The number of a tile's pixels for each thread: it has every kTeam-th one.
inline constexpr int kResizeOwn = (kResizeTileHeight * kResizeTileWidth + kTeam - 1) / kTeam;

// Memory that a team shares.
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
                                        const std::uint8_t* in, const Team& team,
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
    for (int i = team.index; i < (to - from) * kResizeTileWidth; i += kTeam) {
      const int row = i / kResizeTileWidth, x = i % kResizeTileWidth;
      if (x >= tile.width) continue;
      blend_across<channels>(in + (from + row) * job.in_stride, columns, tile.x + x,
                             &memory.rows[row][x * channels]);
    }
    team.sync();
    SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
      const int i = team.index + own * kTeam;
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
    team.sync();
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
                                      const PixelWriter& out, const Team& team) {
  SLUICE_UNROLL for (int own = 0; own < kResizeOwn; ++own) {
    const int i = team.index + own * kTeam;
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
                                              const Team& team) {
  const ResizeTableView columns(job.columns, true), rows(job.rows, true);
  for (int i = team.index; i < tile.height * kResizeTileWidth; i += kTeam) {
    const int y = tile.y + i / kResizeTileWidth, x = tile.x + i % kResizeTileWidth;
    if (i % kResizeTileWidth >= tile.width) continue;
    const std::uint8_t* pixel =
        in + rows.windows[y].start * job.in_stride +
        static_cast<std::ptrdiff_t>(columns.windows[x].start) * job.channels;
    SLUICE_NO_UNROLL for (int c = 0; c < job.channels; ++c) out.write_level(y, x, c, pixel[c]);
  }
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void resize_tile(const ResizeJob& job, int number, const Team& team,
                                           ResizeMemory& memory) {
  const int height = job.rows.out_length, width = job.columns.out_length;
  const int across = resize_tiles_across(width);
  ResizeTile tile{number / across * kResizeTileHeight, number % across * kResizeTileWidth,
                  kResizeTileHeight, kResizeTileWidth};
  if (tile.height > height - tile.y) tile.height = height - tile.y;
  if (tile.width > width - tile.x) tile.width = width - tile.x;
  const std::uint8_t* const in = device_view(
      job.in, static_cast<std::size_t>((job.rows.in_length - 1) * job.in_stride +
                                       std::int64_t{job.columns.in_length} * job.channels));
  const PixelWriter out(job.out, team, memory.levels);
  team.sync();
  if (job.filter.interpolation == Interpolation::nearest)
    return resize_nearest(job, tile, in, out, team);
  std::uint32_t pixels[kResizeOwn];
  switch (job.channels) {
    case 1:
      resize_filtered<1>(job, tile, in, team, memory, pixels);
      break;
    case 2:
      resize_filtered<2>(job, tile, in, team, memory, pixels);
      break;
    case 3:
      resize_filtered<3>(job, tile, in, team, memory, pixels);
      return write_resized<true>(job, tile, pixels, out, team);
    default:
      resize_filtered<4>(job, tile, in, team, memory, pixels);
  }
  write_resized<false>(job, tile, pixels, out, team);
}

}  // namespace sluice::device
