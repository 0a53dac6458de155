// Programs as callables: branches and loop bodies are lambdas.
#include "tests/graph/conformance/programs_front_ends.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <tuple>

namespace sluice::programs {
namespace {

// The variables that leave an if or that a loop carries.
struct State {
  std::vector<Number> numbers;
  std::vector<Truth> truths;
};

class Lambdas : public FrontEnd {
 public:
  using FrontEnd::FrontEnd;

 private:
  Variable get(const std::string& name) override { return variables_.at(name); }
  void set(const std::string& name, const Variable& value) override {
    variables_.insert_or_assign(name, value);
  }
  State state_of(const Names& names) {
    State state;
    for (const std::string& name : names) {
      if (is_truth(name)) {
        state.truths.push_back(std::get<Truth>(get(name)));
      } else {
        state.numbers.push_back(std::get<Number>(get(name)));
      }
    }
    return state;
  }
  void assign_all(const Names& names, const State& state) {
    auto number = state.numbers.begin();
    auto truth = state.truths.begin();
    for (const std::string& name : names) {
      if (is_truth(name)) {
        assign(name, *truth++);
      } else {
        assign(name, *number++);
      }
    }
  }
  // Runs f(), then restores all variables.
  template <class F>
  auto within(F f) {
    const Variables before = variables_;
    auto result = f();
    variables_ = before;
    return result;
  }
  State branch(const std::vector<Statement>& block, const Names& leaves) {
    return within([&] {
      run(block);
      return state_of(leaves);
    });
  }

  Truth both(const Expression& left, const Expression& right) override {
    return logic(left, right, [this](auto x, auto y) { return g_.all_of(x, y); });
  }
  Truth either(const Expression& left, const Expression& right) override {
    return logic(left, right, [this](auto x, auto y) { return g_.any_of(x, y); });
  }
  // Constants stay constants on both sides.
  template <class F>
  Truth logic(const Expression& left, const Expression& right, F f) {
    const auto with_left = [&](auto x) {
      if (right.kind == Expression::Kind::truth)
        return f(x, [holds = right.constant != 0] { return holds; });
      return f(x, [&] { return truth(evaluate(right)); });
    };
    const Operand x = evaluate(left);
    if (const auto* constant = std::get_if<bool>(&x)) return with_left(*constant);
    return with_left(truth(x));
  }
  // Calls f(x), where x is a Value of a number or of a bool.
  template <class F>
  auto with_condition(const Expression& asked, F f) {
    return std::visit(f, variable(evaluate(asked)));
  }

  Variable choice(const Expression& e) override {
    const Expression &yes = e.of[1], &no = e.of[2];
    return with_condition(e.of[0], [&](auto asked) -> Variable {
      if (is_truth(e)) {
        return g_.if_else(
            asked, [&] { return truth(evaluate(yes)); }, [&] { return truth(evaluate(no)); });
      }
      const bool yes_is_constant = yes.kind == Expression::Kind::number;
      const bool no_is_constant = no.kind == Expression::Kind::number;
      const auto first = [&] { return number(evaluate(yes)); };
      const auto second = [&] { return number(evaluate(no)); };
      if (yes_is_constant && no_is_constant) return g_.if_else(asked, yes.constant, no.constant);
      if (yes_is_constant) return g_.if_else(asked, yes.constant, second);
      if (no_is_constant) return g_.if_else(asked, first, no.constant);
      return g_.if_else(asked, first, second);
    });
  }

  void choose(const Statement& s) override {
    with_condition(s.condition[0], [&](auto asked) {
      if (s.else_block.empty() && s.leaves.size() == 1) {
        assign(s.leaves[0], changed(s, asked));
      } else {
        assign_all(s.leaves, g_.if_else(
                                 asked, [&] { return branch(s.then_block, s.leaves); },
                                 [&] { return branch(s.else_block, s.leaves); }));
      }
    });
  }
  // An if without else that changes one variable.
  template <class Asked>
  Variable changed(const Statement& s, Asked asked) {
    const Variable before = get(s.leaves[0]);
    if (const auto* x = std::get_if<Truth>(&before))
      return g_.apply_if(asked, *x, [&](auto) { return branch(s.then_block, s.leaves).truths[0]; });
    const Number x = std::get<Number>(before);
    const Statement& only = s.then_block[0];
    if (s.then_block.size() == 1 && only.kind == Statement::Kind::assign &&
        only.names.size() == 1 && only.values[0].kind == Expression::Kind::number) {
      return g_.apply_if(asked, x, [&](auto) { return only.values[0].constant; });
    }
    return g_.apply_if(asked, x, [&](auto) { return branch(s.then_block, s.leaves).numbers[0]; });
  }

  void count(const Statement& s) override {
    const auto body = [&](Number i, const State& now) {
      return within([&] {
        assign_all(s.leaves, now);
        assign(s.names[0], i);
        run(s.then_block);
        return state_of(s.leaves);
      });
    };
    const State before = state_of(s.leaves);
    const Operand times = evaluate(s.trips[0]);
    if (const auto* constant = std::get_if<std::int64_t>(&times)) {
      assign_all(s.leaves, g_.for_loop(*constant, before, body));
    } else {
      assign_all(s.leaves, g_.for_loop(std::get<Number>(times), before, body));
    }
  }
  void repeat(const Statement& s) override {
    const auto asked = [&](const State& now) {
      return within([&] {
        assign_all(s.leaves, now);
        return condition(s.condition[0]);
      });
    };
    const auto body = [&](const State& now) {
      return within([&] {
        assign_all(s.leaves, now);
        run(s.then_block);
        return state_of(s.leaves);
      });
    };
    const State before = state_of(s.leaves);
    if (s.trips.empty()) {
      assign_all(s.leaves, g_.while_loop(before, asked, body));
      return;
    }
    const Number times = number(evaluate(s.trips[0]));
    const auto last = g_.while_loop(
        std::tuple{before, std::int64_t{0}},
        [&](const State& now, Number i) {
          return g_.all_of(i < times, [&] { return asked(now); });
        },
        [&](const State& now, Number i) {
          return std::tuple{body(now), i + 1};
        });
    assign_all(s.leaves, std::get<0>(last));
  }

  Variables variables_;
};

}  // namespace

std::vector<Variable> by_lambdas(Graph& g, const Program& program, const Variables& inputs) {
  return Lambdas(g).describe(program, inputs);
}

}  // namespace sluice::programs
