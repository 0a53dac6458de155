#include "tests/graph/random_program/interpret.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace sluice::random_program {
namespace {

struct SampleFailed {};
struct SampleDropped {};

// One run of a block: a branch that was taken, or an iteration of a loop. A value belongs to the
// run of the block that makes it, and is made there on its first use.
struct Scope {
  Scope* parent = nullptr;
  std::vector<std::int64_t> iterations;  // of the loops that it lies in
  std::map<Id, const Node*> makers;
  std::map<Id, std::int64_t> known;
  std::map<Id, std::pair<Scope*, Id>> same_as;   // results of branches, carried values
  std::map<Id, std::pair<Scope*, Id>> truth_of;  // the right sides of logic
  std::map<Id, std::vector<std::pair<Scope*, Id>>> collected;
  std::map<const Node*, bool> done;
};

class Demand {
 public:
  Demand(const Program& program, const Sample& sample)
      : sample_(sample), generators_(generators_of(program)) {
    ending_.runs.resize(static_cast<std::size_t>(program.numbers));
    try {
      Scope& top = open(nullptr, program.top);
      top.known[kSource] = sample.index;
      run_effects(program.top, top);
      for (const Id id : program.top.results) ending_.outputs.push_back(get(top, id));
    } catch (const std::runtime_error&) {
      ending_.how = Ending::How::failed;
    } catch (const SampleFailed&) {
      ending_.how = Ending::How::failed;
    } catch (const SampleDropped&) {
      ending_.how = Ending::How::dropped;
    }
  }

  Ending take() { return std::move(ending_); }

 private:
  Scope& open(Scope* parent, const Block& block) {
    scopes_.push_back(std::make_unique<Scope>());
    Scope& scope = *scopes_.back();
    scope.parent = parent;
    if (parent != nullptr) scope.iterations = parent->iterations;
    for (const Node& node : block.nodes) {
      for (const Id id : node.out) scope.makers[id] = &node;
    }
    return scope;
  }

  void run_effects(const Block& block, Scope& scope) {
    for (const Node& node : block.nodes) {
      if (has_effect(node)) make(scope, node);
    }
  }

  std::int64_t get(Scope& from, Id id) {
    Scope* scope = &from;
    while (true) {
      if (const auto known = scope->known.find(id); known != scope->known.end())
        return known->second;
      if (const auto same = scope->same_as.find(id); same != scope->same_as.end())
        return scope->known[id] = get(*same->second.first, same->second.second);
      if (const auto truth = scope->truth_of.find(id); truth != scope->truth_of.end())
        return scope->known[id] = get(*truth->second.first, truth->second.second) != 0 ? 1 : 0;
      if (const auto list = scope->collected.find(id); list != scope->collected.end()) {
        std::vector<std::int64_t> all;
        for (const auto& [where, what] : list->second) all.push_back(get(*where, what));
        return scope->known[id] = fold(all);
      }
      if (const auto maker = scope->makers.find(id); maker != scope->makers.end()) {
        make(*scope, *maker->second);
      } else {
        scope = scope->parent;
      }
    }
  }
  std::vector<std::int64_t> get(Scope& scope, const std::vector<Id>& ids) {
    std::vector<std::int64_t> some;
    for (const Id id : ids) some.push_back(get(scope, id));
    return some;
  }

  // After this, every output of the node is known, or equals a value that can be requested.
  void make(Scope& scope, const Node& node) {
    if (std::exchange(scope.done[&node], true)) return;
    if (is_loop(node)) {
      make_loop(scope, node);
    } else if (is_choice(node)) {
      make_choice(scope, node);
    } else {
      const std::vector<std::int64_t> in = get(scope, node.in);
      ++ending_.runs[static_cast<std::size_t>(node.number)];
      if (node.kind == Kind::filter) {
        if (in[0] == 0) throw SampleDropped{};
      } else if (node.kind == Kind::draw) {
        scope.known[node.out[0]] =
            draw(sample_, generators_[static_cast<std::size_t>(node.number)], scope.iterations);
      } else {
        const std::int64_t made = compute(node, in);
        if (!node.out.empty()) scope.known[node.out[0]] = made;
      }
    }
  }

  void make_choice(Scope& scope, const Node& node) {
    const std::int64_t on = get(scope, node.in[0]);
    ++ending_.runs[static_cast<std::size_t>(node.number)];
    if (is_logic(node)) {
      if ((on != 0) == (node.kind == Kind::any_of)) {
        scope.known[node.out[0]] = on != 0 ? 1 : 0;
      } else {
        Scope& right = open(&scope, node.blocks[0]);
        run_effects(node.blocks[0], right);
        scope.truth_of[node.out[0]] = {&right, node.blocks[0].results[0]};
      }
      return;
    }
    auto branch = static_cast<std::size_t>(on);
    if (node.kind == Kind::if_else) {
      branch = on != 0 ? 0 : 1;
    } else if (branch >= node.blocks.size()) {
      throw SampleFailed{};
    }
    const Block& block = node.blocks[branch];
    Scope& inside = open(&scope, block);
    run_effects(block, inside);
    for (std::size_t i = 0; i < node.out.size(); ++i)
      scope.same_as[node.out[i]] = {&inside, block.results[i]};
  }

  void make_loop(Scope& scope, const Node& node) {
    const Block& body = body_of(node);
    std::vector<std::pair<Scope*, Id>> state, kept;
    for (const Id id : node.init) state.emplace_back(&scope, id);
    for (std::int64_t i = 0;; ++i) {
      Block carried;
      Scope& seen = open(&scope, carried);
      seen.iterations.push_back(i);
      for (std::size_t s = 0; s < state.size(); ++s) seen.same_as[node.state[s]] = state[s];
      if (!another(seen, node, i)) break;
      if (i >= node.max_iterations) throw SampleFailed{};
      Scope& iteration = open(&seen, body);
      run_effects(body, iteration);
      for (std::size_t s = 0; s < state.size(); ++s) state[s] = {&iteration, body.results[s]};
      if (node.kind == Kind::collect) kept.emplace_back(&iteration, body.results.back());
    }
    for (std::size_t s = 0; s < state.size(); ++s) scope.same_as[node.out[s]] = state[s];
    if (node.kind != Kind::collect) return;
    if (node.reverse) std::reverse(kept.begin(), kept.end());
    scope.collected[node.out.back()] = std::move(kept);
  }

  bool another(Scope& seen, const Node& node, std::int64_t i) {
    if (node.kind != Kind::while_loop) {
      seen.known[node.iteration] = i;
      return i < (node.in.empty() ? node.constant : get(seen, node.in[0]));
    }
    Scope& condition = open(&seen, node.blocks[0]);
    run_effects(node.blocks[0], condition);
    return get(condition, node.blocks[0].results[0]) != 0;
  }

  const Sample sample_;
  const std::vector<std::uint32_t> generators_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  Ending ending_;
};

}  // namespace

Ending demand(const Program& program, const Sample& sample) {
  return Demand(program, sample).take();
}

}  // namespace sluice::random_program
