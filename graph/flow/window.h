// window: a fixed number of tokens that circulate through a graph. A sample needs a free token, so
// memory is bounded by construction.
//
//   window<Token*> tokens(g, handles, 4, [&](Token* t) {
//     if (next == count) return false;
//     t->id = next++;
//     return true;
//   });
//   make_edge(tokens.output(), decode);  ...  make_edge(last, tokens.returns());
//   tokens.start();  g.wait_for_all();
//
// `admit` fills a free token with the next sample and returns true, or returns false if there is
// none now. Tokens are admitted one at a time and in order, so ids that `admit` assigns are dense;
// assign them nowhere else. `begin`, if set, then prepares the token on the same thread, outside
// the window's lock. Admitted tokens leave through output().
//
// Two credits come back. finished() says that a token's work is done, so that another may start: at
// most `active` tokens are at work. release(token) says that the token is free for another sample.
// returns() does both, once per token, from any number of edges. A token that waits for something
// that needs no thread returns the first credit meanwhile: call suspended() before the wait and
// resumed() after it. It goes on when there is a credit again. Started samples have priority over
// new ones.
//
// With `may_sleep`, the last thread without a token sleeps here for a while if tokens wait, and
// takes the first that comes back. oneTBB's idle threads spin for a millisecond, and steal CPU time
// from the work that tokens wait for, such as another process. Do not set it if other tasks need
// all threads.
//
// With a credit_pool, a window owns one credit and borrows the others. After a token, a lane
// returns a borrowed credit that another window needs. So every window makes progress.
//
// Ownership: the window holds handles only; what they refer to belongs to the user.
// Threads: all functions from any thread. `admit` runs under the window's lock: keep it short, and
// never call the window from it. `begin` may call anything, and runs for several tokens at once.
// Errors: `admit` and `begin` must not throw. A token that never comes back shrinks the window;
// in_flight() shows that.
//
// How it works
//
// The problem: memory limits the samples in flight, and threads limit the samples at work. These
// are two limits. A sample that waits for a read, or for the rest of its batch, needs memory but no
// thread.
//
// So there are tokens and credits. A credit is the right to work on one token; `active_` counts the
// credits in use. A lane is a task that begins with a credit and works on one token after another.
// Example: 4 tokens, 2 credits, batches of 2; steps read and decode the samples s0, s1, ...
//
//     event                     lane A   lane B   ready_   free tokens   active_
//     start()                   s0       s1       -        2             2
//     s0 waits: suspended()     s2       s1       -        1             2
//     s0 was read: resumed()    s2       s1       s0       1             2
//     s1 is done: finished()    s2       s0       -        1             2
//     s0 is done: finished()    s2       s3       -        0             2
//     batch 0: release()        s2       s3       -        2             2
//
// 1. lane::run() passes its credit on with each token. If the work ends on the lane's thread,
//    finished() returns the credit to the lane, without the lock. On another thread, finished()
//    starts a new lane with the credit, or gives the credit up if there is nothing to do.
// 2. find_next() looks for a token: first in ready_, then among the lane's tokens at hand, then for
//    a new sample, then at other lanes. If it finds one and more samples can be admitted, it also
//    starts another lane, or wakes the sleeping one.
// 3. If carried tokens take only microseconds, lanes contend for the lock (`lane_controller` has
//    the limits). Then fewer lanes run. Each admits several tokens at once and keeps them at hand;
//    run() takes these first, without the lock. A lane without a token waits up to 50 microseconds
//    before it ends, because starting a lane wakes all threads of the arena.
//
// Invariants: active_ <= active_limit_. Each credit in use belongs to a lane, to a token at work,
// or to a task that becomes a lane. A credit is given up only under the lock, after a look for
// tokens or while others are in use. So if no credit is in use, no started token waits for one. A
// token is in ready_ at most once, and in free_ only if it carries no sample.
//
// `mutex_` guards free_, ready_, the list of lanes with its links, active_, asleep_, open_ and
// lane_controller_. waiting_ and came_ are atomic. A lane's tokens at hand have a lock of their
// own, because other lanes take from them. Only the lane's thread uses its other members.
//
// End of an epoch: `admit` returns false, and the lanes end. close() stops admission at once, but
// resumed tokens still run. A lane that ends leaves its tokens at hand in ready_. If oneTBB has no
// memory for a task, begin_lanes() gives the credits back and throws: reset() before the next run.
//
// Read lane::run() first, then find_next().
#pragma once

