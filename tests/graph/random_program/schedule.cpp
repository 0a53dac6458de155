#include "tests/graph/random_program/schedule.h"

#include <algorithm>
#include <set>

namespace sluice::random_program {
namespace {

class Rule {
 public:
  explicit Rule(const Program& program) : program_(program) {
    for (const Id id : program.top.results) use_in(program.top, id);
    keep(program.top);
    note_places(program.top);
  }

  Schedule schedule() {
    for (auto node = in_order_.rbegin(); node != in_order_.rend(); ++node) {
      if (!has_effect(**node)) fork_guard_[*node] = innermost(**node);
    }
    Schedule result;
    for (const Node* node : in_order_) result[fork_guard_[node]].push_back(node);
    return result;
  }

 private:
  // A use of a value: by a node, which may move, or as the result of a block.
  struct Use {
    const Node* node;
    const Block* block;
  };

  bool needed(Id id) const { return uses_.count(id) > 0; }
  void use_by(const Node& node, const std::vector<Id>& ids) {
    for (const Id id : ids) uses_[id].push_back({&node, nullptr});
  }
  void use_in(const Block& block, Id id) { uses_[id].push_back({nullptr, &block}); }

  // Goes backwards: when it comes to a node, it knows all uses of the node's outputs.
  void keep(const Block& block) {
    for (auto node = block.nodes.rbegin(); node != block.nodes.rend(); ++node) {
      const bool wanted =
          std::any_of(node->out.begin(), node->out.end(), [this](Id id) { return needed(id); });
      if (!wanted && !has_effect(*node)) continue;
      kept_.insert(&*node);
      use_by(*node, node->in);
      use_by(*node, node->init);
      if (is_loop(*node)) {
        keep_loop(*node);
      } else {
        for (const Block& branch : node->blocks) {
          for (std::size_t i = 0; i < node->out.size(); ++i) {
            if (needed(node->out[i])) use_in(branch, branch.results[i]);
          }
          keep(branch);
        }
      }
    }
  }

  // Any carried value may reach any other one in the next iteration, so all of them are needed.
  void keep_loop(const Node& loop) {
    const Block& body = body_of(loop);
    for (std::size_t i = 0; i < loop.state.size(); ++i) use_in(body, body.results[i]);
    if (loop.kind == Kind::collect && needed(loop.out.back())) use_in(body, body.results.back());
    if (loop.kind == Kind::while_loop)
      use_in(loop.blocks.front(), loop.blocks.front().results.front());
    for (auto block = loop.blocks.rbegin(); block != loop.blocks.rend(); ++block) keep(*block);
  }

  void note_places(const Block& block) {
    for (const Node& node : block.nodes) {
      if (kept_.count(&node) == 0) continue;
      in_order_.push_back(&node);
      fork_guard_[&node] = &block;
      for (const Block& inner : node.blocks) {
        owner_[&inner] = &node;
        note_places(inner);
      }
    }
  }

  // The blocks around and including this one, the top first.
  std::vector<const Block*> way_to(const Block* block) const {
    std::vector<const Block*> way = {block};
    while (way.back() != &program_.top) way.push_back(fork_guard_.at(owner_.at(way.back())));
    return {way.rbegin(), way.rend()};
  }

  // Later nodes have their final homes already.
  const Block* innermost(const Node& node) const {
    const Block* const recorded = fork_guard_.at(&node);
    std::vector<const Block*> common;
    bool first = true;
    for (const Id id : node.out) {
      const auto uses = uses_.find(id);
      if (uses == uses_.end()) continue;
      for (const Use& use : uses->second) {
        const auto way = way_to(use.node != nullptr ? fork_guard_.at(use.node) : use.block);
        if (first) {
          common = way;
        } else {
          const auto end = std::mismatch(common.begin(), common.end(), way.begin(), way.end());
          common.erase(end.first, common.end());
        }
        first = false;
      }
    }
    auto at = std::find(common.begin(), common.end(), recorded);
    while (at + 1 != common.end() && !is_loop(*owner_.at(*(at + 1)))) ++at;
    return *at;
  }

  const Program& program_;
  std::map<Id, std::vector<Use>> uses_;
  std::set<const Node*> kept_;
  std::vector<const Node*> in_order_;
  std::map<const Node*, const Block*> fork_guard_;
  std::map<const Block*, const Node*> owner_;
};

}  // namespace

Schedule follow_rule(const Program& program) { return Rule(program).schedule(); }

}  // namespace sluice::random_program
