#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/motion_blur.h>

#include <cstdint>

namespace sluice {

const detail::OperatorPtr& detail::motion_blur_operator() {
  static const OperatorPtr op =
      declare_operator("motion_blur")
          .family("filter")
          .summary("Blurred along a line; borders are reflected.")
          .in_cpp("motion_blur(image, {.length = 15, .degrees = g.uniform(0.f, 180.f)})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "length",
              {.value = 9, .low = 1, .high = kernels::kLongestMotion, .help = "in pixels"})
          .parameter<float>("degrees",
                            {.value = 0.f, .help = "counter-clockwise; 0 is along the rows"})
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t length, float degrees, Image& out) {
            kernels::motion_blur(in, length, degrees, out);
          });
  return op;
}

Value<Image> motion_blur(Value<Image> image, const MotionBlurOptions& options) {
  return apply_operator<Image>(detail::motion_blur_operator(), image, options.length,
                               options.degrees);
}

}  // namespace sluice
