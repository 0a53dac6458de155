#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/lens_distortion.h>

namespace sluice {
namespace {

ParameterOptions<float> bend(const char* help) {
  return {.value = 0.f, .low = -100, .high = 100, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::lens_distortion_operator() {
  static const OperatorPtr op =
      with_warp_options(declare_operator("lens_distortion")
                            .family("geometry")
                            .summary("Lines bent, as by a simple lens.")
                            .in_cpp("lens_distortion(image, {.k1 = 0.3f})")
                            .input<Image>("image")
                            .parameter("k1", bend("of r^2, where r is 1 at the corners"))
                            .parameter("k2", bend("of r^4")))
          .output<Image>("image")
          .runs([](const Image& in, float k1, float k2, Interpolation interpolation, Border border,
                   const FillNumbers& fill, Image& out) {
            kernels::lens_distortion(in, k1, k2, warp_options(interpolation, border, fill), out);
          });
  return op;
}

Value<Image> lens_distortion(Value<Image> image, const LensDistortionOptions& options) {
  return apply_operator<Image>(detail::lens_distortion_operator(), image, options.k1, options.k2,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
