// Passes: functions from plan to plan, which `prepare` applies in this order. Only `compose` may
// change results.
//
//   check          checks the plan; throws BuildError if it is invalid
//   prune          removes steps that no output needs, unless they have effects
//   sink           moves a step into a branch if all its uses are inside that branch, so that it
//                  runs only when the branch is taken
//   push_crops     makes only one region of an image if a sample uses just the image's size and
//                  that region
//   compose        combines consecutive color operators into one map, and likewise geometric
//                  operators; runs only on request, since pixels then differ
//   split_for_device
//                  makes a separate step of the work that the host does before a device step
//   fuse_kernels   combines the work of consecutive operators in the last of them, if each is the
//                  only reader of the one before
//   carry          finds the values that a loop's body makes and passes to its next iteration
//   fuse           combines neighboring steps of a block into one stage: one task, or one GPU
//                  batch. A step that waits is a stage of its own. A step that needs a number from
//                  a device begins another GPU batch. Steps without sample inputs, such as random
//                  draws, move in front of a GPU batch that they would split
//   join_device_batches
//                  makes a choice between device steps part of their GPU batch. If the choice needs
//                  a number computed there, a sample continues in another GPU batch of the same
//                  parts
//   place_outputs  finds the slots that always end as one output; their values are written directly
//                  into the batch
//   release        frees a value's memory after its last use
//   number         assigns counters to all parts of the plan
//
// Threads: pure functions. Errors: only check throws.
#pragma once

#include <sluice/graph/plan/plan_text.h>

#include <functional>
#include <string>
#include <string_view>

namespace sluice::detail {

void check(const Plan& plan);
Plan prune(Plan plan);
Plan sink(Plan plan);
Plan push_crops(Plan plan);
Plan compose(Plan plan);
Plan split_for_device(Plan plan);
Plan fuse_kernels(Plan plan);
Plan carry(Plan plan);
Plan fuse(Plan plan);
Plan join_device_batches(Plan plan);
Plan place_outputs(Plan plan);
Plan release(Plan plan);
Plan number(Plan plan);

// Called with the plan after each pass except `number`.
using PassObserver = std::function<void(std::string_view pass, const Plan& after)>;
// `composes`: see PipelineOptions::compose.
Plan prepare(Plan plan, const PassObserver& observer = {}, bool composes = false);
// The same for a plan that has been checked, without the passes that remove values. So each value
// of a sample can be inspected after the sample has ended.
Plan prepare_to_inspect(Plan plan);
// The same as prepare(), for samples that do not become part of a batch.
Plan prepare_to_evaluate(Plan plan);

}  // namespace sluice::detail
