// The builder's knowledge about values: where they lie, which specs their tensors have, and which
// source they come from.
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder_state.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sluice::detail {
namespace {

bool is_pixels(const SlotType* type) {
  return type == slot_type<Image>() || type == slot_type<Tensor>();
}

// Files stay on the host. Marking one for the device selects device versions of the operators that
// read it.
bool is_file(const SlotType* type) {
  return type == slot_type<Bytes>() || type == slot_type<std::span<const std::uint8_t>>();
}

}  // namespace

OperatorPtr PlanBuilder::place_step(const Operator& op, const Arguments& arguments,
                                    const std::string& step) const {
  const Slot* there = nullptr;
  const Slot* here = nullptr;
  bool wished = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* from = std::get_if<SlotArgument>(&arguments[i]);
    if (from == nullptr) continue;
    const Slot& slot = state_->plan.slots[from->slot];
    if (i >= op.schema().inputs.size()) {  // parameters are read by the host
      if (!slot.on_device) continue;
      throw BuildError("'" + step + "' is given '" + slot.name +
                       "', which lies on the GPU, as a parameter; call .cpu() on it");
    }
    wished = wished || (is_file(slot.type) && slot.on_device);
    if (!is_pixels(slot.type)) continue;
    (slot.on_device ? there : here) = &slot;
  }
  const std::optional<MemoryKind>& moves_to = op.schema().moves_to;
  if (moves_to && (*moves_to == MemoryKind::device ? there : here) != nullptr) {
    throw BuildError("'" + step + "' copies '" + (there != nullptr ? there : here)->name +
                     "' to where it already is; remove it");
  }
  if (moves_to && there == nullptr && here == nullptr) return nullptr;
  if (!moves_to && there == nullptr) return wished ? op.device_version() : nullptr;
  if (!moves_to && here != nullptr) {
    throw BuildError("'" + step + "' is given '" + there->name + "', which lies on the GPU, and '" +
                     here->name + "', which does not; call .gpu() on this one, or .cpu() on that");
  }
  OperatorPtr version = op.device_version();
  if (version == nullptr) {
    throw BuildError("the operator '" + op.name() + "' does not run on a GPU, where '" +
                     there->name + "' lies; call .cpu() before it and .gpu() after it");
  }
  return version;
}

void PlanBuilder::place_output(Slot& slot, const OperatorSchema& schema) {
  slot.on_device = is_pixels(slot.type) && schema.moves_to != MemoryKind::host;
  if (slot.on_device) slot.spec.place = MemoryPlace{MemoryKind::device};
  slot.from_device = !is_pixels(slot.type);
}

void PlanBuilder::name_again(Slot& slot, SlotId file) {
  slot.merged = true;
  slot.same_as = file;
  slot.on_device = true;
  slot.spec.place = MemoryPlace{MemoryKind::device};
}

void PlanBuilder::require_on_host(const Step& step) const {
  for (const SlotId slot : step.reads) {
    if (!state_->plan.slots[slot].on_device || is_file(state_->plan.slots[slot].type)) continue;
    throw BuildError("'" + step.name + "' is a function that runs on the host, but '" +
                     state_->plan.slots[slot].name + "' lies on the GPU; pass .cpu() of that");
  }
}

void PlanBuilder::set_outputs(std::vector<SlotId> outputs) {
  for (const SlotId slot : outputs) use(slot, "the pipeline's result");
  enclose(state_->plan, state_->plan.top, outputs, "the pipeline's result", state_->boundaries);
  state_->plan.outputs = std::move(outputs);
}

namespace {

std::string which_of(const char* all, const std::string& place) {
  return place.empty() ? all : place + " of " + all;
}

// Throws BuildError unless the values have the same number and types as `before`. C++ callables
// always do; Python and saved plans may not.
void require_same_types(const Plan& plan, const std::string& node, const std::vector<SlotId>& now,
                        const std::string& who, const std::vector<SlotId>& before,
                        const std::string& who_before) {
  if (now.size() != before.size()) {
    throw BuildError("'" + node + "': " + who + " gives " + counted(now.size(), "value") +
                     ", but " + who_before + " gives " + counted(before.size(), "value"));
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const SlotType* const type = plan.slots[now[i]].type;
    const SlotType* const wanted = plan.slots[before[i]].type;
    if (type == wanted) continue;
    throw BuildError("'" + node + "': value " + std::to_string(i) + " is of type '" +
                     std::string(short_name(type->name)) + "' in " + who + ", but '" +
                     std::string(short_name(wanted->name)) + "' in " + who_before +
                     "; make both the same, numbers with cast()");
  }
}

}  // namespace

std::optional<std::size_t> PlanBuilder::disagreement(const std::vector<SlotId>& some,
                                                     const std::vector<SlotId>& others) const {
  for (std::size_t i = 0; i < std::min(some.size(), others.size()); ++i) {
    if (!agree(state_->plan.slots[some[i]].spec, state_->plan.slots[others[i]].spec)) return i;
  }
  return std::nullopt;
}

