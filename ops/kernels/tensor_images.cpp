#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/kernels/tensor_pixel.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/kernels/warp_blend.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// A tensor as rows of pixels. Refers to the tensor, or holds a copy if that has gaps.
class Pixels {
 public:
  Pixels(const char* op, const Tensor& in) {
    const PixelShape shape = pixel_shape(op, in);
    height_ = shape.height;
    width_ = shape.width;
    channels_ = shape.channels;
    dtype_ = in.dtype();
    bytes_ = in.bytes();
    if (!in.contiguous()) {
      copy_ = in.clone();
      bytes_ = std::as_const(copy_).bytes();
    }
  }

  int height() const { return height_; }
  int width() const { return width_; }
  std::int64_t channels() const { return channels_; }
  DType dtype() const { return dtype_; }
  std::size_t pixel_bytes() const { return static_cast<std::size_t>(channels_) * size_of(dtype_); }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width_) * pixel_bytes(); }
  const std::byte* row_bytes(int y) const {
    return bytes_ + static_cast<std::size_t>(y) * row_bytes();
  }
  template <class T>
  const T* row(int y) const {
    return reinterpret_cast<const T*>(row_bytes(y));
  }
  template <class T>
  const T* pixel(std::int64_t y, std::int64_t x) const {
    return row<T>(static_cast<int>(y)) + x * channels_;
  }
  // The kernels for images are faster.
  bool are_image() const { return PixelShape{height_, width_, channels_}.is_image(dtype_); }
  Image image() const {
    auto* const pixels = const_cast<std::byte*>(bytes_);  // only read
    return Image::view(reinterpret_cast<std::uint8_t*>(pixels), height_, width_,
                       static_cast<int>(channels_), static_cast<std::ptrdiff_t>(row_bytes()));
  }
  // Makes a tensor of as many channels, of this size.
  void create(int height, int width, Tensor& out) const {
    out.create({height, width, channels_}, dtype_, Layout::hwc);
  }

 private:
  const std::byte* bytes_ = nullptr;
  Tensor copy_;
  DType dtype_ = DType::u8;
  int height_ = 0, width_ = 0;
  std::int64_t channels_ = 0;
};

// Calls f(std::type_identity<T>()) with the type of elements that can be blended.
template <class F>
void visit_blended(const char* op, DType dtype, const F& f) {
  switch (dtype) {
    case DType::u8:
      return f(std::type_identity<std::uint8_t>());
    case DType::i8:
      return f(std::type_identity<std::int8_t>());
    case DType::u16:
      return f(std::type_identity<std::uint16_t>());
    case DType::i16:
      return f(std::type_identity<std::int16_t>());
    case DType::f32:
      return f(std::type_identity<float>());
    default:
      check_blended(op, dtype);
  }
}

Image view_of(Tensor& out) {
  const Shape& shape = out.shape();
  return Image::view(out.data<std::uint8_t>(), static_cast<int>(shape[0]),
                     static_cast<int>(shape[1]), static_cast<int>(shape[2]), shape[1] * shape[2]);
}

void fill_elements(double fill, Tensor& out) {
  detail::visit_dtype(out.dtype(), [&]<class T>(std::type_identity<T>) {
    T one{};
    if constexpr (detail::is_half<T>) {
      one = T(static_cast<float>(fill));
    } else {
      one = static_cast<T>(fill);
    }
    std::fill_n(out.data<T>(), out.elements(), one);
  });
}

}  // namespace

PixelShape pixel_shape(const char* op, const Tensor& in) {
  const Shape& shape = in.shape();
  if (in.empty() || (shape.rank != 2 && shape.rank != 3)) {
    throw std::invalid_argument(
        fmt::format("{}: the tensor has the shape {}; height x width x channels is needed", op,
                    to_string(shape)));
  }
  if (in.layout() == Layout::chw) {
    throw std::invalid_argument(fmt::format(
        "{}: the tensor has the layout CHW; make it HWC by permute(tensor, {{1, 2, 0}})", op));
  }
  constexpr std::int64_t kMost = 65535;
  const std::int64_t channels = shape.rank == 3 ? shape[2] : 1;
  if (channels < 1 || std::min(shape[0], shape[1]) < 1 || std::max(shape[0], shape[1]) > kMost) {
    throw std::invalid_argument(
        fmt::format("{}: the tensor has the shape {} (height x width x channels); sides of 1 to "
                    "{} and at least one channel are needed",
                    op, to_string(shape), kMost));
  }
  return {static_cast<int>(shape[0]), static_cast<int>(shape[1]), channels};
}

void check_blended(const char* op, DType dtype) {
  for (const DType one : {DType::u8, DType::i8, DType::u16, DType::i16, DType::f32}) {
    if (dtype == one) return;
  }
  throw std::invalid_argument(
      fmt::format("{}: the tensor has elements of type {}; cast it to u8, i8, u16, i16 or f32", op,
                  name_of(dtype)));
}

