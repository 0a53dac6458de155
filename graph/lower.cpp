#include <sluice/graph/flow/batch_node.h>
#include <sluice/graph/flow/select_node.h>
#include <sluice/graph/flow/window.h>
#include <sluice/graph/lower.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace sluice {
namespace {

using Token = Frame*;
using Receiver = tbb::flow::receiver<Token>;
using StageNode = tbb::flow::function_node<Token, Token>;
using BranchNode = flow::select_node<Token>;

// What every node needs to run steps.
struct Runner {
  BufferPool& pool;
  std::atomic<bool> cancelled{false};

  void run(Frame& frame, const Stage& stage) noexcept {
    if (cancelled.load(std::memory_order_relaxed)) frame.cancel();
    if (frame.ended()) return;
    const BufferPoolScope scope(pool);
    frame.enter_stage();
    const Step* current = nullptr;
    const auto fail = [&](const char* what) {
      try {
        frame.fail(current->name, what);
      } catch (...) {  // no memory to say what happened
        frame.cancel();
      }
    };
    try {
      for (const Step& step : stage.steps) {
        current = &step;
        frame.enter(current);
        step.run(frame);
        for (const SlotId slot : step.releases) frame.release(slot);
      }
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("threw something that is not a std::exception");
    }
    frame.enter(nullptr);
    frame.bytes_allocated += scope.bytes_allocated();
  }

  // The arm to take; arm 0 for a sample that has ended, which runs nothing there.
  std::size_t choose(Frame& frame, const Branch& branch) noexcept {
    if (frame.ended()) return 0;
    try {
      const std::int64_t arm = branch.choose(frame);
      if (arm >= 0 && arm < static_cast<std::int64_t>(branch.arms.size())) {
        const auto index = static_cast<std::uint32_t>(arm);
        frame.take_arm(branch, index);
        for (const SlotId slot : branch.arms[index].releases) frame.release(slot);
        // An arm without steps ends as soon as it is taken.
        if (branch.arms[index].nodes.empty()) give_results(frame, branch, index);
        return index;
      }
      frame.fail(branch.name, "the index is " + std::to_string(arm) +
                                  ", but the arms are numbered 0 to " +
                                  std::to_string(branch.arms.size() - 1));
    } catch (const std::exception& error) {
      frame.fail(branch.name, error.what());
    } catch (...) {
      frame.fail(branch.name, "threw something that is not a std::exception");
    }
    return 0;
  }

  static void give_results(Frame& frame, const Branch& branch, std::size_t arm) noexcept {
    const std::vector<SlotId>& given = branch.arms[arm].results;
    for (std::size_t i = 0; i < given.size(); ++i) frame.alias(branch.results[i], given[i]);
  }
};

// The nodes of a plan. Built from the end to the front: each part is told where its tokens go next.
class Nodes {
 public:
  Nodes(tbb::flow::graph& g, Runner& runner) : graph_(g), runner_(runner) {}

  // `at_end` says what happens to a token when the block is through; it runs in the block's last
  // task.
  using AtEnd = std::function<void(Frame&)>;
  Receiver& lower(const Block& block, Receiver& next, const AtEnd& at_end) {
    Receiver* target = &next;
    // What the next node in front must do behind its own work; only the last node has `at_end` to
    // do.
    AtEnd then = at_end;
    std::size_t i = block.nodes.size();
    while (i > 0) {
      const Node& node = block.nodes[i - 1];
      if (const auto* branch = std::get_if<Branch>(&node)) {
        // A stage in front of a branch runs in the branch's own task.
        const auto* before = i >= 2 ? std::get_if<Stage>(&block.nodes[i - 2]) : nullptr;
        target = &lower_branch(before, *branch, *target, then);
        i -= before != nullptr ? 2 : 1;
      } else {
        target = &lower_stage(std::get<Stage>(node), *target, then);
        --i;
      }
      then = nullptr;
    }
    return *target;
  }

