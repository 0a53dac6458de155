#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/plan/operator_registry.h>
#include <sluice/runtime/error.h>

namespace sluice::detail {
namespace {

std::string names_of(const std::vector<const SlotType*>& types) {
  std::string text;
  for (const SlotType* type : types)
    text += (text.empty() ? "'" : ", '") + std::string(short_name(type->name)) + "'";
  return text.empty() ? "nothing" : text;
}

// Throws BuildError where function and schema differ.
void require_fit(const OperatorSchema& schema, const FunctionTypes& types) {
  const auto refuse = [&](const std::string& what) {
    throw BuildError("the operator '" + schema.name + "': " + what);
  };
  const std::size_t inputs = schema.inputs.size();
  if (types.items.size() != inputs + schema.parameters.size()) {
    refuse("its function takes " + std::to_string(types.items.size()) +
           " inputs and parameters, but " + std::to_string(inputs + schema.parameters.size()) +
           " are declared");
  }
  for (std::size_t i = 0; i < types.items.size(); ++i) {
    const FunctionTypes::Item& item = types.items[i];
    const bool is_input = i < inputs;
    const std::string& name = is_input ? schema.inputs[i].name : schema.parameters[i - inputs].name;
    const bool fits = is_input ? item.slots() == schema.inputs[i].types
                               : item.parameter == schema.parameters[i - inputs].type;
    if (!fits) refuse("its function takes '" + name + "' as another type than is declared");
  }
  const std::vector<const SlotType*> outputs = outputs_of(types);
  bool fits = outputs.size() == schema.outputs.size();
  for (std::size_t i = 0; fits && i < outputs.size(); ++i)
    fits = outputs[i] == schema.outputs[i].type;
  if (!fits) refuse("its function does not give the outputs that are declared");
}

}  // namespace

std::vector<const SlotType*> outputs_of(const FunctionTypes& types) {
  std::vector<const SlotType*> all;
  for (const GetSlotType type : types.returned) all.push_back(type());
  for (const GetSlotType type : types.written) all.push_back(type());
  return all;
}

OperatorPtr make_operator(OperatorSchema&& schema, OperatorFunctions&& functions,
                          const FunctionTypes& types,
                          SharedFunction<Run(const OperatorSchema&, const Call&)> bind) {
  schema.draws = types.draws;
  require_fit(schema, types);
  functions.bind = std::move(bind);
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

const Parameter& parameter_at(const Operator& op, std::size_t i) {
  static const Parameter none;
  const std::size_t inputs = op.schema().inputs.size();
  if (i < inputs || i - inputs >= op.schema().parameters.size()) return none;
  return op.schema().parameters[i - inputs];
}

void require_outputs(const Recorder& recorder, const Operator& op, const std::vector<SlotId>& slots,
                     const std::vector<const SlotType*>& types) {
  bool fits = slots.size() == types.size();
  for (std::size_t i = 0; fits && i < slots.size(); ++i)
    fits = recorder.plan().slots.at(slots[i]).type == types[i];
  if (fits) return;
  std::vector<const SlotType*> given;
  given.reserve(slots.size());
  for (const SlotId slot : slots) given.push_back(recorder.plan().slots.at(slot).type);
  throw BuildError("apply_operator: '" + op.name() + "' gives " + names_of(given) + ", but " +
                   names_of(types) + " is asked of it");
}

}  // namespace sluice::detail
