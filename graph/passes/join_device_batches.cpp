// join_device_batches: keeps a choice between device steps within one GPU batch. It marks
// neighboring nodes as parts of one GPU batch. Each sample takes its own path through them, and a
// step is launched only for samples that reach it.
//
// Such a GPU batch begins with a device stage, and ends with a node that has device steps. Between
// them may be
//   - a device stage;
//   - operators on numbers. The host runs them in place, for one sample after the other, while it
//     prepares the GPU batch;
//   - a choice given as data, whose branches contain only such nodes.
// If one of them needs a number that the device computes in the GPU batch, samples stop. They
// continue there in another GPU batch, together with samples that reach the first node then. This
// does not apply to a choice that the device can make itself. Other work of the host, such as a
// user function, moves in front of the GPU batch if it needs nothing made in it.
//
// choose_there() marks the choices that the device can make itself: see DeviceChoice in
// plan/plan.h. Such a choice is an if_else with two branches. Its condition is one comparison,
// which is not read elsewhere, of a number computed in the GPU batch with a number that the host
// knows before. Its branches contain only device work and random draws, and produce images or
// tensors made by the device.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/number_types.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

std::size_t times_read(const Plan& plan, SlotId slot) {
  std::size_t times = 0;
  const auto count = [&](const std::vector<SlotId>& slots) {
    times += static_cast<std::size_t>(std::count(slots.begin(), slots.end(), slot));
  };
  count(plan.outputs);
  for_each_block(plan.top, [&](const Block& block) {
    count(block.results);
    for (const Node& node : block.nodes) {
      visit(
          node,
          [&](const Stage& stage) {
            for (const Step& step : stage.steps) count(step.reads);
          },
          [&](const Choice& choice) { count(choice.reads); },
          [&](const Loop& loop) { count(loop.init); });
    }
  });
  return times;
}

class Choices {
 public:
  explicit Choices(const Plan& plan) : plan_(plan) {}

  void find(std::span<Node> nodes) {
    for (Node& node : nodes) {
      visit(
          node, [&](Stage& stage) { pass(stage); }, [&](Choice& choice) { pass(choice); },
          [](const Loop&) {});
    }
  }

 private:
  void pass(Stage& stage) {
    for (Step& step : stage.steps) {
      const bool late = any_of(late_, step.reads);
      for (const SlotId slot : step.writes) {
        if (step.kind == StepKind::stream ? plan_.slots[slot].from_device : late)
          late_.insert(slot);
        makers_[slot] = &step;
      }
    }
  }
  void pass(Choice& choice) {
    look_at(choice);
    if (choice.there == nullptr) {
      for (Block& branch : choice.branches) find(branch.nodes);
    }
    for (const SlotId slot : choice.results)
      if (plan_.slots[slot].type->release == nullptr) late_.insert(slot);
  }

  void look_at(Choice& choice) {
    Step* const compares = comparison_for(choice);
    if (compares == nullptr) return;
    const auto made = std::make_shared<DeviceChoice>();
    DeviceChoice& device_choice = *made;
    device_choice.comparison = *comparison_of(compares->op->name());
    const Argument &first = compares->arguments[0], &second = compares->arguments[1];
    const auto* const left = std::get_if<SlotArgument>(&first);
    const auto* const right = std::get_if<SlotArgument>(&second);
    device_choice.number_first = left != nullptr && is_told(left->slot);
    const SlotArgument* const number = device_choice.number_first ? left : right;
    const Argument& other = device_choice.number_first ? second : first;
    const auto* other_slot = std::get_if<SlotArgument>(&other);
    if (number == nullptr || !is_told(number->slot) || number->type != slot_type<float>() ||
        (other_slot != nullptr && late_.count(other_slot->slot) > 0))
      return;
    device_choice.number = number->slot;
    device_choice.other = number_by(other);
    const std::optional<std::size_t> kept = branch_to_keep(choice);
    if (!device_choice.other || !kept) return;
    device_choice.kept = *kept;
    device_choice.compares = *compares;
    device_choice.begins.name = device_choice.ends.name = choice.name;
    device_choice.begins.kind = device_choice.ends.kind = StepKind::stream;
    compares->put_off = true;
    choice.there = made;
  }

  // The step that makes the condition, if nothing else reads it.
  Step* comparison_for(const Choice& choice) {
    if (!choice.choosing || choice.choosing->by != Choosing::By::truth ||
        choice.branches.size() != 2)
      return nullptr;
    const auto* const by = std::get_if<SlotArgument>(&choice.choosing->argument);
    if (by == nullptr || times_read(plan_, by->slot) != 1) return nullptr;
    const auto maker = makers_.find(by->slot);
    if (maker == makers_.end()) return nullptr;
    Step& step = *maker->second;
    return step.op != nullptr && comparison_of(step.op->name()) ? &step : nullptr;
  }
  // True if the GPU batch computes the number.
  bool is_told(SlotId slot) const { return plan_.slots[slot].from_device && late_.count(slot) > 0; }

  // Returns the branch whose steps make values that can become the results. Nothing if the device
  // cannot run both branches for a sample.
  std::optional<std::size_t> branch_to_keep(const Choice& choice) const {
    if (choice.results.empty() || !std::all_of(choice.branches.begin(), choice.branches.end(),
                                               [&](const Block& branch) { return can_do(branch); }))
      return std::nullopt;
    for (std::size_t a = 0; a < choice.branches.size(); ++a) {
      if (makes_its_results(choice.branches[a])) return a;
    }
    return std::nullopt;
  }

