// Finds the start of an epoch, and the consumer's position.
#include <sluice/graph/plan/digest.h>
#include <sluice/graph/run/engine_impl.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::detail {

std::optional<EpochOrder> Engine::Impl::order_of(std::int64_t epoch, const Start& after) const {
  if (!plan.sampler && after.done.empty()) return {};
  const Sampler sampler = plan.sampler.value_or(Sampler());
  return EpochOrder(sampler, plan.samples, epoch, options.seed, after.done);
}

std::int64_t Engine::Impl::samples_of(std::int64_t epoch, const Start& after) const {
  const std::optional<EpochOrder> its = order_of(epoch, after);
  return its ? its->size() : plan.samples;
}

Checkpoint Engine::Impl::describe() const {
  Sampler sampler = recorded.sampler.value_or(Sampler());
  const std::int64_t shards = std::exchange(sampler.shard, Shard()).count;
  return {.shards = shards,
          .seed = options.seed,
          .sampler = to_string(sampler),
          .dataset = datasets_of(recorded),
          .plan = digest_of(recorded)};
}

std::optional<Start> Engine::Impl::start_of_resume() const {
  if (!options.resume) return {};
  const Checkpoint& from = *options.resume;
  for (const auto& [what, number] : {std::pair{"epoch", from.epoch},
                                     {"position", from.position},
                                     {"judged", from.judged},
                                     {"batch", from.batch},
                                     {"errors", from.errors}}) {
    if (number < 0) {
      throw BuildError("the checkpoint's " + std::string(what) + " is " + std::to_string(number) +
                       "; it must be at least 0");
    }
  }
  const Checkpoint now = describe();
  require_same_run(from, now);
  Start after{.position = from.position,
              .batch = from.batch,
              .errors = from.errors,
              .judged = from.judged,
              .done = from.done};
  if (from.shards != now.shards && from.position > 0) {
    if (options.compact) {
      throw BuildError(
          "the checkpoint is of " + std::to_string(from.shards) + " shards, and there are " +
          std::to_string(now.shards) +
          " now; with `compact` each of them has come to another place: resume with as many as "
          "before, or at the end of an epoch");
    }
    after = {.errors = from.errors, .done = from.done};
    after.done.push_back({from.shards, from.position});
  }
  restore(from, now.shards);
  const std::int64_t all = samples_of(from.epoch, after);
  if (const std::int64_t last = std::max(after.position, after.judged); last > all) {
    throw BuildError("the checkpoint stands at sample " + std::to_string(last) + " of epoch " +
                     std::to_string(from.epoch) + ", which has " + std::to_string(all));
  }
  return after;
}

void Engine::Impl::restore(const Checkpoint& from, std::int64_t shards) const {
  std::size_t next = 0;
  for (const DatasetRecord& dataset : recorded.datasets) {
    if (!dataset.restore) continue;
    if (next == from.states.size())
      throw BuildError("the checkpoint lacks the state of the source '" + dataset.step + "'");
    if (from.shards != shards) {
      throw BuildError("the source '" + dataset.step +
                       "' has a state of its own, which belongs to " + std::to_string(from.shards) +
                       " shards, not " + std::to_string(shards) +
                       "; resume with as many as before");
    }
    dataset.restore(from.epoch, from.position, from.states[next++]);
  }
}

Checkpoint Engine::Impl::checkpoint(std::int64_t next_epoch) const {
  Checkpoint now = place(next_epoch);
  for (const DatasetRecord& dataset : recorded.datasets) {
    if (dataset.save) now.states.push_back(dataset.save(now.epoch, now.position));
  }
  return now;
}

Checkpoint Engine::Impl::place(std::int64_t next_epoch) const {
  Checkpoint now = describe();
  const auto stand_at = [&now](std::int64_t epoch, const Start& at) {
    now.epoch = epoch;
    now.position = at.position;
    now.batch = at.batch;
    now.errors = at.errors;
    now.judged = at.judged > at.position ? at.judged : 0;
    now.done = at.done;
  };
  const std::lock_guard lock(mutex);
  if (resume && next_epoch == options.resume->epoch) {
    stand_at(next_epoch, *resume);
  } else if (current && reached.position - start.position < run_end) {
    stand_at(run->epoch, reached);
  } else {
    stand_at(next_epoch, {});
  }
  return now;
}

std::int64_t Engine::Impl::lead_of(const Start& from) const {
  return options.compact ? from.position % options.batch_size : 0;
}

void Engine::Impl::forget_start() {
  const std::lock_guard lock(mutex);
  resume.reset();
  current = false;
}

void Engine::Impl::note_taken(const BatchData& batch) {
  without_last = reached;
  const std::int64_t next = options.compact ? compactor.next_id() : -1;
  const std::int64_t settled =
      start.position + std::min(settled_batches * options.batch_size, run_end);
  reached.position = next >= 0 ? next : settled;
  reached.judged = settled;
  reached.batch = batch.index + 1;
  reached.errors += static_cast<std::int64_t>(batch.errors.size());
  with_last = reached;
}

}  // namespace sluice::detail