#include <sluice/graph/flow/credit_pool.h>
#include <sluice/graph/flow/inline_dispatch.h>
#include <sluice/runtime/ring_buffer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/spin_mutex.h>

namespace sluice::flow {

// A small queue of tokens that a thread keeps for itself. Other threads may take from it. Internal.
// It holds copies of the tokens. All functions may be called from any thread.
template <class Token>
class local_queue {
 public:
  static constexpr std::size_t kMost = 16;

  bool empty() {
    const std::lock_guard lock(mutex_);
    return begin_ == end_;
  }
  bool pop(Token& token) {
    const std::lock_guard lock(mutex_);
    if (begin_ == end_) return false;
    token = tokens_[begin_++];
    return true;
  }
  // Call it at most kMost times since the queue was empty.
  void push(const Token& token) {
    const std::lock_guard lock(mutex_);
    if (begin_ == end_) begin_ = end_ = 0;
    tokens_[end_++] = token;
  }

 private:
  tbb::spin_mutex mutex_;
  std::array<Token, kMost> tokens_{};
  std::size_t begin_ = 0, end_ = 0;
};

// Estimates how long tokens take, and how many threads they are worth. Internal. The window's lock
// guards it.
class lane_controller {
 public:
  using duration = std::chrono::steady_clock::duration;
  static constexpr duration kShort = std::chrono::microseconds(5);
  static constexpr duration kLight = std::chrono::microseconds(50);

  // Adds the time of a token. Threads that contend make each token take longer, and a thread that
  // is preempted much longer. So shorter times count more.
  void learn(duration each) {
    short_since_ = each < kShort ? short_since_ + 1 : 0;
    light_since_ = each < kLight ? light_since_ + 1 : 0;
    each = std::min(each, 2 * each_ + duration(1));
    each_ += (each - each_) / (each < each_ ? 2 : 4);
  }
  // Call it if threads were missing. From now on, is_short() and is_light() need more tokens in a
  // row.
  void was_wrong() {
    short_since_ = light_since_ = 0;
    short_until_ = std::min(2 * short_until_, kShortAtMost);
  }

  // True if tokens take less than kShort: enough of them in a row did.
  bool is_short() const { return short_since_ >= short_until_; }
  // True if tokens take less than kLight, so that one is not worth waking a thread.
  bool is_light() const { return light_since_ >= short_until_; }

  // Returns the number of threads for `tokens` tokens. Light ones need fewer: waking a thread takes
  // longer than several of them. At first the time is unknown, and each token gets a thread.
  std::size_t threads_for(std::size_t tokens) const {
    if (!is_light() || tokens == 0) return tokens;
    const auto threads =
        static_cast<std::size_t>(static_cast<duration::rep>(tokens) * each_ / kWorthAThread);
    return std::clamp<std::size_t>(threads, 1, tokens);
  }

  // The number of tokens that a thread may take at once.
  std::size_t at_once() const {
    return is_short() ? static_cast<std::size_t>(kAtOnce / std::max(each_, duration(1))) : 1;
  }

 private:
  static constexpr duration kWorthAThread = std::chrono::microseconds(100);
  static constexpr duration kAtOnce = std::chrono::microseconds(20);
  static constexpr int kShortAtMost = 4096;

  duration each_ = std::chrono::seconds(1);
  int short_since_ = 0;  // tokens in a row
  int light_since_ = 0;
  int short_until_ = 16;
};

template <class Token, class Policy = as_task>
class window {
 public:
  using admit_function = std::function<bool(Token)>;
  using begin_function = std::function<void(Token)>;

