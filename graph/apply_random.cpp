#include <sluice/graph/apply_random.h>

#include <string>

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

}  // namespace sluice::detail
