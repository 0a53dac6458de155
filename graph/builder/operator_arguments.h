// How the function of an operator takes its arguments: which types may be constants of a plan, and
// how an argument is read from a sample. Internal to declare_operator.h, but for InputTraits.
//
// Ownership: a reader refers to the operator's schema. Threads: it reads on several at once.
// Errors: a value that the schema does not allow is the error of its sample.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/sample.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace sluice::detail {

// How a T is a constant of a plan. Enumerations are choices.
template <class T>
struct ConstantTraits {
  static constexpr bool exists = std::is_enum_v<T>;
  static constexpr ParameterType type = ParameterType::choice;
  static Constant to(T value, const Parameter& parameter) {
    for (const Choice& choice : parameter.choices) {
      if (choice.value == static_cast<std::int64_t>(value)) return choice.name;
    }
    return static_cast<std::int64_t>(value);  // which is none of the choices
  }
  static T from(const Constant& constant, const Parameter& parameter) {
    for (const Choice& choice : parameter.choices) {
      if (choice.name == std::get<std::string>(constant)) return static_cast<T>(choice.value);
    }
    return T{};
  }
};
template <class T, ParameterType kType>
struct SameConstant {
  static constexpr bool exists = true;
  static constexpr ParameterType type = kType;
  static Constant to(const T& value, const Parameter&) { return value; }
  static T from(const Constant& constant, const Parameter&) {
    if constexpr (is_known_number<T>) {
      return std::get<Number>(constant).as<T>();
    } else {
      return std::get<T>(constant);
    }
  }
};
template <>
struct ConstantTraits<bool> : SameConstant<bool, ParameterType::boolean> {};
template <>
struct ConstantTraits<std::int32_t> : SameConstant<std::int32_t, ParameterType::integer> {};
template <>
struct ConstantTraits<std::int64_t> : SameConstant<std::int64_t, ParameterType::wide_integer> {};
template <>
struct ConstantTraits<float> : SameConstant<float, ParameterType::number> {};
template <>
struct ConstantTraits<double> : SameConstant<double, ParameterType::wide_number> {};
template <>
struct ConstantTraits<std::string> : SameConstant<std::string, ParameterType::text> {};
template <>
struct ConstantTraits<Rectangle> : SameConstant<Rectangle, ParameterType::rectangle> {};
template <std::size_t N>
struct ConstantTraits<std::array<float, N>> {
  static constexpr bool exists = true;
  static constexpr ParameterType type = ParameterType::numbers;
  static constexpr std::size_t count = N;
  static Constant to(const std::array<float, N>& value, const Parameter&) {
    return std::vector<double>(value.begin(), value.end());
  }
  static std::array<float, N> from(const Constant& constant, const Parameter&) {
    std::array<float, N> value{};
    const auto& numbers = std::get<std::vector<double>>(constant);
    for (std::size_t i = 0; i < N; ++i) value[i] = static_cast<float>(numbers.at(i));
    return value;
  }
};

// Which slots an input of type T takes, and how it reads one. Inputs of several types specialise
// it.
template <class T>
struct InputTraits {
  static std::vector<const SlotType*> types() { return {slot_type<T>()}; }
  static const T& of(const Sample& sample, const SlotArgument& from) {
    return sample.get<T>(from.slot);
  }
};

// An argument, as the function gets it.
template <class T, bool kMayBeConstant = ConstantTraits<T>::exists>
class ArgumentReader {
 public:
  ArgumentReader(const OperatorSchema& schema, std::size_t i, const Argument& argument)
      : slot_(std::get<SlotArgument>(argument)) {
    static_cast<void>(schema);
    static_cast<void>(i);
  }
  decltype(auto) of(const Sample& sample) const { return InputTraits<T>::of(sample, slot_); }

 private:
  SlotArgument slot_;
};
// The slot of an argument that may be a constant, and what its values must be.
struct ArgumentSlot {
  SlotId slot = 0;
  bool exists = false;                    // else it is a constant
  const Parameter* checked_by = nullptr;  // null for an input
  std::string_view name;                  // of the operator
};
ArgumentSlot argument_slot(const OperatorSchema& schema, std::size_t i, const Argument& argument);

template <class T>
class ArgumentReader<T, true> {
 public:
  ArgumentReader(const OperatorSchema& schema, std::size_t i, const Argument& argument)
      : from_(argument_slot(schema, i, argument)) {
    if (!from_.exists) {
      constant_ = ConstantTraits<T>::from(std::get<Constant>(argument),
                                          schema.parameters[i - schema.inputs.size()]);
    }
  }
  const T& of(const Sample& sample) const {
    if (!from_.exists) return constant_;
    const T& value = sample.get<T>(from_.slot);
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (from_.checked_by != nullptr && !from_.checked_by->allows(static_cast<double>(value)))
        throw_refused(from_.name, *from_.checked_by, static_cast<double>(value));
    }
    return value;
  }

 private:
  T constant_{};
  ArgumentSlot from_;
};

// Several numbers: a value of them is a tensor.
template <std::size_t N>
class ArgumentReader<std::array<float, N>, true> {
 public:
  ArgumentReader(const OperatorSchema& schema, std::size_t i, const Argument& argument)
      : name_(schema.name), parameter_(schema.parameters.at(i - schema.inputs.size())) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
      slot_ = slot->slot;
    } else {
      constant_ =
          ConstantTraits<std::array<float, N>>::from(std::get<Constant>(argument), parameter_);
    }
  }
  std::array<float, N> of(const Sample& sample) const {
    if (!slot_) return constant_;
    std::array<float, N> numbers{};
    read_numbers(name_, parameter_, sample.get<Tensor>(*slot_), numbers);
    return numbers;
  }

 private:
  std::string_view name_;
  const Parameter& parameter_;
  std::optional<SlotId> slot_;
  std::array<float, N> constant_{};
};

}  // namespace sluice::detail
