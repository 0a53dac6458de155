// aug_mix: a picture mixed with several of itself, each changed by a short chain of operators that
// are drawn for it.
//
//   image = aug_mix(g, image);
//   image = aug_mix(g, image, {.severity = 5, .chain_depth = 2});
//
// As torchvision does it: m * image + (1 - m) * (w[0] * chain 0 + w[1] * chain 1 + ...), where m is
// drawn from Beta(alpha, alpha) and w from a Dirichlet distribution of alpha. Each chain draws its
// length, 1 to 3 unless chain_depth says it; each of its steps an operator of the list, uniformly,
// a magnitude of 0 to severity - 1 (of 10), and a sign. The sum is rounded once, to nearest
// (torchvision cuts off, so it may be lower by 1).
//
// Of a picture on a device the chains run there; the sum is made on the host, where the result is.
//
// It is a loop in a loop, with one select for what a step does, and weighted_sum. All numbers
// follow from the seed, the epoch and the sample.
//
// Hendrycks et al., "AugMix: a simple data processing method to improve robustness and
// uncertainty", 2019. Called while a pipeline is described. Errors: BuildError for numbers out of
// range.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/ops/automatic/augmentation_lists.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

struct AugMixOptions {
  int severity = 3;       // 1 to 10
  int mixture_width = 3;  // chains, at least 1
  int chain_depth = 0;    // steps of each chain; 0: 1 to 3, drawn
  float alpha = 1.f;      // 0.000001 to 1000
  std::vector<Augmentation<Image>> augmentations = aug_mix_list();
};
Value<Image> aug_mix(Graph& g, Value<Image> image, const AugMixOptions& options = {});

namespace detail {
// The weights of the picture itself and of the chains, which add up to 1.
const OperatorPtr& aug_mix_weights_operator();
}  // namespace detail

}  // namespace sluice
