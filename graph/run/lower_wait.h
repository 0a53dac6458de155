// WaitingStage: a stage that waits, as a node of the flow graph. Internal to lower.cpp.
//
// Ownership: refers to the runner and the stage, which outlive it, as it must outlive the graph's
// activity. Threads: the wait of a sample ends on whichever thread fires its handle last. Errors:
// what oneTBB throws there goes to the run.
#pragma once

#include <sluice/graph/flow/async_node.h>
#include <sluice/graph/run/runner.h>

#include <exception>
#include <functional>
#include <utility>

#include <tbb/flow_graph.h>

namespace sluice::detail {

// What the run is told of samples that wait.
struct WaitHooks {
  std::function<void()> suspended, resumed;
  std::function<void(std::exception_ptr why)> broken;
};

// A stage that waits. The handle that fires is the sample's own: it is where the value goes, too.
class WaitingStage : private WaitListener {
  using WaitNode = flow::async_node<Sample*, flow::carried>;

 public:
  WaitingStage(tbb::flow::graph& g, Runner& runner, const Stage& stage, const WaitHooks& hooks)
      : hooks_(hooks),
        node_(
            g,
            [this, &runner, &stage](Sample* sample, WaitNode::completion done) noexcept {
              (void)done.release();
              if (runner.begin_wait(*sample, stage, *this)) {
                node_.complete(sample);
              } else {
                hooks_.suspended();
              }
            },
            [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); }) {}

  tbb::flow::receiver<Sample*>& input() { return node_.input(); }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }

 private:
  void wait_is_over(Sample& sample) noexcept override {
    Runner::end_wait(sample);
    hooks_.resumed();
    node_.complete(&sample);
  }

  const WaitHooks& hooks_;
  WaitNode node_;
};

}  // namespace sluice::detail
