#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/median_blur.h>

#include <cstdint>

namespace sluice {
namespace {

// window_size comes after the input.
void check_median(const detail::Arguments& arguments) {
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(1));
  if (window != nullptr) kernels::check_median_window(*window);
}

}  // namespace

const detail::OperatorPtr& detail::median_blur_operator() {
  static const OperatorPtr op =
      declare_operator("median_blur")
          .family("filter")
          .summary("Each level becomes the median of a square around it; borders are repeated.")
          .in_cpp("median_blur(image, {.window_size = 5})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "window_size",
              {.value = 3, .low = 3, .high = 5, .help = "3 or 5; the side of the square"})
          .output<Image>("image")
          .checks(check_median)
          .runs([](const Image& in, std::int32_t window, Image& out) {
            kernels::median_blur(in, window, out);
          });
  return op;
}

Value<Image> median_blur(Value<Image> image, const MedianBlurOptions& options) {
  return apply_operator<Image>(detail::median_blur_operator(), image, options.window_size);
}

}  // namespace sluice