  // `active`: the number of tokens that may be at work at once; 0 means all. `shared`: where
  // credits after the first come from; null: this window owns all.
  window(tbb::flow::graph& g, std::vector<Token> tokens, std::size_t active, admit_function admit,
         begin_function begin = {}, bool may_sleep = false, credit_pool* shared = nullptr)
      : graph_(g),
        size_(tokens.size()),
        active_limit_(active == 0 ? tokens.size() : active),
        may_sleep_(may_sleep && is_carried<Policy> && active_limit_ > 1),
        free_(std::move(tokens)),
        ready_(size_),
        admit_(std::move(admit)),
        begin_(std::move(begin)),
        output_(g),
        returns_(g,
                 [this](const Token& token) {
                   release(token);
                   finished();
                 }),
        lanes_(g, tbb::flow::unlimited, [this](tbb::flow::continue_msg) -> tbb::flow::continue_msg {
          lane(*this).run();
          return {};
        }) {
    if (shared != nullptr) share_.emplace(*shared);
  }
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  tbb::flow::sender<Token>& output() { return output_; }
  tbb::flow::receiver<Token>& returns() { return returns_; }

  // Admits as long as there are tokens, credits and samples. Call it to begin, and whenever `admit`
  // may return true again.
  void start() {
    start([&](std::size_t room) { return std::min(room, more_lanes(takeable())); });
  }
  // The same, with all threads, as if tokens took long: running work may be waiting for tokens that
  // have not begun.
  void start_all() {
    start([&](std::size_t room) {
      if (room == 0 || !has_work()) return std::size_t{0};
      lane_controller_.was_wrong();
      return room;
    });
  }

  // Call it when a token's work is done. Admits another in its place.
  void finished() {
    if (lane::keep_credit(*this)) return;
    {
      const std::lock_guard lock(mutex_);
      if (!has_work()) {
        give_credit();
        if (share_) share_->stop_waiting();
        return;
      }
    }
    begin_lanes(1);
  }

  // Call it when a token begins to wait. Others are admitted in its place.
  void suspended() {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    finished();
  }
  // Continues the token at `next` when there is a credit: in a task, which then takes other tokens.
  // If many tokens of a few microseconds each come back at once, not each gets a task.
  void resumed(tbb::flow::receiver<Token>& next, const Token& token) {
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    {
      const std::lock_guard lock(mutex_);
      ready_.push({token, &next});
      came_.fetch_add(1, std::memory_order_relaxed);
      if (wake()) return;
      if (more_lanes(ready_.size()) == 0 || !take_credit()) return;
    }
    begin_lanes(1);
  }

