// loop_node: sends each token through a body repeatedly, while a condition holds.
//
//            +-----------------------------+
//            v                             |
//   --> input / again -- body() --> ... ---+
//            |
//            +---------- done() --> ...
//
//   make_edge(loop.body(), first);  make_edge(last, loop.again());
//   make_edge(loop.done(), next);
//
// The condition is evaluated before every iteration, so zero iterations are legal. Other tokens go
// on while one loops. The node keeps no state per token: the token holds its count of iterations,
// and `begin` resets it on entry. Bound the loop by that count: a condition that stays true keeps
// its token for ever. A token whose `begin` or condition throws leaves through failed().
//
// Ownership and threads: as for select_node.
#pragma once

#include <sluice/graph/flow/inline_dispatch.h>

#include <utility>

namespace sluice::flow {

template <class Token, class Policy = as_task>
class loop_node {
 public:
  template <class Begin, class Condition>
  loop_node(tbb::flow::graph& g, Begin begin, Condition condition)
      : body_(g),
        done_(g),
        failed_(g),
        again_(g,
               [this, condition](const Token& token) {
                 send(token, [&] { return static_cast<bool>(condition(token)); });
               }),
        entry_(g, [this, begin = std::move(begin), condition](const Token& token) {
          send(token, [&] {
            begin(token);
            return static_cast<bool>(condition(token));
          });
        }) {}
  loop_node(const loop_node&) = delete;
  loop_node& operator=(const loop_node&) = delete;

  tbb::flow::receiver<Token>& input() { return entry_; }
  tbb::flow::receiver<Token>& again() { return again_; }
  tbb::flow::sender<Token>& body() { return body_; }
  tbb::flow::sender<Token>& done() { return done_; }
  tbb::flow::sender<Token>& failed() { return failed_; }

 private:
  template <class Ask>
  void send(const Token& token, const Ask& ask) {
    output_port<Token>* to = &failed_;
    try {
      to = ask() ? &body_ : &done_;
    } catch (...) {  // an exception from the body would stop other tokens, too
    }
    to->template put<Policy>(token);
  }

  output_port<Token> body_;
  output_port<Token> done_;
  output_port<Token> failed_;
  input_node<Token, Policy> again_;
  input_node<Token, Policy> entry_;
};

}  // namespace sluice::flow
