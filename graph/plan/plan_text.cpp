// Plans as text and as drawings, with or without counts.
#include <sluice/graph/plan/annotations.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/plan_text.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

template <class Part, class Of>
const Of* find(const std::vector<Of>& all, const Part& part) {
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Of& one) { return one.counter == part.counter; });
  return it == all.end() ? nullptr : &*it;
}

std::string each(double mean_ns) {
  return mean_ns > 0 ? ", " + duration(mean_ns) + " each" : std::string();
}

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string counted_with_commas(std::int64_t count, const char* one, const char* several) {
  return with_commas(count) + " " + (count == 1 ? one : several);
}

std::string duration(double nanoseconds) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  double value = nanoseconds;
  for (; unit + 1 < std::size(kUnits) && value >= 999.5; ++unit) value /= 1000;
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, kUnits[unit]);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string();
}

std::optional<MemoryKind> moves_to(const Step& step) {
  if (step.op == nullptr || step.op->schema().outputs.size() != 1) return std::nullopt;
  // A copy keeps the type of its input, so its output has no fixed type. Operators with a fixed
  // type only prepare a copy.
  const OperatorSchema& schema = step.op->schema();
  return schema.outputs.front().type == nullptr ? schema.moves_to : std::nullopt;
}

std::string device_batch_of(const Step& step) { return step.stops ? "in the next GPU batch" : ""; }

std::string device_batch_of(const Choice& choice) {
  if (choice.there != nullptr) return "the device chooses";
  return choice.stops ? "in the next GPU batch" : "";
}

std::string Annotations::of(const Step& step) const {
  if (stats_ == nullptr) return {};
  const StepStats* s = find(stats_->steps, step);
  if (s == nullptr) return {};
  return s->runs == 0 ? "never run"
                      : counted_with_commas(s->runs, "run", "runs") + each(s->mean_ns());
}

std::string Annotations::of(const Choice& choice, std::size_t branch) const {
  if (stats_ == nullptr) return {};
  const ChoiceStats* s = find(stats_->choices, choice);
  if (s == nullptr) return {};
  const BranchStats& a = s->branches[branch];
  if (a.taken == 0) return "never taken";
  return fmt::format("taken {} of {}{}", with_commas(a.taken),
                     counted_with_commas(s->taken(), "time", "times"), each(a.mean_ns()));
}

std::string Annotations::of(const Loop& loop) const {
  if (stats_ == nullptr) return {};
  const LoopStats* s = find(stats_->loops, loop);
  if (s == nullptr) return {};
  if (s->entries == 0) return "never entered";
  return fmt::format("entered {}, {}{}", counted_with_commas(s->entries, "time", "times"),
                     counted_with_commas(s->iterations, "iteration", "iterations"),
                     each(s->mean_ns()));
}

namespace {

class Printer {
 public:
  Printer(const Plan& plan, const Stats* stats) : plan_(plan), notes_(stats) {}

  std::string print() {
    if (plan_.samples == kUntilEnd) {
      text_ = "samples until the source ends\n";
    } else if (plan_.samples > 0) {  // none: the plan is only drawn
      text_ = counted(plan_.samples, "sample") + "\n";
    }
    block(plan_.top, "");
    line("", "outputs " + list(plan_.outputs));
    return std::move(text_);
  }

 private:
  void line(const std::string& indent, const std::string& what, const std::string& note = {}) {
    text_ += indent + what + (note.empty() ? "" : "   " + note) + "\n";
  }

  std::string list(const std::vector<SlotId>& slots) const {
    std::string text;
    for (const SlotId slot : slots) {
      if (!text.empty()) text += ", ";
      text += "%" + std::to_string(slot) + " " + plan_.slots[slot].name;
    }
    return text;
  }

  // Returns "   [remark; remark]" from the remarks that are not empty.
  static std::string brackets(std::initializer_list<std::string> remarks) {
    std::string text;
    for (const std::string& remark : remarks) {
      if (!remark.empty()) text += (text.empty() ? "   [" : "; ") + remark;
    }
    return text.empty() ? text : text + "]";
  }

