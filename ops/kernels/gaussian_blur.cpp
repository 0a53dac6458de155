#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/gaussian_blur.h>

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_sigma(const char* name, float sigma) {
  check_finite("gaussian_blur", name, sigma);
  if (sigma < 0 || sigma > kLargestSigma) {
    throw std::invalid_argument(fmt::format("gaussian_blur: {} is {}; it must lie between 0 and {}",
                                            name, sigma, kLargestSigma));
  }
}

WeightOf gaussian(float sigma) {
  return [scale = -0.5 / (double{sigma} * double{sigma})](int distance) {
    return distance == 0 ? 1.0 : std::exp(scale * distance * distance);
  };
}

}  // namespace

int window_of_sigma(float sigma) { return 2 * static_cast<int>(std::ceil(3 * sigma)) + 1; }

float sigma_of_window(int window_size) { return 0.15f * static_cast<float>(window_size) + 0.35f; }

GaussianWindows gaussian_windows(const GaussianBlurParams& params) {
  check_sigma("sigma", params.sigma);
  check_sigma("sigma_y", params.sigma_y);
  const int window = params.window_size;
  if (window != 0) check_window("gaussian_blur", window);
  if (params.sigma == 0 && window == 0)
    throw std::invalid_argument("gaussian_blur: give sigma, window_size or both");
  const float sigma_x = params.sigma > 0 ? params.sigma : sigma_of_window(window);
  const float sigma_y = params.sigma_y > 0 ? params.sigma_y : sigma_x;
  return {window > 0 ? window : window_of_sigma(sigma_y),
          window > 0 ? window : window_of_sigma(sigma_x), gaussian(sigma_y), gaussian(sigma_x)};
}

void gaussian_blur(const Image& in, const GaussianBlurParams& params, Image& out) {
  check_pixels("gaussian_blur", in);
  const GaussianWindows windows = gaussian_windows(params);
  separable_blur(in, windows.down, windows.weight_down, windows.across, windows.weight_across, out);
}

}  // namespace sluice::kernels
