// Writes plans as JSON, and reads and writes their constants.
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::detail {
namespace {

using Json = nlohmann::ordered_json;

// Returns the double with the fewest digits that equals this float: 0.1, not 0.10000000149011612.
double shortest(float number) {
  const double same = number;
  if (!std::isfinite(number)) return same;
  const double fewer = std::strtod(fmt::format("{}", number).c_str(), nullptr);
  return static_cast<float>(fewer) == number ? fewer : same;
}

Json natural(const Number& number) {
  if (const auto* truth = number.get_if<bool>()) return *truth;
  return number.visit_wide([&](auto value) -> Json {
    if (is_fraction(number.type()) && number.type() != NumberType::f64)
      return shortest(static_cast<float>(value));
    return value;
  });
}
Json natural(const Constant& constant) {
  if (const auto* number = std::get_if<Number>(&constant)) return natural(*number);
  if (const auto* text = std::get_if<std::string>(&constant)) return *text;
  if (const auto* type = std::get_if<ValueType>(&constant))
    return std::string(type->type->name);  // the Writer writes the registered name
  if (const auto* area = std::get_if<Rectangle>(&constant))
    return {{"y", area->y}, {"x", area->x}, {"height", area->height}, {"width", area->width}};
  Json all = Json::array();  // the elements are floats
  for (const double number : std::get<std::vector<double>>(constant)) {
    const auto narrow = static_cast<float>(number);
    all.push_back(static_cast<double>(narrow) == number ? shortest(narrow) : number);
  }
  return all;
}

// Returns a constant with the name of its type, for parameters that accept several types.
Json typed(const Constant& constant) {
  if (const auto* number = std::get_if<Number>(&constant)) {
    const std::string_view type = name_of(number->type());
    const double wide = number->visit_wide([](auto value) { return static_cast<double>(value); });
    if (!std::isfinite(wide)) return {{type, std::isnan(wide) ? "nan" : wide > 0 ? "inf" : "-inf"}};
    return {{type, natural(*number)}};
  }
  if (std::holds_alternative<std::string>(constant)) return {{"text", natural(constant)}};
  if (std::holds_alternative<Rectangle>(constant)) return {{"rectangle", natural(constant)}};
  return {{"numbers", natural(constant)}};
}

// Throws for a name that readers of the file refuse.
const std::string& printable(const std::string& name) {
  if (const std::string shown = escape_control_chars(name); shown != name) {
    throw BuildError("the name '" + shown +
                     "' has characters that cannot be printed, so the plan cannot be saved; choose "
                     "another name");
  }
  return name;
}

class Writer {
 public:
  Writer(const Plan& plan, const OperatorRegistry& registry) : plan_(plan), registry_(registry) {}

  Json write() {
    Json all;
    all["format"] = kPlanFormat;
    all["version"] = kPlanVersion;
    all["source"] = source();
    all["slots"] = Json::array();
    Json steps = nodes(plan_.top);
    for (const SlotId slot : made_) all["slots"].push_back(type_of(slot));
    all["steps"] = std::move(steps);
    all["outputs"] = uses(plan_.outputs, "the pipeline's result");
    return all;
  }

 private:
  Json source() {
    const Step* only = nullptr;
    for (const Node& node : plan_.top.nodes) {
      for (const Step& step : steps_in(node)) {
        if (!step.pinned) continue;
        if (only != nullptr) {
          throw BuildError("'" + step.name +
                           "' is a second source, but a saved plan has only one: let '" +
                           only->name + "' give all values");
        }
        only = &step;
      }
    }
    if (only == nullptr) throw BuildError("a plan without a source cannot be saved");
    return {{"name", printable(only->name)}, {"outputs", define(only->writes)}};
  }

  Json nodes(const Block& block) {
    // A nested block takes up to four levels of JSON.
    if (++depth_ > (kPlanDepth - 8) / 4)
      throw BuildError("choices and loops are nested too deeply for a file");
    Json all = Json::array();
    for (const Node& node : block.nodes) {
      visit(
          node,
          [&](const Stage& stage) {
            for (const Step& one : stage.steps) {
              if (!one.pinned) all.push_back(step(one));
            }
          },
          [&](const Choice& one) { all.push_back(choice(one)); },
          [&](const Loop& one) { all.push_back(loop(one)); });
    }
    --depth_;
    return all;
  }

  Json step(const Step& step) {
    if (step.op == nullptr) return alias(step);
    if (!is_registered(registry_, step.op)) {
      throw BuildError("the operator '" + step.op->name() + "' of the step '" + step.name +
                       "' is not registered, so it cannot be saved: call register_operator first "
                       "(docs/your-own-operator.md)");
    }
    const OperatorSchema& schema = step.op->schema();
    Json all;
    all["operator"] = schema.name;
    all["version"] = schema.version;
    if (step.name != schema.name) all["name"] = printable(step.name);
    Json arguments = Json::object();
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const bool is_input = i < schema.inputs.size();
      const Parameter* parameter =
          is_input ? nullptr : &schema.parameters[i - schema.inputs.size()];
      Json written = argument(step.arguments[i], parameter, step.name);
      if (parameter != nullptr && is_default(written, *parameter, step.name)) continue;
      arguments[is_input ? schema.inputs[i].name : parameter->name] = std::move(written);
    }
    all["arguments"] = std::move(arguments);
    if (schema.draws) all["generator"] = step.generator;
    all["outputs"] = define(made_by(step));
    for (const auto& [slot, spec] : step.declared) all["declared"].push_back(declared(slot, spec));
    return all;
  }

  // Returns the slots that the step writes, except for lists that it fills.
  static std::vector<SlotId> made_by(const Step& step) {
    std::vector<SlotId> made = step.writes;
    const std::vector<Input>& inputs = step.op->schema().inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].use == InputUse::fills)
        std::erase(made, std::get<SlotArgument>(step.arguments[i]).slot);
    }
    return made;
  }

  Json alias(const Step& step) {
    if (step.writes.size() != 1 || !plan_.slots[step.writes[0]].same_as) {
      throw BuildError("the step '" + step.name +
                       "' is a function of this program, which cannot be saved: declare an "
                       "operator for it, and register that (docs/your-own-operator.md)");
    }
    Json all;
    all["alias"] = printable(step.name);
    all["of"] = use(step.reads.at(0), step.name);
    all["outputs"] = define(step.writes);
    return all;
  }

  Json declared(SlotId slot, const TensorSpec& spec) {
    Json all;
    all["slot"] = use(slot, "a declaration");
    if (spec.dtype) all["dtype"] = sluice::name_of(*spec.dtype);
    if (spec.layout) all["layout"] = sluice::name_of(*spec.layout);
    if (spec.rank) all["rank"] = *spec.rank;
    return all;
  }

  Json argument(const Argument& argument, const Parameter* parameter, const std::string& user) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument))
      return {{"slot", use(slot->slot, user)}};
    const auto& constant = std::get<Constant>(argument);
    if (const auto* type = std::get_if<ValueType>(&constant)) return name_of(type->type, user);
    if (parameter == nullptr || parameter->type == ParameterType::any ||
        parameter->type == ParameterType::any_number || parameter->type == ParameterType::any_whole)
      return typed(constant);
    return natural(constant);
  }

  // True if a reader uses this argument by default. Compares texts, because -0.0 is not 0.0.
  bool is_default(const Json& written, const Parameter& parameter, const std::string& user) {
    return parameter.default_value &&
           written.dump() == argument(*parameter.default_value, &parameter, user).dump();
  }

  Json block(const Block& block, const std::string& user) {
    Json all;
    all["steps"] = nodes(block);
    all["results"] = uses(block.results, user);
    return all;
  }

  Json choice(const Choice& choice) {
    if (!choice.choosing) {
      throw BuildError("'" + choice.name +
                       "' chooses by a value that cannot be saved: make it a bool, or a number of "
                       "fixed width, with cast<T>(value)");
    }
    Json all;
    all["choice"] = printable(choice.name);
    all["by"] = choice.choosing->by == Choosing::By::truth ? "truth" : "number";
    all["on"] = argument(choice.choosing->argument, nullptr, choice.name);
    if (choice.eager) all["eager"] = true;
    all["branches"] = Json::array();
    for (std::size_t i = 0; i < choice.branches.size(); ++i) {
      Json branch;
      branch["name"] = printable(choice.branch_names[i]);
      branch.update(block(choice.branches[i], choice.name));
      all["branches"].push_back(std::move(branch));
    }
    all["outputs"] = define(choice.results);
    return all;
  }

  Json loop(const Loop& loop) {
    Json all;
    all["loop"] = printable(loop.name);
    all["max_iterations"] = loop.max_iterations;
    all["init"] = uses(loop.init, loop.name);
    all["state"] = define(loop.state);
    all["iteration"] = define({loop.iteration})[0];
    const std::size_t before = made_.size();
    all["condition"] = block(loop.condition, loop.name);
    for (std::size_t i = before; i < made_.size(); ++i) {
      if (inside(plan_, loop.condition.scope, plan_.slots[made_[i]].scope))
        if (plan_.slots[made_[i]].scope != loop.condition.scope) all["condition"]["shared"] = true;
    }
    all["body"] = block(loop.body, loop.name);
    all["outputs"] = define(loop.results);
    return all;
  }

  Json define(const std::vector<SlotId>& slots) {
    Json all = Json::array();
    for (const SlotId slot : slots) {
      numbers_[slot] = made_.size();
      all.push_back(made_.size());
      made_.push_back(slot);
    }
    return all;
  }
  std::size_t use(SlotId slot, const std::string& user) const {
    const auto at = numbers_.find(slot);
    if (at == numbers_.end())
      throw BuildError("'" + user + "' uses '" + plan_.slots.at(slot).name +
                       "', which no earlier step makes");
    return at->second;
  }
  Json uses(const std::vector<SlotId>& slots, const std::string& user) const {
    Json all = Json::array();
    for (const SlotId slot : slots) all.push_back(use(slot, user));
    return all;
  }

  std::string type_of(SlotId slot) const {
    return name_of(plan_.slots[slot].type, plan_.slots[slot].name);
  }
  std::string name_of(const SlotType* type, const std::string& user) const {
    const std::string_view name = registry_.name_of_type(type);
    if (name.empty()) {
      throw BuildError("'" + user + "' is a '" + std::string(type->name) +
                       "', a type that cannot be saved: call register_value_type first "
                       "(docs/your-own-operator.md)");
    }
    return std::string(name);
  }

  const Plan& plan_;
  const OperatorRegistry& registry_;
  std::map<SlotId, std::size_t> numbers_;  // the slots' numbers in the file
  std::vector<SlotId> made_;               // the slots by number
  int depth_ = 0;
};

