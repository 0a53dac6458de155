#include <sluice/ops/decode/jpeg_input.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/area_and_ratio.h>
#include <sluice/ops/geometry/resize_filter_options.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>

#include <string>

namespace sluice {

namespace detail {
namespace {

OperatorDeclaration& add_size_and_filter(OperatorDeclaration& declaration) {
  constexpr int kMost = 65535;
  declaration
      .parameter<std::int32_t>("height",
                               {.value = 224, .low = 1, .high = kMost, .help = "in pixels"})
      .parameter<std::int32_t>("width",
                               {.value = 224, .low = 1, .high = kMost, .help = "in pixels"});
  return add_resize_filter(declaration);
}

OperatorDeclaration& add_region_options(OperatorDeclaration& declaration, const char* op) {
  return add_area_and_ratio(declaration, RandomRegionOptions(), "width / height")
      .checks([op](const Arguments& arguments) { check_area_and_ratio(op, arguments, 1); });
}

Rectangle draw_region(Random& random, int height, int width, float min_area, float max_area,
                      float min_ratio, float max_ratio) {
  return kernels::random_resized_crop_region(random, height, width,
                                             {.scale_low = min_area,
                                              .scale_high = max_area,
                                              .ratio_low = min_ratio,
                                              .ratio_high = max_ratio});
}

// Returns the largest shrink that leaves at least twice the wanted size.
int shrink_for(const Rectangle& region, int height, int width) {
  int shrink = 8;
  while (shrink > 1 &&
         (region.height / (2 * shrink) < height || region.width / (2 * shrink) < width))
    shrink /= 2;
  return shrink;
}

JpegReport decode_and_resize(const JpegFile& file, const Rectangle& region, int height, int width,
                             const JpegOptions& jpeg, const kernels::ResizeFilter& filter,
                             Image& out) {
  const int shrink = shrink_for(region, height, width);
  Image part;
  JpegReport report = decode_jpeg_shrunk(file.bytes(), region, shrink, jpeg, part);
  const Rectangle& covered = report.covered;
  const double scale = 1.0 / shrink;
  const kernels::Box box{(region.y - covered.y) * scale, (region.x - covered.x) * scale,
                         region.height * scale, region.width * scale};
  kernels::resize(part, box, height, width, filter, out);
  return report;
}

template <class Source>
Value<Rectangle> region_of_file(const Value<Source>& jpeg, const RandomRegionOptions& o,
                                bool apply_orientation) {
  return apply_as<Rectangle>(require_recorder("random_region", jpeg), "random_region",
                             random_region_of_file_operator(), jpeg, o.min_area, o.max_area,
                             o.min_ratio, o.max_ratio, apply_orientation);
}

ResizeOptions size_and_filter(const RandomResizedCropOptions& o) {
  return {.width = o.width,
          .height = o.height,
          .interpolation = o.interpolation,
          .antialias = o.antialias};
}

template <class Source>
Value<Image> crop_file(const Value<Source>& jpeg, const RandomResizedCropOptions& o) {
  const auto region = random_region(jpeg, {o.min_area, o.max_area, o.min_ratio, o.max_ratio},
                                    o.jpeg.apply_orientation);
  if (o.shrink) {
    const JpegOptions& j = o.jpeg;
    return apply_as<Image>(jpeg.recorder(), "random_resized_crop", decode_and_resize_operator(),
                           jpeg, j.color, j.apply_orientation, j.damage, j.verify, j.entropy,
                           j.max_scans, j.max_output_bytes, region, o.height, o.width,
                           o.interpolation, o.antialias);
  }
  return resize(decode_jpeg(jpeg, region, o.jpeg), size_and_filter(o));
}

}  // namespace

const OperatorPtr& random_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("random_region");
    declaration.family("geometry")
        .summary("A random rectangle inside the picture.")
        .in_cpp("random_region(image, {.min_area = 0.25f})")
        .input<Image>("image");
    return add_region_options(declaration, "random_region")
        .output<Rectangle>("region")
        .sees_size()
        .runs([](Random& random, const Image& in, float min_area, float max_area, float min_ratio,
                 float max_ratio) {
          return draw_region(random, in.height(), in.width(), min_area, max_area, min_ratio,
                             max_ratio);
        });
  }();
  return op;
}

