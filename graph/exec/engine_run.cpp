// The functions of Engine::Impl that the user calls on the thread that takes batches.
#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/engine_impl.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/log.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

// No other batch follows a lost device.
bool is_lost_device(const Error& error) {
  const auto* const told = dynamic_cast<const DeviceError*>(&error);
  return told != nullptr && told->device_lost();
}

// Marks the consumer as waiting while it exists. `demand` is null without a device.
class WaitingConsumer {
 public:
  explicit WaitingConsumer(DeviceDemand* demand) : demand_(demand) {
    if (demand_ != nullptr) demand_->set_waits(true);
  }
  WaitingConsumer(const WaitingConsumer&) = delete;
  WaitingConsumer& operator=(const WaitingConsumer&) = delete;
  ~WaitingConsumer() {
    if (demand_ != nullptr) demand_->set_waits(false);
  }

 private:
  DeviceDemand* const demand_;
};

// The most samples to name, since a thousand may wait.
constexpr int kMostNamed = 16;

// The loops, outermost first, then the step; empty for a sample in neither.
std::string where_is(const Sample& sample) {
  std::string text;
  const auto add = [&](const std::string& what, double seconds) {
    text += (text.empty() ? "" : ", in ") + what + " since " + std::to_string(seconds) + " s";
  };
  for (const ExecutionPath::Place& place : sample.execution_path.loops()) {
    add("loop '" + place.loop->name + "' (iteration " + std::to_string(place.iteration) + ")",
        static_cast<double>(milliseconds_now() - place.since) / 1000);
  }
  if (const Step* step = sample.running())
    add("step '" + step->name + "'" + (step->kind != StepKind::cpu ? ", where it waits" : ""),
        sample.seconds_running());
  return text;
}

// The samples that are in one step.
struct Crowd {
  const Step* step = nullptr;
  std::int64_t samples = 0;
  double seconds = 0;  // the longest time that one of them has been there
};

std::vector<Crowd> crowds_of(const std::vector<std::unique_ptr<Sample>>& samples) {
  std::vector<Crowd> crowds;
  for (const auto& sample : samples) {
    const Step* const step = sample->running();
    if (step == nullptr) continue;
    auto at = std::find_if(crowds.begin(), crowds.end(),
                           [&](const Crowd& crowd) { return crowd.step == step; });
    if (at == crowds.end()) at = crowds.insert(at, Crowd{step});
    ++at->samples;
    at->seconds = std::max(at->seconds, sample->seconds_running());
  }
  return crowds;
}

const char* advice_for(StepKind kind) {
  switch (kind) {
    case StepKind::wait:
      return "fire or destroy their completion handles";
    case StepKind::io:
      return "they are being read, and end when that returns";
    case StepKind::stream:
      return "the device works on them";
    case StepKind::cpu:
      break;
  }
  return "they end when it returns";
}

// Says how many samples in which steps an end waits for, and what to do, in one line. `whose`:
// "pipeline", for example. Like describe_stall(), it may be called while the samples run. Call both
// outside all locks, because they ask for names.
std::string describe_end(const std::vector<std::unique_ptr<Sample>>& samples,
                         const std::string& whose) {
  std::string text = "the " + whose + "'s end waits";
  const char* next = " for ";
  for (const Crowd& crowd : crowds_of(samples)) {
    text += fmt::format("{}{} in step '{}' since {:.{}f} s: {}", next,
                        counted(crowd.samples, "sample"), escape_control_chars(crowd.step->name),
                        crowd.seconds, crowd.seconds < 1 ? 2 : 0, advice_for(crowd.step->kind));
    next = "; and for ";
  }
  return text;
}

