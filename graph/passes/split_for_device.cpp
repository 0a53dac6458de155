// split_for_device: makes a separate step of the host's work before a device step. It runs in the
// sample's own task. So many samples are prepared at once, and GPU batches only collect the
// results. Steps that make the inputs of this work, such as files, place them in memory that the
// device can read directly, so that no copy is needed.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

// Moves the host's part out of the step and returns it; the step then takes its result as an input.
Step take_preparation(Plan& plan, Step& step, ScopeId scope) {
  const OperatorPtr version = step.on_device, preparation = version->preparation();
  const SlotType* const type = preparation->schema().outputs.front().type;
  const SlotId prepared = add_slot(plan, type, step.name + "'s preparation", scope);

  Step before;
  before.name = step.name;
  before.remark = step.remark.empty() ? "preparation" : step.remark + ", preparation";
  before.op = preparation;
  before.reads = step.reads;
  before.arguments = step.arguments;
  before.writes = {prepared};
  before.said = step.said;
  before.bind();

  step.op = version;
  step.reads.push_back(prepared);
  const auto inputs = static_cast<std::ptrdiff_t>(version->schema().inputs.size());
  const Argument given = SlotArgument{prepared, type};
  step.arguments.insert(step.arguments.begin() + inputs - 1, given);
  step.bind();
  return before;
}

// True if the step may run before the node, so that device steps stay adjacent.
bool passes_by(const Step& step, Node& node) {
  const std::span<Step> steps = steps_in(node);
  return !steps.empty() && std::all_of(steps.begin(), steps.end(), [&](const Step& other) {
    return other.kind == StepKind::stream &&
           std::find_first_of(other.writes.begin(), other.writes.end(), step.reads.begin(),
                              step.reads.end()) == other.writes.end();
  });
}

// Marks steps that make inputs of the host's work for a device.
void place_for_device(Plan& plan, std::vector<bool> looked_at) {
  const auto makes = [&looked_at](const Step& step) {
    return std::any_of(step.writes.begin(), step.writes.end(),
                       [&](SlotId slot) { return looked_at[slot]; });
  };
  bool more = true;
  const auto look_at = [&](SlotId slot) {
    if (!looked_at[slot]) looked_at[slot] = more = true;
  };
  const auto look_behind = [&](const std::vector<SlotId>& shown, const std::vector<SlotId>& made) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (looked_at[shown[i]]) look_at(made[i]);
    }
  };
  while (std::exchange(more, false)) {
    // A file marked for a device is passed on as a view, and so are results.
    for_each<Step>(plan.top, [&](const Step& step) {
      if (step.op == nullptr || step.op->schema().moves_to != MemoryKind::device || !makes(step))
        return;
      for (const SlotId slot : step.reads) look_at(slot);
    });
    for_each<Choice>(plan.top, [&](const Choice& choice) {
      for (const Block& branch : choice.branches) look_behind(choice.results, branch.results);
    });
    for_each<Loop>(plan.top, [&](const Loop& loop) {
      look_behind(loop.results, loop.state);
      look_behind(loop.state, loop.init);
      look_behind(loop.state, loop.body.results);
    });
  }
  for_each<Step>(plan.top, [&](Step& step) { step.for_device = makes(step); });
}

// True if a device may read such a value in place.
bool holds_memory(const SlotType* type) {
  return type == slot_type<Bytes>() || type == slot_type<std::span<const std::uint8_t>>() ||
         type == slot_type<Image>() || type == slot_type<Tensor>();
}

}  // namespace

Plan split_for_device(Plan plan) {
  std::vector<bool> looked_at(plan.slots.size());
  for_each_block(plan.top, [&](Block& block) {
    std::vector<Node> nodes;
    for (Node& node : block.nodes) {
      for (Step& step : steps_in(node)) {  // one at this point
        if (step.on_device == nullptr || step.on_device->preparation() == nullptr) continue;
        for (const SlotId slot : step.reads)
          if (holds_memory(plan.slots[slot].type)) looked_at[slot] = true;
        Stage before;
        before.steps.push_back(take_preparation(plan, step, block.scope));
        auto at = nodes.end();
        while (at != nodes.begin() && passes_by(before.steps.front(), *std::prev(at))) --at;
        nodes.insert(at, std::move(before));
      }
      nodes.push_back(std::move(node));
    }
    block.nodes = std::move(nodes);
  });
  looked_at.resize(plan.slots.size());
  place_for_device(plan, std::move(looked_at));
  return plan;
}

}  // namespace sluice::detail
