// How a plan becomes a flow graph, and how a driver thread runs that graph.
//
// The problem: a plan is a tree of stages, branches and loops, but oneTBB runs a graph of nodes.
// Each image takes its own path, and a slow read must not occupy a computing thread. The graph must
// also run while the consumer works on a batch, even if the pipeline has only one thread.
//
// Example: read a file, decode it, rotate it if it is taller than wide, resize it. The source
// blocks, so I/O threads read. build() makes this graph once, for all epochs; at ~~> the token
// changes threads:
//
//               +-------------------------- kAgain ---------------------------+
//               v                                                             |
//     window -> read ~~> resume ~~> decode, choose -0-> rotate -> resize -> finish
//                                          \----------1----------^            |
//                                                                    put() -> batches -> ready
//
// 1. Nodes::lower() (executor_nodes.h) builds from the end to the front. It gives each part the
//    receiver that follows it. So both branches end in the receiver of resize: no node merges them.
//    An empty branch needs no node, and a loop's body ends at its own loop_node.
// 2. A token is a Sample*. The window admits it, and one thread carries it from node to node,
//    without a task for each node (flow/inline_dispatch.h, flow/window.h).
// 3. The read node posts the token to an I/O thread and returns the token's credit to the window.
//    After the read, the window continues the token on a computing thread, in the decode node.
// 4. finish calls hooks.finish. If that returns false, the token starts again with a replacement
//    sample. Otherwise finish puts it into `batches`, and returns its credit.
// 5. `batches` sends complete batches to `ready` in order. When the consumer calls release(), the
//    tokens are free, and the window admits more samples.
//
// The driver calls wait_for_all() inside the arena: it runs tasks there, as the threads of `others`
// do. It sleeps while the graph is empty. admit_more() sets `wanted` and wakes it. If the driver is
// busy, perhaps with a long step, the calling thread starts the window itself. reserve_wait() keeps
// the graph from ending meanwhile. If wait_for_all() had just returned, no thread may be left for
// the new tasks. So `wanted` makes the driver run once more.
//
// Invariants: `mutex` guards `wanted`, `idle` and `stopping` only. No hook and no function of the
// window is called under it. Once the window is closed, `idle && !wanted` means that no step runs
// and no sample waits. The destructor ends all threads before it destroys the nodes.
//
// Errors and cancellation: no sample leaves the graph early. A sample that has failed, or was
// cancelled, passes the other nodes without work, so its batch is still completed. If oneTBB has no
// memory for a task, guard() calls hooks.broken. If wait_for_all() throws, run() resets the graph.
// The next begin() then declares all tokens free. At the end of an epoch, hooks.admit returns
// false, the graph becomes empty, and the driver sleeps until begin().
//
// Read build() first.
#include <sluice/graph/exec/executor.h>
#include <sluice/graph/exec/executor_nodes.h>
#include <sluice/graph/exec/runner.h>
#include <sluice/graph/flow/arena_threads.h>
#include <sluice/graph/flow/batch_node.h>
#include <sluice/graph/flow/window.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/thread_start.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

namespace sluice::detail {

struct Executor::Impl {
  Impl(const Plan& plan, const std::vector<Sample*>& all, int thread_count, int io_thread_count,
       int size_of_batches, BufferPool& pool, ExecutorHooks the_hooks)
      : hooks(std::move(the_hooks)),
        batch_size(static_cast<std::size_t>(size_of_batches)),
        samples(all),
        runner(pool, hooks.trace, hooks.device),
        arena(thread_count, static_cast<unsigned>(thread_count)) {
    flow::set_up(arena);
    start_driver();
    try {
      others.emplace(arena, static_cast<std::size_t>(thread_count) - 1,
                     thread_begin(hooks.trace, "sluice"));
      threads = static_cast<int>(others->size()) + 1;
      if (io_thread_count > 0)
        io.emplace(static_cast<std::size_t>(io_thread_count), all.size(),
                   thread_begin(hooks.trace, "io"));
      arena.execute([&] { build(plan); });
    } catch (...) {
      stop_driver();
      throw;
    }
  }

  ~Impl() {
    stop_driver();
    io.reset();
    own_io.clear();
    others.reset();
    arena.execute([&] {
      window.reset();
      batches.reset();
      ready.reset();
      finish.reset();
      nodes.reset();
      graph.reset();
    });
  }

  // Started before all other threads, because nothing works without it.
  void start_driver() {
    try {
      driver = std::thread([this] { drive(); });
    } catch (const std::system_error& error) {
      throw Error("the pipeline cannot make a single thread: " + error.code().message() +
                  "; allow the process more threads (ulimit -u, pids.max) or more memory");
    }
  }

