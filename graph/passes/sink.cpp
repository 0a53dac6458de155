// The pass sink.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace sluice::detail {
namespace {

bool may_sink(const Node& node) {
  const auto steps = steps_in(node);
  return !has_effect(node) &&
         std::none_of(steps.begin(), steps.end(), [](const Step& step) { return step.pinned; });
}

// Walks backwards through the plan. The values of a node are used only after it. So all uses have
// been seen at their final places when the node is visited. For each slot it is enough to know the
// innermost block that contains its uses.
class Sinker {
 public:
  explicit Sinker(Plan& plan)
      : plan_(plan), places_(plan.scopes.size()), users_(plan.slots.size()) {}

  void run() {
    use(plan_.outputs, plan_.top.scope);
    walk(plan_.top);
    for_each_block(plan_.top, [&](Block& block) {
      std::vector<Node>& nodes = places_[block.scope].nodes;
      block.nodes.assign(std::move_iterator(nodes.rbegin()), std::move_iterator(nodes.rend()));
    });
  }

 private:
  // A block, identified by its scope.
  struct Place {
    ScopeId outer = 0;  // the block that contains it; the top contains itself
    int depth = 0;
    bool closed = false;      // nothing sinks into it: a block of a loop or of an eager choice
    std::vector<Node> nodes;  // its future nodes, in reverse order
  };

  void walk(Block& block) {
    use(block.results, block.scope);
    std::vector<Node> nodes = std::move(block.nodes);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      const ScopeId to = may_sink(*node) ? lowest(*node, block.scope) : block.scope;
      if (to != block.scope) move_scope(plan_, *node, to);
      walk_node(*node, to);
      places_[to].nodes.push_back(std::move(*node));
    }
  }

  void walk_node(Node& node, ScopeId at) {
    use(inputs_of(node), at);
    const auto* choice = std::get_if<Choice>(&node);
    const bool closed = choice == nullptr || choice->eager;
    // In reverse order: the body of a loop may use values of its condition.
    const std::vector<Block*> blocks = blocks_in(node);
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      places_[(*block)->scope] = {at, places_[at].depth + 1, closed, {}};
      walk(**block);
    }
  }

  void use(const std::vector<SlotId>& slots, ScopeId at) {
    for (const SlotId slot : slots) users_[slot] = users_[slot] ? around(*users_[slot], at) : at;
  }

  // The innermost block that contains both.
  ScopeId around(ScopeId a, ScopeId b) const {
    while (a != b) {
      ScopeId& deeper = places_[a].depth > places_[b].depth ? a : b;
      deeper = places_[deeper].outer;
    }
    return a;
  }

  // The innermost block into which the node can move from the block `home`; `home` if there is
  // none.
  ScopeId lowest(const Node& node, ScopeId home) const {
    std::optional<ScopeId> used;
    for (const SlotId slot : writes_of(plan_, node)) {
      // A value from outside that is made in several branches.
      if (plan_.slots[slot].scope != home) return home;
      if (users_[slot]) used = used ? around(*used, *users_[slot]) : *users_[slot];
    }
    if (!used || around(*used, home) != home) return home;
    ScopeId open = *used;
    // Each choice of a chain may sink into the next one, so the depth is limited.
    while (open != home && places_[open].depth > kMostNesting) open = places_[open].outer;
    for (ScopeId at = open; at != home; at = places_[at].outer) {
      if (places_[at].closed) open = places_[at].outer;
    }
    return open;
  }

  Plan& plan_;
  std::vector<Place> places_;  // by scope
  // By slot: the innermost block that contains all uses.
  std::vector<std::optional<ScopeId>> users_;
};

void split_stages(Block& block) {
  for_each_block(block, [](Block& b) {
    std::vector<Node> single;
    for (Node& node : b.nodes) {
      if (auto* stage = std::get_if<Stage>(&node)) {
        for (Step& step : stage->steps) {
          Stage one;
          one.steps.push_back(std::move(step));
          single.emplace_back(std::move(one));
        }
      } else {
        single.push_back(std::move(node));
      }
    }
    b.nodes = std::move(single);
  });
}

}  // namespace

Plan sink(Plan plan) {
  split_stages(plan.top);
  Sinker(plan).run();
  return plan;
}

}  // namespace sluice::detail
