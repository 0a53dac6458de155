#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/posterize.h>

#include <optional>

namespace sluice {

const detail::OperatorPtr& detail::posterize_operator() {
  static const OperatorPtr op =
      declare_operator("posterize")
          .family("colour")
          .summary("Of each level, the upper bits alone are kept.")
          .in_cpp("posterize(image, 4)")
          .input<Image>("image")
          .parameter<std::int32_t>("bits",
                                   {.low = 1, .high = 8, .help = "so many; 8 changes nothing"})
          .output<Image>("image")
          .maps_levels([](const Arguments& arguments) -> std::optional<kernels::LevelTable> {
            const auto* bits = constant_of<std::int32_t>(arguments[1]);
            if (bits == nullptr) return {};
            return kernels::posterize_table(*bits);
          })
          .defers(defers_by([](kernels::DeferredImage& picture, std::int32_t bits) {
            picture.check("posterize");
            picture.map_levels(kernels::posterize_table(bits));
          }))
          .runs([](const Image& in, std::int32_t bits, Image& out) {
            kernels::posterize(in, bits, out);
          });
  return op;
}

Value<Image> posterize(Value<Image> image, Param<std::int32_t> bits) {
  return apply_operator<Image>(detail::posterize_operator(), image, bits);
}

}  // namespace sluice
