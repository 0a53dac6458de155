// The registry of operators: all that Sluice has, and those that a program registers. A plan that
// is saved names its operators; it can be loaded where all of them are registered.
//
// Ownership: what is registered stays for as long as the process. Threads: any number at once.
// Errors: BuildError for a name that is taken; see SavedPlan for plans.
#pragma once

#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/plan/operator.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace detail {
// Has all operators of Sluice, and the types of their values.
OperatorRegistry& registry();
}  // namespace detail

// Makes an operator (declare_operator.h) known by its name, which must be new.
void register_operator(detail::OperatorPtr op);
// Makes a type of values known by a name, so that plans with operators on it can be saved; lists of
// them, std::vector<T>, are known as "list of" that name.
template <class T>
void register_value_type(const std::string& name) {
  detail::registry().add_value_type<T>(name);
}

// All of them, by name.
std::vector<detail::OperatorPtr> operators();
// Null when there is none.
detail::OperatorPtr find_operator(std::string_view name);

// Reads what Pipeline::save() has written. Throws IoError when the file cannot be read, and
// BuildError when there is something else in it.
SavedPlan load_plan(const std::string& file);

}  // namespace sluice
