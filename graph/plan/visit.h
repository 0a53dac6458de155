// Functions that walk a plan. visit() calls the case for the kind of a node; a missing case does
// not compile. The for_each functions call a function for all blocks, nodes or parts of one kind,
// at any depth. They go block by block, outermost first: all of a block before the blocks inside
// it.
//
// Ownership: callbacks get references into the plan. Only the callback of for_each_block may add or
// remove nodes, and only in its own block. Threads: pure functions. Errors: std::bad_alloc, and
// what a callback throws.
#pragma once

#include <sluice/graph/plan/plan.h>

#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// Calls the one of `cases` that takes the node's kind: Stage, Branch or Loop.
template <class... Cases>
decltype(auto) visit(Node& node, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, node);
}
template <class... Cases>
decltype(auto) visit(const Node& node, Cases&&... cases) {
  return std::visit(Overloaded{std::forward<Cases>(cases)...}, node);
}

// True if the node belongs to the GPU batch of the node before it.
inline bool joins(const Node& node) {
  return visit(
      node, [](const Stage& stage) { return stage.joins; },
      [](const Branch& branch) { return branch.joins; }, [](const Loop&) { return false; });
}

// Part, or const Part if Of is const.
template <class Part, class Of>
using like = std::conditional_t<std::is_const_v<Of>, const Part, Part>;

// Returns the steps that the node itself holds. N is Node or const Node.
template <class N>
std::span<like<Step, N>> steps_in(N& node) {
  using Steps = std::span<like<Step, N>>;
  return visit(
      node, [](like<Stage, N>& stage) { return Steps(stage.steps); },
      [](const Branch&) { return Steps(); }, [](const Loop&) { return Steps(); });
}

// Returns the blocks that the node itself holds: the arms of a Branch, the condition and body of a
// Loop.
template <class N>
std::vector<like<Block, N>*> blocks_in(N& node) {
  std::vector<like<Block, N>*> blocks;
  visit(
      node, [](const Stage&) {},
      [&](like<Branch, N>& branch) {
        for (auto& arm : branch.arms) blocks.push_back(&arm);
      },
      [&](like<Loop, N>& loop) {
        blocks = {&loop.condition, &loop.body};
      });
  return blocks;
}

// Calls f(Block&) for the block and all blocks inside it. B is Block or const Block.
template <class B, class F>
void for_each_block(B& block, F&& f) {
  f(block);
  for (auto& node : block.nodes) {
    for (auto* inner : blocks_in(node)) for_each_block(*inner, f);
  }
}

// Calls f(Node&) for all nodes in the block.
template <class B, class F>
void for_each_node(B& block, F&& f) {
  for_each_block(block, [&](B& b) {
    for (auto& node : b.nodes) f(node);
  });
}

// Calls f(Part&) for all parts of one kind in the block: steps, stages, branches or loops.
template <class Part, class B, class F>
void for_each(B& block, F&& f) {
  for_each_node(block, [&](auto& node) {
    if constexpr (std::is_same_v<Part, Step>) {
      for (auto& step : steps_in(node)) f(step);
    } else if (auto* part = std::get_if<Part>(&node)) {
      f(*part);
    }
  });
}

}  // namespace sluice::detail
