// Tensor tiles: one tile of a tensor whose elements are moved, or of a tensor as an image of any
// number of channels that is resized, rotated or normalized. The arithmetic is that of
// tensor_images.h in ops/kernels, so the bits are the same. Internal to the kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/cuda/kernels/warp_tile.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/ops/kernels/tensor_pixel.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

inline constexpr int kTensorElements = 1024;  // per tile

// Calls f(i) for this thread's elements of the `number`th tile, of `count` elements in all.
template <class F>
SLUICE_HOST_DEVICE void for_elements(std::int64_t count, int number,
                                     const ThreadBlock& thread_block, const F& f) {
  const std::int64_t first = std::int64_t{number} * kTensorElements;
  const std::int64_t end = first + kTensorElements < count ? first + kTensorElements : count;
  for (std::int64_t i = first + thread_block.index; i < end; i += kThreadBlockSize) f(i);
}

// Returns element number i, converted.
template <class C>
SLUICE_HOST_DEVICE C element_at(const void* elements, DType dtype, std::int64_t i) {
  switch (dtype) {
    case DType::u8:
      return static_cast<C>(static_cast<const std::uint8_t*>(elements)[i]);
    case DType::i8:
      return static_cast<C>(static_cast<const std::int8_t*>(elements)[i]);
    case DType::u16:
      return static_cast<C>(static_cast<const std::uint16_t*>(elements)[i]);
    case DType::i16:
      return static_cast<C>(static_cast<const std::int16_t*>(elements)[i]);
    case DType::i32:
      return static_cast<C>(static_cast<const std::int32_t*>(elements)[i]);
    case DType::i64:
      return static_cast<C>(static_cast<const std::int64_t*>(elements)[i]);
    case DType::f16:
      return static_cast<C>(number_of_half(static_cast<const std::uint16_t*>(elements)[i]));
    case DType::bf16:
      return static_cast<C>(number_of_bfloat(static_cast<const std::uint16_t*>(elements)[i]));
    case DType::f64:
      return static_cast<C>(static_cast<const double*>(elements)[i]);
    case DType::boolean:
      return static_cast<C>(static_cast<const bool*>(elements)[i]);
    default:
      return static_cast<C>(static_cast<const float*>(elements)[i]);
  }
}

// Copies elements to other positions: permute, crop, flip and pad. Element (i, k, ...) of the
// result is element first + i strides[0] + k strides[1] ... of the input, or the fill if an index
// is not from begin to end - 1.
struct MoveJob {
  struct Dimension {
    std::int32_t size = 1, begin = 0, end = 1, unused = 0;
    std::int64_t stride = 0;  // in elements; may be negative
  };
  std::int32_t tiles = 0;
  std::int32_t rank = 0;
  std::int32_t bytes = 1;  // of an element: 1, 2, 4 or 8
  std::int32_t unused = 0;
  Dimension dimensions[Shape::kMaxRank];
  const void* in = nullptr;  // device memory
  std::int64_t in_elements = 0, first = 0, elements = 0;
  void* out = nullptr;  // device memory, without gaps
  std::uint64_t fill = 0;
};

