#include <sluice/ops/kernels/choice.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

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
