// apply_random: n steps, each one of several operators, drawn for each sample: what RandAugment and
// its relatives need.
//
//   const std::vector<Augmentation<Image>> suite = {
//       {"brightness", [](Value<Image> x, Value<float> m) { return brightness_contrast(x,
//       {.brightness = m + 1.f}); }, 0.f, 0.9f, true},
//       {"identity", [](Value<Image> x, Value<float>) { return x; }},
//   };
//   image = apply_random(g, image, suite, {.n = 2, .magnitude = 9, .bins = 31});
//
// Each step draws an operator, uniformly and with replacement, and a sign; the operator's parameter
// is low + (high - low) * magnitude / (bins - 1), negated when the sign says so and the operator
// wants it. The choice is a select: one branch of N arms, whatever N is, and only the operator that
// is drawn runs. The steps are named "apply_random", so Inspection::path() and errors say which
// operators a sample took.
//
// Cubuk et al., "RandAugment: practical automated data augmentation with a reduced search space",
// 2019. Errors: BuildError for numbers out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/error.h>

#include <functional>
#include <string>
#include <vector>

namespace sluice {

template <class X>
struct Augmentation {
  std::string name;
  std::function<Value<X>(Value<X>, Value<float>)> apply;
  float low = 0.f;
  float high = 0.f;
  bool randomly_negate = false;
};

struct ApplyRandomOptions {
  int n = 2;  // steps; 0 changes nothing
  // 0 to bins - 1, for all samples; or a value that differs from sample to sample.
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
        g.recorder(), detail::draw_operator(), count);
    std::vector<std::function<Value<X>()>> arms;
    for (const Augmentation<X>& a : augmentations) {
      arms.push_back([&g, &a, &options, value, negative = std::get<1>(drawn)] {
        const auto parameter = detail::apply_operator<float>(
            g.recorder(), detail::magnitude_operator(), negative, options.magnitude, a.low, a.high,
            a.randomly_negate, options.bins);
        return a.apply(value, parameter);
      });
    }
    value = g.select(std::get<0>(drawn), arms, {.name = "apply_random", .arm_names = names});
  }
  return value;
}

}  // namespace sluice
