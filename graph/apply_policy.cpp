#include <sluice/graph/apply_random.h>
#include <sluice/runtime/error.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::detail {

void check_policy(const AugmentationPolicy& policy, const std::vector<std::string>& augmentations) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError("apply_policy: " + what);
  };
  require(policy.bins >= 1, fmt::format("bins must be at least 1, not {}", policy.bins));
  require(!policy.sub_policies.empty(), "the policy has no sub-policies; give at least one");
  for (std::size_t i = 0; i < policy.sub_policies.size(); ++i) {
    for (const AugmentationStep& step : policy.sub_policies[i]) {
      const std::string place = fmt::format("sub-policy {}: ", i + 1);
      require(std::find(augmentations.begin(), augmentations.end(), step.augmentation) !=
                  augmentations.end(),
              fmt::format("{}there is no augmentation '{}'; there are '{}'", place,
                          step.augmentation, fmt::join(augmentations, "', '")));
      require(step.probability >= 0.f && step.probability <= 1.f,
              fmt::format("{}the probability of '{}' must lie between 0 and 1, but is {}", place,
                          step.augmentation, step.probability));
      require(step.magnitude >= 0 && step.magnitude < policy.bins,
              fmt::format("{}the magnitude of '{}' must lie between 0 and bins - 1 = {}, but is {}",
                          place, step.augmentation, policy.bins - 1, step.magnitude));
    }
  }
}

std::vector<std::string> names_of_arms(const AugmentationPolicy& policy) {
  std::vector<std::string> names;
  for (const SubPolicy& steps : policy.sub_policies) {
    std::string name = std::to_string(names.size() + 1);
    const char* before = " ";
    for (const AugmentationStep& step : steps) {
      name += before + step.augmentation;
      before = ", ";
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::size_t find_name(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace sluice::detail
