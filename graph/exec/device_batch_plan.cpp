#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/plan/plan.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

DeviceBatchPlan::DeviceBatchPlan(const Stage& stage) { add(stage); }
DeviceBatchPlan::DeviceBatchPlan(std::span<const Node> nodes) { add(nodes); }

bool DeviceBatchPlan::stops() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.stops; });
}

std::size_t DeviceBatchPlan::steps_in(const Part& part, std::size_t branch) const {
  std::size_t steps = 0;
  for (std::size_t at = part.branches[branch]; parts_[at].step != nullptr; at = parts_[at].next)
    ++steps;
  return steps;
}

void DeviceBatchPlan::add(std::span<const Node> nodes) {
  for (const Node& node : nodes) {
    visit(
        node, [&](const Stage& stage) { add(stage); }, [&](const Choice& choice) { add(choice); },
        [](const Loop&) {});  // never part of a GPU batch
  }
}

void DeviceBatchPlan::add(const Stage& stage) {
  for (const Step& step : stage.steps) {
    Part part;
    part.step = &step;
    part.number = steps_.size();
    part.next = parts_.size() + 1;
    part.stops = step.stops;
    part.told = told_at(step.arguments);
    if (step.kind == StepKind::stream)
      for (const SlotId slot : step.writes) makers_[slot] = parts_.size();
    parts_.push_back(std::move(part));
    steps_.push_back(&step);
  }
}

void DeviceBatchPlan::add(const Choice& choice) {
  const std::size_t first = parts_.size();
  Part part;
  part.choice = &choice;
  part.number = steps_.size();
  part.stops = choice.stops;
  part.told = told_at(choice.there != nullptr ? choice.there->compares.arguments
                                              : Arguments{choice.choosing->argument});
  parts_.push_back(std::move(part));
  if (choice.there != nullptr) steps_.push_back(&choice.there->begins);
  std::vector<std::size_t> ends;
  for (std::size_t branch = 0; branch < choice.branches.size(); ++branch) {
    parts_[first].branches.push_back(parts_.size());
    add(choice.branches[branch].nodes);
    ends.push_back(parts_.size());
    Part end;
    end.choice = &choice;
    end.number = branch;
    parts_.push_back(std::move(end));
    for (std::size_t i = 0; i < choice.results.size(); ++i) {
      const auto maker = makers_.find(choice.branches[branch].results[i]);
      if (maker == makers_.end()) continue;
      std::size_t& last = makers_[choice.results[i]];
      last = std::max(last, maker->second);
    }
  }
  for (const std::size_t end : ends) parts_[end].next = parts_.size();
  parts_[first].behind = parts_.size();
  if (choice.there == nullptr) return;
  parts_[first].last = steps_.size();
  steps_.push_back(&choice.there->ends);
}

std::size_t DeviceBatchPlan::told_at(const Arguments& numbers) const {
  std::size_t last = 0;
  for (const Argument& number : numbers) {
    const auto* const slot = std::get_if<SlotArgument>(&number);
    if (slot == nullptr || slot->type->release != nullptr) continue;
    const auto maker = makers_.find(slot->slot);
    if (maker != makers_.end()) last = std::max(last, maker->second);
  }
  return last;
}

}  // namespace sluice::detail
