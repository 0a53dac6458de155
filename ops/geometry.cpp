// The operators of geometry.h that copy or resize rectangles. Those that compute a source position
// for each pixel are in geometry_warps.cpp.
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/lazy_image.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <string>

namespace sluice {
namespace {

// Throws the sample's error for a region that must lie inside but does not.
Rectangle region_of(const Rectangle& region, OutOfBounds what, int height, int width) {
  if (what == OutOfBounds::trim) return kernels::trimmed(region, height, width);
  kernels::check_region("crop", region, height, width);
  return region;
}

}  // namespace

const detail::OperatorPtr& detail::crop_operator() {
  static const OperatorPtr op =
      declare_operator("crop")
          .family("geometry")
          .summary("Crops a rectangle from the image.")
          .in_cpp("crop(image, region)")
          .input<Image>("image")
          .parameter<Rectangle>("region", {.help = "inside the image"})
          .choice("out_of_bounds", OutOfBounds::error, {OutOfBounds::error, OutOfBounds::trim},
                  "region outside the image: error fails the sample, trim clips the region")
          .output<Image>("image")
          .sees_rectangle(
              [](const Image& in, const Rectangle& region, OutOfBounds what) {
                return region_of(region, what, in.height(), in.width());
              },
              true)
          .defers(defers_by(
              [](kernels::DeferredImage& image, const Rectangle& region, OutOfBounds what) {
                image.check("crop");
                image.crop("crop", region_of(region, what, image.height(), image.width()));
              },
              true))
          .runs([](const Image& in, const Rectangle& region, OutOfBounds what, Image& out) {
            kernels::check_pixels("crop", in);
            kernels::crop(in, region_of(region, what, in.height(), in.width()), out);
          });
  return op;
}

const detail::OperatorPtr& detail::crop_padded_operator() {
  static const OperatorPtr op =
      declare_operator("crop_padded")
          .family("geometry")
          .summary("Crops a rectangle and fills the part outside the image.")
          .in_cpp("crop(image, region, {.out_of_bounds = OutOfBounds::pad, .fill = 128})")
          .input<Image>("image")
          .parameter<Rectangle>("region", {.help = "may lie outside the image"})
          .parameter("fill", fill_option("color outside the image, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, const Rectangle& region, const FillNumbers& fill, Image& out) {
            kernels::crop_padded(in, region, fill_of(fill), out);
          });
  return op;
}

const detail::OperatorPtr& detail::center_crop_operator() {
  static const OperatorPtr op =
      declare_operator("center_crop")
          .family("geometry")
          .summary("Crops the center of the image.")
          .in_cpp("center_crop(image, {.height = 224, .width = 224})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "height",
              {.low = 1, .help = "height of the crop, in pixels", .hint = "give height and width"})
          .parameter<std::int32_t>(
              "width",
              {.low = 1, .help = "width of the crop, in pixels", .hint = "give height and width"})
          .output<Image>("image")
          .sees_rectangle(
              [](const Image& in, std::int32_t height, std::int32_t width) {
                return kernels::center_crop_region(in.height(), in.width(), height, width);
              },
              true)
          .defers(defers_by(
              [](kernels::DeferredImage& image, std::int32_t height, std::int32_t width) {
                image.crop("crop", kernels::center_crop_region(image.height(), image.width(),
                                                               height, width));
              },
              true))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::crop(in, kernels::center_crop_region(in.height(), in.width(), height, width),
                          out);
          });
  return op;
}

Value<Image> crop(Value<Image> image, Param<Rectangle> region, const CropOptions& options) {
  if (options.out_of_bounds == OutOfBounds::pad) {
    return apply_operator<Image>(detail::crop_padded_operator(), image, region,
                                 detail::numbers_of_fill(options.fill));
  }
  return apply_operator<Image>(detail::crop_operator(), image, region, options.out_of_bounds);
}

Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options) {
  return apply_operator<Image>(detail::center_crop_operator(), image, options.height,
                               options.width);
}

