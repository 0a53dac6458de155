// Pixels tiles: one tile of pixels that are moved, and perhaps changed one by one. Each output
// pixel is the input pixel at the same indices; the input's strides may have any size and sign.
// Internal to the kernel.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/pixels_out.h>
#include <sluice/cuda/kernels/tiles.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The input pixels. Strides count numbers, and are negative for flipped images.
struct PixelsIn {
  const void* data = nullptr;  // device memory
  std::int64_t first = 0;      // the position of channel 0 of pixel (0, 0)
  std::int64_t row = 0, pixel = 0, channel = 0;
  DType dtype = DType::u8;
};

struct PixelsJob {
  std::int32_t tiles = 0;
  PixelsIn in;
  PixelsOut out;
};

inline constexpr int kPixelsInTile = 1024;

// The numbers that a job reads: `count`, beginning with `first`.
struct PixelsRange {
  std::int64_t first, count;
};
SLUICE_HOST_DEVICE inline PixelsRange range_of(const PixelsJob& job) {
  const std::int64_t ends[3] = {(job.out.height - 1) * job.in.row,
                                (job.out.width - 1) * job.in.pixel,
                                (job.out.channels - 1) * job.in.channel};
  PixelsRange range{job.in.first, 1};
  for (const std::int64_t end : ends) {
    range.first += end < 0 ? end : 0;
    range.count += end < 0 ? -end : end;
  }
  return range;
}

// Returns the address of channel 0 of pixel (0, 0).
template <class T>
SLUICE_HOST_DEVICE const T* numbers_of(const PixelsJob& job) {
  const PixelsRange range = range_of(job);
  const T* const lowest = static_cast<const T*>(job.in.data) + range.first;
  return device_view(lowest, static_cast<std::size_t>(range.count)) + (job.in.first - range.first);
}

SLUICE_HOST_DEVICE inline void put(const PixelWriter& out, int y, int x, int c,
                                   std::uint8_t level) {
  out.write_level(y, x, c, level);
}
SLUICE_HOST_DEVICE inline void put(const PixelWriter& out, int y, int x, int c,
                                   std::uint16_t half) {
  out.write(y, x, c, number_of_half(half));
}
SLUICE_HOST_DEVICE inline void put(const PixelWriter& out, int y, int x, int c, float number) {
  out.write(y, x, c, number);
}

template <class T>
SLUICE_HOST_DEVICE void move_pixels(const PixelsJob& job, std::int64_t first,
                                    const PixelWriter& out, const Team& team) {
  const T* const in = numbers_of<T>(job);
  const std::int64_t row = job.in.row, step = job.in.pixel, channel = job.in.channel;
  const int width = job.out.width, channels = job.out.channels;
  const std::int64_t all = std::int64_t{job.out.height} * width;
  const int count = static_cast<int>(all - first < kPixelsInTile ? all - first : kPixelsInTile);
  const int first_y = static_cast<int>(first / width), first_x = static_cast<int>(first % width);
  for (int i = team.index; i < count; i += kTeam) {
    const int y = first_y + (first_x + i) / width, x = (first_x + i) % width;
    const T* const pixel = in + y * row + x * step;
    for (int c = 0; c < channels; ++c) put(out, y, x, c, pixel[c * channel]);
  }
}

// Does the `number`th tile of the sample. `levels`: 256 bytes that the team shares.
SLUICE_HOST_DEVICE inline void pixels_tile(const PixelsJob& job, int number, const Team& team,
                                           std::uint8_t* levels) {
  const PixelWriter out(job.out, team, levels);
  team.sync();
  const std::int64_t first = std::int64_t{number} * kPixelsInTile;
  if (job.in.dtype == DType::u8) {
    move_pixels<std::uint8_t>(job, first, out, team);
  } else if (job.in.dtype == DType::f16) {
    move_pixels<std::uint16_t>(job, first, out, team);
  } else {
    move_pixels<float>(job, first, out, team);
  }
}

}  // namespace sluice::device
