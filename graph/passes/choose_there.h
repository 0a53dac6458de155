// choose_there: choices that a device makes by itself, part of the pass join_gathers. See
// plan/device_choice.h for what that is.
//
// Such a choice is if_else between two arms by one comparison, which nothing else reads, of a
// number that the gather computes with one that the host knows before. Its arms hold work of the
// device and draws, and give pictures or tensors that the device makes.
//
// Threads: a pure function. Errors: none.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <span>

namespace sluice::detail {

// Marks these of the choices among the nodes of a gather.
void choose_there(const Plan& plan, std::span<Node> gather);

}  // namespace sluice::detail
