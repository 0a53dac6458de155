// choose_there: marks choices that a device can make by itself. Part of the pass join_gathers. See
// plan/device_choice.h.
//
// Such a choice is an if_else with two arms. Its condition is one comparison, which is not read
// elsewhere, of a number computed in the GPU batch with a number that the host knows before. Its
// arms contain only device work and random draws, and produce images or tensors made by the device.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <span>

namespace sluice::detail {

// Marks such choices among the nodes of one GPU batch.
void choose_there(const Plan& plan, std::span<Node> gather);

}  // namespace sluice::detail
