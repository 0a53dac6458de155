// Programs by explicit boundaries: add_input brings in the values that a branch reads, so that the
// branch is lazy, and add_output returns the changed ones.
#include "tests/graph/conformance/programs_front_ends.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace sluice::programs {
namespace {

class Boundaries : public FrontEnd {
 public:
  explicit Boundaries(Graph& g) : FrontEnd(g), scope_(std::make_unique<Scope>()) {}

 private:
  // A conditional, and the variables that have come in.
  struct Conditional {
    ConditionalBoundary boundary;
    Variables inputs;
  };
  // Variables of a block. What it does not have is outside, and comes in as an input if the block
  // is a branch.
  struct Scope {
    std::unique_ptr<Scope> outer;
    Conditional* conditional = nullptr;
    Variables own;
  };
  Variable look_up(Scope& scope, const std::string& name) {
    if (const auto at = scope.own.find(name); at != scope.own.end()) return at->second;
    if (scope.outer == nullptr) throw std::logic_error(name + " has no value");
    if (scope.conditional == nullptr) return look_up(*scope.outer, name);
    Variables& inputs = scope.conditional->inputs;
    if (const auto at = inputs.find(name); at != inputs.end()) return at->second;
    const Variable inside =
        std::visit([&](auto x) -> Variable { return scope.conditional->boundary.add_input(x); },
                   look_up(*scope.outer, name));
    inputs.emplace(name, inside);
    return inside;
  }
  Variable get(const std::string& name) override { return look_up(*scope_, name); }
  void set(const std::string& name, const Variable& value) override {
    scope_->own.insert_or_assign(name, value);
  }
  // Runs f() in a scope of its own.
  template <class F>
  auto within(Conditional* conditional, F f) {
    scope_ = std::make_unique<Scope>(Scope{std::move(scope_), conditional, {}});
    auto result = f();
    scope_ = std::move(scope_->outer);
    return result;
  }
  Conditional begin(const Expression& asked) {
    Conditional made{g_.add_conditional(), {}};
    made.boundary.set_condition(condition(asked));
    return made;
  }
  static Variable output(Conditional& conditional, const Variable& yes, const Variable& no) {
    return std::visit(
        [&](auto x) -> Variable {
          return conditional.boundary.add_output(x, std::get<decltype(x)>(no));
        },
        yes);
  }

  Truth both(const Expression& left, const Expression& right) override {
    Conditional conditional = begin(left);
    const Truth x = within(&conditional, [&] { return truth(evaluate(right)); });
    return conditional.boundary.add_output(x, g_.constant(false));
  }
  Truth either(const Expression& left, const Expression& right) override {
    Conditional conditional = begin(left);
    const Truth x = within(&conditional, [&] { return truth(evaluate(right)); });
    return conditional.boundary.add_output(g_.constant(true), x);
  }
  Variable choice(const Expression& e) override {
    Conditional conditional = begin(e.of[0]);
    const auto branch = [&](std::size_t i) {
      return within(&conditional, [&] { return variable(evaluate(e.of[i])); });
    };
    const Variable yes = branch(1);
    return output(conditional, yes, branch(2));
  }
  void choose(const Statement& s) override {
    Conditional conditional = begin(s.condition[0]);
    const auto branch = [&](const std::vector<Statement>& block) {
      return within(&conditional, [&] {
        run(block);
        std::vector<Variable> values;
        for (const std::string& name : s.leaves) values.push_back(get(name));
        return values;
      });
    };
    const std::vector<Variable> yes = branch(s.then_block), no = branch(s.else_block);
    for (std::size_t i = 0; i < yes.size(); ++i)
      assign(s.leaves[i], output(conditional, yes[i], no[i]));
    // There must be one.
    if (yes.empty()) (void)conditional.boundary.add_output(g_.constant(0), g_.constant(0));
  }

  using Carried = std::variant<Recurrence<std::int64_t>, Recurrence<bool>>;
  void count(const Statement& s) override { loop(s); }
  void repeat(const Statement& s) override { loop(s); }
  void loop(const Statement& s) {
    std::optional<Operand> times;
    if (!s.trips.empty()) times = evaluate(s.trips[0]);
    LoopBoundary loop = g_.add_loop();
    std::vector<Carried> carried;
    for (const std::string& name : s.leaves) {
      std::visit([&](auto x) { carried.emplace_back(loop.add_recurrence(x)); }, get(name));
    }
    if (times && std::holds_alternative<std::int64_t>(*times)) {
      loop.add_trip_limit(std::get<std::int64_t>(*times));
    } else if (times) {
      loop.add_trip_limit(std::get<Number>(*times));
    }
    within(nullptr, [&] {
      for (std::size_t i = 0; i < carried.size(); ++i)
        std::visit([&](const auto& x) { assign(s.leaves[i], x.value()); }, carried[i]);
      if (s.kind == Statement::Kind::for_) {
        const auto i = loop.add_recurrence(std::int64_t{0});
        i.set_next(i.value() + 1);
        assign(s.names[0], i.value());
      }
      if (!s.condition.empty()) loop.add_while(condition(s.condition[0]));
      run(s.then_block);
      for (std::size_t i = 0; i < carried.size(); ++i) {
        std::visit(
            [&](const auto& x) {
              x.set_next(std::get<std::remove_cvref_t<decltype(x.value())>>(get(s.leaves[i])));
            },
            carried[i]);
      }
      return true;
    });
    for (std::size_t i = 0; i < carried.size(); ++i)
      std::visit([&](const auto& x) { assign(s.leaves[i], loop.add_output(x)); }, carried[i]);
  }

  std::unique_ptr<Scope> scope_;
};

}  // namespace

std::vector<Variable> by_boundaries(Graph& g, const Program& program, const Variables& inputs) {
  return Boundaries(g).describe(program, inputs);
}

}  // namespace sluice::programs
