#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/deferred_rows.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/normalize_rows.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

ChannelScale scale_of(const char* op, const NormalizeParams& params, int channels) {
  check_scale(op, params.mean, params.std, channels);
  ChannelScale scale;
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    scale.offset[c] = 255.0f * params.mean[c];
    scale.factor[c] = 1.0f / (255.0f * params.std[c]);
  }
  return scale;
}

template <class T>
void write_rows(DeferredRows& rows, int width, int channels, const ChannelScale& scale,
                Layout layout, T* out) {
  const std::size_t w = static_cast<std::size_t>(width);
  const std::size_t plane = w * static_cast<std::size_t>(rows.count());
  std::uint8_t* const spare = rows.spare_row();
  for (int i = 0; i < rows.count(); ++i) {
    const std::uint8_t* const row = rows.make(i, spare);
    const std::size_t before = static_cast<std::size_t>(rows.place(i)) * w;
    if (layout == Layout::chw) {
      normalize_to_planes(row, width, channels, scale, out + before, plane);
    } else {
      normalize_interleaved(row, width, channels, scale,
                            out + before * static_cast<std::size_t>(channels));
    }
  }
}

}  // namespace

void check_scale(const char* op, const std::array<float, 4>& mean, const std::array<float, 4>& std,
                 int channels) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    check_finite(op, "mean", mean[c]);
    check_finite(op, "std", std[c]);
    if (std[c] <= 0.0f || !std::isfinite(1.0f / (255.0f * std[c]))) {
      throw std::invalid_argument(
          fmt::format("{}: std of channel {} is {}; it must be above zero", op, c, std[c]));
    }
  }
}

void normalize(const char* op, DeferredImage picture, const NormalizeParams& params, Tensor& out) {
  picture.flip(params.mirror, false);
  const int height = picture.height(), width = picture.width(), channels = picture.channels();
  const ChannelScale scale = scale_of(op, params, channels);
  Shape shape;
  if (params.layout == Layout::chw) {
    shape = {channels, height, width};
  } else if (params.layout == Layout::hwc) {
    shape = {height, width, channels};
  } else {
    throw std::invalid_argument(fmt::format("{}: the layout must be CHW or HWC", op));
  }
  if (params.dtype != DType::f32 && params.dtype != DType::f16) {
    throw std::invalid_argument(
        fmt::format("{}: the output type must be f32 or f16, not {}", op, name_of(params.dtype)));
  }
  DeferredRows rows(picture);
  out.create(shape, params.dtype, params.layout);
  if (params.dtype == DType::f32) {
    write_rows(rows, width, channels, scale, params.layout, out.data<float>());
  } else {
    write_rows(rows, width, channels, scale, params.layout, out.data<Half>());
  }
}

void crop_mirror_normalize(const Image& in, const Rectangle& region, const NormalizeParams& params,
                           Tensor& out) {
  constexpr const char* kOp = "crop_mirror_normalize";
  DeferredImage picture(in);
  picture.crop(kOp, region);
  normalize(kOp, picture, params, out);
}

void resize_mirror_normalize(const Image& in, int height, int width, Interpolation interpolation,
                             const NormalizeParams& params, Tensor& out) {
  DeferredImage picture(in);
  picture.resize("resize", height, width, interpolation);
  normalize("resize_mirror_normalize", picture, params, out);
}

}  // namespace sluice::kernels
