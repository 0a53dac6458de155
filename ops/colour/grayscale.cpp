#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/grayscale.h>

namespace sluice {

const detail::OperatorPtr& detail::grayscale_operator() {
  static const OperatorPtr op = composes_colours(
      declare_operator("grayscale")
          .family("colour")
          .summary("Colours become their luma.")
          .in_cpp("grayscale(image)")
          .in_cpp("grayscale(image, {.channels = 3})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "channels", {.value = 1, .low = 1, .high = 3, .help = "of the result: 1, or 3 equal"})
          .output<Image>("image")
          .checks([](const Arguments& arguments) {
            const auto* channels = constant_of<std::int32_t>(arguments[1]);
            if (channels != nullptr) kernels::check_gray_channels(*channels);
          })
          .runs([](const Image& in, std::int32_t channels, Image& out) {
            kernels::grayscale(in, channels, out);
          }),
      [](kernels::ComposedColours& colours, std::int32_t channels) {
        colours.check_colours("grayscale");
        kernels::check_gray_channels(channels);
        colours.to_gray(channels);
      });
  return op;
}

Value<Image> grayscale(Value<Image> image, const GrayscaleOptions& options) {
  return apply_operator<Image>(detail::grayscale_operator(), image, options.channels);
}

}  // namespace sluice
