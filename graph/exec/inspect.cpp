#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/evaluation.h>
#include <sluice/graph/exec/inspect.h>
#include <sluice/graph/exec/runner.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <stdexcept>
#include <utility>

namespace sluice {

struct Inspection::Impl {
  Impl(const detail::Plan& recorded, const std::shared_ptr<Device>& on)
      : plan(detail::prepare_to_inspect(recorded)),
        device(on != nullptr ? std::make_unique<detail::DeviceWork>(on, 1) : nullptr),
        runner(BufferPool::current(), nullptr, device.get()),
        sample(plan) {
    sample.set_alone();
  }

  void note(const std::vector<detail::SlotId>& slots) {
    for (const detail::SlotId slot : slots) {
      std::erase_if(values, [&](const Named& value) { return value.slot == slot; });
      values.push_back({plan.slots[slot].name, plan.slots[slot].type->name, slot});
    }
  }

  // A value that was passed on is no longer in the slot where the loop's body made it.
  void forget(const std::vector<detail::SlotId>& slots) {
    std::erase_if(values, [&](const Named& value) {
      return std::find(slots.begin(), slots.end(), value.slot) != slots.end();
    });
  }

  class Noting : public detail::Walk {
   public:
    explicit Noting(Impl& to) : Walk(to.runner, to.sample), to_(to) {}

   private:
    void made(const std::vector<detail::SlotId>& slots) override { to_.note(slots); }
    void carried(const detail::Loop& loop) override { to_.forget(loop.locals); }
    Impl& to_;
  };

  // Returns the value; for one on the device, a copy on the host.
  const void* look_at(detail::SlotId slot, const detail::SlotType* type) {
    if (!plan.slots[slot].on_device) return sample.address(slot);
    fork_guard.require("an inspection of what is on a device");
    const bool image = type == detail::slot_type<Image>();
    if (!image && type != detail::slot_type<Tensor>()) return sample.address(slot);
    const auto known = copies.find(slot);
    if (known != copies.end()) return known->second.address();
    DeviceBatches batches(device->device);
    Copy copy;
    if (image) {
      const Tensor& from = std::as_const(sample).get<Image>(slot).tensor();
      if (!from.empty()) copy.image = Image(batches.to_host(from));
    } else {
      const auto& from = std::as_const(sample).get<Tensor>(slot);
      if (!from.empty()) copy.tensor = batches.to_host(from);
    }
    copy.is_image = image;
    return copies.emplace(slot, std::move(copy)).first->second.address();
  }
  struct Copy {
    const void* address() const {
      return is_image ? static_cast<const void*>(&image) : static_cast<const void*>(&tensor);
    }
    bool is_image = false;
    Image image;
    Tensor tensor;
  };

  const ForkGuard fork_guard;
  Impl* next_inherited = nullptr;  // see ~Inspection
  const detail::Plan plan;
  std::unique_ptr<detail::DeviceWork> device;
  detail::Runner runner;
  detail::Sample sample;
  std::vector<Named> values;
  std::map<detail::SlotId, Copy> copies;
  std::string path;
};

Inspection::Inspection(const detail::Plan& plan, const SampleKey& key,
                       const PipelineOptions& options)
    : impl_(std::make_unique<Impl>(plan, options.device)) {
  if (key.index < 0 || key.index >= plan.samples) {
    throw std::out_of_range("inspect: there is no sample " + std::to_string(key.index) +
                            "; they are numbered 0 to " + std::to_string(plan.samples - 1));
  }
  impl_->sample.begin(key, key.index, options.seed, options.batch_size);
  Impl::Noting(*impl_).run(impl_->plan.top);
  if (impl_->sample.past_end()) {
    throw std::out_of_range("inspect: there is no sample " + std::to_string(key.index) +
                            "; the epoch ends before it");
  }
  impl_->path = impl_->sample.path();
}
Inspection::Inspection(Inspection&&) noexcept = default;
Inspection::~Inspection() {
  if (impl_ == nullptr || impl_->device == nullptr || impl_->fork_guard.here()) return;
  // In a child of fork(), neither the device's thread nor the device exists, so this is never
  // destroyed. The list keeps it reachable for leak checkers.
  static std::atomic<Impl*> inherited{nullptr};
  Impl* const left = impl_.release();
  left->next_inherited = inherited.exchange(left);
}

const SampleKey& Inspection::key() const { return impl_->sample.key(); }
const std::vector<Inspection::Named>& Inspection::values() const { return impl_->values; }
const std::string& Inspection::path() const { return impl_->path; }
const SampleError* Inspection::error() const { return impl_->sample.error(); }
const std::vector<SampleError>& Inspection::warnings() const { return impl_->sample.warnings(); }
bool Inspection::dropped() const { return impl_->sample.dropped(); }

bool Inspection::has(std::string_view name) const {
  return std::any_of(impl_->values.begin(), impl_->values.end(),
                     [&](const Named& value) { return value.name == name; });
}

const void* Inspection::find(const Named& value, const detail::SlotType* type) const {
  const bool made = std::any_of(impl_->values.begin(), impl_->values.end(),
                                [&](const Named& one) { return one.slot == value.slot; });
  if (!made)
    throw Error("the value '" + value.name +
                "' does not belong to this sample; take one of values()");
  if (impl_->plan.slots[value.slot].type != type) {
    throw Error("the value '" + value.name + "' is not of type " +
                std::string(detail::short_name(type->name)) + "; it is " +
                std::string(detail::short_name(value.type)));
  }
  return impl_->look_at(value.slot, type);
}

const void* Inspection::find(std::string_view name, const detail::SlotType* type) const {
  const Named* other = nullptr;
  for (const Named& value : impl_->values) {
    if (value.name != name) continue;
    if (impl_->plan.slots[value.slot].type == type) return impl_->look_at(value.slot, type);
    other = &value;
  }
  std::string text = "the sample has no value '" + std::string(name) + "'";
  if (other != nullptr) {
    text += " of type " + std::string(detail::short_name(type->name)) + "; it is " +
            std::string(detail::short_name(other->type));
  } else {
    text += " on its path '" + impl_->path + "'; it has:";
    for (const Named& value : impl_->values) text += " " + value.name;
  }
  throw Error(text);
}

}  // namespace sluice