TensorCrop tensor_crop(const Tensor& in, const Rectangle& region, OutOfBounds out_of_bounds,
                       double fill) {
  constexpr const char* kOp = "crop";
  const auto [height, width, channels] = pixel_shape(kOp, in);
  if (out_of_bounds == OutOfBounds::error) {
    check_region(kOp, region, height, width);
    return {region, region};
  }
  if (out_of_bounds == OutOfBounds::trim) {
    const Rectangle inside = trimmed(region, height, width);
    return {inside, inside};
  }
  check_size(kOp, region.height, region.width);
  check_fill(kOp, in.dtype(), fill);
  const std::int64_t left = std::max<std::int64_t>(region.x, 0);
  const std::int64_t top = std::max<std::int64_t>(region.y, 0);
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{region.x} + region.width, width);
  const std::int64_t bottom =
      std::min<std::int64_t>(std::int64_t{region.y} + region.height, height);
  if (left >= right || top >= bottom) return {region, {}};
  return {region,
          {static_cast<int>(top), static_cast<int>(left), static_cast<int>(bottom - top),
           static_cast<int>(right - left)}};
}

void crop_tensor(const Tensor& in, const Rectangle& region, OutOfBounds out_of_bounds, double fill,
                 Tensor& out) {
  const auto [shown, inside] = tensor_crop(in, region, out_of_bounds, fill);
  const Pixels pixels("crop", in);
  pixels.create(shown.height, shown.width, out);
  if (inside.height != shown.height || inside.width != shown.width) fill_elements(fill, out);
  if (inside.height == 0) return;
  const std::size_t pixel = pixels.pixel_bytes();
  const std::size_t bytes = static_cast<std::size_t>(inside.width) * pixel;
  const std::size_t out_row = static_cast<std::size_t>(shown.width) * pixel;
  std::byte* to = out.bytes() + static_cast<std::size_t>(inside.y - shown.y) * out_row +
                  static_cast<std::size_t>(inside.x - shown.x) * pixel;
  for (int y = 0; y < inside.height; ++y, to += out_row) {
    std::memcpy(to, pixels.row_bytes(inside.y + y) + static_cast<std::size_t>(inside.x) * pixel,
                bytes);
  }
}

void flip_tensor(const Tensor& in, bool horizontal, bool vertical, Tensor& out) {
  const Pixels pixels("flip", in);
  pixels.create(pixels.height(), pixels.width(), out);
  const std::size_t pixel = pixels.pixel_bytes(), bytes = pixels.row_bytes();
  std::byte* to = out.bytes();
  for (int y = 0; y < pixels.height(); ++y) {
    const std::byte* from = pixels.row_bytes(vertical ? pixels.height() - 1 - y : y);
    if (!horizontal) {
      std::memcpy(to, from, bytes);
      to += bytes;
      continue;
    }
    from += bytes;
    for (int x = 0; x < pixels.width(); ++x, to += pixel) std::memcpy(to, from -= pixel, pixel);
  }
}

namespace {

// The tables of a resize, which belong to one thread.
struct ResizeTables {
  ResizeTable columns, rows;
  std::vector<int> nearest_columns, nearest_rows;
};

void resize_nearest(const Pixels& in, const Box& box, const ImageSize& size, ResizeTables& tables,
                    Tensor& out) {
  build_nearest(tables.nearest_columns, in.width(), {box.x, box.width}, size.width);
  build_nearest(tables.nearest_rows, in.height(), {box.y, box.height}, size.height);
  const std::size_t pixel = in.pixel_bytes();
  std::byte* to = out.bytes();
  for (int y = 0; y < size.height; ++y) {
    const std::byte* const row = in.row_bytes(tables.nearest_rows[static_cast<std::size_t>(y)]);
    for (int x = 0; x < size.width; ++x, to += pixel) {
      const int column = tables.nearest_columns[static_cast<std::size_t>(x)];
      std::memcpy(to, row + static_cast<std::size_t>(column) * pixel, pixel);
    }
  }
}

// Like the resize of images: first along rows, with results of the type T, then along columns.
template <class T>
void resize_blended(const Pixels& in, const Box& box, const ImageSize& size,
                    const ResizeFilter& filter, ResizeTables& tables, Tensor& out) {
  const std::int64_t channels = in.channels(), wide = size.width * channels;
  tables.columns.build(in.width(), {box.x, box.width}, size.width, filter, false, 1);
  tables.rows.build(in.height(), {box.y, box.height}, size.height, filter, false, 1);
  const ResizeTable &columns = tables.columns, &rows = tables.rows;
  const int first = rows.start(0);
  const int end = rows.start(size.height - 1) + rows.count(size.height - 1);
  Tensor middle({end - first, size.width, channels}, in.dtype());
  T* to = middle.data<T>();
  for (int y = first; y < end; ++y) {
    for (int x = 0; x < size.width; ++x, to += channels) {
      const T* const from = in.pixel<T>(y, columns.start(x));
      const double* const weights = columns.exact_weights(x);
      for (std::int64_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (int k = 0; k < columns.count(x); ++k)
          sum += weights[k] * static_cast<double>(from[k * channels + c]);
        to[c] = stored<T>(sum);
      }
    }
  }
  std::vector<double> sums(static_cast<std::size_t>(wide));
  to = out.data<T>();
  for (int y = 0; y < size.height; ++y, to += wide) {
    std::fill(sums.begin(), sums.end(), 0.0);
    const T* from = middle.data<T>() + (rows.start(y) - first) * wide;
    for (int k = 0; k < rows.count(y); ++k, from += wide) {
      const double weight = rows.exact_weights(y)[k];
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += weight * static_cast<double>(from[i]);
    }
    for (std::size_t i = 0; i < sums.size(); ++i) to[i] = stored<T>(sums[i]);
  }
}

}  // namespace

