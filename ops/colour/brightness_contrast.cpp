#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/brightness_contrast.h>

#include <array>
#include <cstdint>
#include <optional>

namespace sluice {

const detail::OperatorPtr& detail::brightness_contrast_operator() {
  using Table = std::optional<std::array<std::uint8_t, 256>>;
  static const OperatorPtr op = composes_colours(
      declare_operator("brightness_contrast")
          .family("colour")
          .summary("Lighter or darker, stronger or weaker.")
          .in_cpp("brightness_contrast(image, {.brightness = 1.2f, .contrast = 0.8f})")
          .input<Image>("image")
          .parameter<float>("brightness", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>("contrast", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .parameter<float>("contrast_center",
                            {.value = 128.f, .help = "the level that contrast leaves alone"})
          .parameter<float>("brightness_shift",
                            {.value = 0.f, .help = "added at last; 1 makes black white"})
          .output<Image>("image")
          .maps_levels([](const Arguments& arguments) -> Table {
            const auto* brightness = constant_of<float>(arguments[1]);
            const auto* contrast = constant_of<float>(arguments[2]);
            const auto* center = constant_of<float>(arguments[3]);
            const auto* shift = constant_of<float>(arguments[4]);
            if (brightness == nullptr || contrast == nullptr || center == nullptr ||
                shift == nullptr)
              return {};
            return kernels::brightness_contrast_table(*brightness, *contrast, *center, *shift);
          })
          .defers(defers_by([](kernels::DeferredImage& picture, float brightness, float contrast,
                               float center, float shift) {
            picture.check("brightness_contrast");
            picture.map_levels(
                kernels::brightness_contrast_table(brightness, contrast, center, shift));
          }))
          .runs([](const Image& in, float brightness, float contrast, float center, float shift,
                   Image& out) {
            kernels::brightness_contrast(in, brightness, contrast, center, shift, out);
          }),
      [](kernels::ComposedColours& colours, float brightness, float contrast, float center,
         float shift) {
        colours.check_pixels("brightness_contrast");
        kernels::check_brightness_contrast(brightness, contrast, center, shift);
        const double factor = double{brightness} * contrast;
        colours.map_levels(factor, center * (brightness - factor) + 255.0 * shift);
      },
      true);
  return op;
}

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options) {
  return apply_operator<Image>(detail::brightness_contrast_operator(), image, options.brightness,
                               options.contrast, options.contrast_center, options.brightness_shift);
}

}  // namespace sluice
