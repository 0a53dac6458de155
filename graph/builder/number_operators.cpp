// Arithmetic, comparison and conversion of numbers, as operators.
#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/builder/number_functions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/numbers.h>

#include <array>
#include <string>

namespace sluice::detail {
namespace {

Parameter number_parameter(std::string name, std::string help) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::any_number;
  parameter.help = std::move(help);
  return parameter;
}

// The type of a result, which is null for arguments that the operation does not take, and its step.
using Run = std::function<void(Sample&)>;
struct Computed {
  const SlotType* type = nullptr;
  std::function<Run(const Call&)> bind;
};

NumberSide side_of(const Argument& argument) {
  NumberSide side;
  side.constant = std::holds_alternative<Constant>(argument);
  visit_number_type(number_type(argument),
                    [&]<class T>(std::type_identity<T>) { side.type = number_type_of<T>(); });
  return side;
}

const SlotType* slot_type_of(NumberType type) {
  const SlotType* found = nullptr;
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
    if (number_type_of<T>() == type) found = slot_type<T>();
  });
  return found;
}

// The slot that a result goes to, of any type of numbers.
template <class C>
class NumberResult {
 public:
  NumberResult(NumberType type, SlotId slot) : type_(type), slot_(slot) {
    for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view) {
      if constexpr (is_whole<C> == std::is_integral_v<T>) {
        if (number_type_of<T>() == type) {
          store_ = [](Sample& sample, SlotId to, C x) { return stored(x, sample.get<T>(to)); };
        }
      }
    });
  }
  NumberType type() const { return type_; }
  // False if the type does not hold it.
  bool set(Sample& sample, C x) const { return store_(sample, slot_, x); }

 private:
  NumberType type_;
  SlotId slot_;
  bool (*store_)(Sample&, SlotId, C) = nullptr;
};

// All numbers are computed in one of four types.
template <NumberOperation kWhat, class C, bool kTwo>
Run computing_in(NumberType type, const Call& call) {
  const NumberOperand<C> x(call.arguments[0]), y(call.arguments[kTwo ? 1 : 0]);
  return [x, y, to = NumberResult<C>(type, call.outputs[0])](Sample& sample) {
    const C a = x.of(sample), b = y.of(sample);
    C result{};
    if (!compute<kWhat>(a, b, result) || !to.set(sample, result))
      throw_overflow(kWhat, text_of(a), kTwo ? text_of(b) : "", to.type());
  };
}
template <NumberOperation kWhat, bool kTwo>
Run computing_with(NumberType type, const Call& call) {
  if (type == NumberType::f64) return computing_in<kWhat, double, kTwo>(type, call);
  if (is_fraction(type)) return computing_in<kWhat, float, kTwo>(type, call);
  bool wide = type == NumberType::u64;
  for (const Argument& argument : call.arguments)
    wide = wide || side_of(argument).type == NumberType::u64;
  if (wide) return computing_in<kWhat, Wide, kTwo>(type, call);
  return computing_in<kWhat, std::int64_t, kTwo>(type, call);
}

template <NumberOperation kWhat, class X, class Y>
Run comparing_as(const Argument& left, const Argument& right, SlotId out) {
  return [x = NumberOperand<X>(left), y = NumberOperand<Y>(right), out](Sample& sample) {
    sample.get<bool>(out) = compare<kWhat>(x.of(sample), y.of(sample));
  };
}
// A constant fraction, as a value of another type of fractions has it.
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
template <NumberOperation kWhat>
Run comparing(const Call& call) {
  const NumberType left = side_of(call.arguments[0]).type, right = side_of(call.arguments[1]).type;
  const Argument x = rounded(call.arguments[0], right), y = rounded(call.arguments[1], left);
  const SlotId out = call.outputs[0];
  if (!is_fraction(left) && !is_fraction(right)) return comparing_as<kWhat, Wide, Wide>(x, y, out);
  if (!is_fraction(left)) return comparing_as<kWhat, Wide, double>(x, y, out);
  if (!is_fraction(right)) return comparing_as<kWhat, double, Wide>(x, y, out);
  return comparing_as<kWhat, double, double>(x, y, out);
}

