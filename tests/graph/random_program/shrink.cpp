#include "tests/graph/random_program/shrink.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace sluice::random_program {
namespace {

using Renames = std::map<Id, Id>;

void rename(std::vector<Id>& ids, const Renames& renames) {
  for (Id& id : ids) {
    for (auto it = renames.find(id); it != renames.end(); it = renames.find(id)) id = it->second;
  }
}

void rename(Block& block, const Renames& renames) {
  for (Node& node : block.nodes) {
    rename(node.in, renames);
    rename(node.init, renames);
    for (Block& inner : node.blocks) rename(inner, renames);
  }
  rename(block.results, renames);
}

// The node at a place in the order of writing, with the block around it.
struct Place {
  Block* block = nullptr;
  std::size_t at = 0;
  Node& node() const { return block->nodes[at]; }
};

void find(Block& block, std::size_t& wanted, Place& found) {
  for (std::size_t i = 0; i < block.nodes.size() && found.block == nullptr; ++i) {
    if (wanted-- == 0) {
      found = {&block, i};
      return;
    }
    for (Block& inner : block.nodes[i].blocks) find(inner, wanted, found);
  }
}

Place place_of(Program& program, std::size_t wanted) {
  Place found;
  find(program.top, wanted, found);
  return found;
}

// Nodes that replace the node, and values that replace its outputs.
void replace(Program& program, const Place& place, std::vector<Node> by, const Renames& renames) {
  auto& nodes = place.block->nodes;
  const auto at = nodes.begin() + static_cast<std::ptrdiff_t>(place.at);
  nodes.insert(nodes.erase(at), std::make_move_iterator(by.begin()),
               std::make_move_iterator(by.end()));
  rename(program.top, renames);
}

Renames pairs(const std::vector<Id>& from, const std::vector<Id>& to) {
  Renames renames;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) renames[from[i]] = to[i];
  return renames;
}

// Applies simplification number `way` of the node at `index` to the program. Returns false when
// there are no more ways.
bool simplify(Program& program, std::size_t index, int way) {
  const Place place = place_of(program, index);
  Node& node = place.node();
  const auto drop = [&](Id instead) {
    Renames renames;
    for (const Id id : node.out) renames[id] = instead;
    replace(program, place, {}, renames);
    return true;
  };
  if (way == 0) return drop(kSource);
  if (way == 1) return drop(node.in.empty() ? kSource : node.in[0]);
  way -= 2;

  const auto blocks = static_cast<int>(node.blocks.size());
  if (is_choice(node) && way < blocks) {  // a branch instead of the conditional
    Block branch = std::move(node.blocks[static_cast<std::size_t>(way)]);
    const Renames renames = pairs(node.out, branch.results);
    replace(program, place, std::move(branch.nodes), renames);
    return true;
  }
  if (is_loop(node) && way == 0) {  // no iteration
    Renames renames = pairs(node.out, node.init);
    if (node.kind == Kind::collect) renames[node.out.back()] = kSource;
    replace(program, place, {}, renames);
    return true;
  }
  if (is_loop(node) && way == 1) {  // one iteration
    Block body = std::move(node.blocks.back());
    rename(body, pairs(node.state, node.init));
    if (node.iteration >= 0) rename(body, {{node.iteration, kSource}});
    const Renames renames = pairs(node.out, body.results);
    replace(program, place, std::move(body.nodes), renames);
    return true;
  }
  way -= is_loop(node) ? 2 : is_choice(node) ? blocks : 0;

  // Fewer results, branches, inputs, properties.
  const auto results = static_cast<int>(node.kind == Kind::collect ? 0 : node.out.size());
  if (!node.blocks.empty() && results > 1) {
    const int first = node.kind == Kind::while_loop ? 1 : 0;  // the condition looks at it
    if (way < results - first) {
      const int at = way + first;
      const auto i = static_cast<std::ptrdiff_t>(at);
      const Id out = node.out[static_cast<std::size_t>(i)];
      node.out.erase(node.out.begin() + i);
      for (Block& block : node.blocks) {
        if (block.results.size() > static_cast<std::size_t>(results - 1))
          block.results.erase(block.results.begin() + i);
      }
      Renames renames = {{out, kSource}};
      if (is_loop(node)) {
        renames[node.state[static_cast<std::size_t>(i)]] = node.init[static_cast<std::size_t>(i)];
        node.init.erase(node.init.begin() + i);
        node.state.erase(node.state.begin() + i);
      }
      node.shape = Shape::vector;
      rename(program.top, renames);
      return true;
    }
    way -= results - first;
  }
  if (node.kind == Kind::select) {
    if (way == 0 && blocks > 1) {
      node.blocks.pop_back();
      return true;
    }
    --way;
  }
  if (!is_loop(node) && !is_choice(node) && node.in.size() > 1) {
    if (way < 2) {
      node.in.erase(node.in.begin() + way);
      return true;
    }
    way -= 2;
  }
  const auto inputs = static_cast<int>(node.in.size());
  if (way < inputs) {
    node.in[static_cast<std::size_t>(way)] = kSource;
    return true;
  }
  way -= inputs;
  const auto begins = static_cast<int>(node.init.size());
  if (way < begins) {
    node.init[static_cast<std::size_t>(way)] = kSource;
    return true;
  }
  way -= begins;
  for (Block& block : node.blocks) {
    // A while_loop's own count stays, so that it ends.
    const std::size_t first = node.kind == Kind::while_loop ? 1 : 0;
    for (std::size_t i = first; i < block.results.size(); ++i, --way) {
      if (way != 0) continue;
      block.results[i] = kSource;
      return true;
    }
  }
  if (way == 0) {
    node.fails_one_in = node.spins = 0;
    node.reverse = false;
    node.max_iterations = 1000;
    node.shape = node.shape == Shape::single ? Shape::single : Shape::vector;
    return true;
  }
  return false;
}

