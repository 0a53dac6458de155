// Nodes: builds and connects the flow graph nodes of a plan. Internal to lower.cpp.
//
// Ownership: refers to plan, runner, window and threads, which outlive it. It must outlive the
// graph's activity. Threads: built on one; then its nodes run on all of the graph's threads.
// Errors: std::bad_alloc while it is built.
#pragma once

#include <sluice/graph/flow/carrier.h>
#include <sluice/graph/flow/loop_node.h>
#include <sluice/graph/flow/select_node.h>
#include <sluice/graph/flow/window.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/graph/run/io_threads.h>
#include <sluice/graph/run/lower_stream.h>
#include <sluice/graph/run/lower_wait.h>
#include <sluice/graph/run/runner.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>

namespace sluice::detail {

using Token = Sample*;
using Receiver = tbb::flow::receiver<Token>;
using StepNode = flow::step_node<Token>;
using BranchNode = flow::select_node<Token, flow::carried>;
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
        target =
            &lower_gather(Gathering(std::span(block.nodes).subspan(i, end - i)), *target, then);
        then = nullptr;
        continue;
      }
      visit(
          block.nodes[--i],
          [&](const Stage& stage) { target = &lower_stage(stage, *target, then); },
          [&](const Loop& loop) { target = &lower_loop(loop, after()); },
          [&](const Branch& branch) {
            // A stage in front of a branch runs in the branch's own node.
            const Stage* before = i >= 1 ? as_working_stage(block.nodes[i - 1]) : nullptr;
            target = &lower_branch(before, branch, after());
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
    if (stage.kind() == StepKind::stream) return lower_gather(Gathering(stage), next, at_end);
    return add_stage(
        [this, &stage, at_end](Sample& sample) {
          alone([&] { runner_.run(sample, stage); });
          if (at_end) at_end(sample);
        },
        next);
  }

  Receiver& lower_gather(Gathering gathering, Receiver& next, const AtEnd& at_end) {
    streams_.push_back(
        std::make_unique<StreamStage>(graph_, runner_, std::move(gathering), *device_, hooks_));
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

  Receiver& lower_branch(const Stage* before, const Branch& branch, Receiver& next) {
    branches_.push_back(std::make_unique<BranchNode>(
        graph_, branch.arms.size(),
        [this, before, &branch](const Token& token) noexcept -> std::size_t {
          if (before != nullptr) alone([&] { runner_.run(*token, *before); });
          return runner_.choose(*token, branch);
        }));
    BranchNode& node = *branches_.back();
    for (std::size_t arm = 0; arm < branch.arms.size(); ++arm) {
      AtEnd give;  // an arm without steps has set its results when it was chosen
      if (!branch.arms[arm].nodes.empty()) {
        give = [&branch, arm](Sample& sample) { Runner::give_results(sample, branch, arm); };
      }
      tbb::flow::make_edge(node.port(arm), lower(branch.arms[arm], next, give));
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
  std::vector<std::unique_ptr<BranchNode>> branches_;
  std::vector<std::unique_ptr<LoopNode>> loops_;
};

}  // namespace sluice::detail
