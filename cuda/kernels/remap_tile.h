// Remap tiles: one tile of an image whose pixels come from arbitrary positions of another one:
// perspective, warp_perspective, lens_distortion, elastic, remap, grid_distortion. The arithmetic
// is that of places.h in ops/kernels, step by step. Positions are 64-bit numbers; fractions of
// pixels are integers in units of 2^-11.
//
// Displacement tiles: one tile of elastic's displacements: random numbers for each pixel, along x
// and along y, which are then blurred along the rows and along the columns. Internal to the
// kernels.
//
// Ownership: none. Threads and errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/image_view.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/random.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::device {

// The kind of map from output positions to input positions.
enum class RemapBy : std::int32_t { matrix, lens, shifts, field };

struct RemapJob {
  std::int32_t tiles = 0;
  RemapBy by = RemapBy::matrix;
  ImageIn in;
  ImageOut out;
  // For a matrix: its elements, row by row. For a lens: the center's x and y, the squared distance
  // of the corners, and the factors of r^2 and r^4. For shifts: their factor.
  double numbers[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  // Device memory. For shifts: of all pixels along x, then of all along y. For a field: of each
  // pixel along x and y.
  const float* shifts = nullptr;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  std::uint8_t fill[4] = {0, 0, 0, 0};
  std::uint8_t unused[2] = {0, 0};
};

inline constexpr int kRemapPixels = 1024;  // per tile

struct Place {
  double x, y;
};

// Returns the input position for the center of output pixel (x, y). `shifts`: the job's shifts, or
// null.
SLUICE_HOST_DEVICE inline Place place_of(const RemapJob& job, const float* shifts, int row,
                                         int column) {
  const double x = column + 0.5, y = row + 0.5;
  const double(&m)[9] = job.numbers;
  switch (job.by) {
    case RemapBy::matrix: {
      const double part = 1 / (m[6] * x + m[7] * y + m[8]);
      return {(m[0] * x + m[1] * y + m[2]) * part, (m[3] * x + m[4] * y + m[5]) * part};
    }
    case RemapBy::lens: {
      const double dx = x - m[0], dy = y - m[1];
      const double r2 = (dx * dx + dy * dy) / m[2];
      const double longer = 1 + r2 * (m[3] + r2 * m[4]);
      return {m[0] + dx * longer, m[1] + dy * longer};
    }
    case RemapBy::field: {
      const std::int64_t i = 2 * (std::int64_t{row} * job.out.width + column);
      return {x + static_cast<double>(shifts[i]), y + static_cast<double>(shifts[i + 1])};
    }
    case RemapBy::shifts:
      break;
  }
  const std::int64_t pixels = std::int64_t{job.out.height} * job.out.width;
  const std::int64_t i = std::int64_t{row} * job.out.width + column;
  return {x + m[0] * static_cast<double>(shifts[i]),
          y + m[0] * static_cast<double>(shifts[pixels + i])};
}

SLUICE_HOST_DEVICE inline const std::uint8_t* pixel_near(const RemapJob& job,
                                                         const std::uint8_t* in, int y, int x) {
  return in + nearest_place(y, job.in.height) * job.in.stride +
         std::int64_t{nearest_place(x, job.in.width)} * job.in.channels;
}

// Returns the same as place_after_middle() of remap_rows.h.
SLUICE_HOST_DEVICE inline int place_after_middle(double place) {
  constexpr double kWhole = 1 << kPlaceWeightBits;
  return static_cast<int>(floor(place * kWhole - (kWhole - 1) / 2));
}
inline constexpr int kPlaceFraction = (1 << kPlaceWeightBits) - 1;

SLUICE_HOST_DEVICE inline void bilinear_pixel(const RemapJob& job, const std::uint8_t* in, int x,
                                              int y, std::uint8_t* to) {
  const int column = x >> kPlaceWeightBits, row = y >> kPlaceWeightBits;
  const std::uint8_t* const pixels[4] = {
      pixel_near(job, in, row, column), pixel_near(job, in, row, column + 1),
      pixel_near(job, in, row + 1, column), pixel_near(job, in, row + 1, column + 1)};
  for (int c = 0; c < job.in.channels; ++c) {
    to[c] =
        static_cast<std::uint8_t>(blend_of_four(pixels, c, x & kPlaceFraction, y & kPlaceFraction));
  }
}

// Returns n / 2^bits, rounded to nearest.
template <class Number>
SLUICE_HOST_DEVICE Number scaled_down(Number n, int bits) {
  return (n + (Number{1} << (bits - 1))) >> bits;
}

// Returns the same weights as cubic_weights() of remap_rows.h.
inline constexpr int kCubicBits = 14, kCubicRowBits = 6;
SLUICE_HOST_DEVICE inline void find_cubic_weights(int part, int (&weights)[4]) {
  constexpr std::int64_t kWhole = 1 << kPlaceWeightBits;
  constexpr int kShift = 3 * kPlaceWeightBits + 2 - kCubicBits;
  const std::int64_t t = part, rest = kWhole - t;
  weights[0] = -static_cast<int>(scaled_down(3 * t * rest * rest, kShift));
  weights[1] =
      (1 << kCubicBits) - static_cast<int>(scaled_down(9 * t * t * kWhole - 5 * t * t * t, kShift));
  weights[3] = -static_cast<int>(scaled_down(3 * rest * t * t, kShift));
  weights[2] = (1 << kCubicBits) - weights[0] - weights[1] - weights[3];
}

SLUICE_HOST_DEVICE inline void bicubic_pixel(const RemapJob& job, const std::uint8_t* in, int x,
                                             int y, std::uint8_t* to) {
  const int column = x >> kPlaceWeightBits, row = y >> kPlaceWeightBits;
  int across[4], down[4], sums[4] = {0, 0, 0, 0};
  find_cubic_weights(x & kPlaceFraction, across);
  find_cubic_weights(y & kPlaceFraction, down);
  SLUICE_UNROLL for (int r = 0; r < 4; ++r) {
    int levels[4] = {0, 0, 0, 0};
    SLUICE_UNROLL for (int k = 0; k < 4; ++k) {
      const std::uint8_t* const from = pixel_near(job, in, row - 1 + r, column - 1 + k);
      SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
        if (c < job.in.channels) levels[c] += across[k] * from[c];
      }
    }
    SLUICE_UNROLL for (int c = 0; c < 4; ++c) sums[c] +=
        down[r] * scaled_down(levels[c], kCubicBits - kCubicRowBits);
  }
  SLUICE_UNROLL for (int c = 0; c < 4; ++c) {
    const int level = scaled_down(sums[c], kCubicBits + kCubicRowBits);
    if (c < job.in.channels)
      to[c] = static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
  }
}

