// Copy-pixels tiles: one tile of pixels that are moved, and perhaps changed one by one; and
// PixelsOut, the destination and the format of a kernel's pixels: 8-bit values or normalized
// numbers, interleaved or in planes, perhaps after a lookup table. Kernels that make 8-bit pixels
// end with a PixelWriter, so the next step needs no pass of its own. Internal to the kernels.
//
//   level -> lookup table -> (x - offset) * factor + shift -> u8, i8, f16, bf16 or f32
//
// The arithmetic is that of the kernels in ops/, step by step, so the bits are the same. Each
// output pixel of a job is the input pixel at the same indices; the input's strides may have any
// size and sign.
//
// Ownership: none. Threads: as values. Errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/tensor.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace sluice::device {

struct PixelsOut {
  void* data = nullptr;  // device memory: the address of channel 0 of pixel (0, 0)
  // Strides, in numbers: to the next row, the next pixel, and the next channel.
  std::int64_t row = 0, pixel = 0, channel = 0;
  std::int32_t height = 0, width = 0, channels = 0;
  DType dtype = DType::u8;
  bool scales = false;
  bool padded = false;  // a channel of zeros follows the last one
  float offset[4] = {0, 0, 0, 0};
  float factor[4] = {1, 1, 1, 1};
  float shift = 0;
  // The lookup table for 8-bit values, the first step: 256 bytes of device memory. Null: they are
  // not changed.
  const std::uint8_t* lut = nullptr;
};

// Returns how many numbers lie between the first and the last one, inclusive.
SLUICE_HOST_DEVICE inline std::size_t extent_of(const PixelsOut& out) {
  return static_cast<std::size_t>((out.height - 1) * out.row + (out.width - 1) * out.pixel +
                                  (out.channels - (out.padded ? 0 : 1)) * out.channel + 1);
}

SLUICE_HOST_DEVICE inline std::uint16_t half_bits(float value) {
#if defined(__CUDA_ARCH__)
  return __half_as_ushort(__float2half_rn(value));
#else
  return Half::from_float(value);
#endif
}
SLUICE_HOST_DEVICE inline float number_of_half(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(bits));
#else
  return Half::to_float(bits);
#endif
}
SLUICE_HOST_DEVICE inline float number_of_bfloat(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(std::uint32_t{bits} << 16);
#else
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
#endif
}
SLUICE_HOST_DEVICE inline std::uint16_t bfloat_bits(float value) {
#if defined(__CUDA_ARCH__)
  return BFloat16::from_bits(__float_as_uint(value));
#else
  return BFloat16(value).bits;
#endif
}
// Returns the nearest integer, halves to even, clipped to the range of the type. NaN becomes 0.
SLUICE_HOST_DEVICE inline std::uint8_t level_of(float value) {
  if (!(value > 0.0f)) return 0;
  return value >= 255.0f ? std::uint8_t{255} : static_cast<std::uint8_t>(rintf(value));
}
SLUICE_HOST_DEVICE inline std::int8_t signed_level_of(float value) {
  if (value != value) return 0;
  return static_cast<std::int8_t>(value <= -128.0f  ? -128.0f
                                  : value >= 127.0f ? 127.0f
                                                    : rintf(value));
}

// Writes the pixels of one job, which must outlive it. Each thread of a thread block makes one,
// with the same 256 bytes of shared memory; call sync() before the first write.
class PixelWriter {
 public:
  SLUICE_HOST_DEVICE PixelWriter(const PixelsOut& out, const ThreadBlock& thread_block,
                                 std::uint8_t* table)
      : out_(out),
        row_(out.row),
        pixel_(out.pixel),
        channel_(out.channel),
        dtype_(out.dtype),
        scales_(out.scales),
        padded_(out.padded),
        table_(out.lut == nullptr ? nullptr : table) {
    const std::size_t extent = extent_of(out);
    if (out.dtype == DType::u8 || out.dtype == DType::i8) {
      at_ = device_view(static_cast<std::uint8_t*>(out.data), extent);
    } else if (out.dtype == DType::f16 || out.dtype == DType::bf16) {
      at_ = device_view(static_cast<std::uint16_t*>(out.data), extent);
    } else {
      at_ = device_view(static_cast<float*>(out.data), extent);
    }
    if (table_ == nullptr) return;
    const std::uint8_t* const lut = device_view(out.lut, 256);
    for (int x = thread_block.index; x < 256; x += kThreadBlockSize) table[x] = lut[x];
  }

