#include "bench.h"
#include "usage.h"

#include <optional>

#include <fmt/format.h>

namespace sluice::app {

const std::vector<std::string>& bench_workloads() {
  static const std::vector<std::string> all = {
      "decode",         "region",      "train",       "eval",   "rotate", "randaugment",
      "trivialaugment", "autoaugment", "augmix",      "simclr", "dino",   "detection",
      "segmentation",   "overhead",    "conditional", "wait"};
  return all;
}

BenchOptions checked_options(const BenchOptions& options) {
  BenchOptions checked = options;
  if (!options.recipe.empty()) checked.workload = options.recipe;
  const std::optional<Recipe> recipe = recipe_of(checked.workload);
  if (recipe) {
    checked.workload = name_of(*recipe);
    checked.size = size_of(*recipe, options.size);
  } else if (options.size != RecipeSize()) {
    throw UsageError(fmt::format("--size is for recipes, {}: not for bench {}",
                                 any_of(recipe_names()),
                                 checked.workload.empty() ? kSavedPlan : checked.workload));
  }
  if (checked.workload.empty() && options.pipeline.empty()) {
    throw UsageError(fmt::format(
        "workload NAME is missing: {}, {}, {}; or give --recipe NAME or --pipeline FILE "
        "(sluice bench --help tells more)",
        fmt::join(bench_workloads(), ", "), kLatency, kSource));
  }
  if (checked.workload.empty()) checked.workload = kSavedPlan;
  if (checked.workload == kSavedPlan && options.pipeline.empty())
    throw UsageError("bench pipeline needs --pipeline FILE, a saved plan");
  if (checked.workload != kSavedPlan && !options.pipeline.empty())
    throw UsageError(
        fmt::format("--pipeline FILE is for bench pipeline, not for bench {}", checked.workload));
  return checked;
}

}  // namespace sluice::app
