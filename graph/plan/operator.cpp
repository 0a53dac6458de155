#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/arithmetic.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

// Returns the parameter's number type; empty if it takes several numbers, or none.
std::optional<NumberType> number_type_of(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return NumberType::boolean;
    case ParameterType::integer:
      return NumberType::i32;
    case ParameterType::wide_integer:
      return NumberType::i64;
    case ParameterType::number:
      return NumberType::f32;
    case ParameterType::wide_number:
      return NumberType::f64;
    default:
      return std::nullopt;
  }
}

// Converts the constant to the parameter's type if nothing is lost; else leaves it unchanged.
void convert(const Parameter& parameter, Constant& constant) {
  auto* const number = std::get_if<Number>(&constant);
  if (number == nullptr || number->type() == NumberType::boolean ||
      number->type() == NumberType::f16)
    return;
  const auto become = [number]<class To>(std::type_identity<To>) {
    number->visit_wide([number](auto from) {
      if (is_number_of<To>(from)) *number = static_cast<To>(from);
    });
  };
  switch (parameter.type) {
    case ParameterType::integer:
      return become(std::type_identity<std::int32_t>());
    case ParameterType::wide_integer:
      return become(std::type_identity<std::int64_t>());
    case ParameterType::number:
      return become(std::type_identity<float>());
    case ParameterType::wide_number:
      return become(std::type_identity<double>());
    default:
      return;
  }
}

bool has_type(const Parameter& parameter, const Constant& constant) {
  const auto* number = std::get_if<Number>(&constant);
  switch (parameter.type) {
    case ParameterType::any:
      return !std::holds_alternative<ValueType>(constant);
    case ParameterType::any_number:
      return number != nullptr;
    case ParameterType::any_whole:
      return number != nullptr && !is_fraction(number->type());
    case ParameterType::text:
    case ParameterType::choice:
      return std::holds_alternative<std::string>(constant);
    case ParameterType::rectangle:
      return std::holds_alternative<Rectangle>(constant);
    case ParameterType::numbers:
      return std::holds_alternative<std::vector<double>>(constant);
    case ParameterType::value_type:
      return std::holds_alternative<ValueType>(constant);
    default:
      return number != nullptr && number->type() == number_type_of(parameter.type);
  }
}

std::string choices_text(const Parameter& parameter) {
  std::string text;
  for (const NamedValue& choice : parameter.choices)
    text += (text.empty() ? "" : ", ") + choice.name;
  return text;
}

void check_constant(const std::string& op, const Parameter& parameter, const Constant& constant) {
  if (!has_type(parameter, constant)) {
    throw BuildError(
        fmt::format("{}: {} is {}, but must be {}", op, parameter.name, to_string(constant),
                    parameter.type == ParameterType::choice ? "one of " + choices_text(parameter)
                                                            : name_of(parameter.type)));
  }
  if (parameter.type >= ParameterType::any_number) return;
  if (parameter.optional && constant == parameter.default_value) return;
  if (const auto* number = std::get_if<Number>(&constant)) {
    if (number->type() == NumberType::boolean) return;
    number->visit_wide([&](auto value) {
      const auto wide = static_cast<double>(value);
      if (!parameter.allows(wide)) throw BuildError(refusal(op, parameter, wide));
    });
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&constant)) {
    if (numbers->size() != parameter.count) {
      throw BuildError(fmt::format("{}: {} must be {} numbers, not {}", op, parameter.name,
                                   parameter.count, numbers->size()));
    }
    Parameter one = parameter;
    for (std::size_t i = 0; i < numbers->size(); ++i) {
      one.name = fmt::format("{}[{}]", parameter.name, i);
      if (!one.allows((*numbers)[i])) throw BuildError(refusal(op, one, (*numbers)[i]));
    }
  } else if (const auto* text = std::get_if<std::string>(&constant)) {
    const auto& all = parameter.choices;
    if (parameter.type == ParameterType::choice &&
        std::none_of(all.begin(), all.end(),
                     [&](const NamedValue& c) { return c.name == *text; })) {
      throw BuildError(fmt::format("{}: {} must be one of {}, not '{}'", op, parameter.name,
                                   choices_text(parameter), *text));
    }
  }
}

