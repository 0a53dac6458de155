#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/gamma_correction.h>

#include <optional>

namespace sluice {

const detail::OperatorPtr& detail::gamma_correction_operator() {
  static const OperatorPtr op =
      declare_operator("gamma_correction")
          .family("colour")
          .summary("Each level, as a part of 255, to the power of gamma, times a gain.")
          .in_cpp("gamma_correction(image, 0.8f)")
          .input<Image>("image")
          .parameter<float>("gamma", {.low = 0, .help = "below 1 makes dark parts lighter"})
          .parameter<float>("gain", {.value = 1.f, .low = 0, .help = "1 changes nothing"})
          .output<Image>("image")
          .maps_levels([](const Arguments& arguments) -> std::optional<kernels::LevelTable> {
            const auto* gamma = constant_of<float>(arguments[1]);
            const auto* gain = constant_of<float>(arguments[2]);
            if (gamma == nullptr || gain == nullptr) return {};
            return kernels::gamma_correction_table(*gamma, *gain);
          })
          .defers(defers_by([](kernels::DeferredImage& picture, float gamma, float gain) {
            picture.check("gamma_correction");
            picture.map_levels(kernels::gamma_correction_table(gamma, gain));
          }))
          .runs([](const Image& in, float gamma, float gain, Image& out) {
            kernels::gamma_correction(in, gamma, gain, out);
          });
  return op;
}

Value<Image> gamma_correction(Value<Image> image, Param<float> gamma, Param<float> gain) {
  return apply_operator<Image>(detail::gamma_correction_operator(), image, gamma, gain);
}

}  // namespace sluice
