#include "tests/graph/random_program/interpret.h"

#include <sluice/runtime/random.h>

#include <algorithm>
#include <stdexcept>

namespace sluice::random_program {
namespace {

struct Failed {
  std::string step;
};
struct Dropped {};

class Interpreter {
 public:
  Interpreter(const Program& program, const Schedule& schedule, const Sample& sample)
      : schedule_(schedule),
        sample_(sample),
        generators_(generators_of(program)),
        values_(static_cast<std::size_t>(program.values)) {
    value(kSource) = sample.index;
    ending_.runs.resize(static_cast<std::size_t>(program.numbers));
    try {
      run(program.top);
      ending_.outputs = values(program.top.results);
    } catch (const Failed& failed) {
      ending_.how = Ending::How::failed;
      ending_.step = failed.step;
    } catch (const Dropped&) {
      ending_.how = Ending::How::dropped;
    }
  }

  Ending take() { return std::move(ending_); }

 private:
  std::int64_t& value(Id id) { return values_[static_cast<std::size_t>(id)]; }
  std::vector<std::int64_t> values(const std::vector<Id>& ids) {
    std::vector<std::int64_t> some;
    for (const Id id : ids) some.push_back(value(id));
    return some;
  }
  void assign(const std::vector<Id>& ids, const std::vector<std::int64_t>& some) {
    for (std::size_t i = 0; i < ids.size(); ++i) value(ids[i]) = some[i];
  }

  void run(const Block& block) {
    const auto nodes = schedule_.find(&block);
    if (nodes == schedule_.end()) return;
    for (const Node* node : nodes->second) run(*node);
  }

  void run(const Node& node) {
    if (is_loop(node)) {
      run_loop(node);
      return;
    }
    if (is_choice(node)) {
      run_choice(node);
      return;
    }
    ++ending_.runs[static_cast<std::size_t>(node.number)];
    if (node.kind == Kind::filter) {
      if (value(node.in[0]) == 0) throw Dropped{};
      return;
    }
    std::int64_t made = 0;
    if (node.kind == Kind::draw) {
      made = draw(sample_, generators_[static_cast<std::size_t>(node.number)], iterations_);
    } else {
      try {
        made = compute(node, values(node.in));
      } catch (const std::runtime_error&) {
        throw Failed{name_of(node)};
      }
    }
    if (!node.out.empty()) value(node.out[0]) = made;
  }

  void run_choice(const Node& node) {
    const std::int64_t on = value(node.in[0]);
    const auto branches = static_cast<std::int64_t>(node.blocks.size());
    if (node.kind == Kind::select && (on < 0 || on >= branches)) throw Failed{name_of(node)};
    ++ending_.runs[static_cast<std::size_t>(node.number)];
    add_to_path(name_of(node) + ":");
    if (node.kind == Kind::select) {
      ending_.path += "branch " + std::to_string(on);
      take(node, node.blocks[static_cast<std::size_t>(on)]);
      return;
    }
    if (node.kind == Kind::if_else) {
      ending_.path += on != 0 ? "then" : "otherwise";
      take(node, node.blocks[on != 0 ? 0 : 1]);
    } else if ((on != 0) == (node.kind == Kind::all_of)) {
      ending_.path += "right side";
      take(node, node.blocks[0]);
      value(node.out[0]) = value(node.out[0]) != 0 ? 1 : 0;
    } else {
      ending_.path += "decided";
      value(node.out[0]) = on != 0 ? 1 : 0;
    }
  }

  void add_to_path(const std::string& part) {
    if (!ending_.path.empty()) ending_.path += '/';
    ending_.path += part;
  }

  void take(const Node& node, const Block& branch) {
    run(branch);
    assign(node.out, values(branch.results));
  }

  void run_loop(const Node& node) {
    const std::int64_t count = node.in.empty() ? node.constant : value(node.in[0]);
    assign(node.state, values(node.init));
    std::vector<std::int64_t> kept;
    const std::string before = ending_.path;
    const auto at = [&](const std::string& part) {
      ending_.path = before;
      add_to_path(name_of(node) + " (" + part + ")");
    };
    std::int64_t i = 0;
    iterations_.push_back(0);
    for (;; ++i) {
      iterations_.back() = i;
      at("iteration " + std::to_string(i));
      if (node.kind == Kind::while_loop) {
        run(node.blocks[0]);
        if (value(node.blocks[0].results[0]) == 0) break;
      } else {
        value(node.iteration) = i;
        if (i >= count) break;
      }
      if (i >= node.max_iterations) throw Failed{name_of(node)};
      run(body_of(node));
      std::vector<std::int64_t> next = values(body_of(node).results);
      if (node.kind == Kind::collect) kept.push_back(next.back());
      assign(node.state, next);
    }
    iterations_.pop_back();
    at(std::to_string(i) + (i == 1 ? " iteration" : " iterations"));
    if (node.reverse) std::reverse(kept.begin(), kept.end());
    std::vector<std::int64_t> last = values(node.state);
    if (node.kind == Kind::collect) last.push_back(fold(kept));
    assign(node.out, last);
  }

  const Schedule& schedule_;
  const Sample sample_;
  const std::vector<std::uint32_t> generators_;
  std::vector<std::int64_t> values_;
  std::vector<std::int64_t> iterations_;  // of the loops that it is in
  Ending ending_;
};

void number_draws(const Block& block, std::vector<std::uint32_t>& generators, std::uint32_t& next) {
  for (const Node& node : block.nodes) {
    if (node.kind == Kind::draw) generators[static_cast<std::size_t>(node.number)] = next++;
    for (const Block& inner : node.blocks) number_draws(inner, generators, next);
  }
}

}  // namespace

std::vector<std::uint32_t> generators_of(const Program& program) {
  std::vector<std::uint32_t> generators(static_cast<std::size_t>(program.numbers));
  std::uint32_t next = 0;
  number_draws(program.top, generators, next);
  return generators;
}

std::int64_t draw(const Sample& sample, std::uint32_t generator,
                  const std::vector<std::int64_t>& iterations) {
  std::uint64_t seed = sample.seed;
  for (const std::int64_t i : iterations)
    seed = seed_of_iteration(seed, static_cast<std::uint64_t>(i));
  Random random({seed, static_cast<std::uint32_t>(sample.epoch),
                 static_cast<std::uint32_t>(sample.index), generator});
  return random.below(kDraws);
}

Ending interpret(const Program& program, const Schedule& schedule, const Sample& sample) {
  return Interpreter(program, schedule, sample).take();
}

std::string to_string(const Ending& ending) {
  if (ending.how == Ending::How::dropped) return "dropped";
  if (ending.how == Ending::How::absent) return "absent";
  if (ending.how == Ending::How::injected)
    return "failed by the fault plan in '" + ending.step + "'";
  if (ending.how == Ending::How::failed)
    return "failed in '" + ending.step + "' on the path '" + ending.path + "'";
  std::string text = "(";
  for (const std::int64_t x : ending.outputs)
    text += (text.size() > 1 ? ", " : "") + std::to_string(x);
  return text + ")";
}

}  // namespace sluice::random_program
