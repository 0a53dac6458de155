#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/elastic.h>
#include <sluice/ops/kernels/place_sampler.h>
#include <sluice/ops/kernels/random_words.h>
#include <sluice/ops/kernels/separable_blur.h>
#include <sluice/ops/kernels/shift_rows.h>

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
  const int count = static_cast<int>(weights.size()), radius = count / 2;
  const auto columns = static_cast<std::size_t>(width);
  std::vector<float> padded(columns + weights.size() - 1), across(numbers.size());
  std::vector<const float*> rows(weights.size());
  const auto row_of = [columns](auto& all, int y) {
    return all.data() + static_cast<std::size_t>(y) * columns;
  };
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = padded.data() + k;
  for (int y = 0; y < height; ++y) {
    const float* const from = row_of(numbers, y);
    float* const middle = padded.data() + radius;
    std::copy_n(from, width, middle);
    reflect_ends(middle, width, 1, radius);
    weighted_rows(rows.data(), weights.data(), count, width, row_of(across, y));
  }
  for (int y = 0; y < height; ++y) {
    for (int k = 0; k < count; ++k)
      rows[static_cast<std::size_t>(k)] = row_of(across, reflected(y + k - radius, height));
    weighted_rows(rows.data(), weights.data(), count, width, row_of(numbers, y));
  }
}

void elastic(const Random& random, const Image& in, const ElasticParams& params,
             const WarpOptions& options, Image& out) {
  check_elastic(in, params, options);
  const int height = in.height(), width = in.width();
  RandomStream words(random.words());
  const auto shifts = [&] {
    std::vector<float> numbers(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    for (float& number : numbers) number = words.unit() * 2 - 1;
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
