// PlanBuilder::State: the builder's state while a pipeline is described. Internal to
// plan_builder.cpp and plan_builder_specs.cpp.
#pragma once

#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/builder/regions.h>
#include <sluice/graph/plan/plan.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {

struct PlanBuilder::Open {
  std::variant<Choice, Loop> node;
  Block block;  // the branch, condition or body being recorded
  bool in_block = false;
  ScopeId loop_scope = 0;
  Choice& choice() { return std::get<Choice>(node); }
  Loop& loop() { return std::get<Loop>(node); }
  const std::string& name() const {
    return std::visit([](const auto& n) -> const std::string& { return n.name; }, node);
  }
};

// A list that an operator has made empty. One step in the body of one loop next to it fills it. The
// list cannot be used before that loop is over. An operator that takes it must be its only user.
struct PlanBuilder::OpenList {
  enum class State : std::uint8_t { empty, filled, used, taken };
  State state = State::empty;
  ScopeId loop = 0;  // the loop that fills it
};

struct PlanBuilder::State {
  Plan plan;
  std::vector<Open> open;  // branches and loops, outermost first
  std::map<std::string, int, std::less<>> names;
  std::uint32_t generators = 0;
  std::map<SlotId, OpenList> lists;
  std::deque<Boundary> boundaries;
};

}  // namespace sluice::detail
