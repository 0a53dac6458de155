// predicate_node: sends each token to on_true() or on_false().
//
//   predicate_node<Token*> coin(g, [](Token* t) { return t->heads; });
//   make_edge(coin.on_true(), rotate);  make_edge(rotate, resize);
//   make_edge(coin.on_false(), resize);   // an empty branch: wired directly to the merge
//
// Only the branch that is taken runs. A token whose predicate throws leaves through failed().
// Ownership and threads: as for select_node.
#pragma once

#include <sluice/graph/flow/select_node.h>

#include <utility>

namespace sluice::flow {

template <class Token, class Policy = as_task>
class predicate_node {
 public:
  // `predicate(token)` returns anything that converts to bool.
  template <class Predicate>
  predicate_node(tbb::flow::graph& g, Predicate predicate)
      : select_(g, 2, [predicate = std::move(predicate)](const Token& token) -> std::size_t {
          return static_cast<bool>(predicate(token)) ? 1 : 0;
        }) {}

  tbb::flow::receiver<Token>& input() { return select_.input(); }
  tbb::flow::sender<Token>& on_true() { return select_.port(1); }
  tbb::flow::sender<Token>& on_false() { return select_.port(0); }
  tbb::flow::sender<Token>& failed() { return select_.failed(); }

 private:
  select_node<Token, Policy> select_;
};

}  // namespace sluice::flow