  void stop_driver() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake_driver.notify_one();
    driver.join();
  }

  void build(const Plan& plan) {
    graph = std::make_unique<tbb::flow::graph>();
    window = std::make_unique<Window>(
        *graph, samples, static_cast<std::size_t>(threads),
        [this](Token token) { return hooks.admit(*token); },
        [this](Token token) { hooks.begin(*token); },
        !has_step(plan, StepKind::stream),  // all threads prepare GPU batches of many samples
        hooks.credits);
    batches = std::make_unique<flow::batch_node<Token>>(
        *graph, batch_size, [](Token token) { return token->position(); });
    // Lightweight: runs while the batch_node sends, so batches stay in order.
    ready =
        std::make_unique<ReadyNode>(*graph, tbb::flow::unlimited,
                                    [this](const Batch& batch) noexcept -> tbb::flow::continue_msg {
                                      hooks.batch_ready(batch->index, batch->tokens);
                                      return {};
                                    });
    finish = std::make_unique<ChoiceNode>(*graph, 2, [this](const Token& token) -> std::size_t {
      if (!hooks.finish(*token)) return kAgain;
      // The sample may be reused as soon as its batch has left.
      guard([&] { batches->put(token); });
      guard([&] { window->finished(); });
      return kArrived;
    });
    nodes = std::make_unique<Nodes>(
        *graph, runner, *window, [this](const Step& step) { return threads_to_read(step); },
        hooks.device,
        WaitHooks{.suspended = [this] { guard([&] { window->suspended(); }); },
                  .broken = [this](std::exception_ptr why) { hooks.broken(std::move(why)); }});
    Receiver& entry = nodes->lower(plan.top, finish->input(), nullptr);
    tbb::flow::make_edge(window->output(), entry);
    tbb::flow::make_edge(finish->port(kAgain), entry);
    tbb::flow::make_edge(batches->output(), *ready);
  }

  IoThreads* threads_to_read(const Step& step) {
    if (step.threads > 0) {
      const std::size_t own = std::min(static_cast<std::size_t>(step.threads), samples.size());
      own_io.emplace_back(own, samples.size(), thread_begin(hooks.trace, "source"));
      if (own_io.back().size() > 0) return &own_io.back();
    }
    return io && io->size() > 0 ? &*io : nullptr;
  }

  std::size_t io_threads() const {
    std::size_t all = io ? io->size() : 0;
    for (const IoThreads& own : own_io) all += own.size();
    return all;
  }

  // Ends the run if oneTBB throws because it has no memory for a task.
  template <class Work>
  void guard(const Work& work) noexcept {
    try {
      work();
    } catch (...) {
      hooks.broken(std::current_exception());
    }
  }

  // Returns when nothing is in flight; false if the arena could not be entered.
  bool run() noexcept {
    bool entered = false;
    guard([&] {
      arena.execute([&] {
        entered = true;
        guard([&] { window->start(); });
        bool whole = false;
        guard([&] {
          graph->wait_for_all();
          whole = true;
        });
        // Otherwise tasks were abandoned, and the nodes' counts are wrong.
        if (!whole) guard([&] { graph->reset(); });
      });
    });
    return entered;
  }

  void drive() {
    if (hooks.trace != nullptr) hooks.trace->on_thread("driver");
    std::unique_lock lock(mutex);
    while (true) {
      wake_driver.wait(lock, [&] { return wanted || stopping; });
      if (stopping) return;
      wanted = false;
      idle = false;
      lock.unlock();
      while (!run()) std::this_thread::yield();
      lock.lock();
      idle = true;
      if (!wanted) became_idle.notify_all();
    }
  }

  // Admits samples: on the driver if it sleeps, otherwise here.
  void admit_more() {
    admit_more([this] { window->start(); });
  }
  template <class Start>
  void admit_more(const Start& start) {
    bool busy = false;
    {
      const std::lock_guard lock(mutex);
      wanted = true;
      busy = !idle;
      if (busy) graph->reserve_wait();
    }
    wake_driver.notify_one();
    if (busy) {
      guard(start);
      graph->release_wait();
    }
  }

  void release(std::int64_t index) {
    const flow::token_batch<Token>* batch = batches->find(index);
    if (batch == nullptr) return;
    window->release(batch->tokens);
    batches->release(batch);
    admit_more();
  }

