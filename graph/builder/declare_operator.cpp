#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>

namespace sluice {

namespace detail {
namespace {

std::string names_of(const std::vector<const SlotType*>& types) {
  std::string text;
  for (const SlotType* type : types)
    text += (text.empty() ? "'" : ", '") + std::string(short_name(type->name)) + "'";
  return text.empty() ? "nothing" : text;
}

// Throws BuildError if function and schema differ.
void require_fit(const OperatorSchema& schema, const FunctionTypes& types) {
  const auto refuse = [&](const std::string& what) {
    throw BuildError("the operator '" + schema.name + "': " + what);
  };
  const std::size_t inputs = schema.inputs.size();
  if (types.items.size() != inputs + schema.parameters.size()) {
    refuse("its function takes the wrong number of inputs and parameters (got " +
           std::to_string(types.items.size()) + ", expected " +
           std::to_string(inputs + schema.parameters.size()) + ")");
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
                          Function<StepFunction(const OperatorSchema&, const Call&)> bind) {
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

ArgumentSlot argument_slot(const OperatorSchema& schema, std::size_t i, const Argument& argument) {
  ArgumentSlot from;
  const auto* slot = std::get_if<SlotArgument>(&argument);
  if (slot == nullptr) return from;
  from.slot = slot->slot;
  from.exists = true;
  const std::size_t inputs = schema.inputs.size();
  if (i >= inputs) from.checked_by = &schema.parameters[i - inputs];
  from.name = schema.name;
  return from;
}

void add_argument(Arguments& arguments, Argument&& argument) {
  arguments.push_back(std::move(argument));
}

void require_outputs(const PlanBuilder& builder, const Operator& op,
                     const std::vector<SlotId>& slots, const std::vector<const SlotType*>& types) {
  bool fits = slots.size() == types.size();
  for (std::size_t i = 0; fits && i < slots.size(); ++i)
    fits = builder.plan().slots.at(slots[i]).type == types[i];
  if (fits) return;
  std::vector<const SlotType*> given;
  given.reserve(slots.size());
  for (const SlotId slot : slots) given.push_back(builder.plan().slots.at(slot).type);
  throw BuildError("apply_operator: '" + op.name() + "' gives " + names_of(given) + ", but " +
                   names_of(types) + " is asked of it");
}

}  // namespace detail

OperatorDeclaration::OperatorDeclaration(std::string name) { schema_.name = std::move(name); }
OperatorDeclaration::OperatorDeclaration(const OperatorDeclaration&) = default;
OperatorDeclaration::OperatorDeclaration(OperatorDeclaration&&) noexcept = default;
OperatorDeclaration::~OperatorDeclaration() = default;

OperatorDeclaration& OperatorDeclaration::version(int version) {
  schema_.version = version;
  return *this;
}

OperatorDeclaration& OperatorDeclaration::family(std::string family) {
  schema_.family = std::move(family);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::summary(std::string summary) {
  schema_.summary = std::move(summary);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::in_cpp(std::string expression) {
  schema_.cpp.push_back(std::move(expression));
  return *this;
}

OperatorDeclaration& OperatorDeclaration::effect() {
  schema_.effect = true;
  return *this;
}

OperatorDeclaration& OperatorDeclaration::events(std::vector<std::string> names) {
  schema_.events = std::move(names);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::checks(Function<void(const detail::Arguments&)> check) {
  functions_.check = std::move(check);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::checks_makers(
    Function<void(const detail::Arguments&, std::span<const detail::Block* const>)> check) {
  functions_.check_makers = std::move(check);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::infers(
    Function<std::vector<TensorSpec>(const detail::Arguments&, const std::vector<TensorSpec>&)>
        infer) {
  functions_.infer = std::move(infer);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::sees_size() {
  functions_.input_region = [](const detail::Arguments&) {
    detail::InputRegion input_region;
    input_region.of = detail::InputRegion::Of::size;
    return input_region;
  };
  return *this;
}

OperatorDeclaration& OperatorDeclaration::decodes(detail::PartialDecoding decoding) {
  functions_.decoding = std::move(decoding);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::decodes_rows(detail::RowDecoding decoding) {
  functions_.row_decoding = std::move(decoding);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::defers(
    Function<detail::LazyForm(const detail::OperatorSchema&)> make) {
  make_lazy_form_ = std::move(make);
  return *this;
}

OperatorDeclaration& OperatorDeclaration::composes(
    Function<detail::ComposeRule(const detail::OperatorSchema&)> make) {
  make_compose_rule_ = std::move(make);
  return *this;
}

detail::OperatorSchema OperatorDeclaration::made_of(std::vector<std::string> operators) {
  schema_.made_of = std::move(operators);
  return std::move(schema_);
}

OperatorDeclaration& OperatorDeclaration::add_input(std::string name,
                                                    std::vector<const detail::SlotType*> types) {
  schema_.inputs.push_back({std::move(name), std::move(types)});
  return *this;
}
OperatorDeclaration& OperatorDeclaration::add_output(std::string name,
                                                     const detail::SlotType* type) {
  schema_.outputs.push_back({std::move(name), type});
  return *this;
}
OperatorDeclaration& OperatorDeclaration::add_parameter(detail::Parameter&& parameter) {
  schema_.parameters.push_back(std::move(parameter));
  return *this;
}

void OperatorDeclaration::complete() {
  if (make_input_region_) functions_.input_region = make_input_region_(schema_);
  if (make_lazy_form_) functions_.lazy_form = make_lazy_form_(schema_);
  if (make_compose_rule_) functions_.compose_rule = make_compose_rule_(schema_);
}

}  // namespace sluice
