// loop_node: sends each token through a body again and again, for as long as a condition holds.
//
//            +-----------------------------+
//            v                             |
//   --> input / again -- body() --> ... ---+      make_edge(loop.body(), first);  make_edge(last,
//   loop.again());
//            |
//            +---------- done() --> ...           make_edge(loop.done(), next);
//
// The condition is asked before every trip, so zero trips are legal. Other tokens go on while one
// loops. The node keeps no state per token: what counts the trips lives in the token, and `begin`
// sets it back on entry. A loop that must end bounds itself there: a condition that stays true
// keeps its token for ever. A token whose `begin` or condition throws leaves through failed().
// Ownership and threads: as for select_node.
#pragma once

#include <sluice/graph/flow/select_node.h>

#include <utility>

namespace sluice::flow {

template <class Token>
class loop_node {
 public:
  template <class Begin, class Condition>
  loop_node(tbb::flow::graph& g, Begin begin, Condition condition)
      : again_(g, 2,
               [condition](const Token& token) -> std::size_t {
                 return static_cast<bool>(condition(token)) ? kBody : kDone;
               }),
        entry_(g, 2,
               [begin, condition](const Token& token) -> std::size_t {
                 begin(token);
                 return static_cast<bool>(condition(token)) ? kBody : kDone;
               }),
        body_(g),
        done_(g),
        failed_(g) {
    for (auto* node : {&entry_, &again_}) {
      tbb::flow::make_edge(node->port(kBody), body_);
      tbb::flow::make_edge(node->port(kDone), done_);
      tbb::flow::make_edge(node->failed(), failed_);
    }
  }

  tbb::flow::receiver<Token>& input() { return entry_.input(); }
  tbb::flow::receiver<Token>& again() { return again_.input(); }
  tbb::flow::sender<Token>& body() { return body_; }
  tbb::flow::sender<Token>& done() { return done_; }
  tbb::flow::sender<Token>& failed() { return failed_; }

 private:
  static constexpr std::size_t kDone = 0, kBody = 1;
  select_node<Token> again_;
  select_node<Token> entry_;
  tbb::flow::broadcast_node<Token> body_;
  tbb::flow::broadcast_node<Token> done_;
  tbb::flow::broadcast_node<Token> failed_;
};

}  // namespace sluice::flow