void resize_tensor(const Tensor& in, const ResizeRequest& request, const ResizeFilter& filter,
                   Tensor& out) {
  constexpr const char* kOp = "resize";
  const Pixels pixels(kOp, in);
  const auto planned = plan_resize(request, pixels.height(), pixels.width());
  const auto& box = planned.box;
  const auto& size = planned.size;
  check_size(kOp, size.height, size.width);
  if (pixels.are_image()) {
    const Image image = pixels.image();
    Resizer& resizer = Resizer::for_this_thread();
    resizer.start(image, {0, 0, image.height(), image.width()}, box, size.height, size.width,
                  filter, {0, 0, size.height, size.width});
    pixels.create(size.height, size.width, out);
    Image resized = view_of(out);
    for (int y = 0; y < size.height; ++y) resizer.make_row(y, resized.row(y));
    return;
  }
  thread_local ResizeTables tables;
  visit_blended(kOp, in.dtype(), [&]<class T>(std::type_identity<T>) {
    pixels.create(size.height, size.width, out);
    if (filter.interpolation == Interpolation::nearest) {
      resize_nearest(pixels, box, size, tables, out);
    } else {
      resize_blended<T>(pixels, box, size, filter, tables, out);
    }
  });
}

namespace {

template <class T>
void blend_at(const Pixels& in, std::int64_t x, std::int64_t y, bool bicubic, T* out) {
  constexpr std::int64_t kHalf = std::int64_t{1} << (kPlaceBits - 1);
  const PixelTaps across = pixel_taps(x - kHalf, in.width(), bicubic);
  const PixelTaps down = pixel_taps(y - kHalf, in.height(), bicubic);
  const std::int64_t row = in.width() * in.channels();
  for (std::int64_t c = 0; c < in.channels(); ++c)
    out[c] = blended(in.row<T>(0) + c, row, in.channels(), across, down, bicubic ? 4 : 2);
}

template <class T>
void rotate_pixels(const Pixels& in, const AffineMap& map, Interpolation interpolation, T fill,
                   Tensor& out) {
  const std::int64_t right = std::int64_t{in.width()} << kPlaceBits;
  const std::int64_t bottom = std::int64_t{in.height()} << kPlaceBits;
  const int height = static_cast<int>(out.shape()[0]), width = static_cast<int>(out.shape()[1]);
  T* to = out.data<T>();
  for (int y = 0; y < height; ++y) {
    FixedLine at = fixed_line(line_of_row(map, y));
    for (int x = 0; x < width; ++x, to += in.channels(), at.x += at.dx, at.y += at.dy) {
      if (at.x < 0 || at.x >= right || at.y < 0 || at.y >= bottom) {
        std::fill_n(to, in.channels(), fill);
      } else if (interpolation == Interpolation::nearest) {
        std::copy_n(in.pixel<T>(at.y >> kPlaceBits, at.x >> kPlaceBits), in.channels(), to);
      } else {
        blend_at(in, at.x, at.y, interpolation == Interpolation::bicubic, to);
      }
    }
  }
}

}  // namespace

RotationGeometry tensor_rotation(const Tensor& in, float degrees,
                                 const RotateTensorOptions& options) {
  constexpr const char* kOp = "rotate";
  const auto [height, width, channels] = pixel_shape(kOp, in);
  check_finite(kOp, "the angle", degrees);
  check_warp(kOp, options.interpolation, Border::constant);
  check_fill(kOp, in.dtype(), options.fill);
  const RotationGeometry rotation = rotation_geometry_of(height, width, degrees, options.keep_size);
  check_size(kOp, rotation.height, rotation.width);
  check_blended(kOp, in.dtype());
  return rotation;
}

