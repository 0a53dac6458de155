#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/kernels/clahe.h>

#include <cstdint>

namespace sluice {
namespace {

ParameterOptions<std::int32_t> tiles_option(const char* help) {
  return {.value = 8, .low = 1, .high = kernels::kMostTiles, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::clahe_operator() {
  static const OperatorPtr op =
      declare_operator("clahe")
          .family("colour")
          .summary("Contrast evened out from place to place.")
          .in_cpp("clahe(image, {.clip_limit = 4.f})")
          .input<Image>("image")
          .parameter<float>("clip_limit",
                            {.value = 2.f,
                             .low = 0,
                             .high = double{kernels::kLargestClipLimit},
                             .help = "how much contrast may grow; 0: as much as it can"})
          .parameter("tiles_y", tiles_option("tiles, one below the other"))
          .parameter("tiles_x", tiles_option("tiles side by side"))
          .output<Image>("image")
          .runs([](const Image& in, float clip_limit, std::int32_t tiles_y, std::int32_t tiles_x,
                   Image& out) {
            kernels::clahe(in, {clip_limit, tiles_y, tiles_x}, out);
          });
  return op;
}

Value<Image> clahe(Value<Image> image, const ClaheOptions& options) {
  return apply_operator<Image>(detail::clahe_operator(), image, options.clip_limit, options.tiles_y,
                               options.tiles_x);
}

}  // namespace sluice
