// exit_port: sends on tokens that waited outside of the graph, from any thread. For each token,
// graph::reserve_wait() was called; leave() releases it.
//
// Ownership: refers to the graph. Threads: leave() from any. Errors: a token that oneTBB has no
// memory to send on goes to `lost`, which must not throw; without one the graph is cancelled. A
// thread that is new to oneTBB waits until there is memory for it.
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
