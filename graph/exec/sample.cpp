#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/exec/work_scope.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <ctime>

namespace sluice::detail {
namespace {

void fail(Sample& sample, std::string_view what) noexcept {
  sample.fail(sample.running()->name, what);
}
void fail(Sample& sample, const std::exception& error) noexcept {
  const char* const what = error.what();
  fail(sample, what != nullptr ? what : "threw an exception whose what() is null");
}

// EndOfEpoch from a source ends the epoch; from any other step it is an error.
void end_epoch(Sample& sample, const EndOfEpoch& end) noexcept {
  if (!sample.running()->pinned) return fail(sample, end);
  try {
    sample.end_epoch();
  } catch (const std::exception& error) {
    fail(sample, error);
  }
}

}  // namespace

void CompletionHandle::give_to(Sample& sample, void (*call)(const void*, Sample&),
                               const void* give) noexcept {
  {
    const BufferPoolScope scope(*sample.wait.pool);
    try {
      call(give, sample);
    } catch (const EndOfEpoch& end) {
      end_epoch(sample, end);
    } catch (const std::exception& error) {
      fail(sample, error);
    } catch (...) {
      fail(sample, "threw something that is not a std::exception");
    }
    sample.wait.bytes_given = scope.bytes_allocated();
  }
  leave(sample);
}

bool CompletionHandle::fire_error(std::string_view what) noexcept {
  Sample* const sample = take();
  if (sample == nullptr) return false;
  fail(*sample, what);
  leave(*sample);
  return true;
}

bool CompletionHandle::fire_last_error(std::string_view what) noexcept {
  Sample* const sample = take();
  if (sample == nullptr) return false;
  if (sample->running()->pinned) {
    sample->fail_as_last(sample->running()->name, what);
  } else {
    fail(*sample, what);
  }
  leave(*sample);
  return true;
}

bool CompletionHandle::fire_error(const std::exception_ptr& why) noexcept {
  if (why == nullptr) return fire_error("was told of an error by an empty std::exception_ptr");
  return fire([&](Sample&) { std::rethrow_exception(why); });
}

bool CompletionHandle::out_of_turn() const noexcept {
  const Sample* const sample = sample_.load(std::memory_order_acquire);
  return sample != nullptr && sample->out_of_turn();
}

void CompletionHandle::drop() noexcept {
  (void)fire_error(
      "its completion handle was destroyed before it was fired: call set() or fail() on it, from "
      "any thread");
}

StepScope::StepScope(const CompletionHandle& handle) : StepScope(*handle.sample_.load()) {}

StepScope::StepScope(const Sample& sample) : work_(sample.plan()), pool_(*sample.wait.pool) {}

// After this call another thread may own the sample.
void CompletionHandle::leave(Sample& sample) noexcept {
  if (sample.wait.leave()) sample.wait.listener->wait_is_over(sample);
}

namespace {

// The size of the longest path through a block.
struct Extent {
  std::size_t entries = 0;
  std::size_t loops = 0;  // nested in each other
};

Extent extent_of(const Block& block) {
  Extent all;
  for (const Node& node : block.nodes) {
    visit(
        node, [](const Stage&) {},
        [&](const Choice& choice) {
          std::size_t longest = 0;
          for (const Block& branch : choice.branches) {
            const Extent inner = extent_of(branch);
            longest = std::max(longest, inner.entries);
            all.loops = std::max(all.loops, inner.loops);
          }
          all.entries += 1 + longest;
        },
        [&](const Loop& loop) {
          const Extent condition = extent_of(loop.condition), body = extent_of(loop.body);
          all.entries += 1 + condition.entries + body.entries;
          all.loops = std::max(all.loops, 1 + std::max(condition.loops, body.loops));
        });
  }
  return all;
}

}  // namespace

std::int64_t milliseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

ExecutionPath::ExecutionPath(const Plan& plan) {
  const Extent extent = extent_of(plan.top);
  entries_.reserve(extent.entries);
  deepest_ = extent.loops;
  if (deepest_ > 0) watched_ = std::make_unique<Watched[]>(deepest_);
}

void ExecutionPath::clear(std::uint64_t seed) {
  seed_ = seed;
  entries_.clear();
  end();
}

void ExecutionPath::take(const Choice& choice, std::uint32_t branch) {
  entries_.push_back({&choice, nullptr, branch, false});
}

void ExecutionPath::enter(const Loop& loop) {
  entries_.push_back({nullptr, &loop, 0, false});
  Watched& watched = watched_[depth_++];
  set_iteration(0);
  watched.since.store(milliseconds_now(), std::memory_order_relaxed);
  watched.loop.store(&loop, std::memory_order_relaxed);
}

void ExecutionPath::repeat(const Loop& loop) { set_iteration(++cut_back_to(loop).number); }

void ExecutionPath::set_iteration(std::int64_t iteration) {
  Watched& watched = watched_[depth_ - 1];
  watched.has_seed = false;
  watched.iteration.store(iteration, std::memory_order_relaxed);
}

std::uint64_t ExecutionPath::seed_in_loops() const {
  std::size_t known = depth_;
  while (known > 0 && !watched_[known - 1].has_seed) --known;
  std::uint64_t seed = known == 0 ? seed_ : watched_[known - 1].seed;
  for (; known < depth_; ++known) {
    Watched& watched = watched_[known];
    const std::int64_t iteration = watched.iteration.load(std::memory_order_relaxed);
    seed = watched.seed = seed_of_iteration(seed, static_cast<std::uint64_t>(iteration));
    watched.has_seed = true;
  }
  return seed;
}

void ExecutionPath::leave(const Loop& loop) {
  cut_back_to(loop).over = true;
  watched_[--depth_].loop.store(nullptr, std::memory_order_relaxed);
}

void ExecutionPath::end() {
  while (depth_ > 0) watched_[--depth_].loop.store(nullptr, std::memory_order_relaxed);
}

ExecutionPath::Entry& ExecutionPath::cut_back_to(const Loop& loop) {
  while (entries_.back().loop != &loop) entries_.pop_back();
  return entries_.back();
}

std::string ExecutionPath::text_of(const Entry& entry) {
  if (entry.choice != nullptr) {
    return entry.choice->name + ":" +
           entry.choice->branch_names[static_cast<std::size_t>(entry.number)];
  }
  if (!entry.over) return entry.loop->name + " (iteration " + std::to_string(entry.number) + ")";
  return entry.loop->name + " (" + counted(entry.number, "iteration") + ")";
}

std::string ExecutionPath::text() const {
  constexpr std::size_t kShown = 16;  // at each end
  std::string text;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!text.empty()) text += '/';
    if (i == kShown && entries_.size() > 2 * kShown + 1) {
      const std::size_t next = entries_.size() - kShown;
      text += "(" + std::to_string(next - i) + " more)/";
      i = next;
    }
    text += text_of(entries_[i]);
  }
  return text;
}

