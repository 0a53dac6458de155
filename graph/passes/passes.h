// Passes: functions from plan to plan, applied in this order by `prepare`. None but compose changes
// what a program means.
//
//   check          the plan makes sense, or BuildError says what is wrong
//   prune          steps that no output needs are gone, unless they have effects
//   sink           a step whose every use is inside one arm moves into that arm, so it runs only
//                  when the arm is taken
//   push_crops     of a picture that a sample sees by its size and through one region alone, no
//                  more is made than that region
//   compose        maps of colours in a row become one, and so do maps of places; runs only if the
//                  pipeline wants it, since pixels then differ
//   split_for_device  what the host does for a step that runs on a device becomes a step of its
//                  own before it
//   fuse_kernels   operators in a row, each of which alone reads what the one before makes, do
//                  their work at once, in the last of them
//   carry          finds what the body of a loop makes and gives to its next iteration
//   fuse           neighbouring steps of a block become one stage: one task, or one gather of a
//                  device; one that waits is a stage of its own, and a step that needs a number
//                  from a device begins another gather. What needs nothing of the sample, a draw
//                  say, goes in front of a gather that it would cut in two
//   join_gathers  a choice between steps on a device is part of their gather; where it needs a
//                  number from there, a sample goes on in another gather of the same parts
//   place_outputs  finds the slots that always end as one output; their values are written straight
//                  into the batch
//   release        the last use of a value gives its memory back
//   number         every part of the plan has counters of its own
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
Plan join_gathers(Plan plan);
Plan place_outputs(Plan plan);
Plan release(Plan plan);
Plan number(Plan plan);

// Is shown the plan after each pass that may change what the plan says.
using PassObserver = std::function<void(std::string_view pass, const Plan& after)>;
// `composes`: see PipelineOptions::compose.
Plan prepare(Plan plan, const PassObserver& observer = {}, bool composes = false);
// The same for a plan that has been checked, so that each value that a sample has can be looked at
// when it has ended: without the passes that take some away.
Plan prepare_to_inspect(Plan plan);

}  // namespace sluice::detail
