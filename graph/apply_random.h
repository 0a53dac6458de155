// Random augmentations. apply_random applies operators drawn from a list to each sample;
// apply_policy applies a short program drawn from a list of programs.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/function.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sluice {

// apply_random: applies n operators, each drawn at random for each sample, as in RandAugment and
// related methods.
//
//   const std::vector<Augmentation<Image>> suite = {
//       {"brightness", [](Value<Image> x, Value<float> m) {
//          return brightness_contrast(x, {.brightness = m + 1.f}); }, 0.f, 0.9f, true},
//       {"identity", [](Value<Image> x, Value<float>) { return x; }},
//   };
//   image = apply_random(g, image, suite, {.n = 2, .magnitude = 9, .bins = 31});
//
// Each step draws an operator, uniformly and with replacement, and a sign. The operator's parameter
// is low + (high - low) * magnitude / (bins - 1). It is negated if the sign is negative and the
// operator has `randomly_negate`. Each step is one select with a branch for each operator, and only
// the drawn operator runs. The selects are named "apply_random", so Inspection::path() and errors
// name the operators that a sample took.
//
// Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search space",
// 2019. Errors: BuildError for numbers out of range.

template <class X>
struct Augmentation {
  std::string name;
  Function<Value<X>(Value<X>, Value<float>)> apply;
  float low = 0.f;
  float high = 0.f;
  bool randomly_negate = false;
};

struct ApplyRandomOptions {
  int n = 2;  // steps; 0 changes nothing
  // 0 to bins - 1: one for all samples, or a value for each sample.
  Param<int> magnitude = 9;
  int bins = 31;  // at least 1
};

namespace detail {
void check_apply_random(const ApplyRandomOptions& options, std::size_t augmentations);
OperatorSchema apply_random_schema();
}  // namespace detail

template <class X>
Value<X> apply_random(Graph& g, Value<X> value, const std::vector<Augmentation<X>>& augmentations,
                      const ApplyRandomOptions& options = {}) {
  detail::check_apply_random(options, augmentations.size());
  const auto count = static_cast<std::int64_t>(augmentations.size());
  std::vector<std::string> names;
  for (const Augmentation<X>& augmentation : augmentations) names.push_back(augmentation.name);
  for (int step = 0; step < options.n; ++step) {
    // Not a structured binding: Clang before 16 cannot capture one.
    const auto drawn = detail::apply_operator<std::tuple<std::int64_t, bool>>(
        g.builder(), detail::draw_operator(), count);
    std::vector<Function<Value<X>()>> branches;
    for (const Augmentation<X>& a : augmentations) {
      branches.push_back([&g, &a, &options, value, negative = std::get<1>(drawn)] {
        const auto parameter = detail::apply_operator<float>(
            g.builder(), detail::magnitude_operator(), negative, options.magnitude, a.low, a.high,
            a.randomly_negate, options.bins);
        detail::require_function(a.name, a.apply);
        return a.apply(value, parameter);
      });
    }
    value = g.select(std::get<0>(drawn), branches, {.name = "apply_random", .branch_names = names});
  }
  return value;
}

// apply_policy: applies one of several short programs of augmentations, drawn for each sample, as
// in AutoAugment.
//
//   const AugmentationPolicy policy = {
//       .sub_policies = {{{"shear_x", 0.9f, 4}, {"invert", 0.2f}},
//                        {{"equalize", 0.6f}, {"rotate", 0.9f, 3}}},
//       .bins = 10};
//   image = apply_policy(g, image, auto_augment_list(), policy);
//
// Each sample draws a sub-policy, uniformly, and runs its steps in order, each with the step's
// probability. The parameter of an augmentation follows from the magnitude as in apply_random. Each
// step draws its own sign if the augmentation has `randomly_negate`. The choice is one select with
// a branch for each sub-policy. A step with a probability below 1 is an if_else in that branch.
// Only the drawn steps run. The select is named "apply_policy" and the steps by their
// augmentations, so Inspection::path() and errors name what a sample took.
//
// Cubuk et al., "AutoAugment: learning augmentation strategies from data", 2018. Call it while a
// pipeline is described. Errors: BuildError for a policy without sub-policies, a name that is not
// in the list, or a number out of range.

struct AugmentationStep {
  std::string augmentation;  // its name in the list
  float probability = 1.f;
  int magnitude = 0;  // 0 to bins - 1; ignored if the augmentation has no parameter
};
// An empty one leaves the sample unchanged.
using SubPolicy = std::vector<AugmentationStep>;

struct AugmentationPolicy {
  std::vector<SubPolicy> sub_policies = {};
  int bins = 10;  // at least 1
};

namespace detail {
void check_policy(const AugmentationPolicy& policy, const std::vector<std::string>& augmentations);
// The names of the branches, such as "3 equalize, rotate".
std::vector<std::string> names_of_branches(const AugmentationPolicy& policy);
// The index of `name`, which must be one of the names.
std::size_t find_name(const std::vector<std::string>& names, std::string_view name);

template <class X>
Value<X> apply_step(Graph& g, Value<X> value, const Augmentation<X>& augmentation,
                    const AugmentationStep& step, int bins) {
  if (step.probability <= 0.f) return value;
  const auto change = [&](Value<X> from) {
    const Value<bool> negative = augmentation.randomly_negate ? g.coin_flip() : g.constant(false);
    require_function(augmentation.name, augmentation.apply);
    return augmentation.apply(
        from, apply_operator<float>(g.builder(), magnitude_operator(), negative, step.magnitude,
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
      g.builder(), detail::draw_operator(), static_cast<std::int64_t>(policy.sub_policies.size()));
  std::vector<Function<Value<X>()>> branches;
  for (const SubPolicy& steps : policy.sub_policies) {
    branches.push_back([&, value] {
      Value<X> changed = value;
      for (const AugmentationStep& step : steps) {
        const std::size_t which = detail::find_name(names, step.augmentation);
        changed = detail::apply_step(g, changed, augmentations[which], step, policy.bins);
      }
      return changed;
    });
  }
  return g.select(std::get<0>(drawn), branches,
                  {.name = "apply_policy", .branch_names = detail::names_of_branches(policy)});
}

}  // namespace sluice