// Lists the loops and steps that the epoch's samples are in, and since when.
std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Sample>>& samples,
                           std::int64_t epoch, double timeout) {
  std::string text = "no sample has moved for " + std::to_string(timeout) + " seconds:";
  int named = 0, others = 0;
  for (const auto& sample : samples) {
    const std::string where = where_is(*sample);
    if (where.empty()) continue;
    if (named == kMostNamed) {
      ++others;
      continue;
    }
    ++named;
    const SampleKey key{epoch, sample->running_sample()};
    text += " sample " + std::to_string(key.index);
    if (const std::string name = plan.name_of_sample(key); !name.empty())
      text += " (" + escape_control_chars(name) + ")";
    text += " is in " + where + ";";
  }
  if (others > 0)
    text +=
        " and " + counted(others, "other") + (others == 1 ? " is" : " are") + " in steps as well;";
  return text + " the pipeline goes on waiting when asked again";
}

}  // namespace

void Engine::Impl::shut_down() noexcept {
  if (WorkScope::is_open(plan)) {
    log_message(
        {"a pipeline is destroyed inside one of its own steps, which it would wait for; destroy it "
         "on the thread that takes batches"});
    std::terminate();
  }
  shutting_down = true;
  try {
    stop("the destruction of its pipeline; keep the pipeline until the last batch is taken");
  } catch (...) {  // an unbalanced ledger; a destructor cannot report it
  }
  if (trace != nullptr) trace->finish();
}

void Engine::Impl::require_outside(const char* call, const char* why_not) const {
  if (!WorkScope::is_open(plan)) return;
  throw Error(std::string(call) + " was called inside a step of the same pipeline, which " +
              why_not + "; call it on the thread that takes batches");
}

std::unique_ptr<BatchData> Engine::Impl::next(Run& of) {
  require_outside("next()");
  const Waits::Time asked = Waits::Clock::now();
  std::unique_lock lock(mutex);
  if (!running || &of != run.get()) {
    if (of.ended_by.empty()) return nullptr;
    throw Error("epoch " + std::to_string(of.epoch) + " was ended before its last batch by " +
                of.ended_by);
  }
  // The compactor's samples belong to the current run only.
  const bool compact = options.compact && !stopping;
  lock.unlock();
  auto batch = compact ? next_full() : next_in_order();
  lock.lock();
  waits.returned(Waits::Clock::now());
  if (batch != nullptr) {
    ++delivered_batches;
    note_taken(*batch);
    largest_batch = std::max(largest_batch, batch->bytes());
  } else if (ran_through && &of == run.get()) {
    reached.position = start.position + run_end;  // samples left out at the end count as done
    with_last = without_last = reached;
  }
  lock.unlock();
  if (trace != nullptr && batch != nullptr)
    trace->consumer(batch->epoch, batch->index, asked, Waits::Clock::now());
  return batch;
}

std::int64_t Engine::Impl::batches_of(std::int64_t count, bool makes_short) const {
  const bool has_short_one = count % options.batch_size > 0;
  const bool makes_it = has_short_one && (makes_short || !drops_short_batch());
  return count / options.batch_size + (makes_it ? 1 : 0);
}

void Engine::Impl::end_at(std::int64_t position) noexcept {
  const std::lock_guard lock(mutex);
  if (position >= run_end) return;
  run_end = position;
  known_end = start.position + position;
  made_short = false;
  run_batches = batches_of(position, true);  // is_made() is checked when it is complete
  note_counts();
  pending_batches.shorten(position);
  tell_consumer();
}

std::unique_ptr<BatchData> Engine::Impl::next_full() {
  std::unique_ptr<BatchData> batch;
  const auto lose = [&](bool ends_run) {
    std::unique_lock lock(mutex);
    recount(compactor.take_lost(), &Ledger::failed);
    if (ends_run) end(lock, "");
  };
  try {
    batch = compactor.next(
        [&] {
          std::unique_ptr<BatchData> next = next_in_order();
          compactor.keep_rest_of(source_error);
          return next;
        },
        [&](std::int64_t index) {
          return pending_batches.make(
              index, static_cast<std::size_t>(std::min<std::int64_t>(options.batch_size, total)));
        });
  } catch (const Error& error) {  // for a batch that can be requested again, or is lost
    lose(is_lost_device(error));
    throw;
  } catch (...) {  // some values have been moved already, others not
    lose(true);
    throw;
  }
  if (batch == nullptr) {
    const std::lock_guard lock(mutex);
    recount(compactor.take_left_out(), &Ledger::filtered);
  }
  return batch;
}

