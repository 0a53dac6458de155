// WaitingStage: a stage that waits, as a node of the flow graph. IoStage: a stage that runs on the
// reading threads. Internal to lower.cpp.
//
// Ownership: they refer to the runner, the stage and those threads, which outlive them. They must
// outlive the graph's activity. Threads: a sample's wait ends on the thread of the last party to
// leave it, see Wait; that may be any thread that fires or destroys its handle. Errors: exceptions
// from oneTBB there go to the run.
#pragma once

#include <sluice/graph/flow/async_node.h>
#include <sluice/graph/run/io_threads.h>
#include <sluice/graph/run/runner.h>

#include <exception>
#include <functional>
#include <utility>

#include <tbb/flow_graph.h>
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

}  // namespace sluice::detail