  static std::string where(const Step& step) {
    if (const std::optional<MemoryKind> to = moves_to(step))
      return *to == MemoryKind::device ? "to the device" : "to the host";
    return step.kind == StepKind::stream ? "on the device" : "";
  }

  std::string released(const std::vector<SlotId>& slots) const {
    return slots.empty() ? std::string() : "releases " + list(slots);
  }

  std::string placed(const std::vector<SlotId>& slots) const {
    std::string text;
    for (const SlotId id : slots) {
      const Slot& slot = plan_.slots[id];
      if (slot.output < 0 || slot.type->set_placer == nullptr) continue;
      if (!text.empty()) text += ", ";
      text += "output " + std::to_string(slot.output) + " in place";
    }
    return text;
  }

  void block(const Block& b, const std::string& indent) {
    if (!b.releases.empty()) line(indent, "[" + released(b.releases) + "]");
    for (std::size_t i = 0; i < b.nodes.size(); ++i) {
      const bool joined = joins(b.nodes[i]);
      const bool begins = !joined && i + 1 < b.nodes.size() && joins(b.nodes[i + 1]);
      if (begins) line(indent, "GPU batch");
      visit(b.nodes[i],
            [&](const auto& part) { add(part, indent + (joined || begins ? "  " : "")); });
    }
    if (!b.results.empty()) line(indent, "gives " + list(b.results));
  }

  void add(const Stage& s, const std::string& indent) {
    const bool fused = s.steps.size() > 1;
    if (fused) line(indent, "stage");
    for (const Step& step : s.steps) {
      const std::string writes = step.writes.empty() ? "" : " -> " + list(step.writes);
      line(
          indent + (fused ? "  " : ""),
          step.name + "(" + list(step.reads) + ")" + writes +
              brackets({step.remark, step.pinned ? "source" : "", step.has_effect() ? "effect" : "",
                        step.kind == StepKind::wait ? "waits" : "",
                        step.kind == StepKind::io ? "io" : "", device_batch_of(step), where(step),
                        placed(step.writes), released(step.releases)}),
          notes_.of(step));
    }
  }

  void add(const Choice& b, const std::string& indent) {
    line(indent, b.name + " by " + (b.reads.empty() ? "a constant" : list(b.reads)) +
                     (b.results.empty() ? "" : " -> " + list(b.results)) +
                     brackets({b.eager ? "eager" : "", device_batch_of(b)}));
    for (std::size_t a = 0; a < b.branches.size(); ++a) {
      line(indent + "  ", b.branch_names[a] + ":", notes_.of(b, a));
      block(b.branches[a], indent + "    ");
    }
  }

  void add(const Loop& l, const std::string& indent) {
    line(indent,
         l.name + " from " + (l.init.empty() ? "nothing" : list(l.init)) +
             (l.results.empty() ? "" : " -> " + list(l.results)) + brackets({released(l.releases)}),
         notes_.of(l));
    line(indent + "  ", "carries " + (l.state.empty() ? "nothing" : list(l.state)) + ", at most " +
                            with_commas(l.max_iterations) + " times");
    line(indent + "  ", "condition:");
    block(l.condition, indent + "    ");
    line(indent + "  ", "body:");
    block(l.body, indent + "    ");
    if (!l.locals.empty()) line(indent + "    ", "moves out " + list(l.locals));
  }

  const Plan& plan_;
  const Annotations notes_;
  std::string text_;
};

}  // namespace

std::string to_string(const Plan& plan) { return Printer(plan, nullptr).print(); }

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// `note` (counts) and `remark` (the part of a step) have their own lines.
std::string label(const std::string& name, const std::string& note,
                  const std::string& remark = {}) {
  std::string text = "label=" + quoted(name);
  for (const std::string& line : {remark, note}) {
    if (!line.empty()) text.insert(text.size() - 1, "\\n" + line);
  }
  return text;
}

