#include <sluice/graph/plan.h>
#include <sluice/runtime/error.h>

namespace sluice {
namespace {

std::string value_list(const Plan& plan, const std::vector<SlotId>& slots) {
  std::string text;
  for (const SlotId slot : slots) {
    if (!text.empty()) text += ", ";
    text += "%" + std::to_string(slot) + " " + plan.slots[slot].name;
  }
  return text;
}

void print_step(const Plan& plan, const Step& step, const std::string& indent, std::string& text) {
  text += indent + step.name + "(" + value_list(plan, step.reads) + ") -> " +
          value_list(plan, step.writes);
  if (!step.releases.empty()) text += "   [releases " + value_list(plan, step.releases) + "]";
  text += '\n';
}

void print_block(const Plan& plan, const Block& block, const std::string& indent,
                 std::string& text) {
  if (!block.releases.empty())
    text += indent + "[releases " + value_list(plan, block.releases) + "]\n";
  for (const Node& node : block.nodes) {
    if (const auto* stage = std::get_if<Stage>(&node)) {
      const bool fused = stage->steps.size() > 1;
      if (fused) text += indent + "stage\n";
      for (const Step& step : stage->steps)
        print_step(plan, step, fused ? indent + "  " : indent, text);
      continue;
    }
    if (const auto* loop = std::get_if<Loop>(&node)) {
      text += indent + loop->name + "(" + value_list(plan, loop->init) + ") -> " +
              value_list(plan, loop->results) + "   at most " +
              std::to_string(loop->max_iterations) + " times\n" + indent + "  carries " +
              value_list(plan, loop->state) + "\n" + indent + "  while:\n";
      print_block(plan, loop->condition, indent + "    ", text);
      text += indent + "    gives " + value_list(plan, loop->condition.results) + "\n" + indent +
              "  body:\n";
      print_block(plan, loop->body, indent + "    ", text);
      text += indent + "    gives " + value_list(plan, loop->body.results) + "\n";
      continue;
    }
    const auto& branch = std::get<Branch>(node);
    text += indent + branch.name + "(" + value_list(plan, branch.reads) + ") -> " +
            value_list(plan, branch.results) + "\n";
    for (std::size_t a = 0; a < branch.arms.size(); ++a) {
      text += indent + "  " + branch.arm_names[a] + ":\n";
      print_block(plan, branch.arms[a], indent + "    ", text);
      text += indent + "    gives " + value_list(plan, branch.arms[a].results) + "\n";
    }
  }
}

}  // namespace

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

std::string Plan::name_of_sample(std::int64_t sample) const noexcept {
  try {
    return source_name ? source_name(sample) : std::string();
  } catch (...) {  // an error about an error helps nobody
    return {};
  }
}

std::string to_string(const Plan& plan) {
  std::string text = std::to_string(plan.samples) + " samples\n";
  print_block(plan, plan.top, "", text);
  return text + "outputs " + value_list(plan, plan.outputs) + "\n";
}

}  // namespace sluice
