// Tracks the specs of tensors in slots, and finds arms and bodies whose specs disagree.
#include <sluice/graph/builder/recorder_state.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace sluice::detail {
namespace {

std::string which_of(const char* all, const std::string& place) {
  return place.empty() ? all : place + " of " + all;
}

}  // namespace

std::optional<std::size_t> Recorder::disagreement(const std::vector<SlotId>& some,
                                                  const std::vector<SlotId>& others) const {
  for (std::size_t i = 0; i < std::min(some.size(), others.size()); ++i) {
    if (!agree(state_->plan.slots[some[i]].spec, state_->plan.slots[others[i]].spec)) return i;
  }
  return std::nullopt;
}

void Recorder::require_agreement(const Branch& branch, const Block& arm, const Place& place) const {
  const auto side = [&](const Block& block, std::size_t number, std::size_t i) {
    return in_arm(state_->plan.slots[block.results[i]].spec, branch.arm_names.at(number));
  };
  for (std::size_t a = 0; a < branch.arms.size(); ++a) {
    if (const auto i = disagreement(arm.results, branch.arms[a].results)) {
      detail::require_agreement(branch.name, which_of("the result", place(*i)),
                                side(arm, branch.arms.size(), *i), side(branch.arms[a], a, *i));
    }
  }
}

void Recorder::require_agreement(const Loop& loop, const Block& body, const Place& place) const {
  if (const auto i = disagreement(body.results, loop.init)) {
    detail::require_agreement(loop.name, which_of("the state", place(*i)),
                              as_the_body_gives_it(state_->plan.slots[body.results[*i]].spec),
                              as_it_begins(state_->plan.slots[loop.init[*i]].spec));
  }
}

void Recorder::know_in_common(SlotId pointer, SlotId one, SlotId other) {
  state_->plan.slots[pointer].spec =
      common(state_->plan.slots[one].spec, state_->plan.slots[other].spec);
}

void Recorder::declare(SlotId slot, const TensorSpec& spec) {
  Slot& known = state_->plan.slots.at(slot);
  if (spec.rank && (*spec.rank < 0 || *spec.rank > Shape::kMaxRank)) {
    throw BuildError("'" + known.name + "' is declared to have " + std::to_string(*spec.rank) +
                     " dimensions; a tensor has 0 to " + std::to_string(Shape::kMaxRank));
  }
  if (!agree(known.spec, spec)) {
    throw BuildError("'" + known.name + "' is declared as a tensor (" + to_string(spec) +
                     "), but is known to be (" + to_string(known.spec) +
                     ") already; mend or leave out one of the two");
  }
  Step* const maker = maker_of(slot);
  if (maker == nullptr) {
    throw BuildError("'" + known.name + "' is declared, but no step in " + place() +
                     " makes it; declare a value where a step has made it");
  }
  if (maker->op != nullptr) {
    maker->declared.emplace_back(slot, spec);
    maker->bind();
  } else {
    maker->run = [run = std::move(maker->run), slot, spec](Sample& sample) {
      run(sample);
      require_declared(sample.get<Tensor>(slot), spec);
    };
  }
  if (spec.dtype) known.spec.dtype = spec.dtype;
  if (spec.layout) known.spec.layout = spec.layout;
  if (spec.rank) known.spec.rank = spec.rank;
  if (spec.place) known.spec.place = spec.place;
}

}  // namespace sluice::detail
