// Arithmetic, comparison and conversion of numbers, as operators.
#include <sluice/graph/builder/built_in_operators.h>
#include <sluice/graph/builder/number_functions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/numbers.h>

#include <array>
#include <string>

namespace sluice::detail {
namespace {

Parameter any_number(std::string name, std::string help) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = ParameterType::any_number;
  parameter.help = std::move(help);
  return parameter;
}

// Calls visit(T{}) with the number type of this name.
template <class Visit>
void visit_type(std::string_view name, Visit&& visit) {
  if (name == "bool") visit(bool{});
  if (name == "i32") visit(std::int32_t{});
  if (name == "i64") visit(std::int64_t{});
  if (name == "f32") visit(float{});
  if (name == "f64") visit(double{});
}

// Nothing, for numbers that F does not take.
template <class F, class... Numbers>
std::vector<const SlotType*> types_of(const Numbers&... numbers) {
  if constexpr (requires { F()(numbers...); }) {
    return {slot_type<decltype(F()(numbers...))>()};
  } else {
    return {};
  }
}
template <class F, class... Readers>
std::function<void(Sample&)> run_of(SlotId out, const Readers&... readers) {
  if constexpr (requires { F()(typename Readers::Type{}...); }) {
    return [out, readers...](Sample& sample) {
      using R = decltype(F()(typename Readers::Type{}...));
      sample.get<R>(out) = F()(readers.of(sample)...);
    };
  } else {
    return {};
  }
}

template <class Visit>
void visit_both(const Arguments& arguments, Visit&& visit) {
  visit_number(arguments[0], [&](const auto& x) {
    visit_number(arguments[1], [&](const auto& y) { visit(x, y); });
  });
}

OperatorSchema schema_of(const char* name, const char* cpp, const char* summary, bool two) {
  OperatorSchema schema;
  schema.name = name;
  schema.family = "arithmetic";
  schema.summary = summary;
  schema.cpp = {cpp};
  schema.parameters = {any_number("x", two ? "the left side" : "the number")};
  if (two) schema.parameters.push_back(any_number("y", "the right side"));
  schema.outputs = {{"result", nullptr}};
  return schema;
}

template <class F>
OperatorPtr binary(const char* name, const char* cpp, const char* summary) {
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_both(arguments,
               [&](const auto& x, const auto& y) { types = types_of<F>(x.constant, y.constant); });
    return types;
  };
  functions.check = [name = std::string(name),
                     types = functions.output_types](const Arguments& arguments) {
    if (types(arguments).empty())
      throw BuildError(name + ": x and y must be whole numbers; cast them");
  };
  functions.bind = [](const OperatorSchema&, const Call& call) {
    std::function<void(Sample&)> run;
    visit_both(call.arguments,
               [&](const auto& x, const auto& y) { run = run_of<F>(call.outputs[0], x, y); });
    return run;
  };
  return std::make_shared<const Operator>(schema_of(name, cpp, summary, true),
                                          std::move(functions));
}

template <class F>
OperatorPtr unary(const char* name, const char* cpp, const char* summary) {
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_number(arguments[0], [&](const auto& x) { types = types_of<F>(x.constant); });
    return types;
  };
  functions.bind = [](const OperatorSchema&, const Call& call) {
    std::function<void(Sample&)> run;
    visit_number(call.arguments[0], [&](const auto& x) { run = run_of<F>(call.outputs[0], x); });
    return run;
  };
  return std::make_shared<const Operator>(schema_of(name, cpp, summary, false),
                                          std::move(functions));
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
template <class F, bool kAlways>
OperatorPtr conversion(const char* name, const char* cpp, const char* summary) {
  OperatorSchema schema = schema_of(name, cpp, summary, false);
  Parameter to;
  to.name = "to";
  to.type = ParameterType::choice;
  to.per_sample = false;
  to.help = "the type";
  for (const char* type : {"bool", "i32", "i64", "f32", "f64"})
    to.choices.push_back({type, static_cast<std::int64_t>(to.choices.size())});
  schema.parameters.push_back(std::move(to));
  OperatorFunctions functions;
  functions.output_types = [](const Arguments& arguments) {
    std::vector<const SlotType*> types;
    visit_type(*constant_of<std::string>(arguments[1]),
               [&]<class To>(To) { types = {slot_type<To>()}; });
    return types;
  };
  functions.bind = [](const OperatorSchema&, const Call& call) {
    std::function<void(Sample&)> run;
    visit_type(*constant_of<std::string>(call.arguments[1]), [&]<class To>(To) {
      visit_number(call.arguments[0], [&]<class From>(const NumberReader<From>& x) {
        if constexpr (kAlways || number_becomes<From, To>) {
          run = [x, out = call.outputs[0]](Sample& sample) {
            sample.get<To>(out) = F::template of<To>(x.of(sample));
          };
        }
      });
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
  static const std::array<OperatorPtr, 13> all{
      binary<Add>("add", "x + y", "x + y; whole numbers wrap around."),
      binary<Subtract>("subtract", "x - y", "x - y; whole numbers wrap around."),
      binary<Multiply>("multiply", "x * y", "x * y; whole numbers wrap around."),
      binary<Divide>("divide", "x / y", "x / y; whole numbers are cut off."),
      binary<Remainder>("remainder", "x % y", "What is left of x when it is divided by y."),
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
