#include <sluice/graph/apply_random.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

OperatorSchema apply_random_schema() {
  const ApplyRandomOptions usual;
  OperatorSchema schema =
      declare_operator("apply_random")
          .family("random")
          .summary("Applies n augmentations, each drawn at random for each sample.")
          .in_cpp("apply_random(g, image, suite, {.n = 2, .magnitude = 9})")
          .constant<std::int32_t>(
              "n", {.value = usual.n, .low = 0, .help = "number of steps; 0 changes nothing"})
          .parameter<std::int32_t>(
              "magnitude", {.value = usual.magnitude.constant(), .low = 0, .help = "0 to bins - 1"})
          .constant<std::int32_t>("bins",
                                  {.value = usual.bins, .low = 1, .help = "number of magnitudes"})
          .made_of({"draw", "magnitude"});
  schema.inputs = {{"value", {}}};
  schema.outputs = {{"value", nullptr}};
  return schema;
}

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

std::vector<std::string> names_of_branches(const AugmentationPolicy& policy) {
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
