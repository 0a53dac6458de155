// TensorSpec: what is known, while a pipeline is described, of the tensors that a slot will hold:
// the same for every sample. Arms that would give tensors of different type, layout or number of
// dimensions, or in different memory, are refused before any sample runs. Sizes are not part of it:
// they may differ from sample to sample. What nobody knows is left out, and then agrees with
// everything; but what lies on a device agrees only with what does, too.
//
// Threads: pure functions. Errors: BuildError and Error, as said below.
#pragma once

#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/tensor.h>

#include <optional>
#include <string>

namespace sluice {

struct TensorSpec {
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};
  std::optional<int> rank = {};  // number of dimensions, 0 to Shape::kMaxRank
  std::optional<MemoryPlace> place = {};

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// "f16, CHW, 3 dimensions"; what is not known is left out, and so is memory of the host.
std::string to_string(const TensorSpec& spec);

namespace detail {

// All of them, of a value that is there.
TensorSpec spec_of(const ValueSpec& spec, MemoryPlace place = {});

// False when both sides know something and do not know the same.
bool agree(const TensorSpec& a, const TensorSpec& b);
// What holds on either side: what both know. What one side does not know is not known of the
// result, so that no program is refused on a guess.
TensorSpec common(const TensorSpec& a, const TensorSpec& b);

// One of several ways to a value.
struct Side {
  TensorSpec spec;
  std::string where;  // "in the arm 'then'"
};
Side in_arm(const TensorSpec& spec, const std::string& arm);
Side as_it_begins(const TensorSpec& spec);          // what a loop carries
Side as_the_body_gives_it(const TensorSpec& spec);  // the same, for the next iteration
// Throws BuildError unless the sides agree; `node` is the branch or loop, `what` says which of its
// values it is.
void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs);

// Throws Error unless the tensor is as it was declared.
void require_declared(const Tensor& tensor, const TensorSpec& spec);

}  // namespace detail
}  // namespace sluice
