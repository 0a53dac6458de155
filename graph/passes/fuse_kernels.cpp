// fuse_kernels: operators in a row, each of which alone reads what the one before makes, do their
// work at once. Those before the last say what is to be done with the picture that the first one
// reads; the last one does it, and what would lie between is never made. Operators say themselves
// whether they can, and how: Operator::deferral().
//
//   small = resize(picture)              small = "picture, resized"
//   note  = f(picture)                   note  = f(picture)
//   turned = flip(small, coin)           turned = "small, flipped"
//   tensor = normalise(turned)           tensor = normalise(turned), in one pass over `picture`
//
// Each step stays where it is, and checks its own arguments there: so errors are the same, and
// counts of runs. The picture that the first one reads is kept until the last one has run; so that
// nothing large is kept while a sample waits, all of them end in one stage.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

// How often each slot is used, by steps, choices, loops, the blocks' ends and the outputs.
std::vector<int> count_uses(const Plan& plan) {
  std::vector<int> uses(plan.slots.size());
  const auto add = [&uses](const std::vector<SlotId>& slots) {
    for (const SlotId slot : slots) ++uses[slot];
  };
  add(plan.outputs);
  for_each_block(plan.top, [&](const Block& block) {
    add(block.results);
    for (const Node& node : block.nodes) {
      for (const Step& step : steps_in(node)) add(step.reads);
      if (!std::holds_alternative<Stage>(node)) add(inputs_of(node));
    }
  });
  return uses;
}

// Several steps in the order in which they run.
using Row = std::vector<Step*>;

bool may_fuse(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr && step.op->deferral() != nullptr &&
         !step.has_effect() && !step.pinned && step.writes.size() == 1;
}

bool may_leave_work(const Step& step) {
  const Deferral& deferral = *step.op->deferral();
  return deferral.begins != nullptr && deferral.goes_on != nullptr && step.declared.empty() &&
         !step.for_device;
}

// The picture that the step takes.
SlotId input_of(const Step& step) { return std::get<SlotArgument>(step.arguments.front()).slot; }

class Rows {
 public:
  explicit Rows(const Plan& plan) : uses_(count_uses(plan)) {}

  // Takes the steps of a block in their order; end() where no row may go on.
  void add(Step& step) {
    if (!may_fuse(step)) return;
    const SlotId from = input_of(step);
    const auto row = std::find_if(open_.begin(), open_.end(), [&](const Row& steps) {
      return steps.back()->writes.front() == from;
    });
    if (row != open_.end() && goes_on(*row, step)) {
      row->push_back(&step);
      if (!may_leave_work(step)) close(row);
    } else if (may_leave_work(step)) {
      open_.push_back({&step});
    }
  }
  void end() {
    while (!open_.empty()) close(open_.begin());
  }
  const std::vector<Row>& found() const { return found_; }

 private:
  bool goes_on(const Row& row, const Step& step) const {
    const auto selects = [](const Step* before) { return before->op->deferral()->selects; };
    const Deferral& deferral = *step.op->deferral();
    return uses_[input_of(step)] == 1 && deferral.ends != nullptr &&
           (!deferral.wants_whole || std::all_of(row.begin(), row.end(), selects));
  }
  void close(std::vector<Row>::iterator row) {
    if (row->size() > 1) found_.push_back(std::move(*row));
    open_.erase(row);
  }

  std::vector<int> uses_;  // by slot
  std::vector<Row> open_, found_;
};

std::string names_of_others(const Row& row) {
  std::string names;
  for (const Step* step : row) {
    if (step != row.back()) names += (names.empty() ? "" : " + ") + step->name;
  }
  return names;
}

void fuse(Plan& plan, const Row& row) {
  const std::string others = names_of_others(row);
  const SlotId source = input_of(*row.front());
  for (Step* const step : row) {
    const bool first = step == row.front(), last = step == row.back();
    const Deferral& deferral = *step->op->deferral();
    auto& input = std::get<SlotArgument>(step->arguments.front());
    if (!first) {
      input.type = plan.slots[input.slot].type;
      step->reads.push_back(source);  // which must still be there
    }
    step->op = first ? deferral.begins : last ? deferral.ends : deferral.goes_on;
    if (!last) plan.slots[step->writes.front()].type = step->op->schema().outputs.front().type;
    step->remark += (step->remark.empty() ? "" : ", ") +
                    (last ? "fused with " + others : "fused into " + row.back()->name);
    step->bind();
  }
}

}  // namespace

Plan fuse_kernels(Plan plan) {
  Rows rows(plan);
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      const auto* stage = std::get_if<Stage>(&node);
      if (stage == nullptr || stage->kind() != StepKind::cpu) rows.end();
      for (Step& step : steps_in(node)) rows.add(step);
    }
    rows.end();
  });
  for (const Row& row : rows.found()) fuse(plan, row);
  return plan;
}

}  // namespace sluice::detail
