// exit_port: where tokens leave that waited outside of the graph: on whichever thread says so, each
// with the part of the graph's life that was reserved for it.
//
// Ownership: refers to the graph. Threads: leave() from any. Errors: a token that oneTBB has no
// memory to send on goes to `lost`, which must not throw; without one the graph is cancelled. A
// thread that oneTBB does not know yet waits until there is memory for it.
#pragma once

#include <sluice/graph/flow/carrier.h>

#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>

namespace sluice::flow {

template <class Token>
using lost_function = std::function<void(const Token&, std::exception_ptr)>;

template <class Token>
class exit_port : public output_port<Token> {
 public:
  exit_port(tbb::flow::graph& g, lost_function<Token> lost)
      : output_port<Token>(g), graph_(g), lost_(std::move(lost)) {}

  // Gives back what graph::reserve_wait() took. Nothing of the port, nor of the node that it is
  // part of, is touched after the last line.
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

  // oneTBB keeps something of each thread that it meets. release_wait() would fail where there is
  // no memory for that, and whoever waits for the graph would never be woken.
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
