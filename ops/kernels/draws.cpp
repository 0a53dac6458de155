#include <sluice/ops/kernels/draws.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_alpha(double alpha) {
  if (alpha >= kSmallestAlpha && alpha <= kLargestAlpha) return;
  throw std::invalid_argument(fmt::format("alpha is {}; it must lie between {} and {}", alpha,
                                          kSmallestAlpha, kLargestAlpha));
}

// Returns a number in (0, 1].
double positive_unit(Random& random) { return 1.0 - random.unit_double(); }

// Returns the logarithm of a gamma number.
double log_gamma_number(Random& random, double shape) {
  if (shape < 1) {
    const double above = log_gamma_number(random, shape + 1);
    return above + std::log(positive_unit(random)) / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const auto x = static_cast<double>(random.normal(0.f, 1.f));
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(positive_unit(random)) < 0.5 * x * x + d * (1 - v + std::log(v)))
      return std::log(d * v);
  }
}

// Converts logarithms to shares of the sum.
void share_out(std::span<double> logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (double& x : logs) sum += x = std::exp(x - largest);
  for (double& x : logs) x /= sum;
}

}  // namespace

double beta(Random& random, double alpha, double other_alpha) {
  check_alpha(alpha);
  check_alpha(other_alpha);
  double both[] = {log_gamma_number(random, alpha), 0};
  both[1] = log_gamma_number(random, other_alpha);
  share_out(both);
  return both[0];
}

void dirichlet(Random& random, double alpha, std::span<double> out) {
  check_alpha(alpha);
  if (out.empty()) throw std::invalid_argument("there are no numbers to be drawn");
  for (double& x : out) x = log_gamma_number(random, alpha);
  share_out(out);
}

void check_choice(std::span<const float> weights) {
  if (weights.empty() || weights.size() > kMostChoices) {
    throw std::invalid_argument(fmt::format("choice: there are {} choices; 1 to {} are possible",
                                            weights.size(), kMostChoices));
  }
  double sum = 0;
  for (const float weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw std::invalid_argument(
          fmt::format("choice: a weight is {}; it must be finite and not below 0", weight));
    }
    sum += static_cast<double>(weight);
  }
  if (sum == 0) throw std::invalid_argument("choice: all weights are 0; one must be larger");
}

int choice(Random& random, std::span<const float> weights) {
  check_choice(weights);
  double sum = 0;
  for (const float weight : weights) sum += static_cast<double>(weight);
  const double drawn = random.unit_double() * sum;
  double passed = 0;
  std::size_t last = 0;  // last nonzero weight: rounding may lead beyond all of them
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    passed += static_cast<double>(weights[i]);
    if (drawn < passed) break;
  }
  return static_cast<int>(last);
}

}  // namespace sluice::kernels