SLUICE_HOST_DEVICE inline void show_place(const RemapJob& job, const std::uint8_t* in,
                                          const Place& place, std::uint8_t* to) {
  const int height = job.in.height, width = job.in.width;
  const bool inside = place.x >= 0 && place.y >= 0 && place.x < width && place.y < height;
  const bool nowhere = place.x != place.x || place.y != place.y;  // not a number
  if (job.border == Border::constant ? !inside : nowhere) {
    for (int c = 0; c < job.in.channels; ++c) to[c] = job.fill[c];
    return;
  }
  // The nearest pixels are the same farther away.
  const double x = place.x < -4.0 ? -4.0 : place.x > width + 4.0 ? width + 4.0 : place.x;
  const double y = place.y < -4.0 ? -4.0 : place.y > height + 4.0 ? height + 4.0 : place.y;
  switch (job.interpolation) {
    case Interpolation::nearest: {
      const std::uint8_t* const from =
          pixel_near(job, in, static_cast<int>(floor(y)), static_cast<int>(floor(x)));
      for (int c = 0; c < job.in.channels; ++c) to[c] = from[c];
      return;
    }
    case Interpolation::bicubic:
      return bicubic_pixel(job, in, place_after_middle(x), place_after_middle(y), to);
    default:
      return bilinear_pixel(job, in, place_after_middle(x), place_after_middle(y), to);
  }
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void remap_tile(const RemapJob& job, int number,
                                          const ThreadBlock& thread_block) {
  const std::uint8_t* const in = view_of(job.in);
  std::uint8_t* const out = view_of(job.out);
  const int height = job.out.height, width = job.out.width, channels = job.out.channels;
  const bool moves_pixels = job.by == RemapBy::shifts || job.by == RemapBy::field;
  const std::int64_t shifts_there = moves_pixels ? std::int64_t{2} * height * width : 0;
  const float* const shifts =
      shifts_there == 0 ? nullptr : device_view(job.shifts, static_cast<std::size_t>(shifts_there));
  for_pixels<kRemapPixels>(height, width, number, thread_block, [&](int y, int x) {
    show_place(job, in, place_of(job, shifts, y, x),
               out + (std::int64_t{y} * width + x) * channels);
  });
}

struct DisplacementJob {
  std::int32_t tiles = 0;
  std::int32_t height = 0, width = 0;
  RandomWords words;
  std::int32_t count = 0;  // of weights; 0: no blur
  std::int32_t unused = 0;
  const float* weights = nullptr;  // device memory
  // Device memory, of all pixels along x, then of all along y: the result, and the memory between
  // the two blurs.
  float* shifts = nullptr;
  float* between = nullptr;
};

inline constexpr int kDisplacementPixels = 1024;  // per tile

SLUICE_HOST_DEVICE inline std::size_t displacement_size(const DisplacementJob& job) {
  return static_cast<std::size_t>(std::int64_t{2} * job.height * job.width);
}

// Draws four of the tile's numbers from each block of random words.
SLUICE_HOST_DEVICE inline void draw_displacement_tile(const DisplacementJob& job, int number,
                                                      const ThreadBlock& thread_block) {
  constexpr int kBlocks = 2 * kDisplacementPixels / 4;
  const auto all = static_cast<std::int64_t>(displacement_size(job));
  float* const shifts = device_view(job.shifts, displacement_size(job));
  for (int i = thread_block.index; i < kBlocks; i += kThreadBlockSize) {
    const std::int64_t block = std::int64_t{number} * kBlocks + i;
    if (4 * block >= all) return;
    const std::array<std::uint32_t, 4> words = job.words.block(static_cast<std::uint32_t>(block));
    for (unsigned k = 0; k < 4 && 4 * block + k < all; ++k)
      shifts[4 * block + k] = static_cast<float>(words[k] >> 8) * 0x1p-24f * 2 - 1;
  }
}

// Sets each shift of the tile's pixels, along x and along y, to sum_at(shifts of this axis,
// weights, y, x).
template <class SumAt>
SLUICE_HOST_DEVICE void blur_displacement(const DisplacementJob& job, int number,
                                          const ThreadBlock& thread_block, const float* from,
                                          float* to, const SumAt& sum_at) {
  const float* const weights = device_view(job.weights, static_cast<std::size_t>(job.count));
  const std::int64_t pixels = std::int64_t{job.height} * job.width;
  for_pixels<kDisplacementPixels>(job.height, job.width, number, thread_block, [&](int y, int x) {
    for (int axis = 0; axis < 2; ++axis) {
      const std::int64_t first = axis * pixels;
      to[first + std::int64_t{y} * job.width + x] = sum_at(from + first, weights, y, x);
    }
  });
}

SLUICE_HOST_DEVICE inline void blur_displacement_across_tile(const DisplacementJob& job, int number,
                                                             const ThreadBlock& thread_block) {
  if (job.count == 0) return;
  const std::size_t all = displacement_size(job);
  blur_displacement(
      job, number, thread_block, device_view(static_cast<const float*>(job.shifts), all),
      device_view(job.between, all), [&](const float* from, const float* weights, int y, int x) {
        const float* const row = from + std::int64_t{y} * job.width;
        float sum = 0.0f;
        for (int k = 0; k < job.count; ++k)
          sum += weights[k] * row[mirrored_place(x + k - job.count / 2, job.width)];
        return sum;
      });
}

SLUICE_HOST_DEVICE inline void blur_displacement_down_tile(const DisplacementJob& job, int number,
                                                           const ThreadBlock& thread_block) {
  if (job.count == 0) return;
  const std::size_t all = displacement_size(job);
  blur_displacement(
      job, number, thread_block, device_view(static_cast<const float*>(job.between), all),
      device_view(job.shifts, all), [&](const float* from, const float* weights, int y, int x) {
        float sum = 0.0f;
        for (int k = 0; k < job.count; ++k) {
          const std::int64_t row = mirrored_place(y + k - job.count / 2, job.height);
          sum += weights[k] * from[row * job.width + x];
        }
        return sum;
      });
}

}  // namespace sluice::device
