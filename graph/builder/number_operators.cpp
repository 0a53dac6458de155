// Arithmetic, comparison and conversion of numbers, as operators.
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/error.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

Parameter number_parameter(std::string name, std::string help) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::any_number;
  parameter.help = std::move(help);
  return parameter;
}

NumberSide side_of(const Argument& argument) {
  return {number_type_of(argument).value_or(NumberType::boolean),
          std::holds_alternative<Constant>(argument)};
}

// Reads a number as a C, from a constant or from a slot of the sample.
template <class C>
class NumberOperand {
 public:
  explicit NumberOperand(const Argument& argument) {
    if (const auto* slot = std::get_if<SlotArgument>(&argument)) {
      slot_ = slot->slot;
      for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
        if (slot->type == slot_type<T>())
          load_ = [](const void* at) { return static_cast<C>(plain(*static_cast<const T*>(at))); };
      });
    } else {
      constant_ = std::get<Number>(std::get<Constant>(argument)).visit_wide([](auto constant) {
        return static_cast<C>(constant);
      });
    }
  }
  C of(const Sample& sample) const {
    return load_ == nullptr ? constant_ : load_(sample.address(slot_));
  }
  C of_constant() const { return constant_; }

 private:
  C (*load_)(const void*) = nullptr;
  SlotId slot_ = 0;
  C constant_{};
};

// The slot for a result, of any number type.
template <class C>
class NumberResult {
 public:
  NumberResult(NumberType type, SlotId slot) : type_(type), slot_(slot) {
    for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
      if constexpr (is_whole<C> == std::is_integral_v<T>) {
        if (number_type_of<T>() == type) {
          store_ = [](Sample& sample, SlotId to, C x) {
            return store_result(x, sample.get<T>(to));
          };
        }
      }
    });
  }
  NumberType type() const { return type_; }
  // Returns false if the type cannot hold the number.
  bool set(Sample& sample, C x) const { return store_(sample, slot_, x); }

 private:
  NumberType type_;
  SlotId slot_;
  bool (*store_)(Sample&, SlotId, C) = nullptr;
};

using RunShared = void (*)(const void*, Sample&);

// All numbers are computed in one of four types. Steps of one type hold the same data. Only the
// function that runs for a sample differs.
template <class C>
struct Computing {
  NumberOperand<C> x, y;
  NumberResult<C> to;
  NumberOperation what;
  bool two;

  template <NumberOperation kWhat>
  static void run(const void* shared, Sample& sample) {
    const auto& step = *static_cast<const Computing*>(shared);
    const C a = step.x.of(sample), b = step.y.of(sample);
    C result{};
    if (!compute<kWhat>(a, b, result) || !step.to.set(sample, result)) step.fail(a, b);
  }
  [[noreturn]] void fail(C a, C b) const {
    throw_overflow(what, text_of(a), two ? text_of(b) : "", to.type());
  }
};
template <class C>
StepFunction computing_in(NumberOperation what, NumberType type, const Call& call) {
  static constexpr auto all = table_of([](auto op) -> RunShared {
    if constexpr (computes_in<C>(op)) {
      return Computing<C>::template run<op>;
    } else {
      return nullptr;
    }
  });
  const NumberOperand<C> x(call.arguments.front()), y(call.arguments.back());
  const Computing<C> step{x, y, {type, call.outputs[0]}, what, call.arguments.size() > 1};
  return {all.at(static_cast<std::size_t>(what)), std::make_shared<const Computing<C>>(step)};
}

template <class X, class Y>
struct Comparing {
  NumberOperand<X> x;
  NumberOperand<Y> y;
  SlotId out;

  template <NumberOperation kWhat>
  static void run(const void* shared, Sample& sample) {
    const auto& step = *static_cast<const Comparing*>(shared);
    sample.get<bool>(step.out) = compare<kWhat>(step.x.of(sample), step.y.of(sample));
  }
};
template <class X, class Y>
StepFunction comparing_as(NumberOperation what, const Argument& left, const Argument& right,
                          SlotId out) {
  static constexpr auto all = table_of([](auto op) -> RunShared {
    if constexpr (is_comparison(op)) {
      return Comparing<X, Y>::template run<op>;
    } else {
      return nullptr;
    }
  });
  const Comparing<X, Y> step{NumberOperand<X>(left), NumberOperand<Y>(right), out};
  return {all.at(static_cast<std::size_t>(what)), std::make_shared<const Comparing<X, Y>>(step)};
}

