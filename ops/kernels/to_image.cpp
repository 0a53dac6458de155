#include <sluice/ops/kernels/to_image.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/visit_dtype.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sluice::kernels {
namespace {

template <class T>
std::uint8_t level(T x) {
  if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, bool>) {
    return x;
  } else if constexpr (std::is_same_v<T, Half>) {
    return level(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, std::int8_t>) {
    return static_cast<std::uint8_t>(std::max(x, T{0}));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint8_t>(std::clamp(x, T{0}, T{255}));
  } else {
    const T bounded = x > 0 ? std::min(x, T{255}) : T{0};
    const int below = static_cast<int>(bounded);
    return static_cast<std::uint8_t>(below + (bounded - static_cast<T>(below) >= T{0.5} ? 1 : 0));
  }
}

// Number i * step of `in` becomes the level i * out_step of `out`.
template <class T>
void write_levels(const T* in, std::int64_t count, int out_step, std::uint8_t* out) {
  if (out_step == 1) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = level(in[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) out[i * out_step] = level(in[i]);
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

void to_image(const Tensor& in, Image& out) {
  const Size size = picture_size(in);
  const Tensor dense = in.contiguous() ? Tensor() : in.clone();
  const Tensor& from = in.contiguous() ? in : dense;
  const auto channels = static_cast<int>(size.channels);
  out.create(static_cast<int>(size.height), static_cast<int>(size.width), channels);
  const bool planes = in.shape().rank == 3 && in.layout() == Layout::chw;
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    const T* const numbers = from.data<T>();
    for (std::int64_t y = 0; y < size.height; ++y) {
      std::uint8_t* const row = out.row(static_cast<int>(y));
      if (!planes) {
        write_levels(numbers + y * size.width * channels, size.width * channels, 1, row);
        continue;
      }
      for (int c = 0; c < channels; ++c) {
        write_levels(numbers + (c * size.height + y) * size.width, size.width, channels, row + c);
      }
    }
  });
}

}  // namespace sluice::kernels