std::vector<ExecutionPath::Place> ExecutionPath::loops() const {
  std::vector<Place> places;
  for (std::size_t i = 0; i < deepest_; ++i) {
    const Watched& watched = watched_[i];
    const Loop* loop = watched.loop.load(std::memory_order_relaxed);
    if (loop == nullptr) break;
    places.push_back({loop, watched.iteration.load(std::memory_order_relaxed),
                      watched.since.load(std::memory_order_relaxed)});
  }
  return places;
}

namespace {

// The limit for one sample, because a loop may warn a million times.
constexpr std::size_t kMaxWarnings = 16;

}  // namespace

std::byte* Sample::OutputPlacer::place(const ValueSpec& spec) { return column->place(cell, spec); }
MemoryPlace Sample::OutputPlacer::where() const { return column->where(cell); }

Sample::Sample(const Plan& plan)
    : placers(plan.outputs.size()),
      execution_path(plan),
      plan_(plan),
      slots_(plan.slots.size()),
      storage_(plan.slots.size()),
      open_ended_(plan.samples == kUntilEnd) {
  // One block keeps a sample's values together. Separate cache lines for each slot would waste
  // memory.
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
  counters = StepCounters(timed ? plan_.counters : plan_.path_counters, timed);
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
  execution_path.clear(seed_);
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
  // These texts are short enough to need no allocation.
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
    throw Error("threw EndOfEpoch, though its source has " + counted(plan_.samples, "sample") +
                "; let it have kUntilEnd");
  if (attempts_ > 0) throw Error("threw EndOfEpoch for a sample that is not the last one");
  ended_ = past_end_ = true;
  failed_ = last_ = source_failed_ = false;
}

void Sample::note(std::size_t event) {
  counters.add(running()->event_counter + static_cast<CounterId>(event), 1);
}

void Sample::warn(std::string_view what) {
  if (warnings_.size() > kMaxWarnings) return;
  if (warnings_.size() == kMaxWarnings) what = "more warnings were left out";
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
    // Loop storage that holds a carried value is kept. The rest is free for values that the body
    // made. One is always free, since there are as many storages as carried values.
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

void Sample::take_branch(const Choice& choice, std::uint32_t branch) {
  execution_path.take(choice, branch);
  counters.add(choice.counter + branch, 1);
}

}  // namespace sluice::detail
