#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/error.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice {

namespace detail {
void throw_empty(const std::string& context) {
  throw BuildError(context +
                   " a default-constructed Value; use one that a Graph or an operator has made");
}
void throw_foreign(const std::string& context) {
  throw BuildError(context + " a value of another pipeline; describe each pipeline on its own");
}

std::string is_given(std::string_view step) { return "'" + std::string(step) + "' is given"; }

void throw_empty_function(std::string_view step) {
  throw BuildError("'" + std::string(step) +
                   "' is given an empty function; give one that can be called");
}

std::string number_text(float number) { return fmt::format("{}", number); }
std::string number_text(double number) { return fmt::format("{}", number); }

void throw_inexact_constant(const std::string& who, const std::string& number,
                            std::string_view type) {
  throw BuildError(who + " the constant " + number + ", which does not fit type '" +
                   std::string(short_name(type)) +
                   "'; give one that fits, or convert the values with cast");
}
void throw_inexact_value(const std::string& number, std::string_view type) {
  throw std::out_of_range("the number " + number + " does not fit type '" +
                          std::string(short_name(type)) + "'");
}

std::string inner(const char* kind, const std::string& which, const std::string& place) {
  return std::string(kind) + " " + which + (place.empty() ? "" : " of " + place);
}
}  // namespace detail

Value<Tensor> Graph::declare(Value<Tensor> value, const TensorSpec& spec) {
  const detail::ArgumentContext context{builder_, "'declare' is given"};
  builder_.declare(detail::normal(context, value).slot(), spec);
  return value;
}

Value<float> Graph::uniform(Param<float> lo, Param<float> hi) {
  return detail::apply_operator<float>(builder_, detail::uniform_operator(), lo, hi);
}

Value<float> Graph::normal(Param<float> mean, Param<float> stddev) {
  return detail::apply_operator<float>(builder_, detail::normal_operator(), mean, stddev);
}

Value<bool> Graph::coin_flip(Param<float> probability) {
  return detail::apply_operator<bool>(builder_, detail::coin_flip_operator(), probability);
}

std::vector<std::string> Graph::branch_names(std::size_t count, const SelectOptions& options) {
  if (!options.branch_names.empty() && options.branch_names.size() != count) {
    throw BuildError("select: the number of branch_names is wrong (got " +
                     std::to_string(options.branch_names.size()) + ", expected " +
                     std::to_string(count) + "); give one for each branch");
  }
  if (!options.branch_names.empty()) return options.branch_names;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("branch " + std::to_string(i));
  return names;
}

void Graph::require_same_structure(const std::string& difference) const {
  if (difference.empty()) return;
  throw BuildError("'" + builder_.open_name() + "': " + builder_.open_part() +
                   " gives another structure: " + difference +
                   "; give both the same lengths and keys");
}

void Graph::require_branches(std::size_t count) {
  if (count == 0)
    throw BuildError("select: the vector of branches is empty; give at least one branch");
}

}  // namespace sluice
