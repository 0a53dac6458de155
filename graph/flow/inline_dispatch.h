// inline_dispatch: takes a token from node to node on one thread, without a task for each node.
// Also the parts that nodes are made of: input_node, step_node, output_port and exit_port.
//
// oneTBB makes a task for each node that a token reaches, and locks the list of edges of each node
// that it leaves, so threads contend for every token. A token on its own needs neither. A carried
// node runs its body and sets the next receiver; the thread goes there when the body has returned.
// So neither the depth of the graph nor the number of a loop's iterations grows the stack.
//
//   using T = Token*;
//   step_node<T> decode(g, [](T t) noexcept { decode_into(t); });
//   select_node<T, carried> by_size(g, 2, [](T t) noexcept { return t->is_large; });
//   make_edge(decode.output(), by_size.input());  ...
//   inline_dispatch<T>(g).carry(decode.input(), token);  // inside a task of the graph
//
// Nodes of this folder are carried if their Policy says so; otherwise each is a task. Both kinds
// are wired with make_edge, also to oneTBB's own nodes. A carried node's body must not throw:
// oneTBB calls only such bodies at once. Put tokens into carried nodes by an inline_dispatch, or
// from nodes with one edge; behind a function_node they would run under the lock of its edges.
// window<Token, carried> has its own inline_dispatches.
//
// Ownership: refers to the graph. Threads: an inline_dispatch belongs to its thread, and they nest.
// A port is wired before the graph runs, and only read then. Errors: carry() throws what a
// receiver's try_put throws, and the token is lost.
#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

namespace sluice::flow {

// Policies of nodes: `carried` runs the node on the token's thread, `as_task` makes each node a
// task.
using carried = tbb::flow::lightweight;
using as_task = tbb::flow::queueing;
template <class Policy>
inline constexpr bool is_carried = std::is_same_v<Policy, carried>;

template <class Token>
class inline_dispatch {
 public:
  explicit inline_dispatch(tbb::flow::graph& g)
      : graph_(&g), outer_(std::exchange(current_, this)) {}
  inline_dispatch(const inline_dispatch&) = delete;
  inline_dispatch& operator=(const inline_dispatch&) = delete;
  ~inline_dispatch() { current_ = outer_; }

  // Puts the token into `first`, and then into each next receiver. Returns when there is none: the
  // token has arrived, waits, or belongs to another task.
  void carry(tbb::flow::receiver<Token>& first, const Token& token) {
    next_ = &first;
    token_ = token;
    while (next_ != nullptr) {
      tbb::flow::receiver<Token>* const here = std::exchange(next_, nullptr);
      const Token now = token_;
      here->try_put(now);
    }
  }

  // Sets `next` as the next receiver of the token that this thread carries in `g`. Returns false if
  // it carries none, or if that has a next receiver already.
  static bool lead(const tbb::flow::graph& g, tbb::flow::receiver<Token>& next,
                   const Token& token) noexcept {
    inline_dispatch* const here = current_;
    if (here == nullptr || here->graph_ != &g || here->next_ != nullptr) return false;
    here->next_ = &next;
    here->token_ = token;
    return true;
  }

 private:
  static inline constinit thread_local inline_dispatch* current_ = nullptr;
  const tbb::flow::graph* graph_;
  inline_dispatch* outer_;
  tbb::flow::receiver<Token>* next_ = nullptr;
  Token token_{};
};

// A node's output. Unlike oneTBB's own senders it takes no lock: edges are made before tokens come.
template <class Token>
class output_port : public tbb::flow::sender<Token> {
 public:
  explicit output_port(const tbb::flow::graph& g) : graph_(g) {}

  // Sends the token to all successors; a carried token is sent by lead().
  template <class Policy = as_task>
  void put(const Token& token) {
    for (tbb::flow::receiver<Token>* const next : successors_) {
      if constexpr (is_carried<Policy>) {
        if (inline_dispatch<Token>::lead(graph_, *next, token)) continue;
      }
      next->try_put(token);
    }
  }

  const std::vector<tbb::flow::receiver<Token>*>& successors() const { return successors_; }

 private:
  bool register_successor(tbb::flow::receiver<Token>& next) override {
    successors_.push_back(&next);
    return true;
  }
  bool remove_successor(tbb::flow::receiver<Token>& next) override {
    return std::erase(successors_, &next) > 0;
  }

  const tbb::flow::graph& graph_;
  std::vector<tbb::flow::receiver<Token>*> successors_;
};

// A node's input. Its body sends the tokens on. oneTBB's own outputs stay unused, because they take
// a lock for each token, even if nothing is wired.
template <class Token, class Policy>
class input_node
    : public tbb::flow::multifunction_node<Token, std::tuple<tbb::flow::continue_msg>, Policy> {
  using Base = tbb::flow::multifunction_node<Token, std::tuple<tbb::flow::continue_msg>, Policy>;

 public:
  template <class Body>
  input_node(tbb::flow::graph& g, Body body)
      : Base(g, tbb::flow::unlimited,
             [body = std::move(body)](
                 const Token& token,
                 typename Base::output_ports_type&) noexcept(is_carried<Policy>) { body(token); }) {
  }
};

// Calls the body with each token, and sends the token on. The body must not throw.
template <class Token, class Policy = carried>
class step_node {
 public:
  template <class Body>
  step_node(tbb::flow::graph& g, Body body)
      : output_(g), input_(g, [this, body = std::move(body)](const Token& token) {
          body(token);
          output_.template put<Policy>(token);
        }) {}
  step_node(const step_node&) = delete;
  step_node& operator=(const step_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<Token>& output() { return output_; }

 private:
  output_port<Token> output_;
  input_node<Token, Policy> input_;
};

// exit_port: sends on tokens that waited outside of the graph, from any thread. For each token,
// graph::reserve_wait() was called; leave() releases it.
//
// Ownership: refers to the graph. Threads: leave() from any. Errors: a token that oneTBB has no
// memory to send on goes to `lost`, which must not throw; without one the graph is cancelled. A
// thread that is new to oneTBB waits until there is memory for it.

template <class Token>
using lost_function = std::function<void(const Token&, std::exception_ptr)>;

template <class Token>
class exit_port : public output_port<Token> {
 public:
  exit_port(tbb::flow::graph& g, lost_function<Token> lost)
      : output_port<Token>(g), graph_(g), lost_(std::move(lost)) {}

  // Sends the token on, and releases what graph::reserve_wait() took. After its last line it
  // touches neither the port nor the node that the port is part of.
  void leave(const Token& token) noexcept {
    tbb::flow::graph& g = graph_;
    meet_tbb();
    try {
      this->put(token);
    } catch (...) {
      if (lost_) {
        lost_(token, std::current_exception());
      } else {
        g.cancel();
      }
    }
    g.release_wait();
  }

  // Waits until oneTBB has memory for its data of this thread. Otherwise release_wait() would fail,
  // and the thread that waits for the graph would never wake.
  static void meet_tbb() noexcept {
    while (true) {
      try {
        return tbb::this_task_arena::isolate([] {});
      } catch (...) {
        std::this_thread::yield();
      }
    }
  }

 private:
  tbb::flow::graph& graph_;
  const lost_function<Token> lost_;
};

}  // namespace sluice::flow
