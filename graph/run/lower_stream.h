// StreamStage: the steps of one kind of GPU batch, as a node of the flow graph. Internal to
// lower.cpp.
//
// Waiting samples are combined into GPU batches across the pipeline's batches, whichever paths led
// here. A sample that has stopped at a number from its GPU batch continues in another one of the
// same node. If a GPU batch fails, only its own samples fail; if the device is lost, the run ends.
//
// Ownership: refers to the runner, the plan and the device's resources, which outlive it. It must
// outlive the graph's activity. Threads: GPU batches are prepared on the graph's threads and end on
// the poller's thread. Errors: exceptions from oneTBB, and the loss of the device, go to the run.
#pragma once

#include <sluice/graph/flow/stream_node.h>
#include <sluice/graph/run/device_work.h>
#include <sluice/graph/run/lower_wait.h>
#include <sluice/graph/run/runner.h>
#include <sluice/graph/run/tracing.h>
#include <sluice/runtime/device_timer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace sluice::detail {

class StreamStage {
  using Node = flow::stream_node<Sample*>;

 public:
  StreamStage(tbb::flow::graph& g, Runner& runner, Gathering gathering, DeviceWork& work,
              const WaitHooks& hooks)
      : runner_(runner),
        gathering_(std::move(gathering)),
        hooks_(hooks),
        from_host_(gathering_.front().on_device->preparation() != nullptr),
        node_(g, work.completions,
              {.slots = slots(work),
               .most = work.most,
               .room = work.room,
               .failed = [this](Sample* sample,
                                const std::exception_ptr& why) { fail(*sample, why); },
               .lost = [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); },
               .unfinished = [](Sample* sample) { return sample->given_back != nullptr; },
               .redo =
                   [this](Sample* sample) {
                     alone([&] { runner_.do_on_host(*sample, gathering_); });
                   },
               .goes_on = [](Sample* sample) { return Runner::has_stopped(*sample); },
               .kept = gathering_.stops() ? work.gathers : 0}),
        input_(g, tbb::flow::unlimited, [this](Sample* sample) noexcept -> tbb::flow::continue_msg {
          runner_.begin_gather(*sample, gathering_);
          node_.put(sample);
          hooks_.suspended();
          return {};
        }) {}

  tbb::flow::receiver<Sample*>& input() { return input_; }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }

 private:
  // Runs one GPU batch at a time. If the device lacks memory for all of its samples, it takes only
  // some. If there is too little for even one, it waits until others free memory. If no work that
  // could free memory is left, the sample fails.
  class Slot : public Node::slot, public DeviceKeeper {
   public:
    Slot(StreamStage& stage, DeviceWork& work, std::size_t number)
        : stage_(stage), work_(work), gather_(make_gather(number)) {}

    std::size_t begin(std::span<Sample* const> samples) override {
      while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
      samples_ = samples;
      try {
        alone([&] {
          std::size_t count = may_begin(samples) ? samples.size() : count_there(samples);
          while (count > 0 && !launch(samples.first(count), Runner::Memory::is_waited_for))
            count /= 2;
          if (count == 0) wait_for_memory();
          samples_ = samples.first(std::max<std::size_t>(count, 1));
        });
      } catch (...) {
        give_up();
        throw;
      }
      return samples_.size();
    }
    bool over() override {
      try {
        if (!launched_) {
          if (Clock::now() < next_try_) return false;
          if (!may_begin(samples_) || !launch(samples_, Runner::Memory::is_waited_for))
            wait_for_memory();
          return false;
        }
        if (!Runner::is_over(*gather_)) return false;
      } catch (...) {
        give_up();
        throw;
      }
      end();
      return true;
    }
    // Frees the memory that an idle slot keeps, because others may need it.
    void let_go() noexcept override {
      if (busy_.exchange(true, std::memory_order_acquire)) return;
      gather_->let_go();
      busy_.store(false, std::memory_order_release);
    }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration kBetweenTries = std::chrono::milliseconds(2);
    static constexpr Clock::duration kPatience = std::chrono::milliseconds(100);

    std::unique_ptr<Gather> make_gather(std::size_t number) const {
      auto gather = std::make_unique<Gather>(*work_.device, work_.memory,
                                             stage_.gathering_.steps().size(), for_each);
      if (work_.trace != nullptr) gather->time_with(work_.trace->timer(stage_.gathering_, number));
      return gather;
    }
    std::size_t bytes_in_use() const { return work_.memory.values.stats().bytes_in_use; }
    // Samples that continue come first: they are on the device already.
    std::size_t count_there(std::span<Sample* const> samples) const {
      const auto first = std::find_if_not(samples.begin(), samples.end(), [](const Sample* sample) {
        return Runner::has_stopped(*sample);
      });
      return static_cast<std::size_t>(first - samples.begin());
    }
    bool may_begin(std::span<Sample* const> samples) const {
      const std::size_t most = work_.scarce.load(std::memory_order_relaxed);
      return most == 0 || !stage_.from_host_ || bytes_in_use() <= most / 2 ||
             count_there(samples) == samples.size();
    }

    // The memory in use fits, so raise the known limit if it is higher.
    void note_room() {
      std::size_t known = work_.scarce.load(std::memory_order_relaxed);
      if (known == 0) return;
      const std::size_t in_use = bytes_in_use();
      while (known != 0 && known < in_use && !work_.scarce.compare_exchange_weak(known, in_use)) {
      }
    }

    // Waits for memory for the first sample.
    void wait_for_memory() {
      const Clock::time_point now = Clock::now();
      const std::size_t in_use = bytes_in_use();
      if (!waits_) work_.waiting.fetch_add(1);
      gather_->let_go();
      for (DeviceKeeper* const other : work_.keepers) other->let_go();
      if (!waits_ || in_use < in_use_ || work_.launched.load() > 0) hopeless_at_ = now + kPatience;
      waits_ = true;
      in_use_ = in_use;
      next_try_ = now + kBetweenTries;
      if (now < hopeless_at_) return;
      // The sample may be too large by itself, which says nothing about room for others.
      work_.scarce.store(0, std::memory_order_relaxed);
      launch(samples_.first(1), Runner::Memory::fails);
    }

    // Returns false if there is too little memory; nothing has begun then.
    bool launch(std::span<Sample* const> samples, Runner::Memory without) {
      bool all = std::all_of(samples.begin(), samples.end(), [&](Sample* sample) {
        return stage_.runner_.gather(*sample, stage_.gathering_, *gather_, without);
      });
      if (samples.size() > 1) all = all && may_begin(samples);  // with what these take
      if (all) {
        try {
          gather_->launch();
          launched_ = true;
          work_.launched.fetch_add(1);
          note_room();
          return true;
        } catch (const std::bad_alloc&) {
          if (without == Runner::Memory::fails) throw;
          gather_->abandon();
        }
      }
      std::size_t unknown = 0;
      work_.scarce.compare_exchange_strong(unknown, std::max<std::size_t>(bytes_in_use(), 1));
      gather_->clear();
      for (Sample* const sample : samples) Runner::take_back(*sample, stage_.gathering_);
      return false;
    }

    // Fails the samples with the exception in flight.
    void give_up() {
      const std::optional<std::size_t> step = gather_->failed_step();
      gather_->abandon();
      for (Sample* const sample : samples_) {
        sample->given_back = nullptr;
        Runner::give_up(*sample);
        stage_.fail(*sample, std::current_exception(), step);
      }
      end();
    }
    void end() {
      if (launched_) work_.launched.fetch_sub(1);
      if (waits_) work_.waiting.fetch_sub(1);
      launched_ = waits_ = false;
      for (Sample* const sample : samples_) {
        if (sample->given_back == nullptr) stage_.runner_.end_gather(*sample, stage_.gathering_);
      }
      gather_->clear();
      if (work_.waiting.load() > 0) gather_->let_go();  // others need the memory that it keeps
      busy_.store(false, std::memory_order_release);
    }

    StreamStage& stage_;
    DeviceWork& work_;
    const std::unique_ptr<Gather> gather_;
    std::atomic<bool> busy_{false};  // also true while its memory is being freed
    std::span<Sample* const> samples_;
    bool launched_ = false;
    // True while there is no memory for one sample.
    bool waits_ = false;
    std::size_t in_use_ = 0;
    Clock::time_point next_try_, hopeless_at_;
  };

  // Uses idle threads of the arena. Also runs if the graph is cancelled, because half-written work
  // must not be launched.
  static void for_each(std::size_t count, const std::function<void(std::size_t)>& f) {
    if (tbb::this_task_arena::current_thread_index() == tbb::task_arena::not_initialized) {
      for (std::size_t i = 0; i < count; ++i) f(i);  // the poller's thread
      return;
    }
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(std::size_t{0}, count, f, context);
  }

  std::vector<std::unique_ptr<Node::slot>> slots(DeviceWork& work) {
    std::vector<std::unique_ptr<Node::slot>> made;
    const std::size_t count = gathering_.stops() ? 2 * work.gathers : work.gathers;
    for (std::size_t i = 0; i < count; ++i) {
      auto slot = std::make_unique<Slot>(*this, work, i);
      work.keepers.push_back(slot.get());
      made.push_back(std::move(slot));
    }
    return made;
  }

  void fail(Sample& sample, const std::exception_ptr& why,
            std::optional<std::size_t> step = std::nullopt) noexcept {
    Runner::fail_gather(sample, gathering_, why, step);
    try {
      std::rethrow_exception(why);
    } catch (const DeviceError& error) {
      if (error.device_lost()) hooks_.broken(why);
    } catch (...) {  // an exception of the sample itself
    }
  }

  Runner& runner_;
  const Gathering gathering_;
  const WaitHooks& hooks_;
  const bool from_host_;  // samples come from the host to the device here
  Node node_;
  tbb::flow::function_node<Sample*> input_;
};

}  // namespace sluice::detail