void check_slot(const std::string& op, const std::string& what,
                const std::vector<const SlotType*>& accepted, const SlotArgument& slot) {
  if (std::find(accepted.begin(), accepted.end(), slot.type) != accepted.end()) return;
  std::string names;
  for (const SlotType* type : accepted)
    names += (names.empty() ? "" : " or ") + std::string(short_name(type->name));
  throw BuildError(fmt::format("{}: {} is given a value of '{}', but {}", op, what,
                               slot.type == nullptr ? "no type" : short_name(slot.type->name),
                               names.empty() ? "is the same for all samples: give a constant"
                                             : "must be one of '" + names + "'"));
}

// Formats with the parameter's precision: a float 0.1 prints as 0.1, not with a double's digits.
std::string number_text(const Parameter& p, double number) {
  return p.type == ParameterType::number || p.type == ParameterType::numbers
             ? fmt::format("{}", static_cast<float>(number))
             : fmt::format("{}", number);
}

}  // namespace

Constant::Constant() = default;
Constant::Constant(const Constant&) = default;
Constant::Constant(Constant&&) noexcept = default;
Constant& Constant::operator=(const Constant&) = default;
Constant& Constant::operator=(Constant&&) noexcept = default;
Constant::~Constant() = default;
Constant::Constant(Number number) : variant(number) {}
Constant::Constant(std::string text) : variant(std::move(text)) {}
Constant::Constant(Rectangle rectangle) : variant(rectangle) {}
Constant::Constant(std::vector<double> numbers) : variant(std::move(numbers)) {}
Constant::Constant(ValueType type) : variant(type) {}

Argument::Argument() = default;
Argument::Argument(const Argument&) = default;
Argument::Argument(Argument&&) noexcept = default;
Argument& Argument::operator=(const Argument&) = default;
Argument& Argument::operator=(Argument&&) noexcept = default;
Argument::~Argument() = default;
Argument::Argument(SlotArgument slot) : variant(slot) {}
Argument::Argument(Constant constant) : variant(std::move(constant)) {}

Parameter::Parameter() = default;
Parameter::Parameter(const Parameter&) = default;
Parameter::Parameter(Parameter&&) noexcept = default;
Parameter& Parameter::operator=(const Parameter&) = default;
Parameter& Parameter::operator=(Parameter&&) noexcept = default;
Parameter::~Parameter() = default;

OperatorSchema::OperatorSchema() = default;
OperatorSchema::OperatorSchema(const OperatorSchema&) = default;
OperatorSchema::OperatorSchema(OperatorSchema&&) noexcept = default;
OperatorSchema& OperatorSchema::operator=(const OperatorSchema&) = default;
OperatorSchema& OperatorSchema::operator=(OperatorSchema&&) noexcept = default;
OperatorSchema::~OperatorSchema() = default;

OperatorFunctions::OperatorFunctions() = default;
OperatorFunctions::OperatorFunctions(const OperatorFunctions&) = default;
OperatorFunctions::OperatorFunctions(OperatorFunctions&&) noexcept = default;
OperatorFunctions::~OperatorFunctions() = default;

const char* name_of(ParameterType type) {
  switch (type) {
    case ParameterType::boolean:
      return "bool";
    case ParameterType::integer:
      return "i32";
    case ParameterType::wide_integer:
      return "i64";
    case ParameterType::number:
      return "f32";
    case ParameterType::wide_number:
      return "f64";
    case ParameterType::text:
      return "text";
    case ParameterType::choice:
      return "choice";
    case ParameterType::rectangle:
      return "rectangle";
    case ParameterType::numbers:
      return "numbers";
    case ParameterType::any_number:
      return "any number";
    case ParameterType::any_whole:
      return "any whole number";
    case ParameterType::any:
      return "anything";
    case ParameterType::value_type:
      return "type of values";
  }
  return "?";
}