void Engine::Impl::recount(const Ledger& those, std::int64_t Ledger::*as) {
  const auto move = [&](Ledger& counts) {
    counts.delivered -= those.delivered;
    counts.replaced -= those.replaced;
    counts.*as += those.delivered + those.replaced;
  };
  move(ledger);
  if (!running) move(total_ledger);  // includes that run's counts, since it has ended
}

bool Engine::Impl::is_made(const PendingBatch& next) const {
  const std::vector<Sample*>& those = *next.samples;
  if (!drops_short_batch() || std::ssize(those) == options.batch_size) return true;
  return !next.all_well && std::any_of(those.begin(), those.end(), [](const Sample* sample) {
    return sample->source_failed();
  });
}

std::unique_ptr<BatchData> Engine::Impl::next_in_order() {
  const Waits::Time asked = Waits::Clock::now();
  std::unique_lock lock(mutex);
  if (!running) return nullptr;
  await(lock);
  if (broken) {
    const std::exception_ptr error = broken;
    end(lock, "");
    std::rethrow_exception(error);
  }
  // Only this thread removes batches, so the front stays while the lock is not held.
  PendingBatch* const front = pending_batches.complete_front();
  const bool is_over = front == nullptr || stopping || finalized_batches == run_batches;
  const bool made = !is_over && is_made(*front);
  const bool judges_end = until_end && !stopping;
  if (made) waits.taken(asked, Waits::Clock::now(), front->completed);
  lock.unlock();
  try {
    if (!is_over) delivery.apply_error_policy(*front, made);
    if (!made && judges_end) delivery.apply_error_policy_at_end();
  } catch (const BudgetError&) {
    lock.lock();
    stopping = true;
    end(lock, "");
    throw;
  }
  lock.lock();
  if (!made) {
    if (!is_over) run_batches = finalized_batches;
    end(lock, "");
    return nullptr;
  }
  if (!front->all_well) {
    for (const Sample* sample : *front->samples) {
      if (sample->source_failed()) source_error = sample->id();
    }
  }
  if (std::ssize(*front->samples) < options.batch_size) {
    made_short = true;
    note_counts();
  }
  const std::unique_ptr<PendingBatch> taken = pending_batches.take_front();
  tell_demand();
  lock.unlock();
  if (device != nullptr) device->demand.wake();
  BatchData& batch = *taken->data;
  Ledger here;
  std::exception_ptr trouble;
  try {
    here = delivery.finalize(*taken);
  } catch (...) {  // no memory, or a user's type that throws when moved: the whole batch is lost
    trouble = std::current_exception();
    here = Ledger{};
    here.failed = pending_batches.count_wanted(*taken->samples);
  }
  lock.lock();
  ledger += here;
  ++finalized_batches;
  trace_counts();
  lock.unlock();
  executor->release(batch.index - pending_batches.first_batch());
  if (!trouble) {
    if (options.deliver_on_device) copy_ahead();
    return std::move(taken->data);
  }
  try {
    std::rethrow_exception(trouble);
  } catch (const std::bad_alloc&) {
    lock.lock();
    end(lock, "");
    throw;
  } catch (const Error& error) {
    lock.lock();
    if (is_lost_device(error)) end(lock, "");
    throw;
  }
}

void Engine::Impl::copy_ahead() {
  // Samples on the device may wait for the memory.
  if (options.max_device_bytes > 0 && has_step(plan, StepKind::stream)) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(options.prefetch); ++i) {
    std::unique_lock lock(mutex);
    const PendingBatch* const batch = pending_batches.complete_and_all_well(i);
    lock.unlock();  // only this thread removes batches
    if (batch == nullptr) return;
    for (const auto& column : batch->data->columns) {
      if (!column->copy_ahead()) return;
    }
  }
}

