#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/pad.h>

#include <cstdint>

namespace sluice {
namespace {

ParameterOptions<std::int32_t> margin(const char* help) {
  return {.value = 0, .low = 0, .high = 65535, .help = help};
}

ParameterOptions<std::int32_t> least(const char* help) {
  return {.value = 0, .optional = true, .low = 1, .high = 65535, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::pad_image_operator() {
  static const OperatorPtr op =
      declare_operator("pad_image")
          .family("geometry")
          .summary("With a margin: of one colour, of the edge's pixels, or mirrored.")
          .in_cpp("pad_image(image, {.left = 4, .top = 4, .right = 4, .bottom = 4})")
          .in_cpp("pad_image(image, {.width = 224, .height = 224})")
          .input<Image>("image")
          .parameter("left", margin("pixels"))
          .parameter("top", margin("pixels"))
          .parameter("right", margin("pixels"))
          .parameter("bottom", margin("pixels"))
          .parameter("height", least("of the result at least; the rest is added at the bottom"))
          .parameter("width", least("of the result at least; the rest is added to the right"))
          .choice("border", Border::constant, {Border::constant, Border::edge, Border::reflect},
                  "the margin: the fill, the nearest pixel, or the picture mirrored at the middle "
                  "of its outermost pixels")
          .parameter("fill", fill_option("the colour for border = constant, for each channel"))
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

}  // namespace sluice
