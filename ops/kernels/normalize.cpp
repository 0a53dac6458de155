#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/deferred_rows.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/normalize_rows.h>
#include <sluice/runtime/compute.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

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
    if (!std::isfinite(number) || (dtype == DType::f16 && !detail::fits(number, half)))
      good = false;
  }
  return good;
}

}  // namespace

ChannelScale channel_scale(const char* op, const NormalizeParams& params, int channels) {
  check_finite(op, "scale", params.scale);
  check_finite(op, "shift", params.shift);
  ChannelScale scale;
  scale.shift = params.shift;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    const float std = params.std[c], inverse = 1.0f / (255.0f * std);
    check_finite(op, "mean", params.mean[c]);
    check_finite(op, "std", std);
    if (std <= 0.0f || !std::isfinite(inverse)) {
      throw std::invalid_argument(
          fmt::format("{}: std of channel {} is {}; it must be above zero", op, c, std));
    }
    scale.offset[c] = 255.0f * params.mean[c];
    scale.factor[c] = params.scale * inverse;
    if (!std::isfinite(scale.factor[c]) || !std::isfinite(scale.offset[c])) {
      throw std::invalid_argument(fmt::format(
          "{}: scale {}, mean {} and std {} of channel {} give numbers that are not finite", op,
          params.scale, params.mean[c], std, c));
    }
    if (!holds_levels(params.dtype, scale.offset[c], scale.factor[c], scale.shift)) {
      throw std::invalid_argument(fmt::format(
          "{}: scale {}, mean {}, std {} and shift {} give numbers of channel {} that {} does not "
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
  if (params.dtype != DType::f32 && params.dtype != DType::f16 && params.dtype != DType::u8 &&
      params.dtype != DType::i8) {
    throw std::invalid_argument(fmt::format(
        "{}: the output type must be f32, f16, u8 or i8, not {}", op, name_of(params.dtype)));
  }
  channels = output_channels(params, channels);
  if (params.layout == Layout::chw) return {channels, height, width};
  if (params.layout == Layout::hwc) return {height, width, channels};
  throw std::invalid_argument(fmt::format("{}: the layout must be CHW or HWC", op));
}

void normalize(const char* op, DeferredImage picture, const NormalizeParams& params, Tensor& out) {
  picture.flip(params.mirror, false);
  const int height = picture.height(), width = picture.width(), channels = picture.channels();
  const ChannelScale scale = channel_scale(op, params, channels);
  const Shape shape = normalized_shape(op, params, height, width, channels);
  DeferredRows rows(picture);
  out.create(shape, params.dtype, params.layout);
  write_rows(rows, width, channels, scale, out);
}

void crop_mirror_normalize(const Image& in, const Rectangle& region, const NormalizeParams& params,
                           Tensor& out) {
  constexpr const char* kOp = "crop_mirror_normalize";
  DeferredImage picture(in);
  picture.crop(kOp, region);
  normalize(kOp, picture, params, out);
}

void resize_mirror_normalize(const Image& in, int height, int width, const ResizeFilter& filter,
                             const NormalizeParams& params, Tensor& out) {
  DeferredImage picture(in);
  picture.resize("resize", height, width, filter);
  normalize("resize_mirror_normalize", picture, params, out);
}

}  // namespace sluice::kernels