void Engine::Impl::tell_consumer() {
  told.fetch_add(1, std::memory_order_relaxed);
  arrived.notify_all();
}

void Engine::Impl::await(std::unique_lock<std::mutex>& lock) {
  const auto there = [&] {
    return pending_batches.complete_front() != nullptr || stopping || broken ||
           finalized_batches == run_batches;
  };
  // If samples take no time, not all threads run. A sample that suddenly waits for another one
  // needs them.
  constexpr std::chrono::milliseconds kNudge{10};
  using Clock = std::chrono::steady_clock;
  // Waking a thread on an idle core is slow: in a virtual machine it takes many microseconds. So a
  // consumer whose batches come in quick succession does not sleep.
  constexpr std::chrono::microseconds kLinger{50};
  if (there()) return;
  const std::uint64_t known = told.load(std::memory_order_relaxed);
  lock.unlock();
  const WaitingConsumer waiting(device != nullptr ? &device->demand : nullptr);
  const Clock::time_point until = Clock::now() + kLinger;
  while (told.load(std::memory_order_relaxed) == known && Clock::now() < until)
    std::this_thread::yield();
  lock.lock();
  std::int64_t seen = progress();
  Clock::time_point since = Clock::now();
  while (!arrived.wait_for(lock, kNudge, there)) {
    lock.unlock();
    executor->nudge();
    lock.lock();
    if (options.stall_timeout <= 0) continue;
    const std::chrono::duration<double> waited = Clock::now() - since;
    if (waited.count() < options.stall_timeout) continue;
    const std::int64_t now = progress();
    if (now == seen) {
      const std::int64_t epoch = run->epoch;
      lock.unlock();  // naming samples calls the user's code
      throw StallError(describe_stall(plan, samples, epoch, options.stall_timeout));
    }
    seen = now;
    since = Clock::now();
  }
}

void Engine::Impl::cancel(const Run* of) {
  const std::lock_guard lock(mutex);
  if (of != nullptr && of != run.get()) return;
  stopping = true;
  set_cancelled(true);
  tell_consumer();
}

void Engine::Impl::stop(const std::string& by) {
  std::unique_lock lock(mutex);
  stopping = true;
  end(lock, by);
}

void Engine::Impl::tell_end_waits() const noexcept {
  try {
    log_message({describe_end(samples, shutting_down ? "pipeline" : "epoch")});
  } catch (...) {  // no memory for the message
  }
}

void Engine::Impl::end(std::unique_lock<std::mutex>& lock, const std::string& by) {
  // The consumer may find the end of an epoch while another thread ends it.
  ended.wait(lock, [this] { return !ending; });
  if (!running) return;
  ending = true;
  const auto over_at_last = [&] {
    if (!lock.owns_lock()) lock.lock();
    ending = false;
    ended.notify_all();
  };
  try {
    end_alone(lock, by);
  } catch (...) {
    over_at_last();
    throw;
  }
  over_at_last();
}

