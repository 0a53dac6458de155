// StreamStage: steps that run on a device, as a node of the flow graph. Internal to lower.cpp.
//
// Samples that wait for a gather are gathered across batches, and across whatever ways have led
// here. A gather that fails costs its own samples; when the device is lost, the run breaks off.
//
// Ownership: refers to the runner, the stage and the device's things, which outlive it, as it must
// outlive the graph's activity. Threads: gathers are put together on the graph's threads and end on
// that of the poller. Errors: what oneTBB throws, and the loss of the device, go to the run.
#pragma once

#include <sluice/graph/flow/stream_node.h>
#include <sluice/graph/run/device_work.h>
#include <sluice/graph/run/lower_wait.h>
#include <sluice/graph/run/runner.h>
#include <sluice/graph/run/tracing.h>
#include <sluice/runtime/device_timer.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>

namespace sluice::detail {

class StreamStage {
  using Node = flow::stream_node<Sample*>;

 public:
  StreamStage(tbb::flow::graph& g, Runner& runner, const Stage& stage, DeviceWork& work,
              const WaitHooks& hooks)
      : runner_(runner),
        stage_(stage),
        hooks_(hooks),
        node_(g, work.completions,
              {.slots = slots(work),
               .most = work.most,
               .room = work.room,
               .failed = [this](Sample* sample,
                                const std::exception_ptr& why) { fail(*sample, why); },
               .lost = [this](Sample*, std::exception_ptr why) { hooks_.broken(std::move(why)); }}),
        input_(g, tbb::flow::unlimited, [this](Sample* sample) noexcept -> tbb::flow::continue_msg {
          runner_.begin_gather(*sample, stage_);
          node_.put(sample);
          hooks_.suspended();
          return {};
        }) {}

  tbb::flow::receiver<Sample*>& input() { return input_; }
  tbb::flow::sender<Sample*>& output() { return node_.output(); }

 private:
  class Slot : public Node::slot {
   public:
    Slot(StreamStage& stage, DeviceWork& work, std::size_t number)
        : stage_(stage), gather_(*work.device, work.memory, stage.stage_.steps.size(), for_each) {
      if (work.trace != nullptr) gather_.time_with(work.trace->timer(stage.stage_, number));
    }

    void begin(std::span<Sample* const> samples) override {
      samples_ = samples;
      try {
        alone([&] {
          for (Sample* const sample : samples_)
            stage_.runner_.gather(*sample, stage_.stage_, gather_);
          gather_.launch();
        });
      } catch (...) {
        gather_.abandon();
        end();
        throw;
      }
    }
    bool over() override {
      try {
        if (!stage_.runner_.is_over(gather_, stage_.stage_)) return false;
      } catch (...) {
        gather_.abandon();
        end();
        throw;
      }
      end();
      return true;
    }

   private:
    void end() {
      gather_.clear();
      for (Sample* const sample : samples_) stage_.runner_.end_gather(*sample, stage_.stage_);
    }
    StreamStage& stage_;
    Gather gather_;
    std::span<Sample* const> samples_;
  };

  // On threads of the arena that have nothing else to do; also when the graph is cancelled, since
  // what is half written must not be launched.
  static void for_each(std::size_t count, const std::function<void(std::size_t)>& f) {
    tbb::task_group_context context(tbb::task_group_context::isolated);
    tbb::parallel_for(std::size_t{0}, count, f, context);
  }

  std::vector<std::unique_ptr<Node::slot>> slots(DeviceWork& work) {
    std::vector<std::unique_ptr<Node::slot>> made;
    for (std::size_t i = 0; i < work.gathers; ++i)
      made.push_back(std::make_unique<Slot>(*this, work, i));
    return made;
  }

  void fail(Sample& sample, const std::exception_ptr& why) noexcept {
    runner_.fail_gather(sample, stage_, why);
    try {
      std::rethrow_exception(why);
    } catch (const DeviceError& error) {
      if (error.device_lost()) hooks_.broken(why);
    } catch (...) {  // the sample's own
    }
  }

  Runner& runner_;
  const Stage& stage_;
  const WaitHooks& hooks_;
  Node node_;
  tbb::flow::function_node<Sample*> input_;
};

}  // namespace sluice::detail
