// The registry of operators: Sluice's own and those that a program registers. A saved plan refers
// to its operators by name; it can be loaded where all of them are registered.
//
// Ownership: registered operators live as long as the process. Threads: any number at once. Errors:
// BuildError for a name that is taken or not possible; for plans see SavedPlan.
#pragma once

#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/plan/operator.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace detail {
// Returns the registry, filled with all operators of Sluice and the types of their values.
OperatorRegistry& registry();
}  // namespace detail

// Registers an operator (declare_operator.h) under its name. The name must be new, and have only
// letters, digits and underscores.
void register_operator(detail::OperatorPtr op);
// Registers a value type under a name, so that plans with operators on it can be saved. Lists of
// it, std::vector<T>, are registered as "list of" that name.
template <class T>
void register_value_type(const std::string& name) {
  detail::registry().add_value_type<T>(name);
}

// Returns all operators, by name.
std::vector<detail::OperatorPtr> operators();
// Returns null if there is none.
detail::OperatorPtr find_operator(std::string_view name);

// Reads a plan written by Pipeline::save(). Throws IoError if the file cannot be read, and
// BuildError if it contains something else.
SavedPlan load_plan(const std::string& file);

}  // namespace sluice
