#include "tests/graph/random_program/print.h"

#include <utility>

namespace sluice::random_program {
namespace {

std::string name(Id id) { return "v" + std::to_string(id); }

std::string list(const std::vector<Id>& ids) {
  std::string text;
  for (const Id id : ids) text += (text.empty() ? "" : ", ") + name(id);
  return text;
}

class Printer {
 public:
  std::string print(const Program& program) {
    line("// random program of seed " + std::to_string(program.seed));
    line("auto " + name(kSource) + " = g.source(samples, index_in_epoch);");
    nodes(program.top);
    line("return " + structure(program.top.results, "std::tuple") + ";");
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += std::string(indent_, ' ') + text + "\n"; }

  static std::string structure(const std::vector<Id>& ids, const std::string& kind) {
    return ids.size() == 1 && kind == "std::tuple" ? name(ids[0]) : kind + "{" + list(ids) + "}";
  }
  static std::string kind_of(const Node& node) {
    switch (node.shape) {
      case Shape::vector:
        return "std::vector";
      case Shape::record:
        return "Record";
      case Shape::map:
        return "numbered_map";
      case Shape::nested:
        return "pair_of_array_and_vector";
      default:
        return "std::tuple";
    }
  }

  // "auto v3 = " or "auto [v3, v4] = ".
  static std::string made(const Node& node) {
    if (node.out.empty()) return "";
    return "auto " + (node.out.size() == 1 ? name(node.out[0]) : "[" + list(node.out) + "]") +
           " = ";
  }

  void nodes(const Block& block) {
    for (const Node& node : block.nodes) print(node);
  }

  void print(const Node& node) {
    switch (node.kind) {
      case Kind::constant:
        return line(made(node) + "g.constant(" + std::to_string(node.constant) + ");");
      case Kind::arithmetic:
        return line(made(node) + "(" + name(node.in[0]) + " " + node.symbol + " " +
                    (node.in.size() > 1 ? name(node.in[1]) : std::to_string(node.constant)) +
                    ") % 1009;");
      case Kind::draw:
        return line(made(node) + "g.random(\"" + name_of(node) + "\", below_100);");
      case Kind::filter:
        return line("g.filter(" + name(node.in[0]) + ");");
      case Kind::work:
        return line(made(node) + "g.map(\"" + name_of(node) + "\", hash_below(" +
                    std::to_string(node.modulus) + ")" + throws(node) + ", " + list(node.in) +
                    ");");
      case Kind::tap:
        return line("g.tap(\"" + name_of(node) + "\", look" + throws(node) + ", " + list(node.in) +
                    ");");
      default:
        return is_loop(node) ? loop(node) : branch(node);
    }
  }

  static std::string throws(const Node& node) {
    if (node.fails_one_in == 0) return "";
    return " /* throws for 1 in " + std::to_string(node.fails_one_in) + " */";
  }

  void branch(const Node& node) {
    const char* const call = node.kind == Kind::all_of   ? "g.all_of("
                             : node.kind == Kind::any_of ? "g.any_of("
                             : node.kind == Kind::select ? "g.select("
                                                         : "g.if_else(";
    line(made(node) + call + name(node.in[0]) + (is_logic(node) ? " != 0," : ","));
    for (std::size_t i = 0; i < node.blocks.size(); ++i)
      function("[&] {", node.blocks[i], node, i + 1 == node.blocks.size() ? ");" : ",");
  }

  void loop(const Node& node) {
    const bool counts = node.kind != Kind::while_loop;
    const std::string count = node.in.empty() ? std::to_string(node.constant) : name(node.in[0]);
    const char* const call = node.kind == Kind::while_loop ? "g.while_loop("
                             : node.kind == Kind::for_loop ? "g.for_loop("
                                                           : "g.for_loop_collect(";
    line(made(node) + call + (counts ? count + ", " : "") + structure(node.init, kind_of(node)) +
         ",");
    const std::string takes =
        "[&](" + (counts ? name(node.iteration) + ", " : "") + list(node.state) + ") {";
    const std::string end =
        std::string(", {") +
        (node.reverse && node.kind == Kind::collect ? ".reverse = true, " : "") +
        ".max_iterations = " + std::to_string(node.max_iterations) + "});";
    for (std::size_t i = 0; i < node.blocks.size(); ++i)
      function(takes, node.blocks[i], node, i + 1 == node.blocks.size() ? end : ",");
  }

  void function(const std::string& head, const Block& block, const Node& node,
                const std::string& end) {
    indent_ += 4;
    line(head);
    indent_ += 2;
    nodes(block);
    line("return " +
         structure(block.results, block.results.size() == 1 ? "std::tuple" : kind_of(node)) + ";");
    indent_ -= 2;
    line("}" + end);
    indent_ -= 4;
  }

  std::string text_;
  std::size_t indent_ = 0;
};

}  // namespace

std::string to_code(const Program& program) { return Printer().print(program); }

}  // namespace sluice::random_program