const SlotType* slot_type_of(NumberType type) {
  static const std::array<const SlotType*, std::tuple_size_v<NumberTypes>> types =
      []<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
        return std::array{slot_type<Ts>()...};
      }(std::type_identity<NumberTypes>());
  return types.at(static_cast<std::size_t>(type));
}
std::optional<NumberType> number_type_of(const SlotType* type) {
  for (std::size_t i = 0; i < std::tuple_size_v<NumberTypes>; ++i) {
    const auto number = static_cast<NumberType>(i);
    if (slot_type_of(number) == type) return number;
  }
  return std::nullopt;
}
std::optional<NumberType> number_type_of(const Argument& argument) {
  if (const auto* slot = std::get_if<SlotArgument>(&argument)) return number_type_of(slot->type);
  if (const auto* number = std::get_if<Number>(&std::get<Constant>(argument)))
    return number->type();
  return std::nullopt;
}

std::string to_string(const Number& number) {
  if (const auto* truth = number.get_if<bool>()) return *truth ? "true" : "false";
  return number.visit_wide([&](auto value) {
    // Prints only the digits that the number's type has.
    return is_fraction(number.type()) && number.type() != NumberType::f64
               ? fmt::format("{}", static_cast<float>(value))
               : fmt::format("{}", value);
  });
}
std::string to_string(const Constant& constant) {
  return std::visit(
      []<class T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, Number>) {
          return to_string(value);
        } else if constexpr (std::is_same_v<T, std::string>) {
          return "'" + value + "'";
        } else if constexpr (std::is_same_v<T, Rectangle>) {
          return fmt::format("y={} x={} height={} width={}", value.y, value.x, value.height,
                             value.width);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          std::string text;
          for (const double number : value) {
            // Prints 0.1, not the digits of a double, if the number is exactly a float.
            const auto single = static_cast<float>(number);
            const bool same = static_cast<double>(single) == number;
            text += (text.empty() ? "" : ", ") +
                    (same ? fmt::format("{}", single) : fmt::format("{}", number));
          }
          return "[" + text + "]";
        } else {
          return "'" + std::string(value.type == nullptr ? "no type" : value.type->name) + "'";
        }
      },
      constant);
}

std::vector<const SlotType*> Parameter::slot_types() const {
  if (!per_sample) return {};
  switch (type) {
    case ParameterType::any_number:
    case ParameterType::any_whole: {
      std::vector<const SlotType*> types;
      for (std::size_t i = 0; i < std::tuple_size_v<NumberTypes>; ++i) {
        const auto number = static_cast<NumberType>(i);
        if (type == ParameterType::any_number || !is_fraction(number))
          types.push_back(slot_type_of(number));
      }
      return types;
    }
    case ParameterType::text:
    case ParameterType::choice:
      return {slot_type<std::string>()};
    case ParameterType::rectangle:
      return {slot_type<Rectangle>()};
    case ParameterType::numbers:
      return {slot_type<Tensor>()};
    case ParameterType::value_type:
      return {slot_type<ValueType>()};
    case ParameterType::any:
      return {};
    default:
      return {slot_type_of(*number_type_of(type))};
  }
}

std::string range_text(const Parameter& p) {
  const bool ranged = p.type == ParameterType::numbers ||
                      (p.type != ParameterType::boolean && number_type_of(p.type));
  if (!ranged) return "";
  const bool below = p.low > -Parameter::kMost, above = p.high < Parameter::kMost;
  const auto text = [&](double limit) { return number_text(p, limit); };
  if (!below && !above) {
    return p.type == ParameterType::integer || p.type == ParameterType::wide_integer
               ? "any whole number"
               : "any finite number";
  }
  return (below ? fmt::format("{} {} ", text(p.low), p.low_open ? "<" : "<=") : std::string()) +
         "x" +
         (above ? fmt::format(" {} {}", p.high_open ? "<" : "<=", text(p.high)) : std::string());
}

