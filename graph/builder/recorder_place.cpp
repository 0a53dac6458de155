// Places steps: on the host, or on the device where their inputs are.
#include <sluice/graph/builder/device_version.h>
#include <sluice/graph/builder/recorder_state.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

OperatorPtr Recorder::place_step(const Operator& op, const Arguments& arguments,
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
                       "', which lies on the GPU, as a parameter; say .cpu() of it");
    }
    wished = wished || (is_file(slot.type) && slot.on_device);
    if (!is_pixels(slot.type)) continue;
    (slot.on_device ? there : here) = &slot;
  }
  const std::optional<MemoryKind>& moves_to = op.schema().moves_to;
  if (moves_to && (*moves_to == MemoryKind::device ? there : here) != nullptr) {
    throw BuildError("'" + step + "' copies '" + (there != nullptr ? there : here)->name +
                     "' to where it is already; leave it out");
  }
  if (moves_to && there == nullptr && here == nullptr) return nullptr;
  if (!moves_to && there == nullptr) return wished ? device_version_of(op) : nullptr;
  if (!moves_to && here != nullptr) {
    throw BuildError("'" + step + "' is given '" + there->name + "', which lies on the GPU, and '" +
                     here->name + "', which does not; say .gpu() of this one, or .cpu() of that");
  }
  OperatorPtr version = device_version_of(op);
  if (version == nullptr) {
    throw BuildError("the operator '" + op.name() + "' does not run on a GPU, where '" +
                     there->name + "' lies; say .cpu() before it, and .gpu() after it");
  }
  return version;
}

void Recorder::place_output(Slot& slot, const OperatorSchema& schema) {
  slot.on_device = is_pixels(slot.type) && schema.moves_to != MemoryKind::host;
  if (slot.on_device) slot.spec.place = MemoryPlace{MemoryKind::device};
  slot.from_device = !is_pixels(slot.type);
}

void Recorder::name_again(Slot& slot, SlotId file) {
  slot.merged = true;
  slot.same_as = file;
  slot.on_device = true;
  slot.spec.place = MemoryPlace{MemoryKind::device};
}

void Recorder::require_on_host(const Step& step) const {
  for (const SlotId slot : step.reads) {
    if (!state_->plan.slots[slot].on_device || is_file(state_->plan.slots[slot].type)) continue;
    throw BuildError("'" + step.name + "' is a function that runs on the host, but '" +
                     state_->plan.slots[slot].name + "' lies on the GPU; give it .cpu() of that");
  }
}

void Recorder::set_outputs(std::vector<SlotId> outputs) {
  for (const SlotId slot : outputs) use(slot, "the pipeline's result");
  enclose(state_->plan, state_->plan.top, outputs, "the pipeline's result", state_->boundaries);
  state_->plan.outputs = std::move(outputs);
}

}  // namespace sluice::detail