 private:
  Receiver& lower_stage(const Stage& stage, Receiver& next, const AtEnd& at_end) {
    stages_.push_back(std::make_unique<StageNode>(
        graph_, tbb::flow::unlimited, [this, &stage, at_end](const Token& token) noexcept -> Token {
          runner_.run(*token, stage);
          if (at_end) at_end(*token);
          return token;
        }));
    tbb::flow::make_edge(*stages_.back(), next);
    return *stages_.back();
  }

  Receiver& lower_branch(const Stage* before, const Branch& branch, Receiver& next,
                         const AtEnd& at_end) {
    Receiver* join = &next;
    if (at_end) {  // the arms' results come first, so the end needs a task of its own behind them
      stages_.push_back(std::make_unique<StageNode>(graph_, tbb::flow::unlimited,
                                                    [at_end](const Token& token) noexcept -> Token {
                                                      at_end(*token);
                                                      return token;
                                                    }));
      tbb::flow::make_edge(*stages_.back(), next);
      join = stages_.back().get();
    }
    branches_.push_back(std::make_unique<BranchNode>(
        graph_, branch.arms.size(),
        [this, before, &branch](const Token& token) noexcept -> std::size_t {
          if (before != nullptr) runner_.run(*token, *before);
          return runner_.choose(*token, branch);
        }));
    BranchNode& node = *branches_.back();
    for (std::size_t arm = 0; arm < branch.arms.size(); ++arm) {
      Receiver& entry = lower(branch.arms[arm], *join, [&branch, arm](Frame& frame) {
        if (!frame.ended()) Runner::give_results(frame, branch, arm);
      });
      tbb::flow::make_edge(node.port(arm), entry);
    }
    return node.input();
  }

  tbb::flow::graph& graph_;
  Runner& runner_;
  std::vector<std::unique_ptr<StageNode>> stages_;
  std::vector<std::unique_ptr<BranchNode>> branches_;
};

// oneTBB gives a process one thread per CPU; a pipeline that asks for more raises that limit while
// it lives.
std::unique_ptr<tbb::global_control> allow_threads(int threads) {
  constexpr auto kLimit = tbb::global_control::max_allowed_parallelism;
  if (static_cast<std::size_t>(threads) <= tbb::global_control::active_value(kLimit))
    return nullptr;
  return std::make_unique<tbb::global_control>(kLimit, static_cast<std::size_t>(threads));
}

}  // namespace

