#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/box_blur.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <cstdint>

namespace sluice {
namespace {

// window_size comes after the input.
void check_box(const detail::Arguments& arguments) {
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(1));
  if (window != nullptr) kernels::check_window("box_blur", *window);
}

}  // namespace

const detail::OperatorPtr& detail::box_blur_operator() {
  static const OperatorPtr op =
      declare_operator("box_blur")
          .family("filter")
          .summary("Each level becomes the mean of a square around it; borders are reflected.")
          .in_cpp("box_blur(image, {.window_size = 5})")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size", {.value = 3,
                                                   .low = 1,
                                                   .high = kernels::kLargestWindow,
                                                   .help = "odd; the side of the square"})
          .output<Image>("image")
          .checks(check_box)
          .runs([](const Image& in, std::int32_t window, Image& out) {
            kernels::box_blur(in, window, out);
          });
  return op;
}

Value<Image> box_blur(Value<Image> image, const BoxBlurOptions& options) {
  return apply_operator<Image>(detail::box_blur_operator(), image, options.window_size);
}

}  // namespace sluice