  bool can_do(const Block& branch) const {
    const auto is_plain = [&](const Step& step) {
      if (step.op == nullptr || step.has_effect() || step.pinned || !step.events().empty() ||
          any_of(late_, step.reads))
        return false;
      return step.kind == StepKind::cpu ||
             (step.on_device->preparation() == nullptr &&
              std::none_of(step.writes.begin(), step.writes.end(),
                           [&](SlotId slot) { return plan_.slots[slot].from_device; }));
    };
    return std::all_of(branch.nodes.begin(), branch.nodes.end(),
                       [&](const Node& node) {
                         const auto* const stage = std::get_if<Stage>(&node);
                         return stage != nullptr &&
                                std::all_of(stage->steps.begin(), stage->steps.end(), is_plain);
                       }) &&
           std::all_of(branch.results.begin(), branch.results.end(), [&](SlotId slot) {
             const SlotType* const type = plan_.slots[slot].type;
             return plan_.slots[slot].on_device &&
                    (type == slot_type<Image>() || type == slot_type<Tensor>());
           });
  }

  static bool makes_its_results(const Block& branch) {
    Slots written;
    for_each<Step>(branch, [&](const Step& step) { insert(written, step.writes); });
    Slots given;
    return std::all_of(branch.results.begin(), branch.results.end(), [&](SlotId slot) {
      return written.count(slot) > 0 && given.insert(slot).second;
    });
  }

  const Plan& plan_;
  std::map<SlotId, Step*> makers_;  // the steps so far, by the slots that they make
  Slots late_;  // numbers that the host does not know until the GPU batch is over
};

// Marks such choices among the nodes of one GPU batch.
void choose_there(const Plan& plan, std::span<Node> device_batch) {
  if (device_chooser() != nullptr) Choices(plan).find(device_batch);
}

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

// The nodes in a GPU batch so far.
class Group {
 public:
  explicit Group(const Plan& plan) : plan_(&plan) {}

  // Adds the node if it can be part of the GPU batch; otherwise changes nothing.
  bool takes(const Node& node) {
    Group with = *this;
    if (!with.add(node)) return false;
    *this = std::move(with);
    return true;
  }
  // True if the node may also run before the GPU batch.
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
        [&](const Choice& choice) { return add(choice); }, [](const Loop&) { return false; });
  }

  bool add(const Stage& stage) {
    return std::all_of(stage.steps.begin(), stage.steps.end(), [&](const Step& step) {
      insert(made_, step.writes);
      return step.kind == StepKind::stream || is_small(step);
    });
  }

  bool add(const Choice& choice) {
    if (!choice.choosing) return false;
    for (const Block& branch : choice.branches) {
      if (!std::all_of(branch.nodes.begin(), branch.nodes.end(),
                       [&](const Node& node) { return add(node); }))
        return false;
    }
    insert(made_, choice.results);
    return true;
  }

  // True if the host may run the step while it prepares the GPU batch: an operator on numbers,
  // whose inputs and outputs hold no memory.
  bool is_small(const Step& step) const {
    const auto is_number = [&](SlotId slot) { return plan_->slots[slot].type->release == nullptr; };
    return step.kind == StepKind::cpu && step.op != nullptr && !step.has_effect() && !step.pinned &&
           std::all_of(step.reads.begin(), step.reads.end(), is_number) &&
           std::all_of(step.writes.begin(), step.writes.end(), is_number);
  }

  const Plan* plan_;
  Slots made_;  // slots made by its steps and choices, at any depth
};

// Finds the nodes of a GPU batch where samples stop. It follows all paths at once: where paths
// join, a number missing on one of them counts as missing.
class Stops {
 public:
  explicit Stops(const Plan& plan) : plan_(plan) {}

  void set(Node& node) {
    visit(
        node, [&](Stage& stage) { set(stage); }, [&](Choice& choice) { set(choice); },
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

  void set(Choice& choice) {
    choice.stops =
        choice.there ? any_of(told_, choice.there->compares.reads) : stop_for(choice.reads);
    Slots after;
    for (Block& branch : choice.branches) {
      Stops way = *this;
      for (Node& node : branch.nodes) way.set(node);
      for (std::size_t i = 0; i < choice.results.size(); ++i) {
        if (way.told_.count(branch.results[i]) > 0) way.told_.insert(choice.results[i]);
      }
      insert(after, way.told_);
    }
    told_ = std::move(after);
  }

  // When the sample continues, all numbers of the previous GPU batch are known.
  bool stop_for(const std::vector<SlotId>& reads) {
    const bool stops = any_of(told_, reads);
    if (stops) told_.clear();
    return stops;
  }

  const Plan& plan_;
  Slots told_;  // numbers that are unknown until the GPU batch is over
};

void set_joins(Node& node) {
  visit(
      node, [](Stage& stage) { stage.joins = true; }, [](Choice& choice) { choice.joins = true; },
      [](Loop&) {});
}

// Puts the stage in front of the next GPU batch.
void put_in_front(std::vector<Node>& nodes, Node stage) {
  auto* before = nodes.empty() ? nullptr : std::get_if<Stage>(&nodes.back());
  if (before == nullptr || before->kind() != StepKind::cpu) {
    nodes.push_back(std::move(stage));
    return;
  }
  for (Step& step : std::get<Stage>(stage).steps) before->steps.push_back(std::move(step));
}

// Joins nodes[first] and the nodes that can follow it. Returns the index of the first node that is
// not joined.
std::size_t join_from(const Plan& plan, std::vector<Node>& nodes, std::size_t first,
                      std::vector<Node>& joined) {
  Group group(plan);
  (void)group.takes(nodes[first]);
  std::size_t end = first + 1;  // of the GPU batch
  // Nodes that can run before the GPU batch: those up to `end`, and all so far.
  std::vector<std::size_t> in_front, passed_by;
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

Plan join_device_batches(Plan plan) {
  if (has_step(plan, StepKind::stream)) join(plan, plan.top);
  return plan;
}

}  // namespace sluice::detail
