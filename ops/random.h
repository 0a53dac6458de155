// Operators that make random choices.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>

#include <vector>

namespace sluice {

// choice and beta: random numbers beyond those that a Graph provides.
//
// | takes               | returns                                        |
// |---------------------|------------------------------------------------|
// | numbers, weights    | one of the numbers                             |
// | weights             | the place of one of them, counted from 0       |
// | alpha, other_alpha  | a number of the Beta distribution, in 0 to 1   |
//
// Random numbers come from the sample's key.

// Returns one of up to 64 numbers, with probabilities proportional to the weights, or uniformly
// without weights. Throws BuildError for other counts, weights below 0, and weights that are all 0.
Value<float> choice(Graph& g, const std::vector<float>& numbers,
                    const std::vector<float>& weights = {});
// Returns the index of the choice, as Graph::select() takes it.
Value<int> choice_index(Graph& g, const std::vector<float>& weights);

// alpha and other_alpha: 1e-6 to 1000. Beta(alpha, alpha) is symmetric; 1 is uniform.
Value<float> beta(Graph& g, Param<float> alpha, Param<float> other_alpha);

namespace detail {
const OperatorPtr& choice_operator();
const OperatorPtr& choice_index_operator();
const OperatorPtr& beta_operator();
}  // namespace detail

}  // namespace sluice
