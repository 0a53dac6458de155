#include <sluice/ops/decode/decode_step.h>
#include <sluice/ops/geometry/crop.h>
#include <sluice/ops/geometry/random_resized_crop.h>
#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/kernels/crop_windows.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/picture_steps.h>
#include <sluice/runtime/error.h>

namespace sluice {
namespace {

RandomWindowOptions checked(const RandomWindowOptions& o) {
  if (!(o.min_area > 0 && o.min_area <= o.max_area && o.max_area <= 1)) {
    throw BuildError(
        "random_window: the area must be a part of the picture, 0 < min_area <= max_area <= 1, "
        "not " +
        std::to_string(o.min_area) + " to " + std::to_string(o.max_area));
  }
  if (!(o.min_ratio > 0 && o.min_ratio <= o.max_ratio)) {
    throw BuildError("random_window: the ratio must be 0 < min_ratio <= max_ratio, not " +
                     std::to_string(o.min_ratio) + " to " + std::to_string(o.max_ratio));
  }
  return o;
}

RandomWindowOptions window_options(const RandomResizedCropOptions& o) {
  return {o.min_area, o.max_area, o.min_ratio, o.max_ratio};
}

Rectangle draw_window(Random& random, int height, int width, const RandomWindowOptions& o) {
  return kernels::random_resized_crop_window(random, height, width,
                                             {.scale_low = o.min_area,
                                              .scale_high = o.max_area,
                                              .ratio_low = o.min_ratio,
                                              .ratio_high = o.max_ratio});
}

template <class Source>
Value<Rectangle> window_of_file(Value<Source> jpeg, const RandomWindowOptions& options,
                                bool apply_orientation) {
  return detail::graph_of(jpeg, "random_window")
      .random(
          "random_window",
          [o = checked(options), apply_orientation](Random& random, const Source& file) {
            const JpegHeader header = peek_jpeg(ByteSpan(file));
            return apply_orientation
                       ? draw_window(random, header.oriented_height(), header.oriented_width(), o)
                       : draw_window(random, header.height, header.width, o);
          },
          jpeg);
}

// By how much a window may be shrunk so that twice the size that is wanted is left.
int shrink_for(const Rectangle& window, int height, int width) {
  int shrink = 8;
  while (shrink > 1 &&
         (window.height / (2 * shrink) < height || window.width / (2 * shrink) < width))
    shrink /= 2;
  return shrink;
}

template <class Source>
JpegReport decode_and_resize(const Source& file, const Rectangle& window, int height, int width,
                             const JpegOptions& jpeg, Interpolation interpolation, Image& out) {
  const int shrink = shrink_for(window, height, width);
  Image part;
  JpegReport report = decode_jpeg_shrunk(file, window, shrink, jpeg, part, detail::index_of(file));
  const Rectangle& covered = report.covered;
  const double scale = 1.0 / shrink;
  const kernels::Box box{(window.y - covered.y) * scale, (window.x - covered.x) * scale,
                         window.height * scale, window.width * scale};
  kernels::resize(part, box, height, width, interpolation, out);
  return report;
}

template <class Source>
Value<Image> crop_file(Value<Source> jpeg, const RandomResizedCropOptions& options) {
  const auto window = random_window(jpeg, window_options(options), options.jpeg.apply_orientation);
  if (options.shrink) {
    auto [step, image] = detail::begin_decode(
        "random_resized_crop", jpeg, detail::DecodeNotes(),
        [decoding = options.jpeg, interpolation = options.interpolation](
            const Source& file, const Rectangle& part, int height, int width, Image& out) {
          return decode_and_resize(file, part, height, width, decoding, interpolation, out);
        },
        window, options.height, options.width);
    jpeg.recorder().add_step(std::move(step));
    return image;
  }
  return resize(
      decode_jpeg(jpeg, window, options.jpeg),
      {.width = options.width, .height = options.height, .interpolation = options.interpolation});
}

}  // namespace

Value<Rectangle> random_window(Value<Bytes> jpeg, const RandomWindowOptions& options,
                               bool apply_orientation) {
  return window_of_file(jpeg, options, apply_orientation);
}
Value<Rectangle> random_window(Value<ByteSpan> jpeg, const RandomWindowOptions& options,
                               bool apply_orientation) {
  return window_of_file(jpeg, options, apply_orientation);
}
Value<Rectangle> random_window(Value<Image> image, const RandomWindowOptions& options) {
  const std::uint32_t generator =
      detail::graph_of(image, "random_window").recorder().next_generator();
  return detail::size_step<Rectangle>(
      "random_window", image,
      [o = checked(options), generator](const detail::Sample& sample, const Image& in) {
        Random random(sample.random_key(generator));
        return draw_window(random, in.height(), in.width(), o);
      });
}

Value<Image> random_resized_crop(Value<Bytes> jpeg, const RandomResizedCropOptions& options) {
  return crop_file(jpeg, options);
}
Value<Image> random_resized_crop(Value<ByteSpan> jpeg, const RandomResizedCropOptions& options) {
  return crop_file(jpeg, options);
}
Value<Image> random_resized_crop(Value<Image> image, const RandomResizedCropOptions& options) {
  return resize(
      crop(image, random_window(image, window_options(options))),
      {.width = options.width, .height = options.height, .interpolation = options.interpolation});
}

}  // namespace sluice