const detail::OperatorPtr& detail::expand_operator() {
  static const OperatorPtr op =
      declare_operator("expand")
          .family("geometry")
          .summary("Places the image on a larger canvas of one color.")
          .in_cpp("expand(image, {.ratio = 1.5f, .y = g.uniform(0.f, 1.f)})")
          .input<Image>("image")
          .parameter<float>("ratio", {.value = 2.f,
                                      .low = 1,
                                      .high = 65535,
                                      .help = "side of the canvas / side of the image"})
          .parameter<float>(
              "y", {.value = 0.5f, .low = 0, .high = 1, .help = "fraction of the free rows above"})
          .parameter<float>("x", {.value = 0.5f,
                                  .low = 0,
                                  .high = 1,
                                  .help = "fraction of the free columns on the left"})
          .parameter("fill", fill_option("color of the canvas, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, float ratio, float y, float x, const FillNumbers& fill,
                   Image& out) {
            kernels::expand(in, {ratio, y, x}, fill_of(fill), out);
          });
  return op;
}

Value<Image> expand(Value<Image> image, const ExpandOptions& options) {
  return apply_operator<Image>(detail::expand_operator(), image, options.ratio, options.y,
                               options.x, detail::numbers_of_fill(options.fill));
}

const detail::OperatorPtr& detail::flip_operator() {
  static const OperatorPtr op =
      declare_operator("flip")
          .family("geometry")
          .summary("Flips the image horizontally, vertically or both.")
          .in_cpp("flip(image, {.horizontal = g.coin_flip(0.5f)})")
          .input<Image>("image")
          .parameter<bool>("horizontal", {.value = true, .help = "swaps left and right"})
          .parameter<bool>("vertical", {.value = false, .help = "swaps top and bottom"})
          .output<Image>("image")
          .defers(defers_by([](kernels::DeferredImage& image, bool horizontal, bool vertical) {
            image.check("flip");
            image.flip(horizontal, vertical);
          }))
          .composes(composes_warp([](kernels::ComposedWarp& warp, bool horizontal,
                                     bool vertical) { warp.flip(horizontal, vertical); },
                                  nullptr))
          .runs([](const Image& in, bool horizontal, bool vertical, Image& out) {
            kernels::flip(in, horizontal, vertical, out);
          });
  return op;
}

Value<Image> flip(Value<Image> image, const FlipOptions& options) {
  return apply_operator<Image>(detail::flip_operator(), image, options.horizontal,
                               options.vertical);
}

