// Operators on class labels.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice {

// one_hot: the number of a class as a vector of probabilities.
//
// | takes | gives                               |
// |-------|-------------------------------------|
// | label | Tensor, f32, one number for a class |
//
// With smoothing s each class gets s / classes, and the label's own 1 - s besides, as in PyTorch's
// cross entropy. Errors of a sample: a label outside of 0 .. classes - 1.
struct OneHotOptions {
  int classes = 0;        // at least 1
  float smoothing = 0.f;  // 0 to 1
};
Value<Tensor> one_hot(Value<std::int64_t> label, const OneHotOptions& options);

namespace detail {
const OperatorPtr& one_hot_operator();
}  // namespace detail

}  // namespace sluice
