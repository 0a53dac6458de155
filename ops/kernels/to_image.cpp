#include <sluice/ops/kernels/planes.h>
#include <sluice/ops/kernels/rounded_levels.h>
#include <sluice/ops/kernels/to_image.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sluice::kernels {
namespace {

template <class T>
std::uint8_t level(T x) {
  if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, bool>) {
    return x;
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<std::uint8_t>(std::max(x, T{0}));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint8_t>(std::clamp(x, T{0}, T{255}));
  } else {
    const T bounded = x > 0 ? (x < T{255} ? x : T{255}) : T{0};
    const int below = static_cast<int>(bounded);
    return static_cast<std::uint8_t>(below + int{bounded - static_cast<T>(below) >= T{0.5}});
  }
}

template <class T>
void check_numbers(const T* in, std::size_t count) {
  bool good = true;
  for (std::size_t i = 0; i < count; ++i) good = good & (in[i] == in[i]);
  if (good) return;
  throw std::invalid_argument(
      "to_image: an element of the tensor is NaN, which is no pixel value; replace it first");
}

template <class T>
void write_levels(const T* in, std::size_t count, float scale, std::uint8_t* out) {
  if constexpr (std::is_floating_point_v<T>) check_numbers(in, count);
  if constexpr (std::is_same_v<T, float>) {
    if (scale == 1.f) return rounded_levels(in, count, out);
  }
  if (std::is_same_v<T, Half> || scale != 1.f) {
    std::array<float, kPlanePixels> numbers;
    for (std::size_t i = 0; i < count; i += numbers.size()) {
      const std::size_t some = std::min(numbers.size(), count - i);
      for (std::size_t k = 0; k < some; ++k) numbers[k] = static_cast<float>(in[i + k]) * scale;
      write_levels(numbers.data(), some, 1.f, out + i);
    }
  } else if constexpr (!std::is_same_v<T, Half>) {
    for (std::size_t i = 0; i < count; ++i) out[i] = level(in[i]);
  }
}

// Converts a row of pixels whose channels are `plane` elements apart.
template <class T>
void write_pixels(const T* in, std::size_t plane, std::size_t width, int channels, float scale,
                  std::uint8_t* out) {
  Planes planes;
  for (std::size_t x = 0; x < width; x += kPlanePixels) {
    const std::size_t count = std::min(kPlanePixels, width - x);
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
      write_levels(in + c * plane + x, count, scale, planes.channel[c].data());
    std::uint8_t* const to = out + x * static_cast<std::size_t>(channels);
    if (channels == 2) {
      for (std::size_t i = 0; i < 2 * count; ++i) to[i] = planes.channel[i % 2][i / 2];
    } else {
      join_planes(planes, count, channels, to);
    }
  }
}

struct Size {
  std::int64_t height, width, channels;
};

Size picture_size(const Tensor& in) {
  const Shape& shape = in.shape();
  const bool planes = in.layout() == Layout::chw;
  Size size{};
  if (shape.rank == 2) size = {shape[0], shape[1], 1};
  if (shape.rank == 3 && planes) size = {shape[1], shape[2], shape[0]};
  if (shape.rank == 3 && !planes) size = {shape[0], shape[1], shape[2]};
  const bool fits = size.height >= 1 && size.height <= 65535 && size.width >= 1 &&
                    size.width <= 65535 && size.channels >= 1 && size.channels <= 4;
  if (fits) return size;
  throw std::invalid_argument(
      "to_image: a tensor of " + to_string(shape) + (planes ? ", layout CHW," : "") +
      " is no picture: it has (height, width), (height, width, channels) or, with the layout CHW, "
      "(channels, height, width), sizes from 1 to 65535, and 1 to 4 channels");
}

}  // namespace

void to_image(const Tensor& in, Image& out, float white) {
  const Size size = picture_size(in);
  const float scale = 255.f / white;
  const Tensor dense = in.contiguous() ? Tensor() : in.clone();
  const Tensor& from = in.contiguous() ? in : dense;
  const auto channels = static_cast<int>(size.channels);
  out.create(static_cast<int>(size.height), static_cast<int>(size.width), channels);
  const bool planes = in.shape().rank == 3 && in.layout() == Layout::chw;
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const numbers = from.data<T>();
    const auto width = static_cast<std::size_t>(size.width);
    const std::size_t plane = width * static_cast<std::size_t>(size.height);
    for (int y = 0; y < out.height(); ++y) {
      const std::size_t above = static_cast<std::size_t>(y) * width;
      if (planes && channels > 1) {
        write_pixels(numbers + above, plane, width, channels, scale, out.row(y));
      } else {
        write_levels(numbers + above * static_cast<std::size_t>(channels), out.row_bytes(), scale,
                     out.row(y));
      }
    }
  });
}

void require_levels(const Tensor& in) {
  if (in.dtype() != DType::f16 && in.dtype() != DType::f32 && in.dtype() != DType::f64) return;
  const Tensor dense = in.contiguous() ? Tensor() : in.clone();
  const Tensor& from = in.contiguous() ? in : dense;
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const std::span<const T> numbers(from.data<T>(), static_cast<std::size_t>(from.elements()));
    const auto above = [](T x) { return static_cast<float>(x) > 1; };
    if (std::any_of(numbers.begin(), numbers.end(), above)) return;
    const auto is_fraction = [](T x) {
      return static_cast<float>(x) != std::floor(static_cast<float>(x));
    };
    if (std::none_of(numbers.begin(), numbers.end(), is_fraction)) return;
    throw std::invalid_argument(
        "to_image: no number is above 1, and some are fractions, so the picture would be black; "
        "give "
        "white = 1 for numbers from 0 to 1, or white = 255 for numbers from 0 to 255");
  });
}

}  // namespace sluice::kernels
