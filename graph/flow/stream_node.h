// stream_node: a node that sends its tokens in batches to work elsewhere, such as a device's
// streams, in an order of its own.
//
//   struct Slot : stream_node<Job*>::slot {            // a stream, with its buffers
//     std::size_t begin(std::span<Job* const> jobs) override {
//       ...launch...; event.record(stream); return jobs.size();
//     }
//     bool over() override { return event.query(); }   // throws what went wrong
//   };
//   poller completions;                                // for any number of nodes
//   stream_node<Job*> work(g, completions, {.slots = make_slots(4), .most = 64,
//       .failed = [](Job* job, std::exception_ptr why) { job->fail(why); }});
//   make_edge(last, work.input());  make_edge(work.output(), next);
//
// A token waits for a slot. A free slot begins at once with the tokens that wait then, at most
// `most`: a device batch. So a device batch never waits for more tokens while a slot is free, and
// grows by itself while all slots are busy. begin() may take fewer tokens than it gets: the others
// wait again. No thread waits for a slot's work: the poller checks if it is over.
//
// When it is over, all tokens of the device batch leave, in the order of their arrival. If begin()
// or over() throws, `failed` is called first, once for each token of the slot; then the tokens
// leave like the others. The node keeps the graph alive until they have left.
//
// With `most_now`, new tokens can be held: those that have not been in a slot. While it returns 0,
// they wait, even if a slot is free. When it returns n > 0, all that wait are released as a burst,
// in device batches of at most n, even if it returns 0 before the last one begins. A token that
// begin() does not take is held again. The node calls it when a token arrives, when a slot becomes
// free, and from wake().
//
// After a device batch that went well, tokens may stay. Each that is `unfinished` is passed to
// `redo` in a task of its own, and waits for a slot once more. Those that `goes_on` selects wait
// for a slot at once, all of a device batch together, in front of tokens that have not been in a
// slot.
//
// Ownership: owns its slots; refers to the poller, which outlives it; must outlive the graph's
// activity. Memory: none for a token, beyond oneTBB's tasks; at most `room` tokens may wait.
// Threads: put() and input() from any thread. begin() is called on that thread, or inside a task of
// the graph, over() on the poller's thread; for one slot never both at once. `failed` is called on
// any of these. Tokens leave in a task of the graph, where begin() threw, or, if no task comes, on
// the poller's thread: wire output() to nodes that are tasks. Errors: `failed` and `lost` must not
// throw; see exit_port for `lost`.
#pragma once

#include <sluice/graph/flow/inline_dispatch.h>
#include <sluice/graph/flow/poller.h>
#include <sluice/runtime/ring_buffer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/spin_mutex.h>

namespace sluice::flow {

template <class Token>
class stream_node {
 public:
  class slot {
   public:
    virtual ~slot() = default;
    // Returns how many of the first tokens it has taken: at least one.
    virtual std::size_t begin(std::span<const Token> tokens) = 0;
    virtual bool over() = 0;
  };

  struct options {
    std::vector<std::unique_ptr<slot>> slots;  // at least one
    std::size_t most = 64;                     // tokens of a device batch, at most
    std::size_t room = 1024;                   // tokens that wait for a slot at one time, at most
    std::function<void(const Token&, std::exception_ptr)> failed = {};  // may be empty
    lost_function<Token> lost = {};
    // Set both or none; they must not throw. Called by any thread.
    std::function<bool(const Token&)> unfinished = {};
    std::function<void(const Token&)> redo = {};
    std::function<bool(const Token&)> goes_on = {};  // empty: none do; must not throw
    // The number of slots kept for tokens that go on: a device batch without such tokens does not
    // begin with the last `kept` free slots. Otherwise new tokens could hold all slots until others
    // get through.
    std::size_t kept = 0;
    // The limit for a device batch that begins now: it takes no new tokens beyond this size. 0: no
    // new tokens begin. Empty: `most`. Called by any thread, under the node's lock: it must be
    // fast, not throw, and not call the node.
    std::function<std::size_t()> most_now = {};
  };

  // Device batches that were begun, and the tokens in them.
  struct counts {
    std::int64_t batches = 0, tokens = 0;
  };