namespace {

ParameterOptions<std::int32_t> least(const char* help) {
  return {.value = 0, .optional = true, .low = 1, .high = 65535, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::pad_image_operator() {
  static const OperatorPtr op =
      declare_operator("pad_image")
          .family("geometry")
          .summary("Pads the image with a color, its edge pixels or its reflection.")
          .in_cpp("pad_image(image, {.left = 4, .top = 4, .right = 4, .bottom = 4})")
          .in_cpp("pad_image(image, {.height = 224, .width = 224})")
          .input<Image>("image")
          .parameter("left", margin_option("pixels added on the left"))
          .parameter("top", margin_option("pixels added at the top"))
          .parameter("right", margin_option("pixels added on the right"))
          .parameter("bottom", margin_option("pixels added at the bottom"))
          .parameter("height",
                     least("least height of the result; missing rows are added at the bottom"))
          .parameter("width",
                     least("least width of the result; missing columns are added on the right"))
          .choice("border", Border::constant, {Border::constant, Border::edge, Border::reflect},
                  "margin: the fill, the nearest pixel, or the image mirrored at the middle of its "
                  "edge pixels")
          .parameter("fill", fill_option("color for border = constant, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t left, std::int32_t top, std::int32_t right,
                   std::int32_t bottom, std::int32_t height, std::int32_t width, Border border,
                   const FillNumbers& fill, Image& out) {
            kernels::pad(in,
                         kernels::margins_up_to({left, top, right, bottom}, in.height(), in.width(),
                                                height, width),
                         border, fill_of(fill), out);
          });
  return op;
}

Value<Image> pad_image(Value<Image> image, const PadImageOptions& options) {
  return apply_operator<Image>(detail::pad_image_operator(), image, options.left, options.top,
                               options.right, options.bottom, options.height, options.width,
                               options.border, detail::numbers_of_fill(options.fill));
}

namespace detail {
namespace {

OperatorDeclaration& add_result_size(OperatorDeclaration& declaration) {
  constexpr int kMost = 65535;
  return declaration
      .parameter<std::int32_t>(
          "height",
          {.value = 224, .low = 1, .high = kMost, .help = "height of the result, in pixels"})
      .parameter<std::int32_t>(
          "width",
          {.value = 224, .low = 1, .high = kMost, .help = "width of the result, in pixels"});
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
  return apply_as<Rectangle>(require_builder("random_region", jpeg), "random_region",
                             random_region_of_file_operator(), jpeg, o.min_area, o.max_area,
                             o.min_ratio, o.max_ratio, apply_orientation);
}

ResizeOptions size_and_filter(const RandomResizedCropOptions& o) {
  return {.height = o.height,
          .width = o.width,
          .interpolation = o.interpolation,
          .antialias = o.antialias};
}

template <class Source>
Value<Image> crop_file(const Value<Source>& jpeg, const RandomResizedCropOptions& o) {
  const auto region = random_region(jpeg, {o.min_area, o.max_area, o.min_ratio, o.max_ratio},
                                    o.jpeg.apply_orientation);
  if (o.shrink) {
    const JpegOptions& j = o.jpeg;
    return apply_as<Image>(jpeg.builder(), "random_resized_crop", decode_and_resize_operator(),
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
        .summary("Draws a random rectangle inside the image.")
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
        .summary("Draws a random rectangle inside the image of a JPEG file.")
        .in_cpp("random_region(jpeg, {.min_area = 0.25f})")
        .input<JpegFile>("jpeg");
    return add_region_options(declaration, "random_region_of_file")
        .constant<bool>("apply_orientation",
                        {.value = true, .help = "applies the EXIF orientation"})
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
        .summary("Decodes a region of a JPEG file and resizes it; the decoder may downscale it.")
        .in_cpp("random_resized_crop(jpeg, {.shrink = true})")
        .events(jpeg_events())
        .input<JpegFile>("jpeg");
    declare_jpeg_options(declaration);
    declaration.parameter<Rectangle>("region", {.help = "in the image after EXIF orientation"});
    return add_resize_filter(add_result_size(declaration))
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
      .summary("Crops a random rectangle and resizes it; decodes only that region of a JPEG file.")
      .in_cpp("random_resized_crop(jpeg)")
      .in_cpp("random_resized_crop(jpeg, {.shrink = true})")
      .in_cpp(
          "random_resized_crop(image, {.height = 224, .width = 224, .min_area = 0.25f, "
          ".max_area = 1.f, .min_ratio = 0.75f, .max_ratio = 1.25f})")
      .input<JpegFile>("image");
  add_resize_filter(add_region_options(add_result_size(declaration), "random_resized_crop"))
      .constant<bool>("shrink",
                      {.value = RandomResizedCropOptions().shrink,
                       .help = "JPEG files only: the decoder may downscale large regions"})
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

namespace {

// The arguments, in the order of the declaration.
enum Place : std::size_t { kHeight = 1, kWidth, kShorter, kMode, kMaxSize, kRoi };

// Rejects constant ends of an axis that no image can satisfy.
void check_region(const detail::Arguments& arguments, const char* axis, std::size_t start_at) {
  const auto* start = detail::constant_of<float>(arguments.at(start_at));
  const auto* end = detail::constant_of<float>(arguments.at(start_at + 2));
  const auto* relative = detail::constant_of<bool>(arguments.at(kRoi + 4));
  const bool shares = relative != nullptr && *relative;
  const std::string name = std::string("resize: roi_start_") + axis;
  if (shares && ((start != nullptr && *start >= 1) || (end != nullptr && *end > 1)))
    throw BuildError(name +
                     " must lie below 1 and the end must not exceed it, since they are shares");
  if (start != nullptr && end != nullptr && *end != 0 && *start >= *end)
    throw BuildError(name + " must lie before the end");
}

void check_sizes(const detail::Arguments& arguments) {
  const auto given = [&](std::size_t i) {
    const auto* constant = detail::constant_of<std::int32_t>(arguments.at(i));
    return constant == nullptr || *constant != 0;
  };
  const bool side = given(kHeight) || given(kWidth), shorter = given(kShorter);
  if (!side && !shorter) throw BuildError("resize: give height and width, one of them, or shorter");
  if (side && shorter)
    throw BuildError("resize: give either shorter, or height and width, not both");
  const auto* mode = detail::constant_of<std::string>(arguments.at(kMode));
  if (shorter && mode != nullptr && *mode != name_of(ResizeMode::as_given))
    throw BuildError("resize: mode '" + *mode +
                     "' is for height and width; leave it out, or give " +
                     "them in place of shorter");
  check_region(arguments, "y", kRoi);
  check_region(arguments, "x", kRoi + 1);
}

ParameterOptions<std::int32_t> size_option(const char* help) {
  return {.value = 0, .optional = true, .low = 1, .high = 65535, .help = help};
}
ParameterOptions<float> start_option(const char* help) {
  return {.value = 0.f, .low = 0, .high = 65535, .help = help};
}
ParameterOptions<float> end_option(const char* help) {
  return {.value = 0.f, .optional = true, .low = 0, .high = 65535, .low_open = true, .help = help};
}

}  // namespace

OperatorDeclaration& detail::add_resize_options(OperatorDeclaration& declaration) {
  declaration.parameter("height", size_option("in pixels; default: follows the width, rounded"))
      .parameter("width", size_option("in pixels; default: follows the height, rounded"))
      .parameter("shorter", size_option("the shorter side, instead of height and width; the "
                                        "longer one follows, rounded down"))
      .choice(
          "mode", ResizeMode::as_given,
          {ResizeMode::as_given, ResizeMode::stretch, ResizeMode::not_larger,
           ResizeMode::not_smaller},
          "as_given: height and width; stretch: a side that is not given stays; not_larger: the "
          "largest size of the same shape within them; not_smaller: the smallest around them")
      .parameter("max_size", size_option("limit of both sides, in pixels"))
      .parameter("roi_start_y", start_option("start of the region of interest"))
      .parameter("roi_start_x", start_option("start of the region of interest"))
      .parameter("roi_end_y", end_option("end of the region of interest; default: the bottom"))
      .parameter("roi_end_x", end_option("end of the region of interest; default: the right edge"))
      .constant<bool>(
          "roi_relative",
          {.value = false, .help = "starts and ends are fractions of the sides, not pixels"});
  return add_resize_filter(declaration).checks(check_sizes);
}

const detail::OperatorPtr& detail::resize_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("resize");
    declaration.family("geometry")
        .summary("Resizes the image, with antialiasing by default.")
        .in_cpp("resize(image, {.height = 224, .width = 224, .antialias = false})")
        .in_cpp("resize(image, {.height = 224, .width = 224})")
        .in_cpp("resize(image, {.width = 224})")
        .in_cpp("resize(image, {.shorter = 256})")
        .in_cpp(
            "resize(image, {.height = 480, .width = 640, .interpolation = Interpolation::bicubic, "
            ".mode = ResizeMode::not_larger, .max_size = 600, .roi_start_y = 0.1f, "
            ".roi_start_x = 0.1f, .roi_end_y = 0.9f, .roi_end_x = 0.9f, .roi_relative = true})")
        .input<Image>("image");
    return add_resize_options(declaration)
        .output<Image>("image")
        .defers(defers_by(
            [](kernels::DeferredImage& image, std::int32_t height, std::int32_t width,
               std::int32_t shorter, ResizeMode mode, std::int32_t max_size, float start_y,
               float start_x, float end_y, float end_x, bool relative, Interpolation interpolation,
               bool antialias) {
              image.check("resize");
              const auto [box, size] =
                  kernels::plan_resize({height, width, shorter, mode, max_size, start_y, start_x,
                                        end_y, end_x, relative},
                                       image.height(), image.width());
              image.resize("resize", box, size.height, size.width, {interpolation, antialias});
            },
            false, true))
        .runs([](const Image& in, std::int32_t height, std::int32_t width, std::int32_t shorter,
                 ResizeMode mode, std::int32_t max_size, float start_y, float start_x, float end_y,
                 float end_x, bool relative, Interpolation interpolation, bool antialias,
                 Image& out) {
          kernels::check_pixels("resize", in);
          const auto [box, size] = kernels::plan_resize(
              {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
              in.height(), in.width());
          kernels::resize(in, box, size.height, size.width, {interpolation, antialias}, out);
        });
  }();
  return op;
}

Value<Image> resize(Value<Image> image, const ResizeOptions& o) {
  return apply_operator<Image>(detail::resize_operator(), image, o.height, o.width, o.shorter,
                               o.mode, o.max_size, o.roi_start_y, o.roi_start_x, o.roi_end_y,
                               o.roi_end_x, o.roi_relative, o.interpolation, o.antialias);
}

const detail::OperatorPtr& detail::transpose_operator() {
  static const OperatorPtr op =
      declare_operator("transpose")
          .family("geometry")
          .summary("Swaps rows and columns.")
          .in_cpp("transpose(image)")
          .input<Image>("image")
          .output<Image>("image")
          .runs([](const Image& in, Image& out) { kernels::transpose(in, out); });
  return op;
}

Value<Image> transpose(Value<Image> image) {
  return apply_operator<Image>(detail::transpose_operator(), image);
}

}  // namespace sluice
