#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/kernels/color_space_matrix.h>

#include <vector>

namespace sluice {

const detail::OperatorPtr& detail::color_space_conversion_operator() {
  static const std::vector<PixelFormat> formats{PixelFormat::rgb, PixelFormat::bgr,
                                                PixelFormat::ycbcr};
  static const OperatorPtr op = composes_colours(
      declare_operator("color_space_conversion")
          .family("colour")
          .summary("Pixels of one format become those of another: RGB, BGR, JPEG's YCbCr.")
          .in_cpp("color_space_conversion(image, {.to = PixelFormat::ycbcr})")
          .input<Image>("image")
          .choice("from", PixelFormat::rgb, formats, "what the channels are")
          .choice("to", PixelFormat::ycbcr, formats, "what they become")
          .output<Image>("image")
          .runs([](const Image& in, PixelFormat from, PixelFormat to, Image& out) {
            kernels::color_space_conversion(in, from, to, out);
          }),
      [](kernels::ComposedColours& colours, PixelFormat from, PixelFormat to) {
        colours.check_three_colours("color_space_conversion");
        if (from != to) colours.apply(kernels::color_space_matrix(from, to));
      });
  return op;
}

Value<Image> color_space_conversion(Value<Image> image,
                                    const ColorSpaceConversionOptions& options) {
  return apply_operator<Image>(detail::color_space_conversion_operator(), image, options.from,
                               options.to);
}

}  // namespace sluice
