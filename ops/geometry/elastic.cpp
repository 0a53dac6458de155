#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/warp_options.h>
#include <sluice/ops/kernels/elastic.h>

namespace sluice {

const detail::OperatorPtr& detail::elastic_operator() {
  static const OperatorPtr op =
      with_warp_options(
          declare_operator("elastic")
              .family("geometry")
              .summary("Pulled at random, neighbours alike.")
              .in_cpp("elastic(image, {.alpha = 100.f, .sigma = 6.f})")
              .input<Image>("image")
              .parameter<float>("alpha", {.value = 50.f,
                                          .low = 0,
                                          .high = double{kernels::kLargestElasticAlpha},
                                          .help = "twice the farthest shift, before smoothing"})
              .parameter<float>("sigma", {.value = 5.f,
                                          .low = 0,
                                          .high = double{kernels::kLargestElasticSigma},
                                          .help = "of the Gaussian that smooths the shifts"}))
          .output<Image>("image")
          .runs([](Random& random, const Image& in, float alpha, float sigma,
                   Interpolation interpolation, Border border, const FillNumbers& fill,
                   Image& out) {
            kernels::elastic(random, in, {alpha, sigma}, warp_options(interpolation, border, fill),
                             out);
          });
  return op;
}

Value<Image> elastic(Value<Image> image, const ElasticOptions& options) {
  return apply_operator<Image>(detail::elastic_operator(), image, options.alpha, options.sigma,
                               options.interpolation, options.border,
                               detail::numbers_of_fill(options.fill));
}

}  // namespace sluice
