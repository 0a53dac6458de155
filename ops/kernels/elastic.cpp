#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/elastic.h>
#include <sluice/ops/kernels/place_sampler.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_number(const char* name, float value, float most) {
  if (value >= 0 && value <= most) return;
  throw std::invalid_argument(
      fmt::format("elastic: {} is {}; it must lie between 0 and {}", name, value, most));
}

}  // namespace

void check_elastic(const Image& in, const ElasticParams& params, const WarpOptions& options) {
  PlaceSampler::check("elastic", in, options);
  check_number("alpha", params.alpha, kLargestElasticAlpha);
  check_number("sigma", params.sigma, kLargestElasticSigma);
}

std::vector<float> elastic_weights(float sigma) {
  const int radius = (static_cast<int>(8 * sigma + 1) | 1) / 2;
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    const double t = i / static_cast<double>(sigma);
    weights.push_back(std::exp(-0.5 * t * t));
    sum += weights.back();
  }
  std::vector<float> normalized;
  for (const double weight : weights) normalized.push_back(static_cast<float>(weight / sum));
  return normalized;
}

void blur_shifts(std::vector<float>& numbers, int height, int width, float sigma) {
  if (sigma == 0) return;
  const std::vector<float> weights = elastic_weights(sigma);
  const int radius = static_cast<int>(weights.size()) / 2;
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> padded(columns + weights.size() - 1), sums(columns), across(numbers.size());
  const auto add = [&](const float* from, float weight) {
    for (std::size_t x = 0; x < columns; ++x) sums[x] += weight * from[x];
  };
  for (int y = 0; y < height; ++y) {
    const std::size_t row = static_cast<std::size_t>(y) * columns;
    for (std::size_t i = 0; i < padded.size(); ++i) {
      const int column = reflected(static_cast<int>(i) - radius, width);
      padded[i] = numbers[row + static_cast<std::size_t>(column)];
    }
    std::fill(sums.begin(), sums.end(), 0.f);
    for (std::size_t k = 0; k < weights.size(); ++k) add(padded.data() + k, weights[k]);
    std::copy(sums.begin(), sums.end(), across.begin() + static_cast<std::ptrdiff_t>(row));
  }
  for (int y = 0; y < height; ++y) {
    std::fill(sums.begin(), sums.end(), 0.f);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const int from = reflected(y + static_cast<int>(k) - radius, height);
      add(across.data() + static_cast<std::size_t>(from) * columns, weights[k]);
    }
    std::copy(
        sums.begin(), sums.end(),
        numbers.begin() + static_cast<std::ptrdiff_t>(y) * static_cast<std::ptrdiff_t>(width));
  }
}

void elastic(Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out) {
  check_elastic(in, params, options);
  const int height = in.height(), width = in.width();
  const auto shifts = [&] {
    std::vector<float> numbers(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    for (float& number : numbers) number = random.unit() * 2 - 1;
    blur_shifts(numbers, height, width, params.sigma);
    return numbers;
  };
  const std::vector<float> along_x = shifts(), along_y = shifts();
  out.create(height, width, in.channels());
  const double pixels = static_cast<double>(params.alpha) / 2;
  std::size_t i = 0;
  warp_places(
      in, options,
      [&](double x, double y) {
        const PicturePlace place{x + pixels * static_cast<double>(along_x[i]),
                                 y + pixels * static_cast<double>(along_y[i])};
        ++i;
        return place;
      },
      out);
}

}  // namespace sluice::kernels
