// The nodes of a plan's flow graph. WaitingStage is a stage that waits, IoStage a stage that reads,
// StreamStage a GPU batch. Nodes makes and connects the nodes of a whole plan. Internal to
// executor.cpp.
//
// Ownership: they refer to the plan, the runner, the window, the threads and the device's
// resources, which outlive them. They must outlive the graph's activity. Threads: built on one;
// then the nodes run on all of the graph's threads. Errors: std::bad_alloc while they are built.
// Later exceptions from oneTBB, and the loss of the device, go to the run.
#pragma once

#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/executor.h>
#include <sluice/graph/exec/runner.h>
#include <sluice/graph/exec/tracing.h>
#include <sluice/graph/flow/async_node.h>
#include <sluice/graph/flow/inline_dispatch.h>
#include <sluice/graph/flow/loop_node.h>
#include <sluice/graph/flow/select_node.h>
#include <sluice/graph/flow/stream_node.h>
#include <sluice/graph/flow/window.h>
#include <sluice/graph/plan/plan.h>
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

// If a step waits for tasks of its own (tbb::parallel_for), its thread meanwhile runs other tasks.
// This excludes tasks of other samples, which might wait for something that this one holds.
template <class Work>
void alone(const Work& work) {
  tbb::this_task_arena::isolate(work);
}

// Callbacks to the run about waiting samples.
struct WaitHooks {
  std::function<void()> suspended;  // a sample has released its turn to compute
  std::function<void(std::exception_ptr why)> broken;
};

// A stage that waits. The sample's own handle fires, and the value goes directly into the sample.
// The wait ends on the thread of the last party to leave it, see Wait; that may be any thread that
// fires or destroys the handle.
class WaitingStage final : private WaitListener {
  using WaitNode = flow::async_node<Sample*, flow::carried>;

 public:
  WaitingStage(tbb::flow::graph& g, Runner& runner, const Stage& stage, const WaitHooks& hooks)
      : runner_(runner),
        hooks_(hooks),
        node_(
            g,
            [this, &stage](Sample* sample, WaitNode::completion done) noexcept {
              (void)done.release();
              bool goes_on = false;
              alone([&] { goes_on = runner_.begin_wait(*sample, stage, *this); });
              if (goes_on) node_.complete(sample);
              hooks_.suspended();
            },
            [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); }) {}

  tbb::flow::receiver<Sample*>& input() { return node_.input(); }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }

 private:
  void wait_is_over(Sample& sample) noexcept override {
    runner_.end_wait(sample);
    node_.complete(&sample);
  }

  Runner& runner_;
  const WaitHooks& hooks_;
  WaitNode node_;
};

// A stage that reads. The sample releases its turn to compute until it has been read.
class IoStage final : private SampleReader {
  using WaitNode = flow::async_node<Sample*, flow::carried>;

 public:
  IoStage(tbb::flow::graph& g, Runner& runner, const Stage& stage, IoThreads& threads,
          const WaitHooks& hooks)
      : runner_(runner),
        stage_(stage),
        hooks_(hooks),
        node_(
            g,
            [this, &threads](Sample* sample, WaitNode::completion done) noexcept {
              (void)done.release();
              if (runner_.begin_io(*sample, stage_)) {
                node_.complete(sample);
              } else {
                threads.post(*this, *sample);
              }
              hooks_.suspended();
            },
            [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); }) {}

  tbb::flow::receiver<Sample*>& input() { return node_.input(); }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }

 private:
  void read(Sample& sample) noexcept override {
    runner_.run_io(sample, stage_);
    node_.complete(&sample);
  }

  Runner& runner_;
  const Stage& stage_;
  const WaitHooks& hooks_;
  WaitNode node_;
};

// The steps of one kind of GPU batch.
//
// Waiting samples are combined into GPU batches across the pipeline's batches, whichever paths led
// here. A sample that has stopped at a number from its GPU batch continues in another one of the
// same node. If a GPU batch fails, only its own samples fail; if the device is lost, the run ends.
// GPU batches are prepared on the graph's threads and end on the poller's thread. Samples from the
// host are held while DeviceDemand says so.
class StreamStage final : public DeviceDemand::Listener {
  using Node = flow::stream_node<Sample*>;