// Prints JSON that fits on a line on one line.
void print(const Json& json, const std::string& indent, std::string& text) {
  constexpr std::size_t kLine = 120;
  std::string line = json.dump();
  if (line.size() + indent.size() <= kLine || !json.is_structured()) {
    text += line;
    return;
  }
  const std::string inner = indent + "  ";
  text += json.is_array() ? "[" : "{";
  bool first = true;
  for (const auto& item : json.items()) {
    text += (first ? "\n" : ",\n") + inner;
    first = false;
    if (json.is_object()) text += Json(item.key()).dump() + ": ";
    print(item.value(), inner, text);
  }
  text += "\n" + indent + (json.is_array() ? "]" : "}");
}

}  // namespace

std::string to_json(const Plan& plan, const OperatorRegistry& registry) {
  try {
    std::string text;
    print(Writer(plan, registry).write(), "", text);
    return text + "\n";
  } catch (const Json::type_error&) {
    throw BuildError("the plan cannot be saved: a name or text in it is not UTF-8");
  }
}

namespace {

double wide_of(const JsonPlace& place) {
  if (!place.is_text()) return place.number();
  const std::string& text = place.text();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  place.fail("must be a number, or one of 'nan', 'inf' and '-inf'");
}

template <class T>
T number_of(const JsonPlace& place) {
  if constexpr (std::is_same_v<T, bool>) {
    return place.boolean();
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return place.unsigned_integer();
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(
        place.integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::is_same_v<T, double>) {
    return wide_of(place);
  } else {
    if (place.is_text()) return static_cast<T>(static_cast<float>(wide_of(place)));
    return static_cast<T>(place.narrow_number());
  }
}

Rectangle rectangle_of(const JsonPlace& place) {
  place.only({"y", "x", "height", "width"});
  const auto number = [&](const char* name) {
    return static_cast<std::int32_t>(place.field(name).integer(INT32_MIN, INT32_MAX));
  };
  return {number("y"), number("x"), number("height"), number("width")};
}

std::vector<double> numbers_of(const JsonPlace& place) {
  std::vector<double> all;
  for (std::size_t i = 0; i < place.size(); ++i) all.push_back(place.at(i).narrow_number());
  return all;
}

}  // namespace

Constant typed_constant(const JsonPlace& place) {
  if (!place.is_object() || place.names().size() != 1)
    place.fail(R"(must be a slot, as {"slot": 3}, or a constant and its type, as {"i32": 5})");
  place.only({"bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64",
              "text", "rectangle", "numbers"});
  const std::string type = place.names().front();
  const JsonPlace value = place.field(type);
  std::optional<Number> number;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view name) {
    if (type == name) number = number_of<T>(value);
  });
  if (number) return *number;
  if (type == "text") return value.text();
  if (type == "rectangle") return rectangle_of(value);
  return numbers_of(value);
}

Constant constant_of(const JsonPlace& place, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::boolean:
      return place.boolean();
    case ParameterType::integer:
      return static_cast<std::int32_t>(place.integer(INT32_MIN, INT32_MAX));
    case ParameterType::wide_integer:
      return place.integer(INT64_MIN, INT64_MAX);
    case ParameterType::number:
      return place.narrow_number();
    case ParameterType::wide_number:
      return place.number();
    case ParameterType::text:
    case ParameterType::choice:
      return place.text();
    case ParameterType::rectangle:
      return rectangle_of(place);
    case ParameterType::numbers:
      return numbers_of(place);
    case ParameterType::any_number:
    case ParameterType::any_whole:
    case ParameterType::any:
    case ParameterType::value_type:
      break;
  }
  return typed_constant(place);
}

}  // namespace sluice::detail
