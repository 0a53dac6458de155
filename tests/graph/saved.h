// The registry that the graph's tests of saved plans use: the built-in operators, and Suit.
#pragma once

#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>

#include <cstdint>
#include <string>

namespace sluice {

enum class Suit : std::uint8_t { clubs, hearts, spades };

inline const detail::OperatorRegistry& registry() {
  struct Filled : detail::OperatorRegistry {
    Filled() {
      for (const detail::OperatorPtr& op : detail::built_in_operators()) add(op);
      add_value_type<Suit>("suit");
    }
  };
  static const Filled all;
  return all;
}
inline std::string json_of(const detail::Plan& plan) { return detail::to_json(plan, registry()); }

}  // namespace sluice
