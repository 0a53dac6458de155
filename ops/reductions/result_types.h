// Helpers for operators that reduce images and tensors to a number of a chosen type, i64, f32 or
// f64: the type is their last parameter `to`. For operators only.
//
// Errors: those of the reducing function. Threads: any.
#pragma once

#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/runtime/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

// Calls visit(std::type_identity<To>()) with the type that the argument names.
template <class Visit>
void visit_result(const Argument& to, const Visit& visit) {
  const std::string& name = *constant_of<std::string>(to);
  if (name == known_number_name<std::int64_t>()) return visit(std::type_identity<std::int64_t>());
  if (name == known_number_name<float>()) return visit(std::type_identity<float>());
  visit(std::type_identity<double>());
}

inline OperatorSchema result_schema(std::string name, std::string summary,
                                    std::vector<std::string> cpp, std::string help,
                                    DType otherwise) {
  OperatorSchema made;
  made.name = std::move(name);
  made.family = "reductions";
  made.summary = std::move(summary);
  made.cpp = std::move(cpp);
  made.inputs = {{"data", InputTraits<Levels>::types()}};
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = std::move(help);
  for (const DType type : {DType::i64, DType::f32, DType::f64})
    to.choices.push_back({name_of(type), static_cast<std::int64_t>(type)});
  to.default_value = Constant(std::string(name_of(otherwise)));
  made.parameters = {std::move(to)};
  made.outputs = {{"number", nullptr}};
  return made;
}

// Argument number `to` selects the type of the output.
inline OperatorFunctions result_functions(std::size_t to) {
  OperatorFunctions made;
  made.output_types = [to](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_result(arguments.at(to),
                 [&]<class To>(std::type_identity<To>) { types = {slot_type<To>()}; });
    return types;
  };
  return made;
}

// Returns the step that writes reduce(std::type_identity<To>(), tensor) of the first argument to
// the output.
template <class F>
StepFunction bound_to_result(const Call& call, const Argument& to, const F& reduce) {
  StepFunction run;
  visit_result(to, [&]<class To>(std::type_identity<To>) {
    run = [reduce, data = std::get<SlotArgument>(call.arguments[0]),
           out = call.outputs[0]](Sample& sample) {
      sample.get<To>(out) =
          reduce(std::type_identity<To>(), InputTraits<Levels>::of(sample, data).tensor);
    };
  });
  return run;
}

// Runs a sample check while the pipeline is described: its error becomes a BuildError.
template <class F>
void as_build_error(const F& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    throw BuildError(error.what());
  }
}

}  // namespace sluice::detail
