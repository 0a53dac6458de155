#include <sluice/graph/passes/chains.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

namespace sluice::detail {
namespace {

class ChainFinder {
 public:
  ChainFinder(const Plan& plan, const ChainRule& rule) : rule_(rule), uses_(count_uses(plan)) {}

  // Takes the steps of a block in order. Call end() where no chain may continue.
  void add(Step& step) {
    if (rule_.may_join(step)) join(step);
    for (const SlotId slot : step.writes) makers_[slot] = &step;
  }
  void end() {
    std::move(open_.begin(), open_.end(), std::back_inserter(found_));
    open_.clear();
    makers_.clear();
  }
  std::vector<Chain> take() { return std::move(found_); }

 private:
  void join(Step& step) {
    const SlotId image = image_of(step).slot;
    const bool only_reader = uses_[image] == 1;
    auto chain = std::find_if(open_.begin(), open_.end(), [&](const Chain& before) {
      return before.steps.back()->writes.front() == image;
    });
    const bool follows =
        chain != open_.end() && only_reader && rule_.may_follow(*chain, std::as_const(step));
    if (!follows) {
      if (chain != open_.end()) close(chain);
      const auto maker = makers_.find(image);
      open_.push_back({{}, only_reader && maker != makers_.end() ? maker->second : nullptr});
      chain = open_.end() - 1;
    }
    chain->steps.push_back(&step);
    if (rule_.must_be_last(step)) close(chain);
  }
  void close(std::vector<Chain>::iterator chain) {
    found_.push_back(std::move(*chain));
    open_.erase(chain);
  }

  const ChainRule& rule_;
  std::vector<int> uses_;           // by slot
  std::map<SlotId, Step*> makers_;  // of the slots written since chains were last ended
  std::vector<Chain> open_, found_;
};

}  // namespace

std::vector<Chain> find_chains(Plan& plan, const ChainRule& rule) {
  ChainFinder finder(plan, rule);
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      const auto* stage = std::get_if<Stage>(&node);
      if (stage == nullptr || !rule.allows(stage->kind())) finder.end();
      for (Step& step : steps_in(node)) finder.add(step);
    }
    finder.end();
  });
  return finder.take();
}

SlotArgument& image_of(Step& step) { return std::get<SlotArgument>(step.arguments.front()); }
SlotId image_of(const Step& step) { return std::get<SlotArgument>(step.arguments.front()).slot; }

void exchange(Plan& plan, Step& step, const OperatorPtr& version) {
  SlotArgument& image = image_of(step);
  image.type = plan.slots[image.slot].type;
  step.op = version;
  if (step.on_device != nullptr) step.on_device = version;
  if (const SlotType* const type = version->schema().outputs.front().type; type != nullptr)
    plan.slots[step.writes.front()].type = type;
  step.bind();
}

void add_remark(Step& step, const std::string& remark) {
  step.remark += (step.remark.empty() ? "" : ", ") + remark;
}

void read_instead(const Plan& plan, Step& step, SlotId from, SlotId to) {
  std::replace(step.reads.begin(), step.reads.end(), from, to);
  for (Argument& argument : step.arguments) {
    auto* const slot = std::get_if<SlotArgument>(&argument);
    if (slot != nullptr && slot->slot == from) *slot = {to, plan.slots[to].type};
  }
  step.bind();
}

Node node_of(Step step) {
  Stage stage;
  stage.steps.push_back(std::move(step));
  return stage;
}

void insert_steps(Block& block, std::vector<Insertion> insertions) {
  if (insertions.empty()) return;
  std::map<const Step*, Insertion*> around;
  for (Insertion& insertion : insertions) around[insertion.around] = &insertion;
  for_each_block(block, [&](Block& inside) {
    std::vector<Node> nodes;
    const auto add = [&](std::vector<Step>& steps) {
      for (Step& step : steps) nodes.push_back(node_of(std::move(step)));
    };
    for (Node& node : inside.nodes) {
      const auto found = around.find(steps_in(node).data());  // null if it is not a stage
      Insertion* const insertion = found == around.end() ? nullptr : found->second;
      if (insertion != nullptr) add(insertion->before);
      nodes.push_back(std::move(node));
      if (insertion != nullptr) add(insertion->after);
    }
    inside.nodes = std::move(nodes);
  });
}

}  // namespace sluice::detail
