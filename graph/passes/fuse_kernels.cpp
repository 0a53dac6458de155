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
//
// Where a decoder makes the picture for such a chain alone, and one of the chain cuts a rectangle
// out, the chain is told the picture's size first, and no more is decoded than it needs:
//
//   picture = decode(file)               size = decode(file), the size only
//   small = resize(picture)              small = "size, resized"
//   middle = crop(small)                 middle = "small, a rectangle of it"
//                                        region = what "middle" needs of the picture
//                                        picture = decode(file), that region
//                                        part = "middle", of the picture
//   tensor = normalise(middle)           tensor = normalise(part)
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/add_slot.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/graph/plan/visit.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sluice::detail {
namespace {

// Several steps in the order in which they run.
struct Chain {
  std::vector<Step*> steps;
  Step* decoder = nullptr;  // makes the picture, for this chain alone; may be null
};

bool may_decode_less(const Step& step) {
  return step.kind == StepKind::cpu && step.op != nullptr && step.op->decoding() != nullptr &&
         !step.has_effect() && !step.pinned && !step.for_device && step.declared.empty();
}

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
SlotId picture_of(const Step& step) { return std::get<SlotArgument>(step.arguments.front()).slot; }

class Chains {
 public:
  explicit Chains(const Plan& plan) : uses_(count_uses(plan)) {}

  // Takes the steps of a block in their order; end() where no chain may go on.
  void add(Step& step) {
    if (may_decode_less(step)) decoders_.push_back(&step);
    if (!may_fuse(step)) return;
    const SlotId from = picture_of(step);
    const auto chain = std::find_if(open_.begin(), open_.end(), [&](const Chain& before) {
      return before.steps.back()->writes.front() == from;
    });
    if (chain != open_.end() && goes_on(*chain, step)) {
      chain->steps.push_back(&step);
      if (!may_leave_work(step)) close(chain);
    } else if (may_leave_work(step)) {
      open_.push_back({{&step}, decoder_of(from)});
    }
  }
  void end() {
    while (!open_.empty()) close(open_.begin());
    decoders_.clear();
  }
  const std::vector<Chain>& found() const { return found_; }

 private:
  bool goes_on(const Chain& chain, const Step& step) const {
    const auto selects = [](const Step* before) { return before->op->deferral()->selects; };
    const Deferral& deferral = *step.op->deferral();
    return uses_[picture_of(step)] == 1 && deferral.ends != nullptr &&
           (!deferral.wants_whole || std::all_of(chain.steps.begin(), chain.steps.end(), selects));
  }
  Step* decoder_of(SlotId picture) const {
    const auto found = std::find_if(decoders_.begin(), decoders_.end(), [&](const Step* step) {
      return step->writes.front() == picture;
    });
    return found != decoders_.end() && uses_[picture] == 1 ? *found : nullptr;
  }
  void close(std::vector<Chain>::iterator chain) {
    if (chain->steps.size() > 1) found_.push_back(std::move(*chain));
    open_.erase(chain);
  }

  std::vector<int> uses_;  // by slot
  std::vector<Step*> decoders_;
  std::vector<Chain> open_, found_;
};

std::string names_of_others(const Chain& chain) {
  std::string names;
  for (const Step* step : chain.steps) {
    if (step != chain.steps.back()) names += (names.empty() ? "" : " + ") + step->name;
  }
  return names;
}

void fuse_chain(Plan& plan, const Chain& chain) {
  const std::string others = names_of_others(chain);
  const SlotId source = picture_of(*chain.steps.front());
  for (Step* const step : chain.steps) {
    const bool first = step == chain.steps.front(), last = step == chain.steps.back();
    const Deferral& deferral = *step->op->deferral();
    auto& input = std::get<SlotArgument>(step->arguments.front());
    if (!first) {
      input.type = plan.slots[input.slot].type;
      step->reads.push_back(source);  // which must still be there
    }
    step->op = first ? deferral.begins : last ? deferral.ends : deferral.goes_on;
    if (!last) plan.slots[step->writes.front()].type = step->op->schema().outputs.front().type;
    step->remark += (step->remark.empty() ? "" : ", ") +
                    (last ? "fused with " + others : "fused into " + chain.steps.back()->name);
    step->bind();
  }
}

// Steps that are to come before another one.
struct Insertion {
  const Step* before = nullptr;
  std::vector<Step> steps;
};

// Whether one of the chain cuts a rectangle out, and the last one can do with a part of the
// picture.
bool needs_less(const Chain& chain) {
  const auto selects = [](const Step* step) { return step->op->deferral()->selects; };
  const OperatorPtr& end = chain.steps.back()->op->deferral()->ends;
  return chain.decoder != nullptr && end->deferral() != nullptr &&
         std::any_of(chain.steps.begin(), chain.steps.end(), selects);
}

class PartialDecoder {
 public:
  PartialDecoder(Plan& plan, const Chain& chain)
      : plan_(plan),
        chain_(chain),
        decoder_(*chain.decoder),
        last_(*chain.steps.back()),
        picture_(decoder_.writes.front()),
        deferred_((*(chain.steps.end() - 2))->writes.front()) {}

  // The chain has been fused.
  Insertion run() {
    const Slot slot = plan_.slots[picture_];
    const SlotId size = add_slot(plan_, slot.type, slot.name + "'s size", slot.scope);
    const SlotId region =
        add_slot(plan_, slot_type<Rectangle>(), slot.name + "'s region", slot.scope);
    const SlotId part =
        add_slot(plan_, plan_.slots[deferred_].type, slot.name + "'s part", slot.scope);
    Insertion insertion{&last_, {}};
    const OperatorPtr needed = last_.op->sight(last_.arguments).rectangle;
    // All that the last one is given, or the picture alone.
    Arguments arguments = last_.arguments;
    arguments.resize(needed->schema().inputs.size() + needed->schema().parameters.size());
    insertion.steps.push_back(helper(needed, std::move(arguments), {region}, "region"));
    insertion.steps.back().reads.push_back(size);  // which must still be there
    insertion.steps.push_back(decode(region));
    insertion.steps.push_back(helper(last_.op->deferral()->begins,
                                     {argument(deferred_), argument(picture_), argument(region)},
                                     {part}, "its part"));

    decoder_.op = decoder_.op->decoding()->size;
    decoder_.writes = {size};
    decoder_.remark = "size";
    decoder_.bind();
    for (Step* const step : chain_.steps) {
      if (step != &last_) see(*step, picture_, size);
    }
    see(last_, deferred_, part);
    return insertion;
  }

 private:
  Argument argument(SlotId slot) const { return SlotArgument{slot, plan_.slots[slot].type}; }

  Step helper(const OperatorPtr& op, Arguments arguments, std::vector<SlotId> writes,
              const char* remark) const {
    Step step = step_of(op, std::move(arguments), last_.name, std::move(writes));
    step.remark = remark;
    return step;
  }
  // What the decoder does, of the region alone.
  Step decode(SlotId region) const {
    Step step = decoder_;
    step.op = decoder_.op->decoding()->part;
    step.reads.push_back(region);
    step.arguments.push_back(argument(region));
    step.remark = "region";
    step.bind();
    return step;
  }
  static void see(Step& step, SlotId from, SlotId to) {
    std::replace(step.reads.begin(), step.reads.end(), from, to);
    auto& input = std::get<SlotArgument>(step.arguments.front());
    if (input.slot == from) input.slot = to;
    step.bind();
  }

  Plan& plan_;
  const Chain& chain_;
  Step& decoder_;
  Step& last_;
  const SlotId picture_, deferred_;
};

void insert_all(Plan& plan, std::vector<Insertion> insertions) {
  if (insertions.empty()) return;
  for_each_block(plan.top, [&](Block& block) {
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
      const Step* const step = steps_in(block.nodes[i]).data();  // null where it is no stage
      const auto found =
          std::find_if(insertions.begin(), insertions.end(),
                       [&](const Insertion& some) { return step && some.before == step; });
      if (found == insertions.end()) continue;
      found->before = nullptr;
      for (Step& more : found->steps) {
        Stage stage;
        stage.steps.push_back(std::move(more));
        block.nodes.insert(block.nodes.begin() + static_cast<std::ptrdiff_t>(i), std::move(stage));
        ++i;
      }
    }
  });
}

}  // namespace

Plan fuse_kernels(Plan plan) {
  Chains chains(plan);
  for_each_block(plan.top, [&](Block& block) {
    for (Node& node : block.nodes) {
      const auto* stage = std::get_if<Stage>(&node);
      if (stage == nullptr || stage->kind() != StepKind::cpu) chains.end();
      for (Step& step : steps_in(node)) chains.add(step);
    }
    chains.end();
  });
  std::vector<Insertion> insertions;
  for (const Chain& chain : chains.found()) {
    const bool part = needs_less(chain);
    fuse_chain(plan, chain);
    if (part) insertions.push_back(PartialDecoder(plan, chain).run());
  }
  insert_all(plan, std::move(insertions));
  return plan;
}

}  // namespace sluice::detail
