// Adds a slot to a plan. Internal to those that make and change plans.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <string>
#include <utility>

namespace sluice::detail {

// The slot belongs to the block of `scope`.
inline SlotId add_slot(Plan& plan, const SlotType* type, std::string name, ScopeId scope) {
  Slot slot;
  slot.name = std::move(name);
  slot.type = type;
  slot.scope = scope;
  plan.slots.push_back(std::move(slot));
  return static_cast<SlotId>(plan.slots.size() - 1);
}

}  // namespace sluice::detail
