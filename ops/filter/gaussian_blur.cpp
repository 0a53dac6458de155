#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/gaussian_blur.h>
#include <sluice/ops/kernels/separable_blur.h>
#include <sluice/runtime/error.h>

#include <cstdint>

namespace sluice {
namespace {

// sigma, sigma_y and window_size come after the input.
void check_sizes(const detail::Arguments& arguments) {
  const auto* sigma = detail::constant_of<float>(arguments.at(1));
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(3));
  if (window == nullptr) return;
  if (sigma != nullptr && *sigma == 0 && *window == 0)
    throw BuildError("gaussian_blur: give sigma, window_size or both");
  if (*window != 0) kernels::check_window("gaussian_blur", *window);
}

ParameterOptions<float> sigma_option(const char* help) {
  return {.value = 0.f,
          .optional = true,
          .low = 0,
          .high = kernels::kLargestSigma,
          .low_open = true,
          .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::gaussian_blur_operator() {
  static const OperatorPtr op =
      declare_operator("gaussian_blur")
          .family("filter")
          .summary("Blurred by a Gaussian; borders are reflected.")
          .in_cpp("gaussian_blur(image, {.sigma = g.uniform(0.1f, 2.f)})")
          .in_cpp("gaussian_blur(image, {.sigma = 2.f, .window_size = 9})")
          .input<Image>("image")
          .parameter("sigma", sigma_option("in pixels; without it, 0.15 window_size + 0.35"))
          .parameter("sigma_y", sigma_option("along the columns; without it, as sigma"))
          .parameter<std::int32_t>("window_size", {.value = 0,
                                                   .optional = true,
                                                   .low = 1,
                                                   .high = kernels::kLargestWindow,
                                                   .help = "odd; without it, 2 ceil(3 sigma) + 1"})
          .output<Image>("image")
          .checks(check_sizes)
          .runs([](const Image& in, float sigma, float sigma_y, std::int32_t window, Image& out) {
            kernels::gaussian_blur(in, {sigma, sigma_y, window}, out);
          });
  return op;
}

Value<Image> gaussian_blur(Value<Image> image, const GaussianBlurOptions& options) {
  return apply_operator<Image>(detail::gaussian_blur_operator(), image, options.sigma,
                               options.sigma_y, options.window_size);
}

}  // namespace sluice
