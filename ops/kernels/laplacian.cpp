#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/laplacian.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

using Line = std::vector<float>;

Line convolved(const Line& a, const Line& b) {
  Line sums(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < b.size(); ++k) sums[i + k] += a[i] * b[k];
  }
  return sums;
}

}  // namespace

FilterWeights laplacian_weights(int window_size, float scale) {
  if (window_size != 1 && window_size != 3 && window_size != 5 && window_size != 7) {
    throw std::invalid_argument(
        fmt::format("laplacian: window_size must be 1, 3, 5 or 7, not {}", window_size));
  }
  if (!(scale >= -kLargestLaplacianScale && scale <= kLargestLaplacianScale)) {
    throw std::invalid_argument(fmt::format("laplacian: scale is {}; it must lie between {} and {}",
                                            scale, -kLargestLaplacianScale,
                                            kLargestLaplacianScale));
  }
  Line change{1, -2, 1}, smooth{1, 2, 1};
  if (window_size == 1) smooth = {0, 1, 0};
  for (int size = 3; size < window_size; size += 2) {
    change = convolved(change, {1, 2, 1});
    smooth = convolved(smooth, {1, 2, 1});
  }
  FilterWeights filter;
  filter.rows = filter.columns = static_cast<int>(change.size());
  std::size_t i = 0;
  for (std::size_t y = 0; y < change.size(); ++y) {
    for (std::size_t x = 0; x < change.size(); ++x)
      filter.weights[i++] = scale * (change[y] * smooth[x] + smooth[y] * change[x]);
  }
  return filter;
}

void laplacian(const Image& in, int window_size, float scale, Image& out) {
  check_pixels("laplacian", in);
  filter_2d(in, laplacian_weights(window_size, scale), out);
}

}  // namespace sluice::kernels
