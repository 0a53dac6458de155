#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/solarize.h>

#include <optional>

namespace sluice {

const detail::OperatorPtr& detail::solarize_operator() {
  static const OperatorPtr op =
      declare_operator("solarize")
          .family("colour")
          .summary("Levels from a threshold on are inverted.")
          .in_cpp("solarize(image, 128)")
          .input<Image>("image")
          .parameter<float>(
              "threshold",
              {.value = 128.f, .low = 0, .high = 256, .help = "0 inverts all levels, 256 none"})
          .output<Image>("image")
          .maps_levels([](const Arguments& arguments) -> std::optional<kernels::LevelTable> {
            const auto* threshold = constant_of<float>(arguments[1]);
            if (threshold == nullptr) return {};
            return kernels::solarize_table(*threshold);
          })
          .defers(defers_by([](kernels::DeferredImage& picture, float threshold) {
            picture.check("solarize");
            picture.map_levels(kernels::solarize_table(threshold));
          }))
          .runs([](const Image& in, float threshold, Image& out) {
            kernels::solarize(in, threshold, out);
          });
  return op;
}

Value<Image> solarize(Value<Image> image, Param<float> threshold) {
  return apply_operator<Image>(detail::solarize_operator(), image, threshold);
}

}  // namespace sluice
