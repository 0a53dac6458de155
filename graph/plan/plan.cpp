#include <sluice/graph/plan/annotations.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/runtime/error.h>

namespace sluice::detail {
namespace {

class Printer {
 public:
  Printer(const Plan& plan, const Stats* stats) : plan_(plan), notes_(stats) {}

  std::string print() {
    text_ = plan_.samples == kUntilEnd ? "samples until the source ends\n"
                                       : std::to_string(plan_.samples) + " samples\n";
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
      if (begins) line(indent, "gather");
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
                        step.kind == StepKind::io ? "io" : "", gather_of(step), where(step),
                        placed(step.writes), released(step.releases)}),
          notes_.of(step));
    }
  }

  void add(const Branch& b, const std::string& indent) {
    line(indent, b.name + " by " + (b.reads.empty() ? "a constant" : list(b.reads)) +
                     (b.results.empty() ? "" : " -> " + list(b.results)) +
                     brackets({b.eager ? "eager" : "", gather_of(b)}));
    for (std::size_t a = 0; a < b.arms.size(); ++a) {
      line(indent + "  ", b.arm_names[a] + ":", notes_.of(b, a));
      block(b.arms[a], indent + "    ");
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

Step::Step() = default;
Step::Step(const Step&) = default;
Step::Step(Step&&) noexcept = default;
Step& Step::operator=(const Step&) = default;
Step& Step::operator=(Step&&) noexcept = default;
Step::~Step() = default;

bool inside(const Plan& plan, ScopeId scope, ScopeId outer) {
  while (scope != outer && scope != 0) scope = plan.scopes[scope].parent;
  return scope == outer;
}

void require_visible(const Plan& plan, SlotId slot, ScopeId scope, const std::string& user) {
  const ScopeId home = plan.slots[slot].scope;
  if (inside(plan, scope, home)) return;
  const std::string& place = plan.scopes[home].name;
  throw BuildError("'" + user + "' uses the value '" + plan.slots[slot].name +
                   "', which exists only inside " + place +
                   (place.rfind("the arm", 0) == 0
                        ? "; return it from that arm to use it outside"
                        : "; make it part of the loop's state to use it afterwards"));
}

std::string Plan::name_of_sample(const SampleKey& key) const noexcept {
  try {
    return source_name ? source_name(key) : std::string();
  } catch (...) {  // a second error would hide the first
    return {};
  }
}

std::string to_string(const Plan& plan) { return Printer(plan, nullptr).print(); }
}  // namespace sluice::detail

std::string sluice::to_string(const detail::Plan& plan, const Stats& stats) {
  return detail::Printer(plan, &stats).print();
}
