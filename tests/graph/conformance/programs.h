// Reads programs.json, which documents its fields, and runs a program for one sample in plain C++.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::programs {

struct Expression {
  enum class Kind { number, truth, name, negate, not_, and_, or_, choice, arithmetic, compare };
  Kind kind = Kind::number;
  std::int64_t constant = 0;   // of a number, or of a truth: 0 or 1
  std::string text;            // a name, or the operator: +, -, *, //, %, ==, !=, <, <=, >, >=
  std::vector<Expression> of;  // operands; of a choice the condition and both values
};

struct Statement {
  enum class Kind { assign, if_, for_, while_ };
  Kind kind = Kind::assign;
  std::vector<std::string> names;     // assigned at once; of a for the name of the iteration
  std::vector<Expression> values;     // the assigned values
  std::vector<Expression> condition;  // the condition of an if or a while
  std::vector<Expression> trips;      // at most; a while may have none
  std::vector<Statement> then_block;  // also the body of a loop
  std::vector<Statement> else_block;
  std::vector<std::string> leaves;  // variables that leave an if, or that a loop carries
};

using Numbers = std::map<std::string, std::int64_t>;  // by the name; a bool is 0 or 1

struct Program {
  std::string name;
  std::string title;
  std::map<std::string, std::string> inputs;  // the kind of each: number, bool or index
  std::vector<Statement> body;
  std::vector<Expression> gives;
  Numbers example;                            // values of the inputs
  std::vector<std::int64_t> example_gives;    // and their results
  std::map<std::string, std::string> not_in;  // front ends that cannot run it, and why
};

// Throws std::runtime_error that names the program and what is wrong.
std::vector<Program> read_programs(const std::string& file);
Expression read_expression(std::string_view text);

// Returns the results for one sample.
std::vector<std::int64_t> run_plain(const Program& program, const Numbers& inputs);

}  // namespace sluice::programs