const OperatorPtr& random_region_of_file_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("random_region_of_file");
    declaration.family("geometry")
        .summary("A random rectangle inside the picture in a JPEG file.")
        .in_cpp("random_region(jpeg, {.min_area = 0.25f})")
        .input<JpegFile>("jpeg");
    return add_region_options(declaration, "random_region_of_file")
        .constant<bool>("apply_orientation",
                        {.value = true, .help = "the picture is turned as its EXIF data say"})
        .output<Rectangle>("region")
        .runs([](Random& random, const JpegFile& file, float min_area, float max_area,
                 float min_ratio, float max_ratio, bool turned) {
          const JpegHeader header = peek_jpeg(file.bytes());
          return draw_region(random, turned ? header.oriented_height() : header.height,
                             turned ? header.oriented_width() : header.width, min_area, max_area,
                             min_ratio, max_ratio);
        });
  }();
  return op;
}

const OperatorPtr& decode_and_resize_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("decode_and_resize");
    declaration.family("decode")
        .summary("A rectangle of the picture in a JPEG file, resized; the decoder may shrink it.")
        .in_cpp("random_resized_crop(jpeg, {.shrink = true})")
        .events(jpeg_events())
        .input<JpegFile>("jpeg");
    declare_jpeg_options(declaration);
    declaration.parameter<Rectangle>("region", {.help = "in the picture as it is seen"});
    return add_size_and_filter(declaration)
        .output<Image>("image")
        .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
                 DamagePolicy damage, bool verify, JpegEntropyDecoder entropy,
                 std::int32_t max_scans, std::int64_t max_output_bytes, const Rectangle& region,
                 std::int32_t height, std::int32_t width, Interpolation interpolation,
                 bool antialias, Image& out) {
          note_report(notes, decode_and_resize(file, region, height, width,
                                               {color, turned, damage, verify, entropy, max_scans,
                                                max_output_bytes},
                                               {interpolation, antialias}, out));
        });
  }();
  return op;
}

OperatorSchema random_resized_crop_schema() {
  OperatorDeclaration declaration("random_resized_crop");
  declaration.family("geometry")
      .summary("A random rectangle of the picture, resized; of a JPEG file no more is decoded.")
      .in_cpp("random_resized_crop(jpeg)")
      .in_cpp("random_resized_crop(jpeg, {.shrink = true})")
      .in_cpp(
          "random_resized_crop(image, {.width = 224, .height = 224, .min_area = 0.25f, "
          ".max_area = 1.f, .min_ratio = 0.75f, .max_ratio = 1.25f})")
      .input<JpegFile>("picture");
  add_size_and_filter(add_region_options(declaration, "random_resized_crop"))
      .constant<bool>("shrink", {.value = RandomResizedCropOptions().shrink,
                                 .help = "of files: the decoder may shrink large rectangles"})
      .output<Image>("image");
  OperatorSchema schema = declaration.made_of({"crop", "decode_and_resize", "decode_jpeg_region",
                                               "random_region", "random_region_of_file", "resize"});
  schema.inputs[0].types.push_back(slot_type<Image>());
  OperatorDeclaration jpeg("jpeg");
  declare_jpeg_options(jpeg);
  OperatorSchema options = jpeg.made_of({});
  for (Parameter& option : options.parameters) {
    option.name = "jpeg." + option.name;
    schema.parameters.push_back(option);
  }
  return schema;
}

}  // namespace detail

Value<Rectangle> random_region(Value<Bytes> jpeg, const RandomRegionOptions& options,
                               bool apply_orientation) {
  return detail::region_of_file(jpeg, options, apply_orientation);
}
Value<Rectangle> random_region(Value<ByteSpan> jpeg, const RandomRegionOptions& options,
                               bool apply_orientation) {
  return detail::region_of_file(jpeg, options, apply_orientation);
}
Value<Rectangle> random_region(Value<Image> image, const RandomRegionOptions& o) {
  return apply_operator<Rectangle>(detail::random_region_operator(), image, o.min_area, o.max_area,
                                   o.min_ratio, o.max_ratio);
}

Value<Image> random_resized_crop(Value<Bytes> jpeg, const RandomResizedCropOptions& options) {
  return detail::crop_file(jpeg, options);
}
Value<Image> random_resized_crop(Value<ByteSpan> jpeg, const RandomResizedCropOptions& options) {
  return detail::crop_file(jpeg, options);
}
Value<Image> random_resized_crop(Value<Image> image, const RandomResizedCropOptions& o) {
  return resize(
      crop(image, random_region(image, {o.min_area, o.max_area, o.min_ratio, o.max_ratio})),
      detail::size_and_filter(o));
}

}  // namespace sluice
