// Random choices.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>

#include <vector>

namespace sluice {

// choice and beta: random numbers beyond those that a Graph has by itself.
//
// | takes               | gives                                          |
// |---------------------|------------------------------------------------|
// | numbers, weights    | one of the numbers                             |
// | weights             | the place of one of them, counted from 0       |
// | alpha, other_alpha  | a number of the Beta distribution, in 0 to 1   |
//
// Random numbers are those of the sample's key.

// One of up to 64 numbers; each as probable as its weight says, or, without weights, as the others.
// Throws BuildError for other counts, weights below 0, and weights that are all 0.
Value<float> choice(Graph& g, const std::vector<float>& numbers,
                    const std::vector<float>& weights = {});
// Which of them: what Graph::select() takes.
Value<int> choice_index(Graph& g, const std::vector<float>& weights);

// alpha and other_alpha: 1e-6 to 1000. Beta(alpha, alpha) is symmetric; 1 is uniform.
Value<float> beta(Graph& g, Param<float> alpha, Param<float> other_alpha);

namespace detail {
const OperatorPtr& choice_operator();
const OperatorPtr& choice_index_operator();
const OperatorPtr& beta_operator();
}  // namespace detail

}  // namespace sluice