 public:
  StreamStage(tbb::flow::graph& g, Runner& runner, DeviceBatchPlan batch_plan, DeviceWork& work,
              const WaitHooks& hooks)
      : runner_(runner),
        batch_plan_(std::move(batch_plan)),
        hooks_(hooks),
        from_host_(batch_plan_.front().on_device->preparation() != nullptr),
        node_(g, work.completions,
              {.slots = slots(work),
               .most = DeviceDemand::kMostInBurst,
               .room = work.room,
               .failed = [this](Sample* sample,
                                const std::exception_ptr& why) { fail(*sample, why); },
               .lost = [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); },
               .unfinished = [](Sample* sample) { return sample->given_back != nullptr; },
               .redo =
                   [this](Sample* sample) {
                     alone([&] { runner_.do_on_host(*sample, batch_plan_); });
                   },
               .goes_on = [](Sample* sample) { return Runner::has_stopped(*sample); },
               .kept = batch_plan_.stops() ? work.batches : 0,
               .most_now =
                   [&work, from_host = from_host_] {
                     return work.demand.most_now(from_host && work.has_memory());
                   }}),
        input_(g, tbb::flow::unlimited, [this](Sample* sample) noexcept -> tbb::flow::continue_msg {
          runner_.begin_device_batch(*sample, batch_plan_);
          node_.put(sample);
          hooks_.suspended();
          return {};
        }) {
    if (from_host_) work.demand.listen(*this);
  }

  tbb::flow::receiver<Sample*>& input() { return input_; }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }
  void wake() noexcept override { node_.wake(); }

 private:
  // Runs one GPU batch at a time. If the device lacks memory for all of its samples, it takes only
  // some. If there is too little for even one, it waits until others free memory. If no work that
  // could free memory is left, the sample fails.
  class Slot : public Node::slot, public DeviceKeeper {
   public:
    Slot(StreamStage& stage, DeviceWork& work, std::size_t number)
        : stage_(stage), work_(work), device_batch_(make_device_batch(number)) {}

    std::size_t begin(std::span<Sample* const> samples) override {
      work_.demand.started(samples.size());
      ahead_ = !work_.demand.consumer_waits();
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
      if (samples_.size() < samples.size()) work_.demand.finished(samples.size() - samples_.size());
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
        if (!Runner::is_over(*device_batch_)) return false;
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
      device_batch_->let_go();
      busy_.store(false, std::memory_order_release);
    }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration kBetweenTries = std::chrono::milliseconds(2);
    static constexpr Clock::duration kPatience = std::chrono::milliseconds(100);

    std::unique_ptr<DeviceBatch> make_device_batch(std::size_t number) const {
      auto device_batch = std::make_unique<DeviceBatch>(
          *work_.device, work_.memory, stage_.batch_plan_.steps().size(), for_each);
      if (work_.trace != nullptr)
        device_batch->time_with(work_.trace->timer(stage_.batch_plan_, number));
      return device_batch;
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
      if (!waits_) {
        work_.waiting.fetch_add(1);
        work_.demand.wake();  // samples that hold device memory may wait
      }
      device_batch_->let_go();
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
        return stage_.runner_.collect(*sample, stage_.batch_plan_, *device_batch_, without);
      });
      if (samples.size() > 1) all = all && may_begin(samples);  // with what these take
      if (all) {
        try {
          device_batch_->launch(ahead_);
          launched_ = true;
          work_.launched.fetch_add(1);
          note_room();
          return true;
        } catch (const std::bad_alloc&) {
          if (without == Runner::Memory::fails) throw;
          device_batch_->abandon();
        }
      }
      std::size_t unknown = 0;
      work_.scarce.compare_exchange_strong(unknown, std::max<std::size_t>(bytes_in_use(), 1));
      device_batch_->clear();
      for (Sample* const sample : samples) Runner::take_back(*sample, stage_.batch_plan_);
      return false;
    }

    // Fails the samples with the exception in flight.
    void give_up() {
      const std::optional<std::size_t> step = device_batch_->failed_step();
      device_batch_->abandon();
      for (Sample* const sample : samples_) {
        sample->given_back = nullptr;
        Runner::give_up(*sample);
        stage_.fail(*sample, std::current_exception(), step);
      }
      end();
    }
    void end() {
      work_.demand.finished(samples_.size());
      if (launched_) work_.launched.fetch_sub(1);
      if (waits_) work_.waiting.fetch_sub(1);
      launched_ = waits_ = false;
      for (Sample* const sample : samples_) {
        if (sample->given_back == nullptr)
          stage_.runner_.end_device_batch(*sample, stage_.batch_plan_);
      }
      device_batch_->clear();
      if (work_.waiting.load() > 0)
        device_batch_->let_go();  // others need the memory that it keeps
      busy_.store(false, std::memory_order_release);
    }

    StreamStage& stage_;
    DeviceWork& work_;
    const std::unique_ptr<DeviceBatch> device_batch_;
    std::atomic<bool> busy_{false};  // also true while its memory is being freed
    std::span<Sample* const> samples_;
    bool ahead_ = false;  // the consumer did not wait when it began
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
    const std::size_t count = batch_plan_.stops() ? 2 * work.batches : work.batches;
    for (std::size_t i = 0; i < count; ++i) {
      auto slot = std::make_unique<Slot>(*this, work, i);
      work.keepers.push_back(slot.get());
      made.push_back(std::move(slot));
    }
    return made;
  }

  void fail(Sample& sample, const std::exception_ptr& why,
            std::optional<std::size_t> step = std::nullopt) noexcept {
    Runner::fail_device_batch(sample, batch_plan_, why, step);
    try {
      std::rethrow_exception(why);
    } catch (const DeviceError& error) {
      if (error.device_lost()) hooks_.broken(why);
    } catch (...) {  // an exception of the sample itself
    }
  }

  Runner& runner_;
  const DeviceBatchPlan batch_plan_;
  const WaitHooks& hooks_;
  const bool from_host_;  // samples come from the host to the device here
  Node node_;
  tbb::flow::function_node<Sample*> input_;
};