  SLUICE_HOST_DEVICE void write_level(int y, int x, int c, int level) const {
    if (table_ != nullptr) level = table_[level];
    if (dtype_ == DType::u8 && !scales_) {
      static_cast<std::uint8_t*>(at_)[place(y, x, c)] = static_cast<std::uint8_t>(level);
    } else {
      write(y, x, c, static_cast<float>(level));
    }
  }
  // Skips the lookup table: for numbers that are not pixel values.
  SLUICE_HOST_DEVICE void write(int y, int x, int c, float value) const {
    if (scales_) value = (value - out_.offset[c]) * out_.factor[c] + out_.shift;
    put(place(y, x, c), value);
    if (padded_ && c + 1 == out_.channels) put(place(y, x, c + 1), 0);
  }

 private:
  SLUICE_HOST_DEVICE std::int64_t place(int y, int x, int c) const {
    return y * row_ + x * pixel_ + c * channel_;
  }
  SLUICE_HOST_DEVICE void put(std::int64_t at, float value) const {
    if (dtype_ == DType::u8) {
      static_cast<std::uint8_t*>(at_)[at] = level_of(value);
    } else if (dtype_ == DType::i8) {
      static_cast<std::int8_t*>(at_)[at] = signed_level_of(value);
    } else if (dtype_ == DType::f16) {
      static_cast<std::uint16_t*>(at_)[at] = half_bits(value);
    } else if (dtype_ == DType::bf16) {
      static_cast<std::uint16_t*>(at_)[at] = bfloat_bits(value);
    } else {
      static_cast<float*>(at_)[at] = value;
    }
  }

  const PixelsOut& out_;
  const std::int64_t row_, pixel_, channel_;
  const DType dtype_;
  const bool scales_, padded_;
  void* at_ = nullptr;
  const std::uint8_t* table_;
};

// The input pixels. Strides count numbers, and are negative for flipped images.
struct PixelsIn {
  const void* data = nullptr;  // device memory
  std::int64_t first = 0;      // the position of channel 0 of pixel (0, 0)
  std::int64_t row = 0, pixel = 0, channel = 0;
  DType dtype = DType::u8;
};

struct CopyPixelsJob {
  std::int32_t tiles = 0;
  PixelsIn in;
  PixelsOut out;
};

inline constexpr int kPixelsInTile = 1024;

// The numbers that a job reads: `count`, beginning with `first`.
struct CopyPixelsRange {
  std::int64_t first, count;
};
SLUICE_HOST_DEVICE inline CopyPixelsRange range_of(const CopyPixelsJob& job) {
  const std::int64_t ends[3] = {(job.out.height - 1) * job.in.row,
                                (job.out.width - 1) * job.in.pixel,
                                (job.out.channels - 1) * job.in.channel};
  CopyPixelsRange range{job.in.first, 1};
  for (const std::int64_t end : ends) {
    range.first += end < 0 ? end : 0;
    range.count += end < 0 ? -end : end;
  }
  return range;
}

// Returns the address of channel 0 of pixel (0, 0).
template <class T>
SLUICE_HOST_DEVICE const T* numbers_of(const CopyPixelsJob& job) {
  const CopyPixelsRange range = range_of(job);
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
SLUICE_HOST_DEVICE void move_pixels(const CopyPixelsJob& job, std::int64_t first,
                                    const PixelWriter& out, const ThreadBlock& thread_block) {
  const T* const in = numbers_of<T>(job);
  const std::int64_t row = job.in.row, step = job.in.pixel, channel = job.in.channel;
  const int width = job.out.width, channels = job.out.channels;
  const std::int64_t all = std::int64_t{job.out.height} * width;
  const int count = static_cast<int>(all - first < kPixelsInTile ? all - first : kPixelsInTile);
  const int first_y = static_cast<int>(first / width), first_x = static_cast<int>(first % width);
  for (int i = thread_block.index; i < count; i += kThreadBlockSize) {
    const int y = first_y + (first_x + i) / width, x = (first_x + i) % width;
    const T* const pixel = in + y * row + x * step;
    for (int c = 0; c < channels; ++c) put(out, y, x, c, pixel[c * channel]);
  }
}

// Does the `number`th tile of the sample. `levels`: 256 bytes that the thread block shares.
SLUICE_HOST_DEVICE inline void copy_pixels_tile(const CopyPixelsJob& job, int number,
                                                const ThreadBlock& thread_block,
                                                std::uint8_t* levels) {
  const PixelWriter out(job.out, thread_block, levels);
  thread_block.sync();
  const std::int64_t first = std::int64_t{number} * kPixelsInTile;
  if (job.in.dtype == DType::u8) {
    move_pixels<std::uint8_t>(job, first, out, thread_block);
  } else if (job.in.dtype == DType::f16) {
    move_pixels<std::uint16_t>(job, first, out, thread_block);
  } else {
    move_pixels<float>(job, first, out, thread_block);
  }
}

}  // namespace sluice::device
