// add_slot() and add_scope() add slots and scopes to a plan. Internal to code that makes or changes
// plans.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>

#include <string>
#include <utility>

namespace sluice::detail {

// Adds a slot that belongs to the block of `scope`, and returns its id.
inline SlotId add_slot(Plan& plan, const SlotType* type, std::string name, ScopeId scope) {
  Slot slot;
  slot.name = std::move(name);
  slot.type = type;
  slot.scope = scope;
  plan.slots.push_back(std::move(slot));
  return static_cast<SlotId>(plan.slots.size() - 1);
}

// The greatest nesting depth of scopes. It is limited because passes recurse into each scope.
inline constexpr int kMostNesting = 500;

// Adds a scope inside `parent`. Throws BuildError if it would be nested too deeply.
inline ScopeId add_scope(Plan& plan, ScopeId parent, std::string name) {
  int depth = 1;
  for (ScopeId at = parent; at != 0; at = plan.scopes[at].parent) ++depth;
  if (depth > kMostNesting) {
    throw BuildError(name + " lies too deep (got " + std::to_string(depth) +
                     " levels of choices and loops, expected at most " +
                     std::to_string(kMostNesting) +
                     "); write a long else-if chain as one select, and a function that calls "
                     "itself on values as a loop");
  }
  plan.scopes.push_back({parent, std::move(name)});
  return static_cast<ScopeId>(plan.scopes.size() - 1);
}

}  // namespace sluice::detail
