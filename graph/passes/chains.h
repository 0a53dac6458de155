// Chains of steps, and the insertion of steps into a plan. Chains are for passes that run several
// steps on an image as one: compose and fuse_kernels. push_crops uses only the functions that
// change steps.
//
// A chain is a row of steps of one block. Each step takes the image that the step before makes, and
// is its only reader. A pass exchanges the operators of a chain for versions that pass on a
// description of the image instead of the image: see LazySteps. So the pixels are computed once, at
// the end of the chain.
//
// Ownership: chains and insertions refer to steps of the plan. They are valid until steps are added
// to the plan or moved. Threads: one; a pass owns its plan. Errors: none.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <string>
#include <vector>

namespace sluice::detail {

struct Chain {
  std::vector<Step*> steps;  // in the order in which they run
  // The step that makes the image of the first step, if no other step uses that image. Null if one
  // does, or if a step between the two ends all chains.
  Step* maker = nullptr;
};

// The rules by which a pass forms chains; all four are needed. Steps in inner blocks form separate
// chains.
struct ChainRule {
  // False: a step of this kind ends all chains, as choices and loops do.
  bool (*allows)(StepKind kind);
  // True if the step may be part of a chain. Other steps may stand between those of a chain.
  bool (*may_join)(const Step& step);
  // True if the step, the only reader of the chain's last image, may continue the chain.
  bool (*may_follow)(const Chain& chain, const Step& step);
  // True if no step may follow this one.
  bool (*must_be_last)(const Step& step);
};

// Returns the chains of the plan, also those of one step. Call it while each stage has one step.
std::vector<Chain> find_chains(Plan& plan, const ChainRule& rule);

// The image that a step of a chain takes: its first argument.
SlotArgument& image_of(Step& step);
SlotId image_of(const Step& step);

// Replaces a step's operator by a version that takes or returns a description of the image. The
// types of the step's image and of its output change accordingly.
void exchange(Plan& plan, Step& step, const OperatorPtr& version);
// Replaces the operators of a chain. version(step) returns a step's version. Each step but the
// first keeps the chain's source image alive until it has run.
template <class Version>
void exchange(Plan& plan, const Chain& chain, const Version& version) {
  const SlotId source = image_of(*chain.steps.front()).slot;
  for (Step* const step : chain.steps) {
    if (step != chain.steps.front()) step->reads.push_back(source);
    exchange(plan, *step, version(*step));
  }
}

// Adds to a step's remark.
void add_remark(Step& step, const std::string& remark);
// Makes a step read the slot `to` in place of `from`.
void read_instead(const Plan& plan, Step& step, SlotId from, SlotId to);

// A stage of one step.
Node node_of(Step step);

// Steps to insert around another step. A step has at most one insertion.
struct Insertion {
  const Step* around = nullptr;
  std::vector<Step> before, after;
};
// Inserts steps into the block and the blocks inside.
void insert_steps(Block& block, std::vector<Insertion> insertions);

}  // namespace sluice::detail
