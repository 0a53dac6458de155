// async_node: a node whose tokens wait for something that needs no thread: a reply, a timer, a
// device.
//
//   using Node = async_node<Request*>;
//   Node ask(g, [&](Request* r, Node::completion done) { server.send(r, std::move(done)); });
//   make_edge(last, ask.input());  make_edge(ask.output(), next);
//   ...                                       // later, on the server's own thread:
//   done.fire();                              // the token goes on through output()
//
// The body starts the operation and returns. The graph's threads go on with other tokens, and the
// node keeps the graph alive: wait_for_all() does not return before each token has left. A token
// leaves once. It leaves through output() when its handle is fired, on any thread, also inside the
// body. It leaves through failed() if its handle is destroyed before that; a body that throws does
// so if it still has the handle. A handle that is never fired and never destroyed keeps the graph
// waiting for ever.
//
// If oneTBB has no memory to send a token on, `lost(token, why)` is called on the thread that
// fires; without it the graph is cancelled. It must not throw.
//
// Tokens leave on the thread that fires: wire output() and failed() to nodes that are tasks, even
// if the input is carried (see inline_dispatch.h).
//
// Ownership: the node belongs to its graph's user and must outlive the graph's activity; a handle
// refers to the node and holds nothing else. Memory: none for a token beyond oneTBB's tasks.
// Threads: the body runs concurrently for different tokens; a handle is moved, fired and destroyed
// on any thread, one at a time. Tokens are copied: keep them to a few bytes. Errors: fire() throws
// nothing. A thread that is new to oneTBB waits in fire() until there is memory for it.
#pragma once

#include <sluice/graph/flow/inline_dispatch.h>

#include <utility>

#include <tbb/flow_graph.h>

namespace sluice::flow {

template <class Token, class Policy = as_task>
class async_node {
 public:
  class completion {
   public:
    completion() = default;
    completion(completion&& other) noexcept
        : node_(std::exchange(other.node_, nullptr)), token_(other.token_) {}
    completion& operator=(completion&& other) noexcept {
      if (this != &other) {
        drop();
        node_ = std::exchange(other.node_, nullptr);
        token_ = other.token_;
      }
      return *this;
    }
    ~completion() { drop(); }

    // True if it can still be fired.
    explicit operator bool() const { return node_ != nullptr; }
    const Token& token() const { return token_; }
    // Returns true if this sends the token on, false if it has left already.
    bool fire() noexcept {
      async_node* const node = std::exchange(node_, nullptr);
      if (node != nullptr) node->complete(token_);
      return node != nullptr;
    }
    // Leaves the token to the caller, which must call complete().
    Token release() noexcept {
      node_ = nullptr;
      return token_;
    }

   private:
    friend class async_node;
    completion(async_node& node, const Token& token) : node_(&node), token_(token) {}
    void drop() noexcept {
      async_node* const node = std::exchange(node_, nullptr);
      if (node != nullptr) node->failed_.leave(token_);
    }

    async_node* node_ = nullptr;
    Token token_{};
  };

  // `body(token, completion)`: its exceptions are dropped, because the handle decides what becomes
  // of the token.
  template <class Body>
  async_node(tbb::flow::graph& g, Body body, const lost_function<Token>& lost = {})
      : graph_(g),
        output_(g, lost),
        failed_(g, lost),
        input_(g, [this, body = std::move(body)](const Token& token) {
          graph_.reserve_wait();
          try {
            body(token, completion(*this, token));
          } catch (...) {  // an exception from here would stop other tokens, too
          }
        }) {}
  async_node(const async_node&) = delete;
  async_node& operator=(const async_node&) = delete;

  tbb::flow::receiver<Token>& input() { return input_; }
  tbb::flow::sender<Token>& output() { return output_; }
  tbb::flow::sender<Token>& failed() { return failed_; }

  // Sends on a token whose handle was released; once for each.
  void complete(const Token& token) noexcept { output_.leave(token); }

 private:
  tbb::flow::graph& graph_;
  exit_port<Token> output_;
  exit_port<Token> failed_;
  input_node<Token, Policy> input_;
};

}  // namespace sluice::flow