void rotate_tensor(const Tensor& in, float degrees, const RotateTensorOptions& options,
                   Tensor& out) {
  constexpr const char* kOp = "rotate";
  const RotationGeometry rotation = tensor_rotation(in, degrees, options);
  const Pixels pixels(kOp, in);
  if (pixels.are_image()) {
    pixels.create(rotation.height, rotation.width, out);
    Image rotated = view_of(out);
    warp_rows(pixels.image(), rotation.from_canvas,
              {options.interpolation, Border::constant, Fill(static_cast<int>(options.fill))},
              rotated);
    return;
  }
  visit_blended(kOp, in.dtype(), [&]<class T>(std::type_identity<T>) {
    pixels.create(rotation.height, rotation.width, out);
    rotate_pixels(pixels, rotation.from_canvas, options.interpolation, static_cast<T>(options.fill),
                  out);
  });
}

std::vector<Normalization> normalizations(const Tensor& in, const NormalizeTensorOptions& options) {
  constexpr const char* kOp = "normalize";
  const auto channels = static_cast<std::size_t>(pixel_shape(kOp, in).channels);
  if (in.dtype() == DType::boolean)
    throw std::invalid_argument("normalize: the tensor has elements of type bool; cast it to f32");
  for (const auto& [name, numbers] : {std::pair{"mean", options.mean}, {"std", options.std}}) {
    if (numbers.size() == 1 || numbers.size() == channels) continue;
    throw std::invalid_argument(
        fmt::format("{}: {} has {} numbers, but the tensor has {} channels; pass one number, or "
                    "one for each channel",
                    kOp, name, numbers.size(), channels));
  }
  const bool whole = in.dtype() == DType::u8 || in.dtype() == DType::u16;
  const double white = in.dtype() == DType::u8 ? 255 : in.dtype() == DType::u16 ? 65535 : 1;
  std::vector<Normalization> made(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const float mean = options.mean[options.mean.size() == 1 ? 0 : c];
    const float std = options.std[options.std.size() == 1 ? 0 : c];
    check_finite(kOp, "mean", mean);
    check_finite(kOp, "std", std);
    if (std <= 0) {
      throw std::invalid_argument(
          fmt::format("{}: std of channel {} is {}; it must be above 0", kOp, c, std));
    }
    if (whole && (std::abs(mean) > 1 || std > 1)) {
      throw std::invalid_argument(fmt::format(
          "{}: mean {} and std {} of channel {} are not in units of 0 .. 1, in which the numbers "
          "of a tensor of {} are; divide both by {}, or cast the tensor to f32",
          kOp, mean, std, c, name_of(in.dtype()), white));
    }
    made[c] = {white * static_cast<double>(mean), 1 / (white * static_cast<double>(std))};
  }
  return made;
}

namespace {

template <class T, class To>
void normalize_pixels(const Pixels& in, const std::vector<Normalization>& how, bool chw, To* out) {
  const auto channels = static_cast<std::size_t>(in.channels());
  const std::size_t pixels =
      static_cast<std::size_t>(in.height()) * static_cast<std::size_t>(in.width());
  const std::size_t along = chw ? 1 : channels, across = chw ? pixels : 1;
  const T* from = in.row<T>(0);
  for (std::size_t i = 0; i < pixels; ++i, from += channels) {
    for (std::size_t c = 0; c < channels; ++c) {
      double x = 0;
      if constexpr (detail::is_half<T>) {
        x = static_cast<double>(static_cast<float>(from[c]));
      } else {
        x = static_cast<double>(from[c]);
      }
      out[i * along + c * across] = To(static_cast<float>((x - how[c].offset) * how[c].factor));
    }
  }
}

}  // namespace

void normalize_tensor(const Tensor& in, const NormalizeTensorOptions& options, Tensor& out) {
  const std::vector<Normalization> how = normalizations(in, options);
  const Pixels pixels("normalize", in);
  const bool chw = options.layout == Layout::chw;
  const std::int64_t height = pixels.height(), width = pixels.width();
  out.create(
      chw ? Shape{pixels.channels(), height, width} : Shape{height, width, pixels.channels()},
      options.dtype, options.layout);
  detail::visit_dtype(in.dtype(), [&]<class T>(std::type_identity<T>) {
    if (options.dtype == DType::f16) {
      normalize_pixels<T>(pixels, how, chw, out.data<Half>());
    } else if (options.dtype == DType::bf16) {
      normalize_pixels<T>(pixels, how, chw, out.data<BFloat16>());
    } else {
      normalize_pixels<T>(pixels, how, chw, out.data<float>());
    }
  });
}

}  // namespace sluice::kernels