std::string refusal(std::string_view op, const Parameter& p, double number) {
  const bool below = p.low > -Parameter::kMost, above = p.high < Parameter::kMost;
  const auto text = [&](double limit) { return number_text(p, limit); };
  std::string legal;
  if (below && above && !p.low_open && !p.high_open) {
    legal = fmt::format("lie between {} and {}", text(p.low), text(p.high));
  } else if (below && above) {
    legal = fmt::format("be {} {} and {} {}", p.low_open ? "above" : "at least", text(p.low),
                        p.high_open ? "below" : "at most", text(p.high));
  } else if (!std::isfinite(number)) {
    legal = "be a finite number";
  } else if (below) {
    legal = fmt::format("be {} {}", p.low_open ? "above" : "at least", text(p.low));
  } else {
    legal = fmt::format("be {} {}", p.high_open ? "below" : "at most", text(p.high));
  }
  return fmt::format("{}: {} must {}, not {}{}{}", op, p.name, legal, number_text(p, number),
                     p.hint.empty() ? "" : "; ", p.hint);
}

void throw_refused(std::string_view op, const Parameter& parameter, double number) {
  throw std::invalid_argument(refusal(op, parameter, number));
}

void read_numbers(std::string_view op, const Parameter& parameter, const Tensor& tensor,
                  std::span<float> numbers) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(fmt::format("{}: {} is given {}", op, parameter.name, what));
  };
  if (tensor.dtype() == DType::boolean) refuse("a tensor of bool; give one of numbers");
  const Shape& shape = tensor.shape();
  const auto count = static_cast<std::size_t>(shape.rank == 1 ? shape[0] : 1);
  const bool whole = shape.rank <= 1 && count == numbers.size();
  const bool fewer = shape.rank <= 1 && (count == 1 || (count > 2 && count < numbers.size()));
  if (!whole && !fewer) {
    refuse(fmt::format(
        "a tensor of shape {}; give one dimension of {}{} numbers, or one number for all",
        to_string(shape), numbers.size() == 4 ? "3 or " : "", numbers.size()));
  }
  const auto* rest = parameter.default_value
                         ? std::get_if<std::vector<double>>(&*parameter.default_value)
                         : nullptr;
  if (count < numbers.size() && rest != nullptr)
    std::transform(rest->begin(), rest->end(), numbers.begin(),
                   [](double number) { return static_cast<float>(number); });
  const std::int64_t step = shape.rank == 1 ? tensor.strides()[0] : 0;
  visit_dtype(tensor.dtype(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      const T element = tensor.data<T>()[static_cast<std::int64_t>(i) * step];
      const auto number = static_cast<double>(plain(element));
      if (!parameter.allows(number) || !fits(number, numbers[i])) {
        Parameter one = parameter;
        one.name = fmt::format("{}[{}]", parameter.name, i);
        throw_refused(op, one, number);
      }
    }
  });
  if (count == 1) std::fill(numbers.begin(), numbers.end(), numbers.front());
}

void check_channels(std::string_view op, const Parameter& parameter, const Image& image,
                    std::span<const float> numbers) {
  if (image.empty() || image.channels() != 1) return;
  const std::size_t given = numbers.size() - (numbers.back() == 0 ? 1 : 0);
  const auto first = numbers.first(given);
  if (std::all_of(first.begin(), first.end(), [&](float one) { return one == numbers.front(); }))
    return;
  throw std::invalid_argument(
      fmt::format("{}: {} has {} values but the image has 1 channel; pass one value", op,
                  parameter.name, given));
}

// The device version, which is added after the operator was made, and its guard.
struct Operator::DeviceVersion {
  std::mutex mutex;
  OperatorPtr version;
};

Operator::Operator(OperatorSchema schema, OperatorFunctions functions)
    : schema_(std::move(schema)),
      functions_(std::move(functions)),
      device_version_(std::make_unique<DeviceVersion>()) {
  const auto require = [this](bool good, const std::string& what) {
    if (!good) throw BuildError("the operator '" + schema_.name + "' " + what);
  };
  require(!schema_.name.empty(), "has no name");
  require(schema_.version >= 1, "has no version of at least 1");
  require(static_cast<bool>(functions_.bind), "has nothing to run");
  std::vector<std::string> names;
  for (const Input& input : schema_.inputs) names.push_back(input.name);
  for (const Parameter& parameter : schema_.parameters) names.push_back(parameter.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) require(false, "has two arguments '" + *twice + "'");
  for (const Parameter& parameter : schema_.parameters) {
    if (parameter.default_value) check_constant(schema_.name, parameter, *parameter.default_value);
  }
}

