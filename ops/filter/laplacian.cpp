#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/laplacian.h>

#include <cstdint>

namespace sluice {
namespace {

// window_size comes after the input.
void check_window(const detail::Arguments& arguments) {
  if (const auto* window = detail::constant_of<std::int32_t>(arguments.at(1)))
    (void)kernels::laplacian_weights(*window, 1);
}

}  // namespace

const detail::OperatorPtr& detail::laplacian_operator() {
  static const OperatorPtr op =
      declare_operator("laplacian")
          .family("filter")
          .summary("Edges: the sum of second derivatives, cut to 0 .. 255; borders are reflected.")
          .in_cpp("laplacian(image, {.window_size = 5, .scale = 0.1f})")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size",
                                   {.value = 3, .low = 1, .high = 7, .help = "1, 3, 5 or 7"})
          .parameter<float>("scale", {.value = 1.f,
                                      .low = -double{kernels::kLargestLaplacianScale},
                                      .high = double{kernels::kLargestLaplacianScale},
                                      .help = "of the sum"})
          .output<Image>("image")
          .checks(check_window)
          .runs([](const Image& in, std::int32_t window, float scale, Image& out) {
            kernels::laplacian(in, window, scale, out);
          });
  return op;
}

Value<Image> laplacian(Value<Image> image, const LaplacianOptions& options) {
  return apply_operator<Image>(detail::laplacian_operator(), image, options.window_size,
                               options.scale);
}

}  // namespace sluice
