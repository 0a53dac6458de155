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

// What F makes of two numbers. Both come as the type that C++ computes with, which changes no
// result: there are few such types, and many pairs of types.
using Run = std::function<void(Sample&)>;
struct Computed {
  const SlotType* type = nullptr;  // null: F does not take these numbers
  std::function<Run(const Call&)> bind;
};

template <class F, class X, class Y>
Computed computed() {
  Computed made;
  if constexpr (requires { F()(X(), Y()); }) {
    using R = decltype(F()(X(), Y()));
    made.type = slot_type<R>();
    made.bind = [](const Call& call) -> Run {
      return [x = NumberOperand<X>(call.arguments[0]), y = NumberOperand<Y>(call.arguments[1]),
              out = call.outputs[0]](Sample& sample) {
        sample.get<R>(out) = F()(x.of(sample), y.of(sample));
      };
    };
  }
  return made;
}
// Comparisons tell numbers of different signedness apart.
template <class F>
inline constexpr bool compares = std::is_same_v<decltype(F()(0, 0)), bool>;
template <class C>
using widest_t =
    std::conditional_t<std::is_floating_point_v<C>, C,
                       std::conditional_t<std::is_signed_v<C>, std::int64_t, std::uint64_t>>;

template <class F>
Computed binary_of(const Arguments& arguments) {
  Computed made;
  visit_plain_type(number_type(arguments[0]), [&]<class X>(std::type_identity<X>) {
    visit_plain_type(number_type(arguments[1]), [&]<class Y>(std::type_identity<Y>) {
      using C = decltype(X() + Y());
      if constexpr (compares<F> && std::is_integral_v<C>) {
        made = computed<F, widest_t<X>, widest_t<Y>>();
      } else {
        made = computed<F, C, C>();
      }
    });
  });
  return made;
}

template <class F>
Computed unary_of(const Arguments& arguments) {
  Computed made;
  visit_plain_type(number_type(arguments[0]), [&]<class C>(std::type_identity<C>) {
    using R = decltype(F()(C()));
    made.type = slot_type<R>();
    made.bind = [](const Call& call) -> Run {
      return [x = NumberOperand<C>(call.arguments[0]), out = call.outputs[0]](Sample& sample) {
        sample.get<R>(out) = F()(x.of(sample));
      };
    };
  });
  return made;
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
template <class F>
OperatorPtr binary(const char* name, const char* cpp, const char* summary) {
  return computing(schema_of(name, cpp, summary, true), binary_of<F>);
}
template <class F>
OperatorPtr unary(const char* name, const char* cpp, const char* summary) {
  return computing(schema_of(name, cpp, summary, false), unary_of<F>);
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
  static const OperatorPtr op = conversion<Cast, true>(
      "cast", "cast<float>(x)", "The number as another type; fractions are cut off.");
  return op;
}

const OperatorPtr& convert_operator() {
  static const OperatorPtr op = conversion<Convert, false>(
      "convert", "g.uniform(0.f, x)",
      "The number as the type that a parameter wants; an error where something is lost.");
  return op;
}

const OperatorPtr& arithmetic_operator(std::string_view name) {
  static const std::array<OperatorPtr, 16> all{
      binary<Add>("add", "x + y", "x + y; whole numbers wrap around."),
      binary<Subtract>("subtract", "x - y", "x - y; whole numbers wrap around."),
      binary<Multiply>("multiply", "x * y", "x * y; whole numbers wrap around."),
      binary<Divide>("divide", "x / y", "x / y; whole numbers are cut off."),
      binary<Remainder>("remainder", "x % y", "What is left of x when it is divided by y."),
      binary<BitwiseAnd>("bitwise_and", "x & y", "The bits that x and y both have."),
      binary<BitwiseOr>("bitwise_or", "x | y", "The bits that x or y has."),
      binary<BitwiseXor>("bitwise_xor", "x ^ y", "The bits that only one of x and y has."),
      binary<Less>("less", "x < y", "x < y"),
      binary<Greater>("greater", "x > y", "x > y"),
      binary<LessEqual>("less_equal", "x <= y", "x <= y"),
      binary<GreaterEqual>("greater_equal", "x >= y", "x >= y"),
      binary<Equal>("equal", "x == y", "x == y"),
      binary<NotEqual>("not_equal", "x != y", "x != y"),
      unary<Negate>("negate", "-x", "-x; whole numbers wrap around."),
      unary<Not>("not", "!(x > y)", "Whether x is false or zero.")};
  for (const OperatorPtr& op : all) {
    if (op->name() == name) return op;
  }
  throw BuildError("there is no operator '" + std::string(name) + "' on numbers");
}

}  // namespace sluice::detail
