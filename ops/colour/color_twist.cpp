#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/color_twist.h>

namespace sluice {

const detail::OperatorPtr& detail::color_twist_operator() {
  static const OperatorPtr op = composes_colours(
      declare_operator("color_twist")
          .family("colour")
          .summary("Brightness, contrast, saturation and hue by one matrix, as in DALI.")
          .in_cpp("color_twist(image, {.brightness = 1.2f, .saturation = 0.8f, .hue = 10.f})")
          .input<Image>("image")
          .parameter<float>("brightness", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>(
              "contrast",
              {.value = 1.f, .low = 0, .help = "about the level 128; 1 changes nothing"})
          .parameter<float>("saturation", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>("hue", {.value = 0.f, .help = "in degrees; 0 changes nothing"})
          .output<Image>("image")
          .runs([](const Image& in, float brightness, float contrast, float saturation, float hue,
                   Image& out) {
            kernels::color_twist(in, {brightness, contrast, saturation, hue}, out);
          }),
      [](kernels::ComposedColours& colours, float brightness, float contrast, float saturation,
         float hue) {
        colours.check_colours("color_twist");
        const kernels::ColourMatrix matrix =
            kernels::color_twist_matrix({brightness, contrast, saturation, hue});
        if (colours.channels() != 1) return colours.apply(matrix);
        const double factor = double{brightness} * contrast;
        colours.map_levels(factor, 128 * (brightness - factor));
      });
  return op;
}

Value<Image> color_twist(Value<Image> image, const ColorTwistOptions& options) {
  return apply_operator<Image>(detail::color_twist_operator(), image, options.brightness,
                               options.contrast, options.saturation, options.hue);
}

}  // namespace sluice