  // Frees the token. Does not admit by itself: release several, then call start().
  void release(const Token& token) { release(std::span(&token, 1)); }
  void release(std::span<const Token> tokens) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), tokens.begin(), tokens.end());
    came_.fetch_add(1, std::memory_order_relaxed);
  }

  // Admits no more until reset().
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
    came_.fetch_add(1, std::memory_order_relaxed);
    (void)wake();
  }
  // Starts over with all tokens free. Call it while none is in flight.
  void reset(const std::vector<Token>& tokens) {
    const std::lock_guard lock(mutex_);
    free_.assign(tokens.begin(), tokens.end());
    ready_.clear();
    while (active_ > 0) give_credit();
    if (share_) share_->stop_waiting();
    waiting_ = 0;
    open_ = true;
  }

  std::size_t size() const { return size_; }
  // Tokens that carry a sample.
  std::size_t in_flight() const {
    const std::lock_guard lock(mutex_);
    return size_ - free_.size();
  }
  // Tokens whose work is not done yet.
  std::size_t active() const {
    const std::lock_guard lock(mutex_);
    return active_;
  }

 private:
  using duration = lane_controller::duration;

  // A token to work on, and the receiver where it goes on: null if it was only admitted.
  struct work {
    Token token{};
    tbb::flow::receiver<Token>* at = nullptr;
  };

  // A task that takes one token after the other, as long as it has a credit for the next. The work
  // of a carried token is usually done when it is back from output(), and the credit stays here.
  // Otherwise the thread that finishes the token has it.
  //
  // A lane keeps tokens at hand only while all credits are in use. A thread that finishes looks for
  // tokens here before it ends, so no token waits for another while a thread is idle.
  class lane {
   public:
    explicit lane(window& tokens) : tokens_(tokens), outer_(std::exchange(current_, this)) {
      const std::lock_guard lock(tokens_.mutex_);
      next_ = std::exchange(tokens_.running_, this);
      if (next_ != nullptr) next_->before_ = this;
    }
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;
    ~lane() {
      current_ = outer_;
      const std::lock_guard lock(tokens_.mutex_);
      (before_ == nullptr ? tokens_.running_ : before_->next_) = next_;
      if (next_ != nullptr) next_->before_ = before_;
      for (work left; pop(left); (void)tokens_.wake()) tokens_.ready_.push(left);
    }

    // Keeps the credit of a token that has finished on a lane's thread. Returns false if there is
    // no such lane, or it has a credit already.
    static bool keep_credit(const window& tokens) {
      lane* const here = current_;
      if (here == nullptr || &here->tokens_ != &tokens || here->has_credit_) return false;
      return here->has_credit_ = true;
    }

    void carry(tbb::flow::receiver<Token>& next, const Token& token) {
      inline_dispatch<Token>(tokens_.graph_).carry(next, token);
    }

    void run() {
      work next;
      while ((has_credit_ && pop(next)) || tokens_.find_next(next, *this)) {
        has_credit_ = false;
        // Reading a clock costs as much as an empty step, so only every eighth short token is
        // timed.
        const bool timed = long_ || ++taken_ % 8 == 1;
        const clock::time_point begin = timed ? clock::now() : clock::time_point();
        if (next.at != nullptr) {
          carry(*next.at, next.token);
        } else {
          if (tokens_.begin_) tokens_.begin_(next.token);
          for (tbb::flow::receiver<Token>* const first : tokens_.output_.successors())
            carry(*first, next.token);
        }
        if (timed) {
          each_ = clock::now() - begin;
          long_ = each_ >= lane_controller::kShort;
        }
        // A step that waits for its own tasks may be running this lane. End after one token, so
        // that the step does not wait long.
        if (outer_ == nullptr) continue;
        if (std::exchange(has_credit_, false)) tokens_.begin_lanes(1);
        return;
      }
    }

   private:
    friend class window;
    using clock = std::chrono::steady_clock;

    bool pop(work& next) {
      next.at = nullptr;
      return local_queue_.pop(next.token);
    }

    static inline constinit thread_local lane* current_ = nullptr;
    window& tokens_;
    bool has_credit_ = true;  // its task was begun with one
    lane* const outer_;
    lane* before_ = nullptr;  // running lanes, guarded by the window's lock
    lane* next_ = nullptr;
    duration each_{};   // the time of the last timed token; 0 if none
    bool long_ = true;  // that token was not short
    unsigned taken_ = 0;
    local_queue<Token> local_queue_;
  };

  // Finds the next token for a lane that has a credit, or takes one if there is one. If this
  // returns false, the lane has no credit.
  bool find_next(work& next, lane& one) {
    std::unique_lock lock(mutex_);
    if (one.each_ > duration()) lane_controller_.learn(std::exchange(one.each_, duration()));
    for (bool first = true;; first = false) {
      if (!one.has_credit_) {
        if (!take_credit()) {
          if (share_ && !has_work()) share_->stop_waiting();
          return false;
        }
        one.has_credit_ = true;
      }
      if (share_ && active_ > 1 && share_->must_return()) {
        one.has_credit_ = false;
        give_credit();
        return false;
      }
      const bool may = !too_many(), outermost = one.outer_ == nullptr;
      if (may && (ready_.pop(next) || one.pop(next) || admit(next, one) || take_from_others(next)))
        break;
      if (first && may && outermost && is_short() && open_ && free_.empty()) {
        linger(lock);
      } else if (!may || !outermost || !sleep(lock)) {
        if (may && share_) share_->stop_waiting();
        one.has_credit_ = false;
        give_credit();
        return false;
      }
    }
    // Waiting tokens have lanes to come, unless their credits were denied.
    const std::size_t tokens = share_ ? takeable() : admissible();
    const bool another = more_lanes(tokens) > 0 && !wake() && take_credit();
    lock.unlock();
    if (another) begin_lanes(1);
    return true;
  }

  // Waits a little, because short tokens come back soon. Releases the lock meanwhile.
  void linger(std::unique_lock<std::mutex>& lock) const {
    const std::uint64_t seen = came_.load(std::memory_order_relaxed);
    lock.unlock();
    const auto end = lane::clock::now() + std::chrono::microseconds(50);
    while (came_.load(std::memory_order_relaxed) == seen && lane::clock::now() < end)
      std::this_thread::yield();
    lock.lock();
  }

  template <class HowMany>
  void start(const HowMany& how_many) {
    std::unique_lock lock(mutex_);
    (void)wake();
    const std::size_t wanted = how_many(active_limit_ - active_);
    std::size_t lanes = 0;
    while (lanes < wanted && take_credit()) ++lanes;
    lock.unlock();
    begin_lanes(lanes);
  }

  // The functions below are called under the lock, except begin_lanes().

  bool take_credit() {
    if (active_ >= active_limit_ || (share_ && active_ > 0 && !share_->take())) return false;
    ++active_;
    return true;
  }
  void give_credit() {
    --active_;
    if (share_ && active_ > 0) share_->give();
  }

  // The last lane that finds no token sleeps here. Returns true if it has slept and was woken.
  bool sleep(std::unique_lock<std::mutex>& lock) {
    if (!may_sleep_ || active_ > 1 || waiting_.load(std::memory_order_relaxed) <= 0) return false;
    asleep_ = true;
    (void)wake_.wait_for(lock, std::chrono::milliseconds(10), [this] { return !asleep_; });
    return !std::exchange(asleep_, false);
  }
  bool wake() {
    const bool slept = std::exchange(asleep_, false);
    if (slept) wake_.notify_one();
    return slept;
  }

  std::size_t admissible() const { return open_ ? free_.size() : 0; }
  std::size_t takeable() const { return ready_.size() + admissible(); }

  bool is_short() const { return is_carried<Policy> && lane_controller_.is_short(); }

  // Returns the number of lanes to start for `tokens`. Long tokens each need one, because lanes at
  // work are busy. Lanes at work count for light tokens, because they will soon be back.
  std::size_t more_lanes(std::size_t tokens) const {
    if (!is_carried<Policy> || !lane_controller_.is_light()) return tokens;
    return std::max(lane_controller_.threads_for(tokens), active_) - active_;
  }
  // True if more lanes are at work than the whole window is worth.
  bool too_many() const { return is_short() && active_ > 2 * lane_controller_.threads_for(size_); }

  bool admit(work& next, lane& one) {
    if (!open_ || free_.empty()) return false;
    next = {free_.back()};
    if (!admit_(next.token)) return false;
    free_.pop_back();
    if (!is_carried<Policy> || active_ < active_limit_ || one.outer_ != nullptr) return true;
    // Leave enough for the others.
    std::size_t more = std::min(
        {local_queue<Token>::kMost, lane_controller_.at_once(), free_.size() / active_limit_});
    for (; more > 1 && admit_(free_.back()); --more) {
      one.local_queue_.push(free_.back());
      free_.pop_back();
    }
    return true;
  }

  bool take_from_others(work& next) {
    for (lane* other = running_; other != nullptr; other = other->next_)
      if (other->pop(next)) return true;
    return false;
  }

  // True if a lane would find a token, as far as can be seen.
  bool has_work() {
    if ((open_ && !free_.empty()) || !ready_.empty()) return true;
    for (lane* other = running_; other != nullptr; other = other->next_) {
      if (!other->local_queue_.empty()) return true;
    }
    return false;
  }

  // Starts `count` tasks that each have a credit.
  void begin_lanes(std::size_t count) {
    try {
      for (; count > 0; --count) lanes_.try_put({});
    } catch (...) {
      const std::lock_guard lock(mutex_);
      for (; count > 0; --count) give_credit();
      throw;
    }
  }

  tbb::flow::graph& graph_;
  const std::size_t size_;
  const std::size_t active_limit_;
  const bool may_sleep_;
  mutable std::mutex mutex_;                // held briefly
  std::vector<Token> free_;                 // never grows beyond its first size
  sluice::detail::RingBuffer<work> ready_;  // resumed, or left by lanes that ended: need a credit
  lane* running_ = nullptr;
  std::atomic<std::uint64_t> came_{0};  // how often there was something new to take
  std::size_t active_ = 0;              // credits in use, also by a sleeping lane
  bool asleep_ = false;                 // a lane sleeps
  std::condition_variable wake_;
  std::atomic<std::int64_t> waiting_{0};  // tokens that are suspended
  bool open_ = true;
  lane_controller lane_controller_;
  admit_function admit_;
  begin_function begin_;
  output_port<Token> output_;
  input_node<Token, as_task> returns_;
  tbb::flow::function_node<tbb::flow::continue_msg> lanes_;
  std::optional<credit_pool::share> share_;  // none: all credits are this window's own
};

}  // namespace sluice::flow
