// Passes: functions from plan to plan, applied in this order by `prepare`. None changes what a
// program means.
//
//   check    the plan makes sense, or BuildError says what is wrong
//   prune    steps that no output needs are gone, unless they have effects
//   sink     a step whose every use is inside one arm moves into that arm, so it runs only when the
//   arm is taken fuse     neighbouring steps of a block become one stage: one task place    finds
//   the slots that always end as one output; their values are written straight into the batch
//   release  the last use of a value gives its memory back
//
// Threads: pure functions. Errors: only check throws.
#pragma once

#include <sluice/graph/plan.h>

namespace sluice {

void check(const Plan& plan);
Plan prune(Plan plan);
Plan sink(Plan plan);
Plan carry(Plan plan);
Plan fuse(Plan plan);
Plan place(Plan plan);
Plan release(Plan plan);

Plan prepare(Plan plan);

}  // namespace sluice