  void drain(double patience, const std::function<void()>& still_waiting) {
    window->close();
    std::unique_lock lock(mutex);
    wanted = true;
    wake_driver.notify_one();
    const auto over = [&] { return idle && !wanted; };
    // Clamp to a duration that the clock can represent.
    const std::chrono::duration<double> most(std::min(patience, 1e9));
    using Clock = std::chrono::steady_clock;
    if (became_idle.wait_for(lock, std::chrono::duration_cast<Clock::duration>(most), over)) return;
    lock.unlock();
    still_waiting();
    lock.lock();
    became_idle.wait(lock, over);
  }

  // kArrived has no successor: the token is in `batches`.
  static constexpr std::size_t kAgain = 0, kArrived = 1;
  using Batch = const flow::token_batch<Token>*;
  using ReadyNode =
      tbb::flow::function_node<Batch, tbb::flow::continue_msg, tbb::flow::lightweight>;

  const flow::tbb_fork_guard tbb_fork_guard;  // first: without it the arena may not exist
  ExecutorHooks hooks;
  const std::size_t batch_size;
  const std::vector<Sample*> samples;
  Runner runner;
  tbb::task_arena arena;  // all of its slots are for our own threads, see flow::arena_threads
  std::optional<flow::arena_threads> others;
  int threads = 1;  // the driver and the others
  std::optional<IoThreads> io;
  std::deque<IoThreads> own_io;  // for sources with their own threads
  std::unique_ptr<tbb::flow::graph> graph;
  std::unique_ptr<Window> window;
  std::unique_ptr<flow::batch_node<Token>> batches;
  std::unique_ptr<ReadyNode> ready;
  std::unique_ptr<ChoiceNode> finish;
  std::unique_ptr<Nodes> nodes;

  std::mutex mutex;
  std::condition_variable wake_driver;
  std::condition_variable became_idle;
  bool wanted = false;
  bool idle = true;
  bool stopping = false;
  std::thread driver;
};

Executor::Executor(const Plan& plan, const std::vector<Sample*>& samples, int threads,
                   int io_threads, int batch_size, BufferPool& pool, ExecutorHooks hooks)
    : impl_(std::make_unique<Impl>(plan, samples, threads, io_threads, batch_size, pool,
                                   std::move(hooks))) {}

Executor::~Executor() {
  set_cancelled(true);
  drain(std::numeric_limits<double>::infinity(), [] {});
}

void Executor::begin(std::int64_t total) {
  // In flight at once may be all batches that the samples fill, a short one at the end, and one
  // that has just begun.
  impl_->batches->expect(total, impl_->samples.size() / impl_->batch_size + 2);
  impl_->window->reset(impl_->samples);
  impl_->admit_more();
}

void Executor::release(std::int64_t batch) { impl_->release(batch); }

void Executor::nudge() {
  impl_->admit_more([this] { impl_->window->start_all(); });
}

void Executor::drain(double patience, const std::function<void()>& still_waiting) {
  impl_->drain(patience, still_waiting);
}

void Executor::for_each_held(const std::function<void(const Sample&)>& visit) const {
  impl_->batches->for_each_held([&](const Sample* sample) { visit(*sample); });
}

int Executor::threads() const { return impl_->threads; }
int Executor::io_threads() const { return static_cast<int>(impl_->io_threads()); }

void Executor::set_cancelled(bool cancelled) { impl_->runner.set_cancelled(cancelled); }

IoThreads::IoThreads(std::size_t wanted, std::size_t room, std::function<void(std::size_t)> begin)
    : begin_(std::move(begin)), queue_(room) {
  try {
    std::vector<MemoryReserve> spare;  // held until all threads exist; one is for the pipeline
    spare.reserve(wanted + 1);
    threads_.reserve(wanted);
    spare.emplace_back();
    while (threads_.size() < wanted) {
      spare.emplace_back();
      threads_.emplace_back([this, index = threads_.size()] { work(index); });
    }
  } catch (const std::exception&) {  // no memory, or std::system_error: no more threads
  }
}

IoThreads::~IoThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::post(SampleReader& reader, Sample& sample) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push({&reader, &sample});
    wake = idle_ > 0;
  }
  if (wake) came_.notify_one();
}

void IoThreads::work(std::size_t index) noexcept {
  if (begin_) begin_(index);
  std::unique_lock lock(mutex_);
  while (true) {
    Item item;
    while (!queue_.pop(item)) {
      if (stopping_) return;
      ++idle_;
      came_.wait(lock);
      --idle_;
    }
    lock.unlock();
    item.reader->read(*item.sample);
    lock.lock();
  }
}

}  // namespace sluice::detail
