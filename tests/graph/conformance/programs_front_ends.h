// The front ends that describe a program as a graph.
#pragma once

#include "tests/graph/conformance/programs.h"
#include <sluice/graph/graph.h>

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace sluice::programs {

using Number = Value<std::int64_t>;
using Truth = Value<bool>;
using Variable = std::variant<Number, Truth>;
using Operand = std::variant<std::int64_t, bool, Number, Truth>;  // a constant stays one
using Variables = std::map<std::string, Variable>;
using Names = std::vector<std::string>;

// Describes a program. The front ends share this part: expressions without control flow.
class FrontEnd {
 public:
  explicit FrontEnd(Graph& g) : g_(g) {}
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;
  virtual ~FrontEnd() = default;

  // Returns the results.
  std::vector<Variable> describe(const Program& program, const Variables& inputs);

 protected:
  virtual Variable get(const std::string& name) = 0;
  virtual void set(const std::string& name, const Variable& value) = 0;
  virtual Truth both(const Expression& left, const Expression& right) = 0;
  virtual Truth either(const Expression& left, const Expression& right) = 0;
  virtual Variable choice(const Expression& e) = 0;
  virtual void choose(const Statement& s) = 0;
  virtual void count(const Statement& s) = 0;
  virtual void repeat(const Statement& s) = 0;

  // A variable keeps its type.
  void assign(const std::string& name, const Variable& value);
  bool is_truth(const std::string& name) const { return types_.at(name); }
  bool is_truth(const Expression& e) const;

  void run(const std::vector<Statement>& block);
  Operand evaluate(const Expression& e);
  // A constant becomes a Value.
  Variable variable(const Operand& x);
  Number number(const Operand& x);
  Truth truth(const Operand& x);
  // A number is true if it is not zero.
  Truth condition(const Expression& e);

  Graph& g_;

 private:
  template <class F>
  auto with_numbers(const Operand& a, const Operand& b, F f);
  template <class F>
  auto with_truths(const Operand& a, const Operand& b, F f);
  Number arithmetic(const Expression& e);
  Truth compare(const Expression& e);

  std::map<std::string, bool> types_;  // whether a variable is a bool
};

using Describe = std::vector<Variable> (*)(Graph&, const Program&, const Variables& inputs);
// Uses if_else, apply_if, all_of, any_of, for_loop and while_loop.
std::vector<Variable> by_lambdas(Graph& g, const Program& program, const Variables& inputs);
// Uses add_conditional and add_loop.
std::vector<Variable> by_boundaries(Graph& g, const Program& program, const Variables& inputs);

}  // namespace sluice::programs