  stream_node(tbb::flow::graph& g, poller& completions, options how)
      : graph_(g),
        completions_(completions),
        most_(std::max<std::size_t>(how.most, 1)),
        kept_(how.kept),
        most_now_(std::move(how.most_now)),
        waiting_(how.room),
        going_on_(how.goes_on ? how.room : 0),
        failed_(std::move(how.failed)),
        unfinished_(std::move(how.unfinished)),
        redo_(std::move(how.redo)),
        goes_on_(std::move(how.goes_on)),
        output_(g, std::move(how.lost)),
        input_(g, [this](const Token& token) { put(token); }),
        begin_more_(g, tbb::flow::unlimited,
                    [this](tbb::flow::continue_msg) -> tbb::flow::continue_msg {
                      begin();
                      return {};
                    }),
        leave_(g, tbb::flow::unlimited,
               [this](lane* of) -> tbb::flow::continue_msg {
                 leave(*of);
                 return {};
               }),
        again_(g, tbb::flow::unlimited, [this](const Token& token) -> tbb::flow::continue_msg {
          redo_(token);
          put(token);
          return {};
        }) {
    for (std::unique_ptr<slot>& one : how.slots) {
      lanes_.push_back(std::make_unique<lane>(*this, std::move(one)));
      lanes_.back()->tokens.reserve(most_);
      free_.push_back(lanes_.back().get());
    }
  }
  stream_node(const stream_node&) = delete;
  stream_node& operator=(const stream_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<Token>& output() { return output_; }

  // The same as input(), on the caller's thread.
  void put(const Token& token) {
    graph_.reserve_wait();
    {
      const std::lock_guard lock(mutex_);
      waiting_.push(token);
    }
    begin();
  }

  // Call it when `most_now` may have become more than 0. From any thread, also one that holds a
  // lock: it starts a task, and returns at once.
  void wake() noexcept {
    tbb::flow::graph& g = graph_;
    {
      const std::lock_guard lock(mutex_);
      if (!can_take()) return;
      g.reserve_wait();
    }
    exit_port<Token>::meet_tbb();
    try {
      begin_more_.try_put({});
    } catch (...) {  // no memory for a task: the poller's thread begins
      if (!waker_.watched.exchange(true)) return completions_.watch(waker_);
    }
    g.release_wait();
  }

  counts so_far() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  using clock = std::chrono::steady_clock;

  // A slot and its tokens. When the work is over, a task of the graph sends the tokens on, because
  // each send is expensive on a thread that is not oneTBB's. The poller watches until the task has
  // come: it may be late, or never come in a graph that was cancelled.
  struct lane final : poller::watched {
    lane(stream_node& of, std::unique_ptr<slot> with) : node(of), work(std::move(with)) {}
    bool over() noexcept override { return leaving ? node.look_on(*this) : node.look(*this); }
    stream_node& node;
    std::unique_ptr<slot> work;
    std::vector<Token> tokens;
    std::size_t going_on = 0;  // the first ones of `tokens`
    std::exception_ptr why;
    bool leaving = false;
    clock::time_point since;           // when the task was sent
    std::atomic<bool> claimed{false};  // a thread sends the tokens on
    std::atomic<int> holders{0};       // of task and poller, how many still use the lane
  };
  // For wake(), if there is no memory for a task. Holds the graph while it is watched.
  struct waker final : poller::watched {
    explicit waker(stream_node& of) : node(of) {}
    bool over() noexcept override {
      tbb::flow::graph& g = node.graph_;
      watched.store(false);
      node.begin();
      g.release_wait();
      return true;
    }
    stream_node& node;
    std::atomic<bool> watched{false};
  };
  static constexpr clock::duration kLate = std::chrono::milliseconds(20);

  // Begins device batches as long as there are tokens and slots for them.
  void begin() noexcept {
    tbb::flow::graph& g = graph_;
    g.reserve_wait();  // tokens that fail here may be the last ones
    while (lane* const next = take()) {
      try {
        const std::size_t taken = next->work->begin(next->tokens);
        if (taken < next->tokens.size()) put_back(*next, taken);
      } catch (...) {
        (void)let_out(next->tokens, std::current_exception());
        (void)give_free(*next);
        continue;
      }
      completions_.watch(*next);
    }
    g.release_wait();
  }

  struct burst {
    std::size_t tokens = 0;  // waiting tokens that are released, the first ones
    std::size_t most = 0;    // the limit for each device batch
  };
  burst released() const {
    if (burst_.tokens > 0 || waiting_.empty()) return burst_;
    const std::size_t most = most_now_ ? std::min(most_now_(), most_) : most_;
    return {most > 0 ? waiting_.size() : 0, most};
  }
  bool begins(const burst& next) const {
    return !going_on_.empty() || (free_.size() > kept_ && next.tokens > 0);
  }
  bool can_take() const { return !free_.empty() && begins(released()); }

  // Returns a free slot with the tokens for it; null if either is missing.
  lane* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    burst_ = released();
    if (!begins(burst_)) return nullptr;
    lane* const next = free_.back();
    free_.pop_back();
    for (Token token; next->tokens.size() < most_ && going_on_.pop(token);)
      next->tokens.push_back(token);
    next->going_on = next->tokens.size();
    for (Token token;
         next->tokens.size() < burst_.most && burst_.tokens > 0 && waiting_.pop(token);) {
      next->tokens.push_back(token);
      --burst_.tokens;
    }
    ++counts_.batches;
    counts_.tokens += static_cast<std::int64_t>(next->tokens.size());
    return next;
  }