bool simplify_outputs(Program& program, std::size_t way) {
  auto& outputs = program.top.results;
  if (outputs.size() == 1 || way >= outputs.size()) return false;
  outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(way));
  return true;
}

// The simpler one of two programs has less weight.
std::size_t weight(const Block& block) {
  std::size_t all = 0;
  for (const Id id : block.results) all += id == kSource ? 1 : 2;
  for (const Node& node : block.nodes) {
    all += 20 + node.out.size() + 4 * node.blocks.size();
    for (const auto* ids : {&node.in, &node.init})
      for (const Id id : *ids) all += id == kSource ? 1 : 2;
    all +=
        (node.fails_one_in > 0 ? 1u : 0u) + (node.spins > 0 ? 1u : 0u) + (node.reverse ? 1u : 0u);
    all += (node.max_iterations < 1000 ? 1u : 0u);
    all += node.shape == Shape::single || node.shape == Shape::vector ? 0u : 1u;
    for (const Block& inner : node.blocks) all += weight(inner);
  }
  return all;
}

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& fails, int attempts) {
  const auto better = [&](const Program& candidate) {
    return weight(candidate.top) < weight(program.top) && attempts-- > 0 && fails(candidate);
  };
  bool smaller = true;
  while (smaller && attempts > 0) {
    smaller = false;
    for (std::size_t way = 0;; ++way) {
      Program candidate = program;
      if (!simplify_outputs(candidate, way)) break;
      if (!better(candidate)) continue;
      program = std::move(candidate);
      smaller = true;
      --way;
    }
    for (std::size_t index = 0; index < size_of(program.top); ++index) {
      for (int way = 0; index < size_of(program.top); ++way) {
        Program candidate = program;
        if (!simplify(candidate, index, way)) break;
        if (!better(candidate)) continue;
        program = std::move(candidate);
        smaller = true;
        way = -1;
      }
    }
  }
  return program;
}

}  // namespace sluice::random_program