void Engine::Impl::end_alone(std::unique_lock<std::mutex>& lock, const std::string& by) {
  const bool complete = finalized_batches == run_batches;
  const bool over = !std::exchange(stopping, true) && complete;
  ran_through = over;
  if (!complete) {
    set_cancelled(true);
    run->ended_by = by;
  } else if (run_end < total) {
    set_cancelled(true);  // running samples are beyond the end
  }
  lock.unlock();
  sources.reset();
  constexpr double kPatience = 5;
  executor->drain(options.stall_timeout > 0 ? options.stall_timeout : kPatience,
                  [this] { tell_end_waits(); });
  std::int64_t held = 0;
  executor->for_each_held(
      [&](const Sample& sample) { held += pending_batches.wants(sample) ? 1 : 0; });
  if (!complete || run_end < total) {
    for (const auto& sample : samples) {
      note_largest(*sample);
      sample->release_all();
    }
  }
  Ledger waiting;
  std::size_t largest_undelivered = 0;  // bytes
  if (!over) {                          // otherwise they are about to be delivered
    waiting = compactor.waiting();
    largest_undelivered = compactor.largest_bytes();
    compactor.restart();
  }
  lock.lock();
  while (const std::unique_ptr<PendingBatch> batch = pending_batches.take_front()) {
    if (batch->samples != nullptr) held += pending_batches.count_wanted(*batch->samples);
    lock.unlock();
    largest_undelivered = std::max(largest_undelivered, batch->data->bytes());
    batch->data.reset();  // destroys values of the user's types
    lock.lock();
  }
  largest_batch = std::max(largest_batch, largest_undelivered);
  recount(waiting, &Ledger::cancelled);
  ledger.cancelled += held;
  // After a failed run, unfinished samples are counted as cancelled.
  if (broken) ledger.cancelled += ledger.open();
  running = false;
  total_ledger += ledger;
  if (!ledger.balanced()) {
    throw Error("samples were lost: " + to_string(ledger) +
                "; this is a defect of the pipeline itself");
  }
}

std::shared_ptr<Run> Engine::Impl::begin_epoch(std::int64_t epoch) {
  require_outside("epoch()");
  auto begun = std::make_shared<Run>();
  begun->epoch = epoch;
  const Start from = resume && epoch == options.resume->epoch ? *resume : Start();
  std::optional<EpochOrder> next_order = order_of(epoch, from);
  {
    std::unique_lock lock(mutex);
    stopping = true;
    end(lock, "epoch(), which began epoch " + std::to_string(epoch) +
                  "; a pipeline runs one epoch at a time: take all batches first, or make another "
                  "pipeline");
  }
  const std::int64_t all = next_order ? next_order->size() : plan.samples;
  const std::int64_t wanted = delivered_of(all == kUntilEnd ? all : all - from.position);
  const std::int64_t lead = lead_of(from);
  sources.emplace(
      plan, EpochInfo{.epoch = epoch,
                      .first = from.position,
                      .samples = all == kUntilEnd ? all : from.position + wanted,
                      .window = window,
                      .key = [next_order, epoch](std::int64_t position) {
                        return next_order ? next_order->key(position) : SampleKey{epoch, position};
                      }});
  {
    const std::lock_guard lock(mutex);
    run = begun;
    resume.reset();
    start = reached = with_last = without_last = from;
    start.position -= lead;
    current = true;
    order = std::move(next_order);
    total = all == kUntilEnd ? wanted : wanted + lead;
    pending_batches.restart(
        {.epoch = epoch,
         .first_id = start.position,
         .first_wanted = from.position,
         .first_batch = options.compact ? start.position / options.batch_size : start.batch,
         .total = total});
    finalized_batches = 0;
    run_end = total;
    ran_through = false;
    source_error = -1;
    run_batches = batches_of(total, false);
    note_counts();
    waits.restart();
    delivery.restart(from, start.position, all == kUntilEnd ? all : from.position + wanted);
    compactor.restart(start.batch);
    ledger = Ledger{};
    stopping = false;
    broken = nullptr;
    running = true;
    set_cancelled(false);
    if (device != nullptr) device->demand.reset(options.batch_size, window);
  }
  try {
    executor->begin(total);
  } catch (...) {
    break_off(std::current_exception());
  }
  return begun;
}

void Engine::count_last(bool counts) {
  Impl& impl = in_creating_process();
  const std::lock_guard lock(impl.mutex);
  impl.reached = counts ? impl.with_last : impl.without_last;
}

bool Engine::is_inside_step() const noexcept {
  return fork_guard_.here() && WorkScope::is_open(impl_->plan);
}

}  // namespace sluice::detail
