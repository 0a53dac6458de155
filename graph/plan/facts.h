// Facts: what is known, while a pipeline is described, of the tensors that a slot will hold: the
// same for every sample. Arms that would give tensors of different type, layout or number of
// dimensions are refused by them before any sample runs. Sizes are no facts: they may differ from
// sample to sample. A fact is left out where nobody knows it, and then agrees with everything.
//
// Threads: pure functions. Errors: BuildError and Error, as said below.
#pragma once

#include <sluice/runtime/tensor.h>

#include <optional>
#include <string>

namespace sluice {

struct Facts {
  std::optional<DType> dtype = {};
  std::optional<Layout> layout = {};
  std::optional<int> rank = {};  // number of dimensions, 0 to Shape::kMaxRank

  friend bool operator==(const Facts&, const Facts&) = default;
};

// "f16, CHW, 3 dimensions"; what is not known is left out.
std::string to_string(const Facts& facts);

namespace detail {

// All of them, of a value that is there.
Facts facts_of(const ValueSpec& spec);

// False when both sides know something and do not know the same.
bool agree(const Facts& a, const Facts& b);
// What holds on either side: what both know. What one side does not know is not known of the
// result, so that no program is refused on a guess.
Facts common(const Facts& a, const Facts& b);

// One of several ways to a value.
struct Side {
  Facts facts;
  std::string where;  // "in the arm 'then'"
};
Side in_arm(const Facts& facts, const std::string& arm);
Side as_it_begins(const Facts& facts);          // what a loop carries
Side as_the_body_gives_it(const Facts& facts);  // the same, for the next iteration
// Throws BuildError unless the sides agree; `node` is the branch or loop, `what` says which of its
// values it is.
void require_agreement(const std::string& node, const std::string& what, const Side& ours,
                       const Side& theirs);

// Throws Error unless the tensor is as it was declared.
void require_declared(const Tensor& tensor, const Facts& facts);

}  // namespace detail
}  // namespace sluice