template <class T>
SLUICE_HOST_DEVICE void move_elements(const MoveJob& job, int number,
                                      const ThreadBlock& thread_block) {
  const T* const in =
      device_view(static_cast<const T*>(job.in), static_cast<std::size_t>(job.in_elements));
  T* const out = device_view(static_cast<T*>(job.out), static_cast<std::size_t>(job.elements));
  for_elements(job.elements, number, thread_block, [&](std::int64_t i) {
    auto rest = static_cast<std::uint32_t>(i);
    std::int64_t from = job.first;
    bool inside = true;
    for (int axis = job.rank - 1; axis >= 0; --axis) {
      const MoveJob::Dimension& d = job.dimensions[axis];
      const auto size = static_cast<std::uint32_t>(d.size);
      const auto at = static_cast<std::int32_t>(rest % size);
      rest /= size;
      inside = inside && at >= d.begin && at < d.end;
      from += at * d.stride;
    }
    out[i] = inside ? in[from] : static_cast<T>(job.fill);
  });
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void move_tile(const MoveJob& job, int number,
                                         const ThreadBlock& thread_block) {
  switch (job.bytes) {
    case 1:
      return move_elements<std::uint8_t>(job, number, thread_block);
    case 2:
      return move_elements<std::uint16_t>(job, number, thread_block);
    case 4:
      return move_elements<std::uint32_t>(job, number, thread_block);
    default:
      return move_elements<std::uint64_t>(job, number, thread_block);
  }
}

// Calls f(T()) with the type of elements that can be blended.
template <class F>
SLUICE_HOST_DEVICE void visit_blended(DType dtype, const F& f) {
  switch (dtype) {
    case DType::u8:
      return f(std::uint8_t{});
    case DType::i8:
      return f(std::int8_t{});
    case DType::u16:
      return f(std::uint16_t{});
    case DType::i16:
      return f(std::int16_t{});
    default:
      return f(float{});
  }
}

// Resizes the middle axis of a tensor of outer x length x inner elements: element (o, i, n) of
// the result is the sum of weights[i][k] times element (o, starts[i] + k, n).
struct ResampleJob {
  std::int32_t tiles = 0;
  DType dtype = DType::u8;
  std::int32_t length = 0, out_length = 0;
  std::int32_t taps = 0;  // weights of each place; 0: copies element starts[i]
  std::int32_t unused = 0;
  std::int64_t outer = 0, inner = 0;
  const std::int32_t* starts = nullptr;  // device memory, as all of these
  const std::int32_t* counts = nullptr;  // of the weights that are used
  const double* weights = nullptr;
  const void* in = nullptr;
  void* out = nullptr;
};

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void resample_tile(const ResampleJob& job, int number,
                                             const ThreadBlock& thread_block) {
  const auto places = static_cast<std::size_t>(job.out_length);
  const std::int32_t* const starts = device_view(job.starts, places);
  const std::int32_t* const counts = job.taps == 0 ? nullptr : device_view(job.counts, places);
  const double* const all_weights =
      job.taps == 0 ? nullptr
                    : device_view(job.weights, places * static_cast<std::size_t>(job.taps));
  const std::int64_t elements = job.outer * job.out_length * job.inner;
  visit_blended(job.dtype, [&](auto type) {
    using T = decltype(type);
    const T* const in = device_view(static_cast<const T*>(job.in),
                                    static_cast<std::size_t>(job.outer * job.length * job.inner));
    T* const out = device_view(static_cast<T*>(job.out), static_cast<std::size_t>(elements));
    for_elements(elements, number, thread_block, [&](std::int64_t at) {
      const std::int64_t n = at % job.inner, line = at / job.inner;
      const std::int64_t i = line % job.out_length, o = line / job.out_length;
      const T* const from = in + (o * job.length + starts[i]) * job.inner + n;
      if (job.taps == 0) {
        out[at] = *from;
        return;
      }
      const double* const weights = all_weights + i * job.taps;
      double sum = 0;
      for (std::int32_t k = 0; k < counts[i]; ++k)
        sum += weights[k] * static_cast<double>(from[k * job.inner]);
      out[at] = kernels::stored<T>(sum);
    });
  });
}

// A rotated tensor, as in warp_tile.h, with any number of channels.
struct RotateTensorJob {
  std::int32_t tiles = 0;
  DType dtype = DType::u8;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  std::int32_t in_height = 0, in_width = 0, height = 0, width = 0;
  std::int64_t channels = 0;
  double fill = 0;
  Affine from;
  const void* in = nullptr;  // device memory without gaps
  void* out = nullptr;
};

template <class T>
SLUICE_HOST_DEVICE void rotate_tensor_pixel(const RotateTensorJob& job, const T* in, int y, int x,
                                            T* out) {
  // Only the start of a row is computed by the map; the steps from there are integers.
  const Affine& map = job.from;
  const double middle = y + 0.5;
  const std::int64_t at_x =
      fixed_place(map.xx * 0.5 + map.xy * middle + map.x0) + x * fixed_place(map.xx);
  const std::int64_t at_y =
      fixed_place(map.yx * 0.5 + map.yy * middle + map.y0) + x * fixed_place(map.yx);
  const std::int64_t column = at_x >> kPlaceBits, row = at_y >> kPlaceBits;
  const std::int64_t stride = job.in_width * job.channels;
  if (column < 0 || column >= job.in_width || row < 0 || row >= job.in_height) {
    for (std::int64_t c = 0; c < job.channels; ++c) out[c] = static_cast<T>(job.fill);
    return;
  }
  if (job.interpolation == Interpolation::nearest) {
    const T* const pixel = in + row * stride + column * job.channels;
    for (std::int64_t c = 0; c < job.channels; ++c) out[c] = pixel[c];
    return;
  }
  constexpr std::int64_t kHalf = std::int64_t{1} << (kPlaceBits - 1);
  const bool bicubic = job.interpolation == Interpolation::bicubic;
  const kernels::PixelTaps across = kernels::pixel_taps(at_x - kHalf, job.in_width, bicubic);
  const kernels::PixelTaps down = kernels::pixel_taps(at_y - kHalf, job.in_height, bicubic);
  for (std::int64_t c = 0; c < job.channels; ++c)
    out[c] = kernels::blended(in + c, stride, job.channels, across, down, bicubic ? 4 : 2);
}

// Does the `number`th tile of the sample: kTensorElements pixels.
SLUICE_HOST_DEVICE inline void rotate_tensor_tile(const RotateTensorJob& job, int number,
                                                  const ThreadBlock& thread_block) {
  const std::int64_t pixels = std::int64_t{job.height} * job.width;
  visit_blended(job.dtype, [&](auto type) {
    using T = decltype(type);
    const T* const in = device_view(
        static_cast<const T*>(job.in),
        static_cast<std::size_t>(std::int64_t{job.in_height} * job.in_width * job.channels));
    T* const out =
        device_view(static_cast<T*>(job.out), static_cast<std::size_t>(pixels * job.channels));
    for_elements(pixels, number, thread_block, [&](std::int64_t i) {
      rotate_tensor_pixel(job, in, static_cast<int>(i / job.width), static_cast<int>(i % job.width),
                          out + i * job.channels);
    });
  });
}

// (x - offset) * factor for each channel, rounded to f32, then to f16 or bf16.
struct NormalizeTensorJob {
  std::int32_t tiles = 0;
  DType dtype = DType::u8;       // any but bool
  DType out_dtype = DType::f32;  // or f16, or bf16
  bool planar = false;           // the result is CHW
  std::int32_t bytes = 1;        // of an element of the input
  std::int64_t pixels = 0, channels = 0;
  const double* offsets = nullptr;  // device memory, as all of these
  const double* factors = nullptr;
  const void* in = nullptr;
  void* out = nullptr;
};

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void normalize_tensor_tile(const NormalizeTensorJob& job, int number,
                                                     const ThreadBlock& thread_block) {
  const std::int64_t elements = job.pixels * job.channels;
  const auto count = static_cast<std::size_t>(elements),
             channels = static_cast<std::size_t>(job.channels);
  const double* const offsets = device_view(job.offsets, channels);
  const double* const factors = device_view(job.factors, channels);
  const auto* const in = device_view(static_cast<const std::byte*>(job.in),
                                     count * static_cast<std::size_t>(job.bytes));
  const bool full = job.out_dtype == DType::f32;
  auto* const numbers = full ? device_view(static_cast<float*>(job.out), count) : nullptr;
  auto* const halves = full ? nullptr : device_view(static_cast<std::uint16_t*>(job.out), count);
  for_elements(elements, number, thread_block, [&](std::int64_t i) {
    const std::int64_t pixel = i / job.channels, c = i % job.channels;
    const auto made =
        static_cast<float>((element_at<double>(in, job.dtype, i) - offsets[c]) * factors[c]);
    const std::int64_t to = job.planar ? c * job.pixels + pixel : i;
    if (full) {
      numbers[to] = made;
    } else {
      halves[to] = job.out_dtype == DType::f16 ? half_bits(made) : bfloat_bits(made);
    }
  });
}

}  // namespace sluice::device
