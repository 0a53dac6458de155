// to_dot: the plan as a Graphviz drawing. Steps are boxes, branches are diamonds, arms are
// clusters.
#include <sluice/graph/plan.h>

#include <map>
#include <set>
#include <utility>

namespace sluice {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Drawing {
 public:
  explicit Drawing(const Plan& plan) : plan_(plan) {}

  std::string draw() {
    text_ =
        "digraph pipeline {\n  rankdir=TB;\n  node [fontname=\"sans-serif\", fontsize=11, "
        "shape=box, style=rounded];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9, color=gray40];\n";
    block(plan_.top, "  ");
    text_ += "  batch [shape=box3d, label=\"batch\"];\n";
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
      edge(plan_.outputs[k], "batch", "output " + std::to_string(k));
    }
    return text_ + edges_ + "}\n";
  }

 private:
  void block(const Block& b, const std::string& indent) {
    for (const Node& node : b.nodes) {
      if (const auto* s = std::get_if<Stage>(&node)) {
        stage(*s, indent);
      } else if (const auto* l = std::get_if<Loop>(&node)) {
        loop(*l, indent);
      } else {
        branch(std::get<Branch>(node), indent);
      }
    }
  }

  // Steps that run as one task are drawn in one frame.
  void stage(const Stage& s, const std::string& indent) {
    const bool fused = s.steps.size() > 1;
    if (fused) {
      text_ += indent + "subgraph cluster_" + std::to_string(++clusters_) + " {\n" + indent +
               "  label=\"one task\"; fontname=\"sans-serif\"; fontsize=9; style=dotted;\n";
    }
    for (const Step& step : s.steps) {
      const std::string id = "s" + std::to_string(++nodes_);
      text_ += indent + (fused ? "  " : "") + id + " [label=" + quoted(step.name) + "];\n";
      for (const SlotId slot : step.reads) edge(slot, id, "");
      for (const SlotId slot : step.writes) makers_[slot] = {id};
    }
    if (fused) text_ += indent + "}\n";
  }

  void branch(const Branch& b, const std::string& indent) {
    const std::string id = "b" + std::to_string(++nodes_);
    text_ += indent + id + " [shape=diamond, style=solid, label=" + quoted(b.name) + "];\n";
    for (const SlotId slot : b.reads) edge(slot, id, "");
    for (std::size_t a = 0; a < b.arms.size(); ++a) {
      const std::string cluster = std::to_string(++clusters_);
      const std::string inside = indent + "  ";
      text_ += indent + "subgraph cluster_" + cluster + " {\n" + inside +
               "label=" + quoted(b.name + ": " + b.arm_names[a]) +
               "; fontname=\"sans-serif\"; fontsize=10; style=\"rounded,filled\"; "
               "fillcolor=\"#f4f6fa\"; color=gray70;\n";
      const std::string entry = "e" + cluster;
      text_ += inside + entry + " [shape=point, style=solid, label=\"\"];\n";
      edges_ +=
          "  " + id + " -> " + entry + " [style=dashed, label=" + quoted(b.arm_names[a]) + "];\n";
      block(b.arms[a], inside);
      text_ += indent + "}\n";
    }
    for (std::size_t i = 0; i < b.results.size(); ++i) {
      std::set<std::string>& makers = makers_[b.results[i]];
      for (const Block& arm : b.arms) {
        const std::set<std::string>& from = makers_[arm.results[i]];
        makers.insert(from.begin(), from.end());
      }
    }
  }

  void loop(const Loop& l, const std::string& indent) {
    const std::string id = "l" + std::to_string(++nodes_);
    text_ += indent + id + " [shape=hexagon, style=solid, label=" + quoted(l.name) + "];\n";
    for (const SlotId slot : l.init) edge(slot, id, "");
    for (const SlotId slot : l.state) makers_[slot] = {id};
    makers_[l.iteration] = {id};
    for (const auto& [block_, label] :
         {std::pair{&l.condition, "while"}, std::pair{&l.body, "body"}}) {
      text_ += indent + "subgraph cluster_" + std::to_string(++clusters_) + " {\n" + indent +
               "  label=" + quoted(l.name + ": " + label) +
               "; fontname=\"sans-serif\"; fontsize=10; style=\"rounded,filled\"; "
               "fillcolor=\"#f6f4ee\"; color=gray70;\n";
      block(*block_, indent + "  ");
      text_ += indent + "}\n";
      for (const SlotId slot : block_->results) edge(slot, id, label);
    }
    for (const SlotId slot : l.results) makers_[slot] = {id};
  }

  void edge(SlotId slot, const std::string& to, const std::string& label) {
    for (const std::string& maker : makers_[slot]) {
      edges_ += "  " + maker + " -> " + to +
                (label.empty() ? "" : " [label=" + quoted(label) + "]") + ";\n";
    }
  }

  const Plan& plan_;
  std::string text_;
  std::string edges_;
  std::map<SlotId, std::set<std::string>> makers_;  // nodes that a value may come from
  int nodes_ = 0;
  int clusters_ = 0;
};

}  // namespace

std::string to_dot(const Plan& plan) { return Drawing(plan).draw(); }

}  // namespace sluice
