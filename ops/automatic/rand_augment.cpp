#include <sluice/graph/arithmetic.h>
#include <sluice/ops/automatic.h>
#include <sluice/runtime/error.h>

#include <string>

namespace sluice {

Value<Image> rand_augment(Graph& g, Value<Image> image, const ApplyRandomOptions& random,
                          const AugmentationListOptions& options) {
  return apply_random(g, image, rand_augment_list(options), random);
}

Value<Image> trivial_augment_wide(Graph& g, Value<Image> image, int bins,
                                  const AugmentationListOptions& options) {
  if (bins < 1)
    throw BuildError("trivial_augment_wide: bins is at least 1, not " + std::to_string(bins));
  const auto magnitude = cast<std::int32_t>(g.uniform(0.f, static_cast<float>(bins)));
  return apply_random(g, image, trivial_augment_list(options),
                      {.n = 1, .magnitude = magnitude, .bins = bins});
}

}  // namespace sluice
