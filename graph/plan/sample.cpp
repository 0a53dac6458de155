#include <sluice/graph/plan/column.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/sample.h>
#include <sluice/runtime/shortened.h>

#include <algorithm>

namespace sluice::detail {
namespace {

// Of one sample: a loop may warn a million times.
constexpr std::size_t kMaxWarnings = 16;

}  // namespace

std::byte* Sample::OutputPlacer::place(const ValueSpec& spec) { return column->place(cell, spec); }
MemoryPlace Sample::OutputPlacer::where() const { return column->where(cell); }

Sample::Sample(const Plan& plan)
    : placers(plan.outputs.size()),
      trail(plan),
      plan_(plan),
      slots_(plan.slots.size()),
      storage_(plan.slots.size()),
      open_ended_(plan.samples == kUntilEnd) {
  // Each slot on cache lines of its own would waste; one block keeps a sample's values together.
  std::size_t size = 0;
  std::vector<std::size_t> offsets(plan.slots.size());
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (plan.slots[i].merged) continue;
    const SlotType& type = *plan.slots[i].type;
    size = (size + type.alignment - 1) / type.alignment * type.alignment;
    offsets[i] = size;
    size += type.size;
  }
  constexpr std::size_t kAlign = 64;
  memory_ = std::make_unique<std::byte[]>(size + kAlign);
  const auto base =
      (reinterpret_cast<std::uintptr_t>(memory_.get()) + kAlign - 1) / kAlign * kAlign;
  for (std::size_t i = 0; i < plan.slots.size(); ++i) {
    if (plan.slots[i].merged) continue;
    const SlotType& type = *plan.slots[i].type;
    void* at = reinterpret_cast<void*>(base + offsets[i]);
    storage_[i].construct(at, type);
    slots_[i] = at;
    if (plan.slots[i].output >= 0 && type.set_placer != nullptr) {
      type.set_placer(at, &placers[static_cast<std::size_t>(plan.slots[i].output)]);
    }
    if (type.release != nullptr) releasable_.push_back(static_cast<SlotId>(i));
  }
}

void Sample::release_all() {
  for (const SlotId slot : releasable_) release(slot);
}

void Sample::count(bool timed) {
  tally = Tally(timed ? plan_.counters : plan_.path_counters, timed);
}

void Sample::begin(const SampleKey& key, std::int64_t position, std::uint64_t seed,
                   int batch_size) {
  key_ = first_key_ = key;
  position_ = position;
  id_ = key.index;
  seed_ = seed;
  batch_size_ = batch_size;
  attempts_ = 0;
  stands_in_ = has_sampler_ = source_failed_ = false;
  restart();
}

void Sample::stand_in(std::int64_t index) {
  if (!stands_in_) std::swap(first_error_, error_);
  stands_in_ = true;
  ++attempts_;
  key_.index = index;
  restart();
}

void Sample::restart() {
  ended_ = failed_ = dropped_ = past_end_ = last_ = false;
  bytes_allocated = bytes_waiting = 0;
  trail.clear(seed_);
  warnings_.clear();
  enter(nullptr);
}

void Sample::describe(SampleError& error, std::string_view step,
                      std::string_view what) const noexcept {
  error.id = id_;
  error.key = key_;
  error.seed = seed_;
  const auto say = [](std::string& text, const auto& words) {
    try {
      text = words();
    } catch (...) {
      text.clear();
    }
  };
  say(error.source, [&] { return plan_.name_of_sample(key_); });
  say(error.step, [&] { return step; });
  say(error.path, [&] { return path(); });
  say(error.what, [&] { return shortened(what); });
  // Short enough to need no memory.
  if (error.what.empty()) error.what = what.empty() ? "says nothing" : "out of memory";
}

void Sample::fail(std::string_view step, std::string_view what) noexcept {
  ended_ = failed_ = true;
  past_end_ = false;
  const Step* const at = running();
  source_failed_ = source_failed_ || (at != nullptr && at->pinned);
  describe(error_, step, what);
}

void Sample::fail_as_last(std::string_view step, std::string_view what) noexcept {
  fail(step, what);
  last_ = open_ended_ && !out_of_turn();
}

void Sample::end_epoch() {
  if (!open_ended_)
    throw Error("threw EndOfEpoch, though its source has " + std::to_string(plan_.samples) +
                " samples; let it have kUntilEnd");
  if (attempts_ > 0) throw Error("threw EndOfEpoch for a sample that is not the last one");
  ended_ = past_end_ = true;
  failed_ = last_ = source_failed_ = false;
}

void Sample::note(std::size_t event) {
  tally.add(running()->event_counter + static_cast<CounterId>(event), 1);
}

void Sample::warn(std::string_view what) {
  if (warnings_.size() > kMaxWarnings) return;
  if (warnings_.size() == kMaxWarnings) what = "there are more warnings, which are left out";
  describe(warnings_.emplace_back(), running()->name, what);
  warnings_.back().kept = true;
}

void Sample::enter_stage() {
  running_sample_.store(key_.index, std::memory_order_relaxed);
  running_since_.store(milliseconds_now(), std::memory_order_relaxed);
}

double Sample::seconds_running() const {
  return static_cast<double>(milliseconds_now() - running_since_.load(std::memory_order_relaxed)) /
         1000;
}

void Sample::carry(const Loop& loop) {
  carried_.clear();
  for (const SlotId result : loop.body.results) carried_.push_back(slots_[result]);
  const auto is_carried = [&](const void* at) {
    return std::find(carried_.begin(), carried_.end(), at) != carried_.end();
  };
  for (const SlotId local : loop.locals) {
    void* const made = storage_[local].at;
    if (!is_carried(made)) continue;
    // Storage of the loop that holds a carried value stays as it is; the rest is free for what the
    // body made. There is always one, since there are as many storages as carried values.
    for (const SlotId slot : loop.storage) {
      void* const free = storage_[slot].at;
      if (storage_[slot].type != storage_[local].type || is_carried(free)) continue;
      storage_[slot].type->move(free, made);
      std::replace(carried_.begin(), carried_.end(), made, free);
      break;
    }
  }
  for (std::size_t i = 0; i < loop.state.size(); ++i) slots_[loop.state[i]] = carried_[i];
}

void Sample::take_arm(const Branch& branch, std::uint32_t arm) {
  trail.take(branch, arm);
  tally.add(branch.counter + arm, 1);
}

}  // namespace sluice::detail
