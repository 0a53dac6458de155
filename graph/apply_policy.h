// apply_policy: one of several short programs of augmentations, drawn for each sample: what
// AutoAugment needs.
//
//   const AugmentationPolicy policy = {
//       .sub_policies = {{{"shear_x", 0.9f, 4}, {"invert", 0.2f}},
//                        {{"equalize", 0.6f}, {"rotate", 0.9f, 3}}},
//       .bins = 10};
//   image = apply_policy(g, image, auto_augment_list(), policy);
//
// Each sample draws a sub-policy, uniformly, and runs its steps in their order, each with the
// step's probability. The parameter of an augmentation is what apply_random would give it for that
// magnitude, with a sign of its own where it wants one. The choice is one select with an arm for
// each sub-policy, and a step that is not certain is an if_else in its arm; only what is drawn
// runs. The select is named "apply_policy" and the steps by their augmentations, so
// Inspection::path() and errors say what a sample took.
//
// Cubuk et al., "AutoAugment: learning augmentation strategies from data", 2018. Called while a
// pipeline is described. Errors: BuildError for a policy without sub-policies, names that the list
// does not have, and numbers out of range.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/graph.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice {

struct AugmentationStep {
  std::string augmentation;  // its name in the list
  float probability = 1.f;
  int magnitude = 0;  // 0 to bins - 1; of no effect where the augmentation has no parameter
};
// Without steps it leaves the sample as it is.
using SubPolicy = std::vector<AugmentationStep>;

struct AugmentationPolicy {
  std::vector<SubPolicy> sub_policies = {};
  int bins = 10;  // at least 1
};

namespace detail {
void check_policy(const AugmentationPolicy& policy, const std::vector<std::string>& augmentations);
// The names of the arms: "3 equalize, rotate".
std::vector<std::string> names_of_arms(const AugmentationPolicy& policy);
// Which of the names it is; it is one of them.
std::size_t find_name(const std::vector<std::string>& names, std::string_view name);

template <class X>
Value<X> apply_step(Graph& g, Value<X> value, const Augmentation<X>& augmentation,
                    const AugmentationStep& step, int bins) {
  if (step.probability <= 0.f) return value;
  const auto change = [&](Value<X> from) {
    const Value<bool> negative = augmentation.randomly_negate ? g.coin_flip() : g.constant(false);
    return augmentation.apply(
        from, apply_operator<float>(g.recorder(), magnitude_operator(), negative, step.magnitude,
                                    augmentation.low, augmentation.high,
                                    augmentation.randomly_negate, bins));
  };
  if (step.probability >= 1.f) return change(value);
  return g.apply_if(g.coin_flip(step.probability), value, change, {.name = augmentation.name});
}
}  // namespace detail

template <class X>
Value<X> apply_policy(Graph& g, Value<X> value, const std::vector<Augmentation<X>>& augmentations,
                      const AugmentationPolicy& policy) {
  std::vector<std::string> names;
  for (const Augmentation<X>& augmentation : augmentations) names.push_back(augmentation.name);
  detail::check_policy(policy, names);
  // Not a structured binding: Clang before 16 cannot capture one.
  const auto drawn = detail::apply_operator<std::tuple<std::int64_t, bool>>(
      g.recorder(), detail::draw_operator(), static_cast<std::int64_t>(policy.sub_policies.size()));
  std::vector<std::function<Value<X>()>> arms;
  for (const SubPolicy& steps : policy.sub_policies) {
    arms.push_back([&, value] {
      Value<X> changed = value;
      for (const AugmentationStep& step : steps) {
        const std::size_t which = detail::find_name(names, step.augmentation);
        changed = detail::apply_step(g, changed, augmentations[which], step, policy.bins);
      }
      return changed;
    });
  }
  return g.select(std::get<0>(drawn), arms,
                  {.name = "apply_policy", .arm_names = detail::names_of_arms(policy)});
}

}  // namespace sluice
