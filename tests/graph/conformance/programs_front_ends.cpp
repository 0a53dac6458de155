#include "tests/graph/conformance/programs_front_ends.h"

#include <sluice/graph/arithmetic.h>

#include <stdexcept>

namespace sluice::programs {

std::vector<Variable> FrontEnd::describe(const Program& program, const Variables& inputs) {
  for (const auto& [name, value] : inputs) assign(name, value);
  run(program.body);
  std::vector<Variable> results;
  for (const Expression& one : program.gives) results.push_back(variable(evaluate(one)));
  return results;
}

void FrontEnd::assign(const std::string& name, const Variable& value) {
  const bool truth = std::holds_alternative<Truth>(value);
  if (types_.emplace(name, truth).first->second != truth)
    throw std::logic_error(name + " changes its type");
  set(name, value);
}

bool FrontEnd::is_truth(const Expression& e) const {
  if (e.kind == Expression::Kind::choice) return is_truth(e.of[1]);
  if (e.kind == Expression::Kind::name) return is_truth(e.text);
  return e.kind != Expression::Kind::number && e.kind != Expression::Kind::negate &&
         e.kind != Expression::Kind::arithmetic;
}

void FrontEnd::run(const std::vector<Statement>& block) {
  for (const Statement& s : block) {
    switch (s.kind) {
      case Statement::Kind::assign: {
        std::vector<Variable> values;
        for (const Expression& value : s.values) values.push_back(variable(evaluate(value)));
        for (std::size_t i = 0; i < values.size(); ++i) assign(s.names[i], values[i]);
        break;
      }
      case Statement::Kind::if_:
        choose(s);
        break;
      case Statement::Kind::for_:
        count(s);
        break;
      case Statement::Kind::while_:
        repeat(s);
        break;
    }
  }
}

namespace {
Operand operand(const Variable& variable) {
  return std::visit([](const auto& x) -> Operand { return x; }, variable);
}
}  // namespace

Operand FrontEnd::evaluate(const Expression& e) {
  switch (e.kind) {
    case Expression::Kind::number:
      return e.constant;
    case Expression::Kind::truth:
      return e.constant != 0;
    case Expression::Kind::name:
      return operand(get(e.text));
    case Expression::Kind::negate:
      return -number(evaluate(e.of[0]));
    case Expression::Kind::not_:
      return std::visit([](const auto& x) -> Operand { return !x; }, variable(evaluate(e.of[0])));
    case Expression::Kind::and_:
      return both(e.of[0], e.of[1]);
    case Expression::Kind::or_:
      return either(e.of[0], e.of[1]);
    case Expression::Kind::choice:
      return operand(choice(e));
    case Expression::Kind::arithmetic:
      return arithmetic(e);
    case Expression::Kind::compare:
      return compare(e);
  }
  throw std::logic_error("an expression of no kind");
}

Variable FrontEnd::variable(const Operand& x) {
  if (std::holds_alternative<bool>(x) || std::holds_alternative<Truth>(x)) return truth(x);
  return number(x);
}

Number FrontEnd::number(const Operand& x) {
  if (const auto* constant = std::get_if<std::int64_t>(&x)) return g_.constant(*constant);
  return std::get<Number>(x);
}

Truth FrontEnd::truth(const Operand& x) {
  if (const auto* constant = std::get_if<bool>(&x)) return g_.constant(*constant);
  return std::get<Truth>(x);
}

Truth FrontEnd::condition(const Expression& e) {
  const Operand x = evaluate(e);
  return std::holds_alternative<Number>(x) ? std::get<Number>(x) != 0 : truth(x);
}

// f(a, b) with constants as they are, but at least one Value.
template <class F>
auto FrontEnd::with_numbers(const Operand& a, const Operand& b, F f) {
  if (const auto* y = std::get_if<std::int64_t>(&b)) return f(number(a), *y);
  if (const auto* x = std::get_if<std::int64_t>(&a)) return f(*x, number(b));
  return f(number(a), number(b));
}

template <class F>
auto FrontEnd::with_truths(const Operand& a, const Operand& b, F f) {
  if (const auto* y = std::get_if<bool>(&b)) return f(truth(a), *y);
  return f(truth(a), truth(b));
}

Number FrontEnd::arithmetic(const Expression& e) {
  const Operand a = evaluate(e.of[0]), b = evaluate(e.of[1]);
  if (e.text == "+") return with_numbers(a, b, [](auto x, auto y) { return x + y; });
  if (e.text == "-") return with_numbers(a, b, [](auto x, auto y) { return x - y; });
  if (e.text == "*") return with_numbers(a, b, [](auto x, auto y) { return x * y; });
  if (e.text == "%") return with_numbers(a, b, [](auto x, auto y) { return modulo(x, y); });
  return with_numbers(a, b, [](auto x, auto y) { return floor_divide(x, y); });
}

Truth FrontEnd::compare(const Expression& e) {
  const Operand a = evaluate(e.of[0]), b = evaluate(e.of[1]);
  const bool of_numbers = !is_truth(e.of[0]);
  const auto equal = [](auto x, auto y) { return x == y; };
  const auto differ = [](auto x, auto y) { return x != y; };
  if (e.text == "==") return of_numbers ? with_numbers(a, b, equal) : with_truths(a, b, equal);
  if (e.text == "!=") return of_numbers ? with_numbers(a, b, differ) : with_truths(a, b, differ);
  if (e.text == "<") return with_numbers(a, b, [](auto x, auto y) { return x < y; });
  if (e.text == "<=") return with_numbers(a, b, [](auto x, auto y) { return x <= y; });
  if (e.text == ">") return with_numbers(a, b, [](auto x, auto y) { return x > y; });
  return with_numbers(a, b, [](auto x, auto y) { return x >= y; });
}

}  // namespace sluice::programs
