// Lists the operators; the Python functions are generated from this.
#include "description.h"
#include "values.h"
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/image.h>

#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace sluice::python {
namespace {

nb::list names_of(const std::vector<const detail::SlotType*>& types) {
  nb::list names;
  for (const detail::SlotType* type : types)
    names.append(std::string(detail::registry().name_of_type(type)));
  return names;
}

nb::object to_python(const detail::Constant& constant) {
  return std::visit(
      []<class T>(const T& value) -> nb::object {
        if constexpr (std::is_same_v<T, detail::Number>) {
          if (const auto* truth = value.template get_if<bool>()) return nb::cast(*truth);
          // In its short form: 0.1 rather than 0.10000000149.
          if (value.type() == detail::NumberType::f32)
            return nb::module_::import_("builtins").attr("float")(detail::to_string(value));
          return value.visit_wide([](auto wide) { return nb::cast(wide); });
        } else if constexpr (std::is_same_v<T, Rectangle>) {
          return nb::make_tuple(value.y, value.x, value.height, value.width);
        } else if constexpr (std::is_same_v<T, detail::ValueType>) {
          return nb::cast(std::string(detail::registry().name_of_type(value.type)));
        } else {
          return nb::cast(value);
        }
      },
      constant);
}

nb::dict to_dict(const detail::Parameter& parameter) {
  nb::dict all;
  all["name"] = parameter.name;
  all["type"] = detail::name_of(parameter.type);
  all["kind"] = static_cast<int>(parameter.type);
  all["slots"] = names_of(parameter.slot_types());
  all["required"] = !parameter.default_value.has_value();
  all["default"] = parameter.default_value ? to_python(*parameter.default_value) : nb::none();
  all["optional"] = parameter.optional;
  all["range"] = detail::range_text(parameter);
  nb::list choices;
  for (const detail::NamedValue& choice : parameter.choices) choices.append(choice.name);
  all["choices"] = choices;
  all["count"] = parameter.count;
  all["per_sample"] = parameter.per_sample;
  all["help"] = parameter.help;
  return all;
}

nb::dict to_dict(const detail::OperatorSchema& schema) {
  nb::dict all;
  all["name"] = schema.name;
  all["family"] = schema.family;
  all["summary"] = schema.summary;
  nb::list inputs;
  for (const detail::Input& input : schema.inputs) {
    nb::dict one;
    one["name"] = input.name;
    one["types"] = names_of(input.types);
    one["any"] = input.any;
    inputs.append(one);
  }
  all["inputs"] = inputs;
  nb::list parameters;
  for (const detail::Parameter& parameter : schema.parameters)
    parameters.append(to_dict(parameter));
  all["parameters"] = parameters;
  nb::list outputs;
  for (const detail::Output& output : schema.outputs) {
    nb::dict one;
    one["name"] = output.name;
    one["type"] = output.type == nullptr
                      ? std::string()
                      : std::string(detail::registry().name_of_type(output.type));
    outputs.append(one);
  }
  all["outputs"] = outputs;
  all["draws"] = schema.draws;
  all["effect"] = schema.effect;
  all["events"] = schema.events;
  all["made_of"] = schema.made_of;
  return all;
}

}  // namespace

void bind_operators(nb::module_& module) {
  module.def("operators", [] {
    nb::list all;
    for (const detail::OperatorPtr& op : detail::registry().all())
      all.append(to_dict(op->schema()));
    return all;
  });
  module.def("functions", [] {
    nb::list all;
    for (const detail::OperatorSchema& schema : detail::registry().functions())
      all.append(to_dict(schema));
    return all;
  });
}

}  // namespace sluice::python
