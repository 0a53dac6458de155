#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/color_rows.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void write_rows(DeferredRows& rows, int width, int channels, const ChannelScale& scale,
                Tensor& out) {
  const std::size_t w = static_cast<std::size_t>(width);
  const std::size_t plane = w * static_cast<std::size_t>(rows.count());
  const bool chw = out.layout() == Layout::chw;
  const bool padded = out.shape()[chw ? 0 : 2] != channels;
  const std::size_t size = size_of(out.dtype());
  const std::size_t row_bytes = w * size * (chw ? 1 : static_cast<std::size_t>(out.shape()[2]));
  std::uint8_t* const spare = rows.spare_row();
  for (int i = 0; i < rows.count(); ++i) {
    const std::uint8_t* const row = rows.make(i, spare);
    std::byte* const to = out.bytes() + static_cast<std::size_t>(rows.place(i)) * row_bytes;
    if (chw) {
      normalize_to_planes(row, width, channels, scale, out.dtype(), to, plane);
    } else {
      normalize_interleaved(row, width, channels, scale, padded, out.dtype(), to);
    }
  }
  if (chw && padded) {
    const std::size_t before = static_cast<std::size_t>(channels) * plane * size;
    std::memset(out.bytes() + before, 0, plane * size);
  }
}

// True if the output type holds the results of pixel values 0 and 255, and so of all between them.
bool holds_levels(DType dtype, float offset, float factor, float shift) {
  bool good = true;
  for (const float level : {0.0f, 255.0f}) {
    const float number = (level - offset) * factor + shift;
    Half half;
    BFloat16 rounded;
    if (!std::isfinite(number) || (dtype == DType::f16 && !detail::fits(number, half)) ||
        (dtype == DType::bf16 && !detail::fits(number, rounded)))
      good = false;
  }
  return good;
}

}  // namespace

void check_std(const char* op, std::size_t channel, float std) {
  check_finite(op, "std", std);
  if (std <= 0.0f || !std::isfinite(1.0f / (255.0f * std))) {
    const bool left_out = channel == 3 && std == 0;
    throw std::invalid_argument(
        fmt::format("{}: std of channel {} is {}; it must be above zero{}", op, channel, std,
                    left_out ? "; an image of 4 channels needs 4 values" : ""));
  }
}

namespace {

// Throws if numbers for several channels differ, because the image has one channel. Zeros count as
// left out, and the fourth number may be a default.
void check_one_channel(const char* op, const char* name, const std::array<float, 4>& numbers) {
  for (const std::size_t c : {std::size_t{1}, std::size_t{2}}) {
    if (numbers[c] == 0 || numbers[c] == numbers[0]) continue;
    throw std::invalid_argument(fmt::format(
        "{}: {} has several values but the image has 1 channel; pass one value", op, name));
  }
}

}  // namespace

ChannelScale channel_scale(const char* op, const NormalizeParams& params, int channels) {
  if (channels == 1) {
    check_one_channel(op, "mean", params.mean);
    check_one_channel(op, "std", params.std);
  }
  check_finite(op, "scale", params.scale);
  check_finite(op, "shift", params.shift);
  ChannelScale scale;
  scale.shift = params.shift;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const float std = params.std[c], inverse = 1.0f / (255.0f * std);
    check_finite(op, "mean", params.mean[c]);
    check_std(op, c, std);
    scale.offset[c] = 255.0f * params.mean[c];
    scale.factor[c] = params.scale * inverse;
    if (!std::isfinite(scale.factor[c]) || !std::isfinite(scale.offset[c])) {
      throw std::invalid_argument(fmt::format(
          "{}: scale {}, mean {} and std {} of channel {} produce numbers that are not finite", op,
          params.scale, params.mean[c], std, c));
    }
    if (!holds_levels(params.dtype, scale.offset[c], scale.factor[c], scale.shift)) {
      throw std::invalid_argument(fmt::format(
          "{}: scale {}, mean {}, std {} and shift {} produce numbers of channel {} that {} cannot "
          "hold",
          op, params.scale, params.mean[c], std, params.shift, c, name_of(params.dtype)));
    }
  }
  return scale;
}

int output_channels(const NormalizeParams& params, int channels) {
  return params.pad_output && channels == 3 ? 4 : channels;
}

Shape normalized_shape(const char* op, const NormalizeParams& params, int height, int width,
                       int channels) {
  constexpr DType kPossible[] = {DType::f32, DType::f16, DType::bf16, DType::u8, DType::i8};
  if (std::find(std::begin(kPossible), std::end(kPossible), params.dtype) == std::end(kPossible)) {
    throw std::invalid_argument(fmt::format(
        "{}: the output type must be f32, f16, bf16, u8 or i8, not {}", op, name_of(params.dtype)));
  }
  channels = output_channels(params, channels);
  if (params.layout == Layout::chw) return {channels, height, width};
  if (params.layout == Layout::hwc) return {height, width, channels};
  throw std::invalid_argument(fmt::format("{}: the layout must be CHW or HWC", op));
}

void normalize(const char* op, DeferredImage image, const NormalizeParams& params, Tensor& out) {
  image.flip(params.mirror, false);
  const int height = image.height(), width = image.width(), channels = image.channels();
  const ChannelScale scale = channel_scale(op, params, channels);
  const Shape shape = normalized_shape(op, params, height, width, channels);
  DeferredRows rows(image);
  out.create(shape, params.dtype, params.layout);
  write_rows(rows, width, channels, scale, out);
}

void crop_mirror_normalize(const Image& in, const Rectangle& region, const NormalizeParams& params,
                           Tensor& out) {
  constexpr const char* kOp = "crop_mirror_normalize";
  DeferredImage image(in);
  image.crop(kOp, region);
  normalize(kOp, image, params, out);
}

void resize_mirror_normalize(const Image& in, int height, int width, const ResizeFilter& filter,
                             const NormalizeParams& params, Tensor& out) {
  DeferredImage image(in);
  image.resize("resize", height, width, filter);
  normalize("resize_mirror_normalize", image, params, out);
}

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
      "to_image: an element of the tensor is NaN, which is not a pixel value; replace it first");
}

template <class T>
void write_levels(const T* in, std::size_t count, float scale, std::uint8_t* out) {
  if constexpr (std::is_floating_point_v<T>) check_numbers(in, count);
  if constexpr (std::is_same_v<T, float>) {
    if (scale == 1.f) return rounded_levels(in, count, out);
  }
  if (detail::is_half<T> || scale != 1.f) {
    std::array<float, kPlanePixels> numbers;
    for (std::size_t i = 0; i < count; i += numbers.size()) {
      const std::size_t some = std::min(numbers.size(), count - i);
      for (std::size_t k = 0; k < some; ++k) numbers[k] = static_cast<float>(in[i + k]) * scale;
      write_levels(numbers.data(), some, 1.f, out + i);
    }
  } else if constexpr (!detail::is_half<T>) {
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

Size image_size(const Tensor& in) {
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
      " is not an image: expected (height, width), (height, width, channels) or, with the layout "
      "CHW, (channels, height, width), sizes from 1 to 65535, and 1 to 4 channels");
}

}  // namespace

void to_image(const Tensor& in, Image& out, float white) {
  const Size size = image_size(in);
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
  if (!detail::is_fraction(in.dtype())) return;
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
        "to_image: no number is above 1, and some are fractions, so the image would be black; give "
        "white = 1 for numbers from 0 to 1, or white = 255 for numbers from 0 to 255");
  });
}

}  // namespace sluice::kernels
