// window: a fixed number of tokens that go round. Free tokens are the credit: memory is bounded by
// construction.
//
//   window<Token*> tokens(g, handles, 4, [&](Token* t) { if (next == count) return false; t->id =
//   next++; return true; }); make_edge(tokens.output(), decode); ... make_edge(last,
//   tokens.returns()); tokens.start();  g.wait_for_all();
//
// A free token is handed to `admit`, which fills it with the next sample and says true, or says
// false when there is none now. Admission is one at a time and in order, so ids given there are
// dense; they are given nowhere else. `begin`, if there is one, then prepares the token outside the
// window's lock, on the same thread. Admitted tokens leave through output(). Two credits come
// back: finished(token) says that its work is done, so that another may start (at most `active`
// tokens are at work); release(token) says that nobody holds it any more, so that it may carry
// another sample. returns() does both, once per token, from any number of edges. A token that waits
// for something which needs no thread gives the first credit back for that time: suspended() before
// and resumed() after it. It takes the credit again at once, also beyond `active`: none is admitted
// then before as many have finished, so that what was begun goes first.
//
// Ownership: the window holds handles only; what they refer to belongs to the user.
// Threads: all functions from any thread. `admit` runs under the window's lock: keep it short,
// never call back. `begin` may call anything, and runs for several tokens at once. Errors: `admit`
// and `begin` must not throw. A token that never comes back shrinks the window; in_flight() tells.
#pragma once

#include <sluice/graph/flow/carrier.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/spin_mutex.h>

namespace sluice::flow {

template <class Token, class Policy = as_task>
class window {
 public:
  using admit_function = std::function<bool(Token)>;
  using begin_function = std::function<void(Token)>;

  // `active`: how many tokens may be at work at once; 0 means all.
  window(tbb::flow::graph& g, std::vector<Token> tokens, std::size_t active, admit_function admit,
         begin_function begin = {})
      : graph_(g),
        size_(tokens.size()),
        active_limit_(active == 0 ? tokens.size() : active),
        free_(std::move(tokens)),
        admit_(std::move(admit)),
        begin_(std::move(begin)),
        output_(g),
        returns_(g,
                 [this](const Token& token) {
                   release(token);
                   finished();
                 }),
        lanes_(g, tbb::flow::unlimited, [this](tbb::flow::continue_msg) -> tbb::flow::continue_msg {
          lane(*this, true).run();
          return {};
        }) {}
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  tbb::flow::sender<Token>& output() { return output_; }
  tbb::flow::receiver<Token>& returns() { return returns_; }

  // Admits for as long as there are tokens, credit and samples. Call it to begin, and whenever
  // `admit` may have changed its mind.
  void start() {
    std::size_t lanes = 0;
    {
      const std::lock_guard lock(mutex_);
      if (!open_ || active_ >= active_limit_) return;
      lanes = std::min(active_limit_ - active_, free_.size());
      active_ += lanes;
    }
    begin_lanes(lanes);
  }

  // The token's work is done. Admits another in its place.
  void finished() {
    if (lane::take_credit(*this)) return;
    {
      const std::lock_guard lock(mutex_);
      if (!open_ || active_ > active_limit_ || free_.empty()) {
        --active_;
        return;
      }
    }
    begin_lanes(1);
  }

  // A token begins to wait: its work stands still, and others are admitted in its place.
  void suspended() { finished(); }
  // Its work goes on.
  void resumed() {
    const std::lock_guard lock(mutex_);
    ++active_;
  }
  // For carried tokens, inside a task of the graph: takes one that was resumed to where it goes on,
  // and then others, if its work is done when it arrives.
  void carry(tbb::flow::receiver<Token>& next, const Token& token) {
    lane here(*this, false);
    here.carry(next, token);
    here.run();
  }

  // The token is free. Does not admit by itself: release a batch of them, then call start().
  void release(const Token& token) {
    const std::lock_guard lock(mutex_);
    free_.push_back(token);
  }
  void release(const std::vector<Token>& tokens) {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), tokens.begin(), tokens.end());
  }

  // Admits no more until reset().
  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  // Starts over with all tokens free. Call it while none is on its way.
  void reset(const std::vector<Token>& tokens) {
    const std::lock_guard lock(mutex_);
    free_.assign(tokens.begin(), tokens.end());
    active_ = 0;
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
  // A task that admits one token after the other, for as long as it has a credit to give to the
  // next. A carried token has done its work, most often, when it is back from output(), and the
  // credit stays here; else whoever finishes the token has it.
  class lane {
   public:
    lane(window& tokens, bool has_credit)
        : tokens_(tokens), has_credit_(has_credit), outer_(std::exchange(current_, this)) {}
    lane(const lane&) = delete;
    lane& operator=(const lane&) = delete;
    ~lane() { current_ = outer_; }

    // The credit of a token that has finished on the thread of a lane.
    static bool take_credit(const window& tokens) {
      lane* const here = current_;
      if (here == nullptr || &here->tokens_ != &tokens || here->has_credit_) return false;
      return here->has_credit_ = true;
    }

    void carry(tbb::flow::receiver<Token>& next, const Token& token) {
      carrier<Token>(tokens_.graph_).carry(next, token);
    }

    void run() {
      Token token;
      while (tokens_.admit_next(token, has_credit_)) {
        has_credit_ = false;
        if (tokens_.begin_) tokens_.begin_(token);
        for (tbb::flow::receiver<Token>* const next : tokens_.output_.successors())
          carry(*next, token);
        // A step that waits for tasks of its own runs this one meanwhile: it shall not wait long.
        if (outer_ == nullptr) continue;
        if (std::exchange(has_credit_, false)) tokens_.begin_lanes(1);
        return;
      }
    }

   private:
    static inline constinit thread_local lane* current_ = nullptr;
    window& tokens_;
    bool has_credit_;
    lane* const outer_;
  };

  // Tasks that each have a credit.
  void begin_lanes(std::size_t count) {
    try {
      for (; count > 0; --count) lanes_.try_put({});
    } catch (...) {
      const std::lock_guard lock(mutex_);
      active_ -= count;
      throw;
    }
  }

  // For a lane that has a credit, or takes one if there is one. Without a token it has none.
  bool admit_next(Token& token, bool has_credit) {
    const std::lock_guard lock(mutex_);
    if (!has_credit) {
      if (active_ >= active_limit_) return false;
      ++active_;
    }
    // Tokens that were resumed go first.
    if (open_ && active_ <= active_limit_ && !free_.empty()) {
      token = free_.back();
      if (admit_(token)) {
        free_.pop_back();
        return true;
      }
    }
    --active_;
    return false;
  }

  tbb::flow::graph& graph_;
  const std::size_t size_;
  const std::size_t active_limit_;
  mutable tbb::spin_mutex mutex_;  // held for moments
  std::vector<Token> free_;        // never grows beyond its first size
  std::size_t active_ = 0;
  bool open_ = true;
  admit_function admit_;
  begin_function begin_;
  output_port<Token> output_;
  input_node<Token, as_task> returns_;
  tbb::flow::function_node<tbb::flow::continue_msg> lanes_;
};

}  // namespace sluice::flow