  void put_back(lane& of, std::size_t from) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = from; i < of.tokens.size(); ++i) {
      (i < of.going_on ? going_on_ : waiting_).push(of.tokens[i]);
    }
    counts_.tokens -= static_cast<std::int64_t>(of.tokens.size() - from);
    of.tokens.resize(from);
  }

  // On the poller's thread: if the work is over, sends a task that lets the tokens out. Returns
  // false, so that the poller calls look_on() next.
  bool look(lane& of) noexcept {
    of.why = nullptr;
    try {
      if (!of.work->over()) return false;
    } catch (...) {
      of.why = std::current_exception();
    }
    exit_port<Token>::meet_tbb();
    graph_.reserve_wait();  // released by look_on()
    of.leaving = true;
    of.since = clock::now();
    of.holders.store(2, std::memory_order_relaxed);
    of.claimed.store(false, std::memory_order_release);
    try {
      leave_.try_put(&of);
    } catch (...) {  // no memory for a task
      of.since -= kLate;
    }
    return false;
  }

  // On the poller's thread: returns true if the tokens are out, or about to be. Lets them out
  // itself if the task is late.
  bool look_on(lane& of) noexcept {
    tbb::flow::graph& g = graph_;
    bool more = false;
    if (!of.claimed.load(std::memory_order_acquire)) {
      if (clock::now() - of.since < kLate) return false;
      if (!of.claimed.exchange(true, std::memory_order_acq_rel)) {
        of.holders.store(1, std::memory_order_relaxed);  // the task finds it claimed
        more = let_out(of.tokens, of.why);
      }
    }
    of.leaving = false;
    if (give_back(of) || more) {
      try {
        begin_more_.try_put({});
      } catch (...) {
        begin();
      }
    }
    g.release_wait();
    return true;
  }

  // In a task of the graph: sends the tokens on.
  void leave(lane& of) noexcept {
    if (of.claimed.exchange(true, std::memory_order_acq_rel)) return;
    const bool more = let_out(of.tokens, of.why);
    if (give_back(of) || more) begin();
  }

  // The lane is free when task and poller have both called this. Returns true if this frees it, and
  // a device batch can begin.
  bool give_back(lane& of) {
    if (of.holders.fetch_sub(1, std::memory_order_acq_rel) > 1) return false;
    return give_free(of);
  }
  bool give_free(lane& of) {
    const std::lock_guard lock(mutex_);
    free_.push_back(&of);
    return can_take();
  }

  // Sends the tokens on. Returns true if some go on: these wait for a slot.
  bool let_out(std::vector<Token>& tokens, const std::exception_ptr& why) noexcept {
    std::size_t going_on = 0;
    for (const Token& token : tokens) {
      if (why != nullptr && failed_) failed_(token, why);
      if (why == nullptr && unfinished_ && unfinished_(token)) {
        come_back(token);
      } else if (why == nullptr && goes_on_ && goes_on_(token)) {
        tokens[going_on++] = token;
      } else {
        output_.leave(token);
      }
    }
    tokens.resize(going_on);
    wait_again(tokens);
    tokens.clear();
    return going_on > 0;
  }

  void wait_again(const std::vector<Token>& tokens) {
    const std::lock_guard lock(mutex_);
    for (const Token& token : tokens) going_on_.push(token);
  }

  void come_back(const Token& token) noexcept {
    tbb::flow::graph& g = graph_;
    exit_port<Token>::meet_tbb();
    try {
      again_.try_put(token);
    } catch (...) {  // no memory for a task
      redo_(token);
      put(token);
    }
    g.release_wait();
  }

  tbb::flow::graph& graph_;
  poller& completions_;
  waker waker_{*this};
  const std::size_t most_, kept_;
  const std::function<std::size_t()> most_now_;
  burst burst_;                    // the one under way
  mutable tbb::spin_mutex mutex_;  // held briefly
  sluice::detail::RingBuffer<Token> waiting_, going_on_;
  std::vector<std::unique_ptr<lane>> lanes_;
  std::vector<lane*> free_;
  counts counts_;
  const std::function<void(const Token&, std::exception_ptr)> failed_;
  const std::function<bool(const Token&)> unfinished_;
  const std::function<void(const Token&)> redo_;
  const std::function<bool(const Token&)> goes_on_;
  exit_port<Token> output_;
  input_node<Token, as_task> input_;
  tbb::flow::function_node<tbb::flow::continue_msg> begin_more_;
  tbb::flow::function_node<lane*> leave_;
  tbb::flow::function_node<Token> again_;
};

}  // namespace sluice::flow