// Rounds a constant fraction to the precision of the other operand's fraction type.
Argument rounded(const Argument& argument, NumberType beside) {
  Argument made = argument;
  if (!std::holds_alternative<Constant>(argument) || !is_fraction(side_of(argument).type) ||
      !is_fraction(beside))
    return made;
  const double number = NumberOperand<double>(argument).of_constant();
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
    if constexpr (!std::is_integral_v<T>) {
      T as{};
      if (number_type_of<T>() == beside && fits(number, as)) made = Constant(as);
    }
  });
  return made;
}
StepFunction comparing(NumberOperation what, const Call& call) {
  const NumberType left = side_of(call.arguments[0]).type, right = side_of(call.arguments[1]).type;
  const Argument x = rounded(call.arguments[0], right), y = rounded(call.arguments[1], left);
  const SlotId out = call.outputs[0];
  if (!is_fraction(left) && !is_fraction(right)) return comparing_as<Wide, Wide>(what, x, y, out);
  if (!is_fraction(left)) return comparing_as<Wide, double>(what, x, y, out);
  if (!is_fraction(right)) return comparing_as<double, Wide>(what, x, y, out);
  return comparing_as<double, double>(what, x, y, out);
}

// Returns null for arguments that the operation does not take. There are one or two arguments.
const SlotType* result_of(NumberOperation what, const Arguments& arguments) {
  const NumberSide x = side_of(arguments.front()), y = side_of(arguments.back());
  if (is_bitwise(what) && (is_fraction(x.type) || is_fraction(y.type))) return nullptr;
  return slot_type_of(result_type(what, x, y));
}
// A constant takes the type of the value beside it.
void check_constants(NumberOperation what, const Arguments& arguments) {
  const NumberType type = result_type(what, side_of(arguments.front()), side_of(arguments.back()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!std::holds_alternative<Constant>(arguments[i]) ||
        std::holds_alternative<Constant>(arguments[arguments.size() - 1 - i]))
      continue;
    check_constant(what, std::get<Number>(std::get<Constant>(arguments[i])), type);
  }
}

StepFunction run_of(NumberOperation what, const Call& call) {
  if (is_comparison(what)) return comparing(what, call);
  if (what == NumberOperation::logical_not) {
    return [x = NumberOperand<bool>(call.arguments[0]), out = call.outputs[0]](Sample& sample) {
      sample.get<bool>(out) = !x.of(sample);
    };
  }
  const NumberSide x = side_of(call.arguments.front()), y = side_of(call.arguments.back());
  const NumberType type = result_type(what, x, y);
  return visit_computing_type(type, x.type, y.type, [&]<class C>(std::type_identity<C>) {
    return computing_in<C>(what, type, call);
  });
}

OperatorSchema schema_of(const char* name, const char* cpp, const char* summary, bool two) {
  OperatorSchema schema;
  schema.name = name;
  schema.family = "arithmetic";
  schema.summary = summary;
  schema.cpp = {cpp};
  schema.parameters = {number_parameter("x", two ? "the left side" : "the number")};
  if (two) schema.parameters.push_back(number_parameter("y", "the right side"));
  schema.outputs = {{"result", nullptr}};
  return schema;
}

OperatorPtr computing(NumberOperation what, const char* cpp, const char* summary) {
  OperatorSchema schema = schema_of(name_of(what), cpp, summary, what < NumberOperation::negate);
  OperatorFunctions functions;
  functions.output_types = [what](const Arguments& arguments) {
    return std::vector<const SlotType*>{result_of(what, arguments)};
  };
  functions.check = [what](const Arguments& arguments) {
    if (result_of(what, arguments) == nullptr) {
      throw BuildError(std::string(name_of(what)) + ": x and y must be whole numbers; cast them");
    }
    check_constants(what, arguments);
  };
  functions.bind = [what](const OperatorSchema&, const Call& call) { return run_of(what, call); };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

NumberType type_named(const Argument& name) {
  NumberType found = NumberType::boolean;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view type) {
    if (*constant_of<std::string>(name) == type) found = number_type_of<T>();
  });
  return found;
}

// Returns the function that converts a C to `type` and stores it in a slot; an std::int64_t may be
// a bool. Null if the conversion can lose something and `casts` is false.
template <class C>
using Become = void (*)(C, Sample&, SlotId);
template <class C>
Become<C> become(NumberType type, bool casts) {
  Become<C> found = nullptr;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
    if (number_type_of<T>() != type) return;
    if (casts) {
      found = [](C x, Sample& sample, SlotId to) {
        T made{};
        if (!fits(x, made)) throw_cast(text_of(x), number_type_of<T>());
        sample.get<T>(to) = made;
      };
    } else if constexpr (number_becomes<C, T> ||
                         (std::is_same_v<T, bool> && std::is_same_v<C, std::int64_t>)) {
      found = [](C x, Sample& sample, SlotId to) {
        sample.get<T>(to) = exact_value<T>(x, type_name<T>());
      };
    }
  });
  return found;
}
template <class C>
StepFunction converting_as(NumberType type, bool casts, const Call& call) {
  const Become<C> made = become<C>(type, casts);
  if (made == nullptr) return {};
  return [x = NumberOperand<C>(call.arguments[0]), out = call.outputs[0], made](Sample& sample) {
    made(x.of(sample), sample, out);
  };
}
// Returns an empty function for types that it does not convert.
StepFunction converting(bool casts, const Call& call) {
  const NumberType from = side_of(call.arguments[0]).type, to = type_named(call.arguments[1]);
  // Only a cast converts between bool and other numbers: see runtime/arithmetic.h.
  if (!casts && (from == NumberType::boolean) != (to == NumberType::boolean)) return {};
  if (is_fraction(from)) return converting_as<double>(to, casts, call);
  if (from == NumberType::u64) return converting_as<std::uint64_t>(to, casts, call);
  return converting_as<std::int64_t>(to, casts, call);
}

