// WaitingStage: a stage that waits, as a node of the flow graph; IoStage: one that runs on the
// threads for reading. Internal to lower.cpp.
//
// Ownership: they refer to the runner, the stage and those threads, which outlive them, as they
// must outlive the graph's activity. Threads: the wait of a sample ends on whichever thread fires
// its handle last. Errors: what oneTBB throws there goes to the run.
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

// A step that waits for tasks of its own (tbb::parallel_for) has its thread run others meanwhile.
// Those of other samples are not among them: they might wait for what this one holds.
template <class Work>
void alone(const Work& work) {
  tbb::this_task_arena::isolate(work);
}

// What the run is told of samples that wait.
struct WaitHooks {
  std::function<void()> suspended;  // a sample has given back its turn to compute
  std::function<void(std::exception_ptr why)> broken;
};

// A stage that waits. The handle that fires is the sample's own: it is where the value goes, too.
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

// The sample gives back its turn to compute until it has been read.
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
