#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/jitter.h>
#include <sluice/ops/noise.h>

#include <cstdint>

namespace sluice {
namespace {

// window_size comes after the input.
void check_window(const detail::Arguments& arguments) {
  if (const auto* window = detail::constant_of<std::int32_t>(arguments.at(1)))
    kernels::check_jitter_window(*window);
}

}  // namespace

const detail::OperatorPtr& detail::jitter_operator() {
  static const OperatorPtr op =
      declare_operator("jitter")
          .family("noise")
          .summary("Each pixel is a random one nearby.")
          .in_cpp("jitter(image, 5)")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size", {.value = 3,
                                                   .low = 1,
                                                   .high = kernels::kLargestJitterWindow,
                                                   .help = "odd; pixels come from within it"})
          .output<Image>("image")
          .checks(check_window)
          .runs([](Random& random, const Image& in, std::int32_t window, Image& out) {
            kernels::jitter(random, in, window, out);
          });
  return op;
}

Value<Image> jitter(Value<Image> image, Param<int> window_size) {
  return apply_operator<Image>(detail::jitter_operator(), image, window_size);
}

}  // namespace sluice
