#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/translate.h>

namespace sluice {

const detail::OperatorPtr& detail::translate_operator() {
  static const OperatorPtr op = composes_warp(
      with_warp_options(
          declare_operator("translate")
              .family("geometry")
              .summary("Moved to the right and down, in the same size.")
              .in_cpp("translate(image, {.x = g.uniform(-32.f, 32.f)})")
              .input<Image>("image")
              .parameter<float>(
                  "x",
                  {.value = 0.f, .low = -65535, .high = 65535, .help = "to the right, in pixels"})
              .parameter<float>(
                  "y", {.value = 0.f, .low = -65535, .high = 65535, .help = "down, in pixels"})
              .constant<bool>(
                  "relative",
                  {.value = false, .help = "x and y are shares of width and height, not pixels"}))
          .output<Image>("image")
          .runs([](const Image& in, float x, float y, bool relative, Interpolation interpolation,
                   Border border, const FillNumbers& fill, Image& out) {
            kernels::translate(in, x, y, relative, warp_options(interpolation, border, fill), out);
          }),
      [](kernels::ComposedWarp& warp, float x, float y, bool relative, Interpolation interpolation,
         Border border, const FillNumbers& fill) {
        warp.check("translate");
        warp.warp("translate", kernels::translate_map(warp.height(), warp.width(), x, y, relative),
                  warp.height(), warp.width(), warp_options(interpolation, border, fill));
      },
      last_warp_manner);
  return op;
}

Value<Image> translate(Value<Image> image, const TranslateOptions& options) {
  return apply_operator<Image>(detail::translate_operator(), image, options.x, options.y,
                               options.relative, options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