OperatorPtr conversion(bool casts, const char* name, const char* cpp, const char* summary) {
  OperatorSchema schema = schema_of(name, cpp, summary, false);
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = "type of the result";
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view type) {
    to.choices.push_back({std::string(type), static_cast<std::int64_t>(to.choices.size())});
  });
  schema.parameters.push_back(std::move(to));
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& arguments) {
    return std::vector<const SlotType*>{slot_type_of(type_named(arguments[1]))};
  };
  functions.bind = [casts](const OperatorSchema&, const Call& call) {
    return converting(casts, call);
  };
  functions.check = [name = std::string(name), casts](const Arguments& arguments) {
    if (!converting(casts, {arguments, {0}, 0, nullptr}))
      throw BuildError(name + ": numbers of this type may lose something as '" +
                       *constant_of<std::string>(arguments[1]) + "'; cast them");
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

}  // namespace

const OperatorPtr& cast_operator() {
  static const OperatorPtr op = conversion(true, "cast", "cast<float>(x)",
                                           "Converts a number to another type; truncates fractions "
                                           "and fails if the value does not fit.");
  return op;
}

const OperatorPtr& convert_operator() {
  static const OperatorPtr op =
      conversion(false, "convert", "g.uniform(0.f, x)",
                 "Converts a number to a parameter's type; fails if the value does not fit.");
  return op;
}

const OperatorPtr& filter_operator() {
  static const OperatorPtr op = [] {
    OperatorSchema schema;
    schema.name = "filter";
    schema.family = "control";
    schema.summary = "Keeps samples for which the predicate holds and filters out the others.";
    schema.cpp = {"g.filter(x > y)"};
    schema.parameters = {number_parameter("predicate", "false and zero filter the sample out")};
    schema.effect = true;
    OperatorFunctions functions;
    functions.bind = [](const OperatorSchema&, const Call& call) -> StepFunction {
      return [predicate = NumberOperand<bool>(call.arguments[0])](Sample& sample) {
        if (!predicate.of(sample)) sample.drop();
      };
    };
    return std::make_shared<const Operator>(std::move(schema), std::move(functions));
  }();
  return op;
}

const OperatorPtr& arithmetic_operator(std::string_view name) {
  using enum NumberOperation;
  static const std::array all{
      computing(add, "x + y", "Adds x and y."),
      computing(subtract, "x - y", "Subtracts y from x."),
      computing(multiply, "x * y", "Multiplies x by y."),
      computing(divide, "x / y", "Divides x by y; integers round toward zero."),
      computing(remainder, "x % y", "Returns the remainder of x / y, with the sign of x."),
      computing(floor_divide, "floor_divide(x, y)",
                "Divides x by y and rounds down, as Python's x // y."),
      computing(modulo, "modulo(x, y)",
                "Returns x modulo y with the sign of y, as Python's x % y."),
      computing(power, "power(x, y)", "Raises x to the power y."),
      computing(minimum, "minimum(x, y)",
                "Returns the smaller of two numbers, or NaN if one is NaN."),
      computing(maximum, "maximum(x, y)",
                "Returns the larger of two numbers, or NaN if one is NaN."),
      computing(bitwise_and, "x & y", "Returns the bitwise AND of x and y."),
      computing(bitwise_or, "x | y", "Returns the bitwise OR of x and y."),
      computing(bitwise_xor, "x ^ y", "Returns the bitwise XOR of x and y."),
      computing(less, "x < y", "Returns true if x < y."),
      computing(greater, "x > y", "Returns true if x > y."),
      computing(less_equal, "x <= y", "Returns true if x <= y."),
      computing(greater_equal, "x >= y", "Returns true if x >= y."),
      computing(equal, "x == y", "Returns true if x == y."),
      computing(not_equal, "x != y", "Returns true if x != y."),
      computing(negate, "-x", "Negates x."),
      computing(absolute, "abs(x)", "Returns the absolute value of x."),
      computing(square_root, "sqrt(x)", "Returns the square root of x, or NaN if x is negative."),
      computing(exponential, "exp(x)", "Returns e to the power x."),
      computing(logarithm, "log(x)",
                "Returns the natural logarithm of x, or NaN if x is negative."),
      computing(logical_not, "!(x > y)", "Returns true if x is false or zero.")};
  for (const OperatorPtr& op : all) {
    if (op->name() == name) return op;
  }
  throw BuildError("there is no operator '" + std::string(name) + "' on numbers");
}

}  // namespace sluice::detail
