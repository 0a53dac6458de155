// Programs of one sample as data: programs.json, which says what its fields are, read into the
// structures below, and what a program gives for one sample.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::programs {

struct Expression {
  enum class Kind { number, truth, name, negate, not_, both, either, choice, arithmetic, compare };
  Kind kind = Kind::number;
  std::int64_t constant = 0;   // of a number, or of a truth: 0 or 1
  std::string text;            // a name, or the operator: +, -, *, //, %, ==, !=, <, <=, >, >=
  std::vector<Expression> of;  // operands; of a choice the condition and both values
};

struct Statement {
  enum class Kind { assign, choice, count, repeat };
  Kind kind = Kind::assign;
  std::vector<std::string> names;   // assigned at once; of a count the name of the iteration
  std::vector<Expression> values;   // what is assigned
  std::vector<Expression> asks;     // the condition of an if or a while
  std::vector<Expression> times;    // how many iterations there are, at most; a while may have none
  std::vector<Statement> first;     // then, or what a loop does
  std::vector<Statement> second;    // else
  std::vector<std::string> leaves;  // variables that leave an if, or that a loop carries
};

using Numbers = std::map<std::string, std::int64_t>;  // by the name; a bool is 0 or 1

struct Program {
  std::string name;
  std::string asks_for;
  std::map<std::string, std::string> inputs;  // the kind of each: number, bool or index
  std::vector<Statement> body;
  std::vector<Expression> gives;
  Numbers example;                            // values of the inputs
  std::vector<std::int64_t> example_gives;    // and what they give
  std::map<std::string, std::string> not_in;  // front ends that cannot run it, and why
};

// Throws std::runtime_error that names the program and what is wrong.
std::vector<Program> read_programs(const std::string& file);
Expression read_expression(std::string_view text);

// The results for one sample.
std::vector<std::int64_t> run_plain(const Program& program, const Numbers& inputs);

}  // namespace sluice::programs
