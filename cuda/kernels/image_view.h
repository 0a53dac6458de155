// Common parts of the kernels of single operators: an 8-bit image to read, one to write, the pixels
// of a tile, and pixel values between pixels. Internal to the kernels.
//
// Ownership: none. Threads: as values. Errors: image_tiles() and require_same_shape() throw
// std::invalid_argument.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/tiles.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace sluice::device {

// An image with interleaved channels. Addresses are in device memory.
struct ImageIn {
  const std::uint8_t* data = nullptr;
  std::int64_t stride = 0;  // bytes from row to row, not negative
  std::int32_t height = 0, width = 0, channels = 0;
  std::int32_t unused = 0;
};
// An image without gaps between the rows.
struct ImageOut {
  std::uint8_t* data = nullptr;
  std::int32_t height = 0, width = 0, channels = 0;
  std::int32_t unused = 0;
};

SLUICE_HOST_DEVICE inline const std::uint8_t* view_of(const ImageIn& in) {
  return device_view(in.data, static_cast<std::size_t>((in.height - 1) * in.stride +
                                                       std::int64_t{in.width} * in.channels));
}
SLUICE_HOST_DEVICE inline std::uint8_t* view_of(const ImageOut& out) {
  return device_view(out.data,
                     static_cast<std::size_t>(std::int64_t{out.height} * out.width * out.channels));
}

// Returns the number of tiles of `pixels_in_tile` pixels, counted along the rows.
inline std::int32_t image_tiles(int height, int width, int pixels_in_tile) {
  constexpr int kLargest = 65535;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest)
    throw std::invalid_argument("an image on a device has 1 .. 65535 rows and columns");
  const std::int64_t pixels = std::int64_t{height} * width;
  return static_cast<std::int32_t>((pixels + pixels_in_tile - 1) / pixels_in_tile);
}

// Throws unless both images have the same shape, with 1 to 4 channels.
inline void require_same_shape(const ImageIn& in, const ImageOut& out) {
  if (in.height != out.height || in.width != out.width || in.channels != out.channels ||
      in.channels < 1 || in.channels > 4)
    throw std::invalid_argument("images of one size and as many channels, 1 to 4, are possible");
}

// Returns a job whose input and output have the same shape.
template <class Job>
Job image_job(const ImageIn& in, const ImageOut& out, int pixels_in_tile) {
  require_same_shape(in, out);
  Job job;
  job.in = in;
  job.out = out;
  job.tiles = image_tiles(out.height, out.width, pixels_in_tile);
  return job;
}

// Calls f(y, x) for this thread's pixels of the `number`th tile.
template <int pixels_in_tile, class F>
SLUICE_HOST_DEVICE void for_pixels(int height, int width, int number,
                                   const ThreadBlock& thread_block, const F& f) {
  const std::int64_t first = std::int64_t{number} * pixels_in_tile;
  const std::int64_t rest = std::int64_t{height} * width - first;
  const int count = static_cast<int>(rest < pixels_in_tile ? rest : pixels_in_tile);
  const int first_y = static_cast<int>(first / width), first_x = static_cast<int>(first % width);
  for (int i = thread_block.index; i < count; i += kThreadBlockSize)
    f(first_y + (first_x + i) / width, (first_x + i) % width);
}

SLUICE_HOST_DEVICE inline std::uint8_t rounded_level(double value) {
  const double level = value + 0.5;
  return static_cast<std::uint8_t>(level < 0.0 ? 0.0 : level > 255.0 ? 255.0 : level);
}

// Returns the pixel for position `at` when a line of `length` pixels is mirrored at the centers of
// its outermost pixels, as often as necessary.
SLUICE_HOST_DEVICE inline int mirrored_place(int at, int length) {
  if (length == 1) return 0;
  const int period = 2 * (length - 1);
  const int within = (at < 0 ? -at : at) % period;
  return within < length ? within : period - within;
}
SLUICE_HOST_DEVICE inline int nearest_place(int at, int length) {
  return at < 0 ? 0 : at > length - 1 ? length - 1 : at;
}

inline constexpr int kPlaceWeightBits = 11;

// Interpolates with the arithmetic of blend_of_four() in ops/kernels. Returns the value of channel
// `c` at a position between four pixels. `wx`, `wy`: the weights of the right and the lower pixels.
SLUICE_HOST_DEVICE inline int blend_of_four(const std::uint8_t* const (&pixels)[4], int c, int wx,
                                            int wy) {
  constexpr int kWhole = 1 << kPlaceWeightBits;
  const int upper = pixels[0][c] * kWhole + (pixels[1][c] - pixels[0][c]) * wx;
  const int lower = pixels[2][c] * kWhole + (pixels[3][c] - pixels[2][c]) * wx;
  const int sum = upper * (kWhole - wy) + lower * wy;
  return (sum + (1 << (2 * kPlaceWeightBits - 1))) >> (2 * kPlaceWeightBits);
}

}  // namespace sluice::device