// A constant takes the type of the value beside it.
void check_constants(NumberOperation what, NumberType type, const Arguments& arguments) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (!std::holds_alternative<Constant>(arguments[i]) ||
        std::holds_alternative<Constant>(arguments[1 - i]))
      continue;
    std::visit(
        [&]<class X>(const X& constant) {
          if constexpr (is_known_number<X>) {
            visit_number_type(slot_type_of(type), [&]<class T>(std::type_identity<T>) {
              check_constant<T>(what, constant);
            });
          }
        },
        std::get<Constant>(arguments[i]));
  }
}

template <NumberOperation kWhat>
Computed binary_of(const Arguments& arguments) {
  const NumberSide x = side_of(arguments[0]), y = side_of(arguments[1]);
  if (is_bitwise(kWhat) && (is_fraction(x.type) || is_fraction(y.type))) return {};
  const NumberType type = result_type(kWhat, x, y);
  check_constants(kWhat, type, arguments);
  if constexpr (is_comparison(kWhat)) {
    return {slot_type_of(type), comparing<kWhat>};
  } else {
    return {slot_type_of(type),
            [type](const Call& call) { return computing_with<kWhat, true>(type, call); }};
  }
}

template <NumberOperation kWhat>
Computed unary_of(const Arguments& arguments) {
  const NumberSide x = side_of(arguments[0]);
  if constexpr (kWhat == NumberOperation::logical_not) {
    return {slot_type<bool>(), [](const Call& call) {
              Run run;
              visit_plain_type(number_type(call.arguments[0]), [&]<class C>(std::type_identity<C>) {
                run = [x = NumberOperand<C>(call.arguments[0]), out = call.outputs[0]](
                          Sample& sample) { sample.get<bool>(out) = !(x.of(sample) != C{}); };
              });
              return run;
            }};
  } else {
    const NumberType type = result_type(kWhat, x, x);
    return {slot_type_of(type),
            [type](const Call& call) { return computing_with<kWhat, false>(type, call); }};
  }
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

OperatorPtr computing(OperatorSchema schema, Computed (*of)(const Arguments&)) {
  OperatorFunctions functions;
  functions.output_types = [of](const Arguments& arguments) {
    return std::vector<const SlotType*>{of(arguments).type};
  };
  functions.check = [of, name = schema.name](const Arguments& arguments) {
    if (of(arguments).type == nullptr)
      throw BuildError(name + ": x and y must be whole numbers; cast them");
  };
  functions.bind = [of](const OperatorSchema&, const Call& call) {
    return of(call.arguments).bind(call);
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}
template <NumberOperation kWhat>
OperatorPtr binary(const char* cpp, const char* summary) {
  return computing(schema_of(name_of(kWhat), cpp, summary, true), binary_of<kWhat>);
}
template <NumberOperation kWhat>
OperatorPtr unary(const char* cpp, const char* summary) {
  return computing(schema_of(name_of(kWhat), cpp, summary, false), unary_of<kWhat>);
}

struct Cast {
  template <class To, class From>
  static To of(From x) {
    return number_as<To>(x);
  }
};
struct Convert {
  template <class To, class From>
  static To of(From x) {
    return exact_value<To>(x, type_name<To>());
  }
};

// kAlways: between all types; else where number_becomes says so.
template <class F, bool kAlways, class To, class From>
Run converting(const Call& call) {
  if constexpr (kAlways || number_becomes<From, To>) {
    return [x = NumberOperand<From>(call.arguments[0]), out = call.outputs[0]](Sample& sample) {
      sample.get<To>(out) = F::template of<To>(x.of(sample));
    };
  } else {
    return {};
  }
}

template <class F, bool kAlways>
OperatorPtr conversion(const char* name, const char* cpp, const char* summary) {
  OperatorSchema schema = schema_of(name, cpp, summary, false);
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = "the type";
  for_each_number_type([&]<class T>(std::type_identity<T>, std::string_view type) {
    to.choices.push_back({std::string(type), static_cast<std::int64_t>(to.choices.size())});
  });
  schema.parameters.push_back(std::move(to));
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    for_each_number_type([&]<class To>(std::type_identity<To>, std::string_view type) {
      if (*constant_of<std::string>(arguments[1]) == type) types = {slot_type<To>()};
    });
    return types;
  };
  functions.bind = [](const OperatorSchema&, const Call& call) {
    Run run;
    const SlotType* const from = number_type(call.arguments[0]);
    for_each_number_type([&]<class To>(std::type_identity<To>, std::string_view type) {
      if (*constant_of<std::string>(call.arguments[1]) != type) return;
      if (from == slot_type<bool>()) {
        run = converting<F, kAlways, To, bool>(call);
      } else {
        visit_plain_type(from, [&]<class From>(std::type_identity<From>) {
          run = converting<F, kAlways, To, From>(call);
        });
      }
    });
    return run;
  };
  functions.check = [name = std::string(name), bind = functions.bind](const Arguments& arguments) {
    if (!bind({}, {arguments, {0}, 0, nullptr}))
      throw BuildError(name + ": numbers of this type may lose something as '" +
                       *constant_of<std::string>(arguments[1]) + "'; cast them");
  };
  return std::make_shared<const Operator>(std::move(schema), std::move(functions));
}

}  // namespace