struct Executor::Impl {
  Impl(const Plan& plan, const std::vector<Frame*>& all, int thread_count, int batch_size,
       BufferPool& pool, ExecutorHooks the_hooks)
      : hooks(std::move(the_hooks)),
        threads(thread_count),
        frames(all),
        limit(allow_threads(thread_count)),
        runner{pool},
        arena(thread_count, 1) {
    arena.execute([&] { build(plan, static_cast<std::size_t>(batch_size)); });
    driver = std::thread([this] { drive(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake_driver.notify_one();
    driver.join();
    arena.execute([&] {
      window.reset();
      batches.reset();
      ready.reset();
      finish.reset();
      nodes.reset();
      graph.reset();
    });
  }

  void build(const Plan& plan, std::size_t batch_size) {
    graph = std::make_unique<tbb::flow::graph>();
    window =
        std::make_unique<flow::window<Token>>(*graph, frames, static_cast<std::size_t>(threads),
                                              [this](Token token) { return hooks.admit(*token); });
    batches = std::make_unique<flow::batch_node<Token>>(*graph, batch_size,
                                                        [](Token token) { return token->id(); });
    // Lightweight: runs while the batch_node sends, so batches stay in order.
    ready =
        std::make_unique<ReadyNode>(*graph, tbb::flow::unlimited,
                                    [this](const Batch& batch) noexcept -> tbb::flow::continue_msg {
                                      {
                                        const std::lock_guard lock(mutex);
                                        lent.push_back(batch);
                                      }
                                      hooks.batch_ready(batch->index, batch->tokens);
                                      return {};
                                    });
    finish =
        std::make_unique<BranchNode>(*graph, 2, [this](const Token& token) noexcept -> std::size_t {
          if (!hooks.finish(*token)) return kAgain;
          window->finished();
          return kDone;
        });
    nodes = std::make_unique<Nodes>(*graph, runner);
    Receiver& entry = nodes->lower(plan.top, finish->input(), nullptr);
    tbb::flow::make_edge(window->output(), entry);
    tbb::flow::make_edge(finish->port(kAgain), entry);
    tbb::flow::make_edge(finish->port(kDone), batches->input());
    tbb::flow::make_edge(batches->output(), *ready);
  }

  // The driver sleeps while the graph is empty, and is woken when something can be admitted.
  void drive() {
    std::unique_lock lock(mutex);
    while (true) {
      wake_driver.wait(lock, [&] { return wanted || stopping; });
      if (stopping) return;
      wanted = false;
      idle = false;
      lock.unlock();
      arena.execute([&] {
        window->start();
        graph->wait_for_all();
      });
      lock.lock();
      idle = true;
      if (!wanted) became_idle.notify_all();
    }
  }

  // Something may be admitted: by the driver if it sleeps, else by a task beside what runs.
  void admit_more() {
    bool busy = false;
    {
      const std::lock_guard lock(mutex);
      wanted = true;
      busy = !idle;
      if (busy && threads > 1) graph->reserve_wait();
    }
    wake_driver.notify_one();
    if (busy && threads > 1) {
      arena.enqueue([this] {
        window->start();
        graph->release_wait();
      });
    }
  }

  void release(std::int64_t index) {
    Batch batch = nullptr;
    {
      const std::lock_guard lock(mutex);
      const auto it =
          std::find_if(lent.begin(), lent.end(), [&](Batch b) { return b->index == index; });
      if (it == lent.end()) return;
      batch = *it;
      lent.erase(it);
    }
    window->release(batch->tokens);
    batches->release(batch);
    admit_more();
  }

  void drain() {
    window->close();
    std::unique_lock lock(mutex);
    wanted = true;
    wake_driver.notify_one();
    became_idle.wait(lock, [&] { return idle && !wanted; });
  }

  static constexpr std::size_t kAgain = 0, kDone = 1;
  using Batch = const flow::token_batch<Token>*;
  using ReadyNode =
      tbb::flow::function_node<Batch, tbb::flow::continue_msg, tbb::flow::lightweight>;

  ExecutorHooks hooks;
  const int threads;
  const std::vector<Frame*> frames;
  std::unique_ptr<tbb::global_control> limit;
  Runner runner;
  tbb::task_arena arena;
  std::unique_ptr<tbb::flow::graph> graph;
  std::unique_ptr<flow::window<Token>> window;
  std::unique_ptr<flow::batch_node<Token>> batches;
  std::unique_ptr<ReadyNode> ready;
  std::unique_ptr<BranchNode> finish;
  std::unique_ptr<Nodes> nodes;

  std::mutex mutex;
  std::condition_variable wake_driver;
  std::condition_variable became_idle;
  std::vector<Batch> lent;  // complete, not yet released
  bool wanted = false;
  bool idle = true;
  bool stopping = false;
  std::thread driver;
};

Executor::Executor(const Plan& plan, const std::vector<Frame*>& frames, int threads, int batch_size,
                   BufferPool& pool, ExecutorHooks hooks)
    : impl_(std::make_unique<Impl>(plan, frames, threads, batch_size, pool, std::move(hooks))) {}

Executor::~Executor() {
  set_cancelled(true);
  drain();
}

void Executor::begin(std::int64_t total) {
  impl_->lent.clear();
  impl_->batches->expect(total);
  impl_->window->reset(impl_->frames);
  impl_->admit_more();
}

void Executor::release(std::int64_t batch) { impl_->release(batch); }

void Executor::drain() { impl_->drain(); }

void Executor::for_each_held(const std::function<void(const Frame&)>& visit) const {
  impl_->batches->for_each_held([&](const Frame* frame) { visit(*frame); });
}

void Executor::set_cancelled(bool cancelled) {
  impl_->runner.cancelled.store(cancelled, std::memory_order_relaxed);
}

}  // namespace sluice