Arguments Operator::arrange(std::vector<std::pair<std::string, Argument>> named) const {
  Arguments arguments;
  const auto take = [&](const std::string& name, const std::optional<Constant>& otherwise) {
    const auto at = std::find_if(named.begin(), named.end(),
                                 [&](const auto& argument) { return argument.first == name; });
    if (at != named.end()) {
      arguments.push_back(std::move(at->second));
      named.erase(at);
    } else if (otherwise) {
      arguments.emplace_back(*otherwise);
    } else {
      throw BuildError(schema_.name + ": '" + name + "' is missing");
    }
  };
  for (const Input& input : schema_.inputs) take(input.name, std::nullopt);
  for (const Parameter& parameter : schema_.parameters)
    take(parameter.name, parameter.default_value);
  if (!named.empty())
    throw BuildError(schema_.name + ": there is no parameter '" + named.front().first + "'");
  return arguments;
}

void Operator::check(Arguments& arguments) const {
  const std::size_t inputs = schema_.inputs.size();
  const std::size_t given = arguments.size();
  if (const std::size_t wanted = inputs + schema_.parameters.size(); given != wanted) {
    const auto name_at = [&](std::size_t i) -> const std::string& {
      return i < inputs ? schema_.inputs[i].name : schema_.parameters[i - inputs].name;
    };
    throw BuildError(fmt::format(
        "{}: {} {} given, but it takes {}{}", schema_.name, counted(given, "argument"),
        given == 1 ? "is" : "are", wanted,
        given < wanted ? fmt::format("; '{}' is missing", name_at(given)) : std::string()));
  }
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto* slot = std::get_if<SlotArgument>(&arguments[i]);
    if (slot == nullptr) {
      throw BuildError(schema_.name + ": the input '" + schema_.inputs[i].name +
                       "' is given a constant; give it a value");
    }
    if (schema_.inputs[i].types.empty()) continue;
    check_slot(schema_.name, "the input '" + schema_.inputs[i].name + "'", schema_.inputs[i].types,
               *slot);
  }
  for (std::size_t i = 0; i < schema_.parameters.size(); ++i) {
    const Parameter& parameter = schema_.parameters[i];
    Argument& argument = arguments[inputs + i];
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
      if (parameter.type == ParameterType::any_whole && slot->type != nullptr &&
          slot->type->count != nullptr)
        continue;
      check_slot(schema_.name, "'" + parameter.name + "'", parameter.slot_types(), *slot);
    } else {
      auto& constant = std::get<Constant>(argument);
      convert(parameter, constant);
      check_constant(schema_.name, parameter, constant);
    }
  }
  try {
    if (functions_.check) functions_.check(arguments);
  } catch (const std::invalid_argument& error) {  // from the kernels' own checks
    throw BuildError(error.what());
  }
}

std::vector<const SlotType*> Operator::output_types(const Arguments& arguments) const {
  if (functions_.output_types) return functions_.output_types(arguments);
  std::vector<const SlotType*> types;
  for (const Output& output : schema_.outputs) types.push_back(output.type);
  return types;
}

std::vector<TensorSpec> Operator::infer(const Arguments& arguments,
                                        const std::vector<TensorSpec>& inputs) const {
  if (functions_.infer) return functions_.infer(arguments, inputs);
  return std::vector<TensorSpec>(schema_.outputs.size());
}

InputRegion Operator::input_region(const Arguments& arguments) const {
  return functions_.input_region ? functions_.input_region(arguments) : InputRegion();
}

Operator::~Operator() = default;

void Operator::set_device_version(OperatorPtr version) const {
  const std::lock_guard lock(device_version_->mutex);
  if (device_version_->version != nullptr)
    throw BuildError("the operator '" + name() + "' already has a version for devices");
  device_version_->version = std::move(version);
}

OperatorPtr Operator::device_version() const {
  const std::lock_guard lock(device_version_->mutex);
  return device_version_->version;
}

}  // namespace sluice::detail
