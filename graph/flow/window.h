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

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>

namespace sluice::flow {

template <class Token>
class window {
 public:
  using admit_function = std::function<bool(Token)>;
  using begin_function = std::function<void(Token)>;

  // `active`: how many tokens may be at work at once; 0 means all.
  window(tbb::flow::graph& g, std::vector<Token> tokens, std::size_t active, admit_function admit,
         begin_function begin = {})
      : size_(tokens.size()),
        active_limit_(active == 0 ? tokens.size() : active),
        free_(std::move(tokens)),
        admit_(std::move(admit)),
        begin_(std::move(begin)),
        output_(g),
        returns_(g, tbb::flow::unlimited, [this](const Token& token) -> tbb::flow::continue_msg {
          {
            const std::lock_guard lock(mutex_);
            --active_;
            free_.push_back(token);
          }
          start();
          return {};
        }) {}
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  tbb::flow::sender<Token>& output() { return output_; }
  tbb::flow::receiver<Token>& returns() { return returns_; }

  // Admits for as long as there are tokens, credit and samples. Call it to begin, and whenever
  // `admit` may have changed its mind.
  void start() {
    Token token;
    while (admit_next(token, false)) send(token);
  }

  // The token's work is done. Admits others in its place.
  void finished() {
    Token token;
    bool one_done = true;
    while (admit_next(token, std::exchange(one_done, false))) send(token);
  }

  // A token begins to wait: its work stands still, and others are admitted in its place.
  void suspended() { finished(); }
  // Its work goes on.
  void resumed() {
    const std::lock_guard lock(mutex_);
    ++active_;
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
  bool admit_next(Token& token, bool one_done) {
    const std::lock_guard lock(mutex_);
    if (one_done) --active_;
    if (!open_ || free_.empty() || active_ >= active_limit_) return false;
    token = free_.back();
    if (!admit_(token)) return false;
    free_.pop_back();
    ++active_;
    return true;
  }

  void send(const Token& token) {
    if (begin_) begin_(token);
    output_.try_put(token);
  }

  const std::size_t size_;
  const std::size_t active_limit_;
  mutable std::mutex mutex_;
  std::vector<Token> free_;  // never grows beyond its first size
  std::size_t active_ = 0;
  bool open_ = true;
  admit_function admit_;
  begin_function begin_;
  tbb::flow::broadcast_node<Token> output_;
  tbb::flow::function_node<Token> returns_;
};

}  // namespace sluice::flow