using Token = Sample*;
using Receiver = tbb::flow::receiver<Token>;
using StepNode = flow::step_node<Token>;
using ChoiceNode = flow::select_node<Token, flow::carried>;
using LoopNode = flow::loop_node<Token, flow::carried>;
using Window = flow::window<Token, flow::carried>;

inline const Stage* as_working_stage(const Node& node) {
  const auto* stage = std::get_if<Stage>(&node);
  return stage != nullptr && stage->kind() == StepKind::cpu ? stage : nullptr;
}

// The nodes of a plan. Built from the end to the front: each part is given the receiver of its
// tokens.
class Nodes {
 public:
  // Returns the threads that read for a step; null: computing threads do.
  using IoThreadsOf = std::function<IoThreads*(const Step& step)>;
  // `device` may be null if no step runs on one.
  Nodes(tbb::flow::graph& g, Runner& runner, Window& window, IoThreadsOf io, DeviceWork* device,
        WaitHooks hooks)
      : graph_(g),
        runner_(runner),
        window_(window),
        io_(std::move(io)),
        device_(device),
        hooks_(std::move(hooks)) {}

  // `at_end` runs for each token at the end of the block, in the block's last node.
  using AtEnd = std::function<void(Sample&)>;
  Receiver& lower(const Block& block, Receiver& next, const AtEnd& at_end) {
    if (block.nodes.empty()) return at_end ? end_node(next, at_end) : next;
    Receiver* target = &next;
    // Work to add at the end of the next node to be lowered. Only the block's last node runs
    // `at_end`.
    AtEnd then = at_end;
    const auto after = [&]() -> Receiver& { return then ? end_node(*target, then) : *target; };
    std::size_t i = block.nodes.size();
    while (i > 0) {
      if (joins(block.nodes[i - 1])) {
        const std::size_t end = i--;
        while (joins(block.nodes[--i])) {
        }
        target = &lower_device_batch(DeviceBatchPlan(std::span(block.nodes).subspan(i, end - i)),
                                     *target, then);
        then = nullptr;
        continue;
      }
      visit(
          block.nodes[--i],
          [&](const Stage& stage) { target = &lower_stage(stage, *target, then); },
          [&](const Loop& loop) { target = &lower_loop(loop, after()); },
          [&](const Choice& choice) {
            // A stage in front of a branch runs in the branch's own node.
            const Stage* before = i >= 1 ? as_working_stage(block.nodes[i - 1]) : nullptr;
            target = &lower_choice(before, choice, after());
            if (before != nullptr) --i;
          });
      then = nullptr;
    }
    return *target;
  }

 private:
  // Adds a separate node for work after several paths have joined.
  Receiver& end_node(Receiver& next, const AtEnd& at_end) {
    return add_stage([at_end](Sample& sample) { at_end(sample); }, next);
  }

  Receiver& lower_stage(const Stage& stage, Receiver& next, const AtEnd& at_end) {
    if (stage.kind() == StepKind::wait) {
      waits_.push_back(std::make_unique<WaitingStage>(graph_, runner_, stage, hooks_));
      return resume(*waits_.back(), next, at_end);
    }
    if (stage.kind() == StepKind::io) {
      if (IoThreads* const threads = io_(stage.steps.front())) {
        reads_.push_back(std::make_unique<IoStage>(graph_, runner_, stage, *threads, hooks_));
        return resume(*reads_.back(), next, at_end);
      }
    }
    if (stage.kind() == StepKind::stream)
      return lower_device_batch(DeviceBatchPlan(stage), next, at_end);
    return add_stage(
        [this, &stage, at_end](Sample& sample) {
          alone([&] { runner_.run(sample, stage); });
          if (at_end) at_end(sample);
        },
        next);
  }

