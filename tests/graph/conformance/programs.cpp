#include "tests/graph/conformance/programs.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

namespace sluice::programs {
namespace {

using Kind = Expression::Kind;
using NameSet = std::set<std::string>;
using Json = nlohmann::json;

// Parses Python's expressions: each function reads operators of its own precedence or higher.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { next(); }
  std::vector<Expression> list() {
    std::vector<Expression> all{choice()};
    while (take(",")) all.push_back(choice());
    if (!token_.empty()) fail();
    return all;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("'" + std::string(text_) + "' is wrong at '" + token_ + "'");
  }
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  void next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end == at_ && at_ < text_.size()) {
      const std::string_view two = text_.substr(at_, 2);
      const bool both = two == "//" || two == "==" || two == "!=" || two == "<=" || two == ">=";
      end += both ? 2 : 1;
    }
    token_ = text_.substr(at_, end - at_);
    at_ = end;
  }
  bool take(const char* token) {
    if (token_ != token) return false;
    next();
    return true;
  }
  void require(const char* token) {
    if (!take(token)) fail();
  }

  Expression choice() {
    Expression left = either();
    if (!take("if")) return left;
    Expression asked = either();
    require("else");
    return {Kind::choice, 0, {}, {std::move(asked), std::move(left), choice()}};
  }
  Expression either() {
    Expression left = both();
    while (take("or")) left = {Kind::or_, 0, {}, {std::move(left), both()}};
    return left;
  }
  Expression both() {
    Expression left = negation();
    while (take("and")) left = {Kind::and_, 0, {}, {std::move(left), negation()}};
    return left;
  }
  Expression negation() {
    if (take("not")) return {Kind::not_, 0, {}, {negation()}};
    return comparison();
  }
  Expression comparison() {
    Expression left = sum();
    for (const char* what : {"==", "!=", "<", "<=", ">", ">="}) {
      if (take(what)) return {Kind::compare, 0, what, {std::move(left), sum()}};
    }
    return left;
  }
  Expression sum() {
    Expression left = product();
    while (token_ == "+" || token_ == "-") left = arithmetic(std::move(left), &Parser::product);
    return left;
  }
  Expression product() {
    Expression left = factor();
    while (token_ == "*" || token_ == "//" || token_ == "%")
      left = arithmetic(std::move(left), &Parser::factor);
    return left;
  }
  Expression arithmetic(Expression left, Expression (Parser::*right)()) {
    const std::string what = token_;
    next();
    return {Kind::arithmetic, 0, what, {std::move(left), (this->*right)()}};
  }
  Expression factor() {
    if (take("-")) {
      Expression of = factor();
      if (of.kind == Kind::number) return {Kind::number, -of.constant, {}, {}};
      return {Kind::negate, 0, {}, {std::move(of)}};
    }
    if (take("(")) {
      Expression inside = choice();
      require(")");
      return inside;
    }
    if (take("True")) return {Kind::truth, 1, {}, {}};
    if (take("False")) return {Kind::truth, 0, {}, {}};
    if (token_.empty() || !is_word(token_[0])) fail();
    const std::string word = token_;
    next();
    if (std::isdigit(static_cast<unsigned char>(word[0])))
      return {Kind::number, std::stoll(word), {}, {}};
    return {Kind::name, 0, word, {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string token_;
};

std::vector<Expression> read_list(const std::string& text) { return Parser(text).list(); }

// Reads statements. `defined` are the variables that have a value there.
class Reader {
 public:
  std::vector<Statement> block(const Json& all, NameSet& defined) {
    std::vector<Statement> made;
    for (const Json& one : all) made.push_back(statement(one, defined));
    return made;
  }
  void require(const std::vector<Expression>& all, const NameSet& defined) {
    for (const Expression& one : all) {
      if (one.kind == Kind::name && !defined.contains(one.text))
        throw std::runtime_error("'" + one.text + "' has no value");
      require(one.of, defined);
    }
  }

 private:
  Statement statement(const Json& json, NameSet& defined) {
    if (json.is_string()) return assignment(json.get<std::string>(), defined);
    for (const auto& [key, value] : json.items()) {
      static const NameSet kKeys{"if", "then", "else", "for", "times", "while", "at most", "do"};
      if (!kKeys.contains(key)) throw std::runtime_error("'" + key + "' is no part of a statement");
    }
    if (json.contains("if") + json.contains("for") + json.contains("while") != 1)
      throw std::runtime_error("a statement is one of if, for and while");
    Statement made;
    if (json.contains("if")) {
      made.kind = Statement::Kind::if_;
      made.condition = expressions(json.at("if"), defined);
      NameSet yes = defined, no = defined;
      made.then_block = block(json.at("then"), yes);
      if (json.contains("else")) made.else_block = block(json.at("else"), no);
      NameSet after;
      std::set_intersection(yes.begin(), yes.end(), no.begin(), no.end(),
                            std::inserter(after, after.end()));
      NameSet changed = assigned(made.then_block);
      changed.merge(assigned(made.else_block));
      made.leaves = common(changed, after);
      defined = after;
      return made;
    }
    NameSet inside = defined;
    if (json.contains("for")) {
      made.kind = Statement::Kind::for_;
      made.names = {json.at("for").get<std::string>()};
      // Python would change it after the loop, and a graph does not.
      if (defined.contains(made.names[0]))
        throw std::runtime_error("'" + made.names[0] +
                                 "' counts iterations and has a value already");
      made.trips = expressions(json.at("times"), defined);
      inside.insert(made.names[0]);
    } else {
      made.kind = Statement::Kind::while_;
      made.condition = expressions(json.at("while"), defined);
      if (json.contains("at most")) made.trips = expressions(json.at("at most"), defined);
    }
    made.then_block = block(json.at("do"), inside);
    made.leaves = common(assigned(made.then_block), defined);
    return made;
  }
  std::vector<Expression> expressions(const Json& text, const NameSet& defined) {
    std::vector<Expression> all = read_list(text.get<std::string>());
    require(all, defined);
    return all;
  }
  Statement assignment(const std::string& text, NameSet& defined) {
    const std::size_t equals = text.find(" = ");
    if (equals == std::string::npos) throw std::runtime_error("'" + text + "' assigns nothing");
    Statement made;
    made.values = expressions(text.substr(equals + 3), defined);
    for (const Expression& name : read_list(text.substr(0, equals))) {
      if (name.kind != Kind::name) throw std::runtime_error("'" + text + "' assigns to no name");
      made.names.push_back(name.text);
    }
    if (made.names.size() != made.values.size())
      throw std::runtime_error("'" + text + "' has another number of values than of names");
    defined.insert(made.names.begin(), made.names.end());
    return made;
  }
  static NameSet assigned(const std::vector<Statement>& block) {
    NameSet all;
    for (const Statement& one : block) {
      if (one.kind == Statement::Kind::assign) all.insert(one.names.begin(), one.names.end());
      all.merge(assigned(one.then_block));
      all.merge(assigned(one.else_block));
    }
    return all;
  }
  static std::vector<std::string> common(const NameSet& a, const NameSet& b) {
    std::vector<std::string> all;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
  }
};

Program read_program(const Json& json) {
  static const NameSet kFields{"name", "asks for", "inputs", "do", "gives", "example", "not in"};
  for (const auto& [key, value] : json.items()) {
    if (!kFields.contains(key)) throw std::runtime_error("'" + key + "' is no part of a program");
  }
  Program program;
  program.title = json.at("asks for").get<std::string>();
  json.at("inputs").get_to(program.inputs);
  NameSet defined;
  for (const auto& [name, kind] : program.inputs) {
    if (kind != "number" && kind != "bool" && kind != "index")
      throw std::runtime_error("'" + kind + "' is no kind of input");
    defined.insert(name);
  }
  Reader reader;
  program.body = reader.block(json.at("do"), defined);
  program.gives = read_list(json.at("gives").get<std::string>());
  reader.require(program.gives, defined);
  for (const auto& [name, value] : json.at("example").at(0).items())
    program.example[name] = value.is_boolean() ? value.get<bool>() : value.get<std::int64_t>();
  for (const Json& value : json.at("example").at(1)) {
    program.example_gives.push_back(value.is_boolean() ? value.get<bool>()
                                                       : value.get<std::int64_t>());
  }
  if (json.contains("not in")) json.at("not in").get_to(program.not_in);
  return program;
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  if (b == 0) throw std::domain_error("division by zero");
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::int64_t arithmetic(const std::string& what, std::int64_t a, std::int64_t b) {
  if (what == "+") return a + b;
  if (what == "-") return a - b;
  if (what == "*") return a * b;
  return what == "//" ? floor_divided(a, b) : a - floor_divided(a, b) * b;
}
bool compare(const std::string& what, std::int64_t a, std::int64_t b) {
  if (what == "==") return a == b;
  if (what == "!=") return a != b;
  if (what == "<") return a < b;
  if (what == "<=") return a <= b;
  return what == ">" ? a > b : a >= b;
}

std::int64_t evaluate(const Expression& e, const Numbers& variables) {
  const auto part = [&](std::size_t i) { return evaluate(e.of[i], variables); };
  switch (e.kind) {
    case Kind::number:
    case Kind::truth:
      return e.constant;
    case Kind::name:
      return variables.at(e.text);
    case Kind::negate:
      return -part(0);
    case Kind::not_:
      return part(0) == 0 ? 1 : 0;
    case Kind::and_:
      return part(0) != 0 ? part(1) : 0;
    case Kind::or_:
      return part(0) != 0 ? 1 : part(1);
    case Kind::choice:
      return part(part(0) != 0 ? 1 : 2);
    case Kind::compare:
      return compare(e.text, part(0), part(1)) ? 1 : 0;
    case Kind::arithmetic:
      return arithmetic(e.text, part(0), part(1));
  }
  throw std::logic_error("an expression of no kind");
}

void run(const std::vector<Statement>& block, Numbers& variables) {
  for (const Statement& s : block) {
    if (s.kind == Statement::Kind::assign) {
      std::vector<std::int64_t> values;
      for (const Expression& value : s.values) values.push_back(evaluate(value, variables));
      for (std::size_t i = 0; i < values.size(); ++i) variables[s.names[i]] = values[i];
    } else if (s.kind == Statement::Kind::if_) {
      run(evaluate(s.condition[0], variables) != 0 ? s.then_block : s.else_block, variables);
    } else {
      const bool counted = !s.trips.empty();
      const std::int64_t times = counted ? evaluate(s.trips[0], variables) : 0;
      for (std::int64_t i = 0; !counted || i < times; ++i) {
        if (s.kind == Statement::Kind::for_) variables[s.names[0]] = i;
        if (s.kind == Statement::Kind::while_ && evaluate(s.condition[0], variables) == 0) break;
        run(s.then_block, variables);
      }
    }
  }
}

}  // namespace

Expression read_expression(std::string_view text) {
  std::vector<Expression> all = Parser(text).list();
  if (all.size() != 1) throw std::runtime_error("'" + std::string(text) + "' is more than one");
  return std::move(all[0]);
}

std::vector<Program> read_programs(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + ": cannot be read");
  const Json whole = Json::parse(stream);
  std::vector<Program> programs;
  for (const Json& json : whole.at("programs")) {
    const std::string name = json.at("name").get<std::string>();
    try {
      programs.push_back(read_program(json));
    } catch (const std::exception& error) {
      throw std::runtime_error(file + ": the program " + name + ": " + error.what());
    }
    programs.back().name = name;
  }
  return programs;
}

std::vector<std::int64_t> run_plain(const Program& program, const Numbers& inputs) {
  Numbers variables = inputs;
  run(program.body, variables);
  std::vector<std::int64_t> results;
  for (const Expression& one : program.gives) results.push_back(evaluate(one, variables));
  return results;
}

}  // namespace sluice::programs
