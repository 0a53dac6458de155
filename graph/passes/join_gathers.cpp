// join_gathers: a choice between steps on a device does not end their gather. Neighbouring nodes
// are marked as parts of one gather: each sample walks its own way through them, and a step is
// launched for those samples that come to it.
//
// Such a gather begins with a stage of the device, and ends with a node that has steps there. What
// stands between may be
//   - a stage of the device;
//   - operators on numbers: they run in the gather, for one sample after the other, where they
//   stand;
//   - a choice that is said as data, whose arms hold such nodes and nothing else.
// Where one of them needs a number that the device computes in the gather, samples stop: they go on
// from there in another gather, with those that come to the first node then. Not so at a choice
// that the device can make itself (choose_there.h). Other work of the host, a function of the
// user's, say, goes in front of the gather, if it needs nothing that is made in it.
#include <sluice/graph/passes/choose_there.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/device_choice.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

bool on_device(const Node& node) {
  const auto is_there = [](const Step& step) { return step.kind == StepKind::stream; };
  const auto steps = steps_in(node);
  bool found = std::any_of(steps.begin(), steps.end(), is_there);
  for (const Block* block : blocks_in(node))
    for_each<Step>(*block, [&](const Step& step) { found = found || is_there(step); });
  return found;
}
bool is_stream(const Node& node) {
  const auto* stage = std::get_if<Stage>(&node);
  return stage != nullptr && stage->kind() == StepKind::stream;
}

// What is in a gather so far.
class Group {
 public:
  explicit Group(const Plan& plan) : plan_(&plan) {}

  // Takes the node in, if it can be part of the gather; else the group is as it was.
  bool takes(const Node& node) {
    Group with = *this;
    if (!with.add(node)) return false;
    *this = std::move(with);
    return true;
  }
  // Whether the node may as well run before the gather.
  bool lets_by(const Node& node) const {
    const auto steps = steps_in(node);
    return !steps.empty() && std::all_of(steps.begin(), steps.end(), [&](const Step& step) {
      return step.kind == StepKind::cpu && !step.has_effect() && !step.pinned &&
             !any_of(made_, step.reads);
    });
  }

 private:
  bool add(const Node& node) {
    return visit(
        node, [&](const Stage& stage) { return add(stage); },
        [&](const Branch& branch) { return add(branch); }, [](const Loop&) { return false; });
  }

  bool add(const Stage& stage) {
    return std::all_of(stage.steps.begin(), stage.steps.end(), [&](const Step& step) {
      insert(made_, step.writes);
      return step.kind == StepKind::stream || is_small(step);
    });
  }

  bool add(const Branch& branch) {
    if (!branch.choosing) return false;
    for (const Block& arm : branch.arms) {
      if (!std::all_of(arm.nodes.begin(), arm.nodes.end(),
                       [&](const Node& node) { return add(node); }))
        return false;
    }
    insert(made_, branch.results);
    return true;
  }

  // Whether the host may do it while it puts the gather together: an operator on numbers, which
  // takes and gives nothing that holds memory.
  bool is_small(const Step& step) const {
    const auto is_number = [&](SlotId slot) { return plan_->slots[slot].type->release == nullptr; };
    return step.kind == StepKind::cpu && step.op != nullptr && !step.has_effect() && !step.pinned &&
           std::all_of(step.reads.begin(), step.reads.end(), is_number) &&
           std::all_of(step.writes.begin(), step.writes.end(), is_number);
  }

  const Plan* plan_;
  Slots made_;  // by its steps and choices, wherever
};

// Finds where samples stop in a gather. Goes all ways through its nodes at once: where ways come
// together, a number that is not there on one of them is not there.
class Stops {
 public:
  explicit Stops(const Plan& plan) : plan_(plan) {}

  void set(Node& node) {
    visit(
        node, [&](Stage& stage) { set(stage); }, [&](Branch& branch) { set(branch); },
        [](Loop&) {});
  }

 private:
  void set(Stage& stage) {
    for (Step& step : stage.steps) {
      step.stops = !step.put_off && stop_for(step.reads);
      if (step.kind != StepKind::stream) continue;
      for (const SlotId slot : step.writes) {
        if (plan_.slots[slot].from_device) told_.insert(slot);
      }
    }
  }

  void set(Branch& branch) {
    branch.stops =
        branch.there ? any_of(told_, branch.there->compares.reads) : stop_for(branch.reads);
    Slots after;
    for (Block& arm : branch.arms) {
      Stops way = *this;
      for (Node& node : arm.nodes) way.set(node);
      for (std::size_t i = 0; i < branch.results.size(); ++i) {
        if (way.told_.count(arm.results[i]) > 0) way.told_.insert(branch.results[i]);
      }
      insert(after, way.told_);
    }
    told_ = std::move(after);
  }

  // When the sample goes on, all numbers of the gather before are there.
  bool stop_for(const std::vector<SlotId>& reads) {
    const bool stops = any_of(told_, reads);
    if (stops) told_.clear();
    return stops;
  }

  const Plan& plan_;
  Slots told_;  // numbers that are there when the gather is over
};

void set_joins(Node& node) {
  visit(
      node, [](Stage& stage) { stage.joins = true; }, [](Branch& branch) { branch.joins = true; },
      [](Loop&) {});
}

// Puts the stage in front of the gather that comes next.
void put_in_front(std::vector<Node>& nodes, Node stage) {
  auto* before = nodes.empty() ? nullptr : std::get_if<Stage>(&nodes.back());
  if (before == nullptr || before->kind() != StepKind::cpu) {
    nodes.push_back(std::move(stage));
    return;
  }
  for (Step& step : std::get<Stage>(stage).steps) before->steps.push_back(std::move(step));
}

// Joins what follows nodes[first], and goes on with; gives the first node that does not.
std::size_t join_from(const Plan& plan, std::vector<Node>& nodes, std::size_t first,
                      std::vector<Node>& joined) {
  Group group(plan);
  (void)group.takes(nodes[first]);
  std::size_t end = first + 1;                   // of the gather
  std::vector<std::size_t> in_front, passed_by;  // those until `end`, and all
  for (std::size_t i = first + 1; i < nodes.size(); ++i) {
    if (group.takes(nodes[i])) {
      if (!on_device(nodes[i])) continue;
      end = i + 1;
      in_front = passed_by;
    } else if (group.lets_by(nodes[i])) {
      passed_by.push_back(i);
    } else {
      break;
    }
  }
  choose_there(plan, std::span(nodes).subspan(first, end - first));
  for (const std::size_t i : in_front) put_in_front(joined, std::move(nodes[i]));
  Stops stops(plan);
  for (std::size_t i = first; i < end; ++i) {
    if (std::find(in_front.begin(), in_front.end(), i) != in_front.end()) continue;
    joined.push_back(std::move(nodes[i]));
    if (i > first) set_joins(joined.back());
    stops.set(joined.back());
  }
  return end;
}

void join(const Plan& plan, Block& block) {
  std::vector<Node> joined;
  for (std::size_t i = 0; i < block.nodes.size();) {
    if (is_stream(block.nodes[i])) {
      i = join_from(plan, block.nodes, i, joined);
    } else {
      joined.push_back(std::move(block.nodes[i++]));
    }
  }
  block.nodes = std::move(joined);
  for (Node& node : block.nodes) {
    if (joins(node)) continue;
    for (Block* const inner : blocks_in(node)) join(plan, *inner);
  }
}

}  // namespace

Plan join_gathers(Plan plan) {
  if (has_step(plan, StepKind::stream)) join(plan, plan.top);
  return plan;
}

}  // namespace sluice::detail
