#include <sluice/graph/plan/visit.h>
#include <sluice/graph/run/gathering.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

Gathering::Gathering(const Stage& stage) { add(stage); }
Gathering::Gathering(std::span<const Node> nodes) { add(nodes); }

bool Gathering::stops() const {
  return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.stops; });
}

void Gathering::add(std::span<const Node> nodes) {
  for (const Node& node : nodes) {
    visit(
        node, [&](const Stage& stage) { add(stage); }, [&](const Branch& branch) { add(branch); },
        [](const Loop&) {});  // never part of a gather
  }
}

void Gathering::add(const Stage& stage) {
  for (const Step& step : stage.steps) {
    parts_.push_back({&step, nullptr, steps_.size(), parts_.size() + 1, step.stops, {}});
    steps_.push_back(&step);
  }
}

void Gathering::add(const Branch& branch) {
  const std::size_t choice = parts_.size();
  parts_.push_back({nullptr, &branch, 0, 0, branch.stops, {}});
  std::vector<std::size_t> ends;
  for (std::size_t arm = 0; arm < branch.arms.size(); ++arm) {
    parts_[choice].arms.push_back(parts_.size());
    add(branch.arms[arm].nodes);
    ends.push_back(parts_.size());
    parts_.push_back({nullptr, &branch, arm, 0, false, {}});
  }
  for (const std::size_t end : ends) parts_[end].next = parts_.size();
}

}  // namespace sluice::detail
