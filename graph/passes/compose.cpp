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
// 1. Operators declare these versions: see ComposeRule. rule_of() returns those of a step that may
//    take part. The matrix of color operators works in the same way.
// 2. find_chains() finds the chains. A step joins if it is the only reader of the chain's last
//    output and has the same `applies`. So warps and color operators never mix.
// 3. The settings (`manner`), such as interpolation and fill, must agree too. A flip has none and
//    agrees with all. If the settings differ from sample to sample, the step stays separate.
// 4. A chain of only light operators, such as lookup tables or flips, is left alone. On the
//    host, the later pass fuse_kernels fuses it without changing a pixel value.
// 5. composed() exchanges the operators. The last step now writes the map into a new slot. The
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
// Read may_extend_map first, then composed.
#include <sluice/graph/passes/chains.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

bool allows(StepKind kind) { return kind == StepKind::cpu || kind == StepKind::stream; }

// Returns the rule of a step that may take part; null if it may not.
const ComposeRule* rule_of(const Step& step) {
  const bool may = step.op != nullptr && allows(step.kind) && !step.has_effect() && !step.pinned &&
                   step.writes.size() == 1 && step.declared.empty();
  const ComposeRule* const rule = may ? step.op->compose_rule() : nullptr;
  if (rule == nullptr || step.kind == StepKind::cpu) return rule;
  return rule->applies->device_version() != nullptr ? rule : nullptr;
}

// Returns the settings that a step shares with its chain; nullopt if it must stay separate.
std::optional<std::vector<Constant>> manner_of(const Step& step) {
  const ComposeRule& rule = *step.op->compose_rule();
  if (!rule.manner) return std::vector<Constant>();
  return rule.manner(step.arguments);
}

bool may_compose(const Step& step) {
  return rule_of(step) != nullptr && manner_of(step).has_value();
}

bool may_extend_map(const Chain& chain, const Step& step) {
  const Step& last = *chain.steps.back();
  if (last.kind != step.kind ||
      last.op->compose_rule()->applies != step.op->compose_rule()->applies)
    return false;
  const std::vector<Constant> manner = *manner_of(step);
  return std::all_of(chain.steps.begin(), chain.steps.end(), [&](const Step* before) {
    const std::vector<Constant> other = *manner_of(*before);
    return manner.empty() || other.empty() || manner == other;
  });
}

bool is_light(const Step* step) { return step->op->compose_rule()->light; }

// Returns the step to insert after the chain.
Step composed(Plan& plan, const Chain& chain) {
  const Step* const first = chain.steps.front();
  Step& last = *chain.steps.back();
  const OperatorPtr applies = first->op->compose_rule()->applies;
  const SlotId source = image_of(*first), image = last.writes.front();
  const bool on_device = last.kind == StepKind::stream;
  const SlotId map =
      add_slot(plan, nullptr, plan.slots[image].name + "'s map", plan.slots[image].scope);
  last.writes = {map};
  std::string names;
  exchange(plan, chain, [&](Step& step) {
    add_remark(step, "composed into " + last.name);
    names += (names.empty() ? "" : " + ") + step.name;
    const ComposeRule& rule = *step.op->compose_rule();
    return &step == first ? rule.begins : rule.goes_on;
  });
  Step apply = step_of(applies, {SlotArgument{map, plan.slots[map].type}}, last.name, {image});
  apply.reads.push_back(source);
  apply.remark = "composed of " + names;
  if (on_device) apply.run_on(applies->device_version());
  return apply;
}

}  // namespace

Plan compose(Plan plan) {
  const ChainRule rule{allows, may_compose, may_extend_map, [](const Step&) { return false; }};
  std::vector<Insertion> insertions;
  for (const Chain& chain : find_chains(plan, rule)) {
    if (chain.steps.size() == 1 || std::all_of(chain.steps.begin(), chain.steps.end(), is_light))
      continue;
    Insertion insertion{chain.steps.back(), {}, {}};
    insertion.after.push_back(composed(plan, chain));
    insertions.push_back(std::move(insertion));
  }
  insert_steps(plan.top, std::move(insertions));
  return plan;
}

}  // namespace sluice::detail