// True if a sample stops in the node: see join_device_batches.
bool has_stop(const Node& node) {
  return visit(
      node,
      [](const Stage& stage) {
        return std::any_of(stage.steps.begin(), stage.steps.end(),
                           [](const Step& step) { return step.stops; });
      },
      [](const Choice& choice) {
        return (choice.stops && choice.there == nullptr) ||
               std::any_of(choice.branches.begin(), choice.branches.end(), [](const Block& branch) {
                 return std::any_of(branch.nodes.begin(), branch.nodes.end(), has_stop);
               });
      },
      [](const Loop&) { return false; });
}

// Pads the label with spaces, because Graphviz would let it touch its line.
std::string edge_label(const std::string& name) { return label("  " + name + "  ", ""); }

class Drawing {
 public:
  Drawing(const Plan& plan, const Stats* stats) : plan_(plan), notes_(stats) {}

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
    if (on_device_) legend();
    return text_ + edges_ + "}\n";
  }

 private:
  static constexpr const char* kOnDevice =
      ", style=\"rounded,filled\", fillcolor=\"#cfe8cf\", color=\"#2e7d32\"";
  static constexpr const char* kCopyThere =
      ", shape=rarrow, margin=\"0.25,0.12\", style=filled, fillcolor=\"#d6e4f5\", "
      "color=\"#1f5fa8\"";
  static constexpr const char* kCopyBack =
      ", shape=larrow, margin=\"0.25,0.12\", style=filled, fillcolor=\"#d6e4f5\", "
      "color=\"#1f5fa8\"";

  void legend() {
    text_ +=
        "  subgraph cluster_legend {\n    label=\"where\"; fontname=\"sans-serif\"; "
        "fontsize=9; style=dotted;\n    node [fontsize=9, height=0.3];\n";
    const auto add_key = [&](const char* id, const char* says, const char* style) {
      text_ += std::string("    legend_") + id + " [label=" + quoted(says) + style + "];\n";
    };
    add_key("host", "on the host", "");
    add_key("device", "on the device", kOnDevice);
    add_key("there", "to the device", kCopyThere);
    add_key("back", "to the host", kCopyBack);
    text_ +=
        "    legend_host -> legend_device -> legend_there -> legend_back [style=invis];\n  }\n";
  }

  void block(const Block& b, const std::string& indent) {
    for (std::size_t i = 0; i < b.nodes.size(); ++i) {
      const bool last = i + 1 == b.nodes.size() || !joins(b.nodes[i + 1]);
      const bool joined = joins(b.nodes[i]);
      if (!joined && !last) {
        bool stops = false;
        for (std::size_t j = i + 1; j < b.nodes.size() && joins(b.nodes[j]); ++j)
          stops = stops || has_stop(b.nodes[j]);
        open_box(stops ? "GPU batches, one after the other" : "one GPU batch", indent);
        in_device_batch_ = true;
      }
      visit(b.nodes[i],
            [&](const auto& part) { add(part, indent + (joined || !last ? "  " : "")); });
      if (joined && last) {
        in_device_batch_ = false;
        text_ += indent + "}\n";
      }
    }
  }

  std::string style_of(const Step& step) {
    const std::optional<MemoryKind> to = moves_to(step);
    if (!to && step.kind != StepKind::stream)
      return step.kind != StepKind::cpu ? ", style=\"rounded,dashed\"" : "";
    on_device_ = true;
    return to ? *to == MemoryKind::device ? kCopyThere : kCopyBack : kOnDevice;
  }

  void open_box(const char* its_label, const std::string& indent) {
    text_ += indent + "subgraph cluster_" + std::to_string(++clusters_) + " {\n" + indent +
             "  label=\"" + its_label +
             "\"; fontname=\"sans-serif\"; fontsize=9; labelloc=b; labeljust=l; style=dotted;\n";
  }

  // Steps that run as one task or in one GPU batch are drawn in one box.
  void add(const Stage& s, const std::string& indent) {
    const bool fused = s.steps.size() > 1 && !in_device_batch_;
    if (fused) open_box(s.kind() == StepKind::stream ? "one GPU batch" : "one task", indent);
    for (const Step& step : s.steps) {
      const std::string id = "s" + std::to_string(++nodes_);
      text_ += indent + (fused ? "  " : "") + id + " [" +
               label(step.name, notes_.of(step),
                     step.remark.empty() ? device_batch_of(step) : step.remark) +
               (step.has_effect() ? ", peripheries=2" : "") + style_of(step) + "];\n";
      for (const SlotId slot : step.reads) edge(slot, id, "");
      for (const SlotId slot : step.writes) makers_[slot] = {id};
    }
    if (fused) text_ += indent + "}\n";
  }

  void add(const Choice& b, const std::string& indent) {
    const std::string id = "b" + std::to_string(++nodes_);
    text_ += indent + id + " [shape=diamond, style=solid, " +
             label(b.name, "", device_batch_of(b)) + "];\n";
    for (const SlotId slot : b.reads) edge(slot, id, "");
    for (std::size_t a = 0; a < b.branches.size(); ++a) {
      cluster(b.branches[a], label(b.name + ": " + b.branch_names[a], notes_.of(b, a)), "#f4f6fa",
              id, b.branch_names[a], indent);
    }
    for (std::size_t i = 0; i < b.results.size(); ++i) {
      std::set<std::string>& makers = makers_[b.results[i]];
      for (const Block& branch : b.branches) {
        const std::set<std::string>& from = makers_[branch.results[i]];
        makers.insert(from.begin(), from.end());
      }
    }
  }

  void add(const Loop& l, const std::string& indent) {
    const std::string id = "l" + std::to_string(++nodes_);
    text_ += indent + id + " [shape=hexagon, style=solid, " + label(l.name, notes_.of(l)) + "];\n";
    for (const SlotId slot : l.init) edge(slot, id, "");
    for (const SlotId slot : l.state) makers_[slot] = {id};
    makers_[l.iteration] = {id};
    for (const auto& [part, name] :
         {std::pair{&l.condition, "condition"}, std::pair{&l.body, "body"}}) {
      cluster(*part, label(l.name + ": " + name, ""), "#f6f4ee", id, name, indent);
      for (const SlotId slot : part->results) edge(slot, id, name);
    }
    for (const SlotId slot : l.results) makers_[slot] = {id};
  }

  // Draws a block in a box. A dashed line leads to its entry point, which exists even if the block
  // has no steps.
  void cluster(const Block& b, const std::string& its_label, const std::string& color,
               const std::string& from, const std::string& name, const std::string& indent) {
    const std::string number = std::to_string(++clusters_);
    const std::string inside = indent + "  ";
    text_ += indent + "subgraph cluster_" + number + " {\n" + inside + its_label +
             "; fontname=\"sans-serif\"; fontsize=10; labeljust=l; style=\"rounded,filled\"; "
             "fillcolor=\"" +
             color + "\"; color=gray70;\n";
    text_ += inside + "e" + number + " [shape=point, style=solid, label=\"\"];\n";
    edges_ += "  " + from + " -> e" + number + " [style=dashed, " + edge_label(name) + "];\n";
    block(b, inside);
    text_ += indent + "}\n";
  }

  void edge(SlotId slot, const std::string& to, const std::string& name) {
    for (const std::string& maker : makers_[slot]) {
      edges_ +=
          "  " + maker + " -> " + to + (name.empty() ? "" : " [" + edge_label(name) + "]") + ";\n";
    }
  }

  const Plan& plan_;
  const Annotations notes_;
  std::string text_;
  std::string edges_;
  std::map<SlotId, std::set<std::string>> makers_;  // nodes that a value may come from
  int nodes_ = 0;
  int clusters_ = 0;
  bool on_device_ = false;        // true if a step runs on a device or copies to or from one
  bool in_device_batch_ = false;  // inside a GPU batch of several nodes
};

}  // namespace

std::string to_dot(const Plan& plan) { return Drawing(plan, nullptr).draw(); }
}  // namespace sluice::detail

std::string sluice::to_string(const detail::Plan& plan, const Stats& stats) {
  return detail::Printer(plan, &stats).print();
}

std::string sluice::to_dot(const detail::Plan& plan, const Stats& stats) {
  return detail::Drawing(plan, &stats).draw();
}
