#include <sluice/graph/apply_random.h>

#include <stdexcept>

namespace sluice::detail {

void check_apply_random(const ApplyRandomOptions& options, std::size_t augmentations) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError("apply_random: " + what);
  };
  require(options.n >= 0, "n must not be negative, but is " + std::to_string(options.n));
  require(options.bins >= 1, "bins must be at least 1, not " + std::to_string(options.bins));
  require(options.n == 0 || augmentations > 0,
          "the list of operators is empty; give at least one, or n = 0");
  if (!options.magnitude.is_constant()) return;
  const int magnitude = options.magnitude.constant();
  require(magnitude >= 0 && magnitude < options.bins,
          "magnitude must lie between 0 and bins - 1 = " + std::to_string(options.bins - 1) +
              ", but is " + std::to_string(magnitude));
}

float parameter_of(float low, float high, bool negate, int magnitude, int bins) {
  if (magnitude < 0 || magnitude >= bins) {
    throw std::out_of_range("the magnitude is " + std::to_string(magnitude) +
                            ", but must lie between 0 and " + std::to_string(bins - 1));
  }
  const float share =
      bins == 1 ? 0.f : static_cast<float>(magnitude) / static_cast<float>(bins - 1);
  const float parameter = low + (high - low) * share;
  return negate ? -parameter : parameter;
}

}  // namespace sluice::detail
