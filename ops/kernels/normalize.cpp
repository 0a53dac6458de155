#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/flip_row.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/normalize_rows.h>
#include <sluice/ops/kernels/resizer.h>

#include <cmath>
#include <stdexcept>
#include <vector>

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

// Calls make(y) for each output row from the top, which gives its 8-bit pixels, and writes them to
// `out`.
template <class T, class MakeRow>
void write_rows(int height, int width, int channels, const ChannelScale& scale, Layout layout,
                const MakeRow& make, T* out) {
  const std::size_t w = static_cast<std::size_t>(width);
  const std::size_t plane = w * static_cast<std::size_t>(height);
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* row = make(y);
    if (layout == Layout::chw) {
      normalize_to_planes(row, width, channels, scale, out + static_cast<std::size_t>(y) * w,
                          plane);
    } else {
      normalize_interleaved(row, width, channels, scale, out);
      out += w * static_cast<std::size_t>(channels);
    }
  }
}

template <class MakeRow>
void write(const char* op, int height, int width, int channels, const NormalizeParams& params,
           const MakeRow& make, Tensor& out) {
  const ChannelScale scale = scale_of(op, params, channels);
  Shape shape;
  if (params.layout == Layout::chw) {
    shape = {channels, height, width};
  } else if (params.layout == Layout::hwc) {
    shape = {height, width, channels};
  } else {
    throw std::invalid_argument(fmt::format("{}: the layout must be CHW or HWC", op));
  }
  if (params.dtype == DType::f32) {
    out.create(shape, params.dtype, params.layout);
    write_rows(height, width, channels, scale, params.layout, make, out.data<float>());
  } else if (params.dtype == DType::f16) {
    out.create(shape, params.dtype, params.layout);
    write_rows(height, width, channels, scale, params.layout, make, out.data<Half>());
  } else {
    throw std::invalid_argument(
        fmt::format("{}: the output type must be f32 or f16, not {}", op, name_of(params.dtype)));
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

void crop_mirror_normalize(const Image& in, const Rectangle& region, const NormalizeParams& params,
                           Tensor& out) {
  constexpr const char* kOp = "crop_mirror_normalize";
  check_pixels(kOp, in);
  check_region(kOp, region, in);
  const int channels = in.channels();
  thread_local std::vector<std::uint8_t> flipped;
  const std::size_t bytes =
      static_cast<std::size_t>(region.width) * static_cast<std::size_t>(channels);
  if (params.mirror && flipped.size() < bytes) flipped.resize(bytes);
  const auto make = [&](int y) -> const std::uint8_t* {
    const std::uint8_t* row =
        in.row(region.y + y) + static_cast<std::ptrdiff_t>(region.x) * channels;
    if (!params.mirror) return row;
    flip_row(row, region.width, channels, flipped.data());
    return flipped.data();
  };
  write(kOp, region.height, region.width, channels, params, make, out);
}

void resize_mirror_normalize(const Image& in, int height, int width, Interpolation interpolation,
                             const NormalizeParams& params, Tensor& out) {
  constexpr const char* kOp = "resize_mirror_normalize";
  Resizer& resizer = Resizer::for_this_thread();
  resizer.start(in, whole_box(in), height, width, interpolation, params.mirror);
  std::uint8_t* row = resizer.spare_row();
  const auto make = [&](int y) -> const std::uint8_t* {
    resizer.make_row(y, row);
    return row;
  };
  write(kOp, height, width, in.channels(), params, make, out);
}

}  // namespace sluice::kernels