const OperatorPtr& cast_operator() {
  static const OperatorPtr op =
      conversion<Cast, true>("cast", "cast<float>(x)",
                             "The number as another type; fractions are cut off, and what the type "
                             "does not hold is an error.");
  return op;
}

const OperatorPtr& convert_operator() {
  static const OperatorPtr op = conversion<Convert, false>(
      "convert", "g.uniform(0.f, x)",
      "The number as the type that a parameter wants; an error where something is lost.");
  return op;
}

const OperatorPtr& arithmetic_operator(std::string_view name) {
  using enum NumberOperation;
  static const std::array all{
      binary<add>("x + y", "x + y."),
      binary<subtract>("x - y", "x - y."),
      binary<multiply>("x * y", "x * y."),
      binary<divide>("x / y", "x / y; of whole numbers the fraction is cut off."),
      binary<remainder>("x % y", "The remainder of x / y, with the sign of x."),
      binary<floor_divide>("floor_divide(x, y)", "x / y, rounded down: Python's x // y."),
      binary<modulo>("modulo(x, y)",
                     "The remainder of floor_divide: Python's x % y, with the sign of y."),
      binary<power>("power(x, y)", "x to the power y."),
      binary<minimum>("minimum(x, y)", "The smaller of two numbers; NaN, where one is NaN."),
      binary<maximum>("maximum(x, y)", "The larger of two numbers; NaN, where one is NaN."),
      binary<bitwise_and>("x & y", "The bits that x and y both have."),
      binary<bitwise_or>("x | y", "The bits that x or y has."),
      binary<bitwise_xor>("x ^ y", "The bits that only one of x and y has."),
      binary<less>("x < y", "x < y"),
      binary<greater>("x > y", "x > y"),
      binary<less_equal>("x <= y", "x <= y"),
      binary<greater_equal>("x >= y", "x >= y"),
      binary<equal>("x == y", "x == y"),
      binary<not_equal>("x != y", "x != y"),
      unary<negate>("-x", "-x."),
      unary<absolute>("abs(x)", "x without its sign."),
      unary<logical_not>("!(x > y)", "Whether x is false or zero.")};
  for (const OperatorPtr& op : all) {
    if (op->name() == name) return op;
  }
  throw BuildError("there is no operator '" + std::string(name) + "' on numbers");
}

}  // namespace sluice::detail
