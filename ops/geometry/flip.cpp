#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/composing.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/flip.h>

namespace sluice {

const detail::OperatorPtr& detail::flip_operator() {
  static const OperatorPtr op = composes_warp(
      declare_operator("flip")
          .family("geometry")
          .summary("Left and right, or top and bottom, exchanged.")
          .in_cpp("flip(image, {.horizontal = g.coin_flip(0.5f)})")
          .input<Image>("image")
          .parameter<bool>("horizontal", {.value = true, .help = "left and right"})
          .parameter<bool>("vertical", {.value = false, .help = "top and bottom"})
          .output<Image>("image")
          .defers(defers_by([](kernels::DeferredImage& picture, bool horizontal, bool vertical) {
            picture.check("flip");
            picture.flip(horizontal, vertical);
          }))
          .runs([](const Image& in, bool horizontal, bool vertical, Image& out) {
            kernels::flip(in, horizontal, vertical, out);
          }),
      [](kernels::ComposedWarp& warp, bool horizontal, bool vertical) {
        warp.flip(horizontal, vertical);
      },
      nullptr);
  return op;
}

Value<Image> flip(Value<Image> image, const FlipOptions& options) {
  return apply_operator<Image>(detail::flip_operator(), image, options.horizontal,
                               options.vertical);
}

}  // namespace sluice
