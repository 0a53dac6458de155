#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/resize_filter_options.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <string>

namespace sluice {
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

const detail::OperatorPtr& detail::resize_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("resize");
    declaration.family("geometry")
        .summary("In another size, antialiased.")
        .in_cpp("resize(image, {.width = 224, .height = 224, .antialias = false})")
        .in_cpp("resize(image, {.width = 224, .height = 224})")
        .in_cpp("resize(image, {.width = 224})")
        .in_cpp("resize(image, {.shorter = 256})")
        .in_cpp(
            "resize(image, {.width = 640, .height = 480, .interpolation = Interpolation::bicubic, "
            ".mode = ResizeMode::not_larger, .max_size = 600, .roi_start_y = 0.1f, "
            ".roi_start_x = 0.1f, .roi_end_y = 0.9f, .roi_end_x = 0.9f, .roi_relative = true})")
        .input<Image>("image")
        .parameter("height", size_option("in pixels; without it, it follows the width, rounded"))
        .parameter("width", size_option("in pixels; without it, it follows the height, rounded"))
        .parameter("shorter", size_option("the shorter side, in place of height and width; the "
                                          "longer one follows, cut off"))
        .choice("mode", ResizeMode::as_given,
                {ResizeMode::as_given, ResizeMode::stretch, ResizeMode::not_larger,
                 ResizeMode::not_smaller},
                "what height and width ask for: these; these, while a side that is not given "
                "stays; the largest size of the same shape within them; the smallest around them")
        .parameter("max_size", size_option("neither side becomes longer"))
        .parameter("roi_start_y", start_option("where the part begins that is shown"))
        .parameter("roi_start_x", start_option("where the part begins that is shown"))
        .parameter("roi_end_y", end_option("where it ends; without it, at the bottom"))
        .parameter("roi_end_x", end_option("where it ends; without it, at the right"))
        .constant<bool>(
            "roi_relative",
            {.value = false, .help = "starts and ends are shares of the sides; else pixels"});
    return add_resize_filter(declaration)
        .output<Image>("image")
        .checks(check_sizes)
        .defers(defers_by(
            [](kernels::DeferredImage& picture, std::int32_t height, std::int32_t width,
               std::int32_t shorter, ResizeMode mode, std::int32_t max_size, float start_y,
               float start_x, float end_y, float end_x, bool relative, Interpolation interpolation,
               bool antialias) {
              picture.check("resize");
              const auto [box, size] =
                  kernels::plan_resize({height, width, shorter, mode, max_size, start_y, start_x,
                                        end_y, end_x, relative},
                                       picture.height(), picture.width());
              picture.resize("resize", box, size.height, size.width, {interpolation, antialias});
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

}  // namespace sluice
