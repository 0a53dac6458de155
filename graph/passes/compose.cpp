// compose: replaces a chain of warps by one warp, and a chain of color operators by one matrix.
//
// The problem: a plan shears an image, rotates it and moves it. Each step interpolates, rounds and
// clips every pixel, so the image is blurred three times, and two images are made that only the
// next step reads. But three affine maps in sequence are again one affine map.
//
// The idea: the steps build the map, and one more step applies it to the first step's image.
//
//     recorded                            after the pass
//     sheared = shear(image, x)           sheared = begins: map A of `image`
//     turned  = rotate(sheared, angle)    turned  = goes_on: A, then B
//     moved   = translate(turned, y)      map     = goes_on: A, then B, then C
//                                         moved   = applies: warps `image` once
//
// 1. Operators declare these versions: see ComposeRule. asked() returns those of a step that may
//    take part. The matrix of color operators works in the same way.
// 2. Compositions finds the chains. A step joins if it is the only reader of the chain's last
//    output and has the same `applies`. So warps and color operators never mix.
// 3. The settings (`manner`), such as interpolation and fill, must agree too. A flip has none and
//    agrees with all. If the settings differ from sample to sample, the step stays separate.
// 4. A chain of only light operators, such as lookup tables or flips, is left alone. On the
//    host, the later pass fuse_kernels fuses it without changing a pixel value.
// 5. composed_step() exchanges the operators. The last step now writes the map into a new slot. The
//    added step writes the old slot, so the readers of the result do not change.
//
// Pixel values differ from those of separate steps: they are interpolated, rounded and clipped only
// once. A value that one step would clip is restored if a later step brings it back. So the pass
// runs only with PipelineOptions::compose.
//
// Invariants:
// - Each step stays in its place and checks its own arguments there. So errors and run counts are
//   those of the separate steps. Only a warp that leads too far away fails later, when the last
//   step applies it: see ComposedWarp::check_made().
// - The source image outlives the chain: each later step, and the added one, lists it in `reads`.
// - A chain lies in one block. A branch, a loop, or a step of the kinds `wait` and `io` ends it.
// - All steps of a chain run on the host, or all on a device. For a device, the host still builds
//   the map. Only `applies` needs a device version; without one, the steps stay separate.
// - The pass runs on one thread and takes no lock: see passes.h.
//
// Read Compositions::add first, then composed_step.
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

struct Composition {
  std::vector<Step*> steps;
  const ComposeRule* first = nullptr;  // of the first step
  std::vector<Constant> manner;        // empty while no step has set one
  bool light = true;                   // all steps are light
};

const ComposeRule* asked(const Step& step) {
  const bool may = step.op != nullptr && !step.has_effect() && !step.pinned &&
                   step.writes.size() == 1 && step.declared.empty() &&
                   (step.kind == StepKind::cpu || step.kind == StepKind::stream);
  const ComposeRule* const compose_rule = may ? step.op->compose_rule() : nullptr;
  if (compose_rule == nullptr || step.kind == StepKind::cpu) return compose_rule;
  return compose_rule->applies->device_version() != nullptr ? compose_rule : nullptr;
}

std::optional<std::vector<Constant>> manner_of(const ComposeRule& compose_rule, const Step& step) {
  if (!compose_rule.manner) return std::vector<Constant>();
  return compose_rule.manner(step.arguments);
}

// The image that the step takes.
SlotArgument& input_of(Step& step) { return std::get<SlotArgument>(step.arguments.front()); }

class Compositions {
 public:
  explicit Compositions(const Plan& plan) : uses_(count_uses(plan)) {}

  // Takes the steps of a block in order. Call end() where no chain may continue.
  void add(Step& step) {
    const ComposeRule* const compose_rule = asked(step);
    if (compose_rule == nullptr) return;
    const auto same = manner_of(*compose_rule, step);
    if (!same) return;
    const std::vector<Constant>& manner = *same;
    const SlotId from = input_of(step).slot;
    const auto row = std::find_if(open_.begin(), open_.end(), [&](const Composition& before) {
      return before.steps.back()->writes.front() == from;
    });
    if (row != open_.end()) {
      const bool agrees = row->manner.empty() || manner.empty() || row->manner == manner;
      if (uses_[from] == 1 && row->first->applies == compose_rule->applies && agrees &&
          row->steps.back()->kind == step.kind) {
        row->steps.push_back(&step);
        if (row->manner.empty()) row->manner = manner;
        row->light = row->light && compose_rule->light;
        return;
      }
      close(row);
    }
    open_.push_back({{&step}, compose_rule, manner, compose_rule->light});
  }
  void end() {
    while (!open_.empty()) close(open_.begin());
  }
  const std::vector<Composition>& found() const { return found_; }

 private:
  void close(std::vector<Composition>::iterator row) {
    if (row->steps.size() > 1 && !row->light) found_.push_back(std::move(*row));
    open_.erase(row);
  }

  std::vector<int> uses_;  // by slot
  std::vector<Composition> open_, found_;
};

void run_as(Step& step, const OperatorPtr& version) {
  step.op = version;
  if (step.on_device != nullptr) step.on_device = version;
}

// Returns the step to insert after the chain.
Step composed_step(Plan& plan, const Composition& row) {
  Step& last = *row.steps.back();
  const SlotId picture = last.writes.front();
  const SlotId source = input_of(*row.steps.front()).slot;
  const SlotType* const type = row.first->begins->schema().outputs.front().type;
  const SlotId said =
      add_slot(plan, type, plan.slots[picture].name + "'s map", plan.slots[picture].scope);
  last.writes = {said};
  std::string names;
  for (Step* const step : row.steps) {
    const bool first = step == row.steps.front();
    const ComposeRule& compose_rule = *step->op->compose_rule();
    plan.slots[step->writes.front()].type = type;
    if (!first) {
      input_of(*step).type = type;
      step->reads.push_back(source);  // keeps the source alive until here
    }
    run_as(*step, first ? compose_rule.begins : compose_rule.goes_on);
    step->remark += (step->remark.empty() ? "" : ", ") + ("composed into " + last.name);
    step->bind();
    names += (first ? "" : " + ") + step->name;
  }
  Step apply = step_of(row.first->applies, {SlotArgument{said, type}}, last.name, {picture});
  apply.reads.push_back(source);
  apply.remark = "composed of " + names;
  if (last.kind == StepKind::stream) apply.run_on(apply.op->device_version());
  return apply;
}

void put_in(Plan& plan, std::map<const Step*, Step> after) {
  for_each_block(plan.top, [&](Block& block) {
    std::vector<Node> nodes;
    for (Node& node : block.nodes) {
      const Step* const step = steps_in(node).data();  // one step at this point, or null
      nodes.push_back(std::move(node));
      const auto found = after.find(step);
      if (step == nullptr || found == after.end()) continue;
      Stage stage;
      stage.steps.push_back(std::move(found->second));
      nodes.push_back(std::move(stage));
    }
    block.nodes = std::move(nodes);
  });
}

}  // namespace

Plan compose(Plan plan) {
  Compositions rows(plan);
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      const auto* stage = std::get_if<Stage>(&node);
      if (stage == nullptr ||
          (stage->kind() != StepKind::cpu && stage->kind() != StepKind::stream)) {
        rows.end();
        continue;
      }
      for (Step& step : steps_in(node)) rows.add(step);
    }
    rows.end();
  });
  std::map<const Step*, Step> after;
  for (const Composition& row : rows.found())
    after.emplace(row.steps.back(), composed_step(plan, row));
  if (!after.empty()) put_in(plan, std::move(after));
  return plan;
}

}  // namespace sluice::detail