void PlanBuilder::require_agreement(const Choice& choice, const Block& branch,
                                    const Place& place) const {
  const auto side = [&](const Block& block, std::size_t number, std::size_t i) {
    return in_branch(state_->plan.slots[block.results[i]].spec, choice.branch_names.at(number));
  };
  if (!choice.branches.empty()) {
    const auto name = [&](std::size_t i) {
      return "the branch '" + choice.branch_names.at(i) + "'";
    };
    require_same_types(state_->plan, choice.name, branch.results, name(choice.branches.size()),
                       choice.branches.front().results, name(0));
  }
  for (std::size_t a = 0; a < choice.branches.size(); ++a) {
    if (const auto i = disagreement(branch.results, choice.branches[a].results)) {
      detail::require_agreement(choice.name, which_of("the result", place(*i)),
                                side(branch, choice.branches.size(), *i),
                                side(choice.branches[a], a, *i));
    }
  }
}

void PlanBuilder::require_agreement(const Loop& loop, const Block& body, const Place& place) const {
  require_same_types(state_->plan, loop.name, body.results, "the body", loop.init,
                     "the state it begins with");
  if (const auto i = disagreement(body.results, loop.init)) {
    detail::require_agreement(loop.name, which_of("the state", place(*i)),
                              as_the_body_gives_it(state_->plan.slots[body.results[*i]].spec),
                              as_it_begins(state_->plan.slots[loop.init[*i]].spec));
  }
}

void PlanBuilder::merge_spec(SlotId pointer, SlotId one, SlotId other) {
  state_->plan.slots[pointer].spec =
      common(state_->plan.slots[one].spec, state_->plan.slots[other].spec);
}

void PlanBuilder::declare(SlotId slot, const TensorSpec& spec) {
  Slot& known = state_->plan.slots.at(slot);
  if (spec.rank && (*spec.rank < 0 || *spec.rank > Shape::kMaxRank)) {
    throw BuildError("'" + known.name + "' is declared to have " + std::to_string(*spec.rank) +
                     " dimensions; a tensor has 0 to " + std::to_string(Shape::kMaxRank));
  }
  if (!agree(known.spec, spec)) {
    throw BuildError("'" + known.name + "' is declared as a tensor (" + to_string(spec) +
                     "), but is known to be (" + to_string(known.spec) +
                     ") already; fix or remove one of the two");
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

void PlanBuilder::set_source(const std::string& step, std::int64_t samples, const Sampler& sampler,
                             bool once, Function<std::string(const SampleKey&)> name) {
  if (!state_->open.empty())
    throw BuildError("the source '" + step + "' stands inside " + place() +
                     "; move it to the top of the pipeline, where it can be used as well");
  if (samples < 0)
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(samples) +
                     " samples; give the number in an epoch, at least 0");
  if (samples > detail::kMostPermuted && samples != kUntilEnd)
    throw BuildError("the source '" + step + "' has more than 2^62 samples");
  const bool both_known =
      state_->plan.samples >= 0 && state_->plan.samples != kUntilEnd && samples != kUntilEnd;
  if (both_known && state_->plan.samples != samples) {
    throw BuildError("the source '" + step + "' has " + counted(samples, "sample") +
                     ", but the one before it has " + std::to_string(state_->plan.samples) +
                     "; let one of them have kUntilEnd if the shortest shall end the epoch");
  }
  state_->plan.samples = std::max(state_->plan.samples, samples);
  // A source with a default sampler follows the others.
  if (sampler != Sampler{}) {
    if (state_->plan.sampler && *state_->plan.sampler != sampler) {
      throw BuildError("the source '" + step + "' has the sampler (" + to_string(sampler) +
                       "), but one before it has (" + to_string(*state_->plan.sampler) +
                       "); all sources go through an epoch together: give one of them a sampler");
    }
    state_->plan.sampler = sampler;
  }
  if (once) state_->plan.once = step;
  if (state_->plan.sampler && !state_->plan.once.empty()) {
    throw BuildError("the source '" + state_->plan.once +
                     "' gives its values in their own order, but an epoch has a sampler (" +
                     to_string(*state_->plan.sampler) +
                     "); remove the sampler, or read a dataset that can return any sample");
  }
  if (name && !state_->plan.source_name) state_->plan.source_name = std::move(name);
}

int checked_threads(const std::string& step, int threads, bool gives_later) {
  constexpr int kMost = 4096;
  if (threads < 0 || threads > kMost) {
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(threads) +
                     " threads of its own; give it 1 to 4096, or 0 for the pipeline's");
  }
  if (threads > 0 && gives_later) {
    throw BuildError("the source '" + step +
                     "' is given threads, but completes its samples on threads of its own: leave "
                     "SourceOptions::threads out");
  }
  return threads;
}

}  // namespace sluice::detail