  Receiver& lower_device_batch(DeviceBatchPlan batch_plan, Receiver& next, const AtEnd& at_end) {
    streams_.push_back(
        std::make_unique<StreamStage>(graph_, runner_, std::move(batch_plan), *device_, hooks_));
    return resume(*streams_.back(), next, at_end);
  }

  // Tokens leave such a node on the thread that fires or reads, so tasks of the window take over.
  // The work at the end may call the user's code, so it must not run on that thread.
  template <class Node>
  Receiver& resume(Node& node, Receiver& after, const AtEnd& at_end) {
    Receiver& next = at_end ? end_node(after, at_end) : after;
    resumes_.push_back(std::make_unique<ResumeNode>(graph_, [this, &next](const Token& token) {
      try {
        window_.resumed(next, token);
      } catch (...) {
        hooks_.broken(std::current_exception());
      }
    }));
    tbb::flow::make_edge(node.output(), *resumes_.back());
    return node.input();
  }

  template <class Work>
  Receiver& add_stage(Work work, Receiver& next) {
    stages_.push_back(std::make_unique<StepNode>(
        graph_, [work = std::move(work)](const Token& token) { work(*token); }));
    tbb::flow::make_edge(stages_.back()->output(), next);
    return stages_.back()->input();
  }

  Receiver& lower_choice(const Stage* before, const Choice& choice, Receiver& next) {
    choices_.push_back(std::make_unique<ChoiceNode>(
        graph_, choice.branches.size(),
        [this, before, &choice](const Token& token) noexcept -> std::size_t {
          if (before != nullptr) alone([&] { runner_.run(*token, *before); });
          return runner_.choose(*token, choice);
        }));
    ChoiceNode& node = *choices_.back();
    for (std::size_t branch = 0; branch < choice.branches.size(); ++branch) {
      AtEnd give;  // a branch without steps has set its results when it was chosen
      if (!choice.branches[branch].nodes.empty()) {
        give = [&choice, branch](Sample& sample) { Runner::give_results(sample, choice, branch); };
      }
      tbb::flow::make_edge(node.port(branch), lower(choice.branches[branch], next, give));
    }
    return node.input();
  }

  Receiver& lower_loop(const Loop& loop, Receiver& next) {
    const Stage* only =
        loop.condition.nodes.size() == 1 ? as_working_stage(loop.condition.nodes.front()) : nullptr;
    const bool simple = loop.condition.nodes.empty() || only != nullptr;
    loops_.push_back(std::make_unique<LoopNode>(
        graph_,
        [simple, &loop](const Token& token) noexcept {
          if (simple) Runner::begin(*token, loop);
        },
        [this, only, &loop](const Token& token) noexcept {
          if (only != nullptr) alone([&] { runner_.run(*token, *only); });
          return runner_.wants_another(*token, loop);
        }));
    LoopNode& node = *loops_.back();
    tbb::flow::make_edge(node.done(), next);
    const AtEnd carry = [&loop](Sample& sample) { Runner::carry(sample, loop); };
    if (simple) {
      tbb::flow::make_edge(node.body(), lower(loop.body, node.again(), carry));
      return node.input();
    }
    // A condition that has branches or that waits gets separate nodes in front of the decision.
    Receiver& ask = lower(loop.condition, node.input(), nullptr);
    tbb::flow::make_edge(node.body(), lower(loop.body, ask, carry));
    return add_stage([&loop](Sample& sample) { Runner::begin(sample, loop); }, ask);
  }

  using ResumeNode = flow::input_node<Token, flow::carried>;

  tbb::flow::graph& graph_;
  Runner& runner_;
  Window& window_;
  const IoThreadsOf io_;
  DeviceWork* const device_;
  const WaitHooks hooks_;
  std::vector<std::unique_ptr<StepNode>> stages_;
  std::vector<std::unique_ptr<ResumeNode>> resumes_;
  std::vector<std::unique_ptr<WaitingStage>> waits_;
  std::vector<std::unique_ptr<IoStage>> reads_;
  std::vector<std::unique_ptr<StreamStage>> streams_;
  std::vector<std::unique_ptr<ChoiceNode>> choices_;
  std::vector<std::unique_ptr<LoopNode>> loops_;
};

}  // namespace sluice::detail
