// select_node: sends each token to one of N ports. predicate_node: to one of two.
//
//   select_node<Token*> by_size(g, 3, [](Token* t) { return t->size_class; });
//   make_edge(window.output(), by_size.input());
//   make_edge(by_size.port(0), small);  make_edge(by_size.port(1), medium);  ...
//
// Branches merge by wiring their ends to the same receiver: there is no merge node, and merging
// costs nothing. Every token leaves through exactly one port. If the selector throws, or returns N
// or more, the token leaves through failed(). Connect that too if your selector can do so: a token
// that goes nowhere never returns to the window.
//
// Ownership: the node belongs to its graph's user and must outlive the graph's activity.
// Threads: the selector runs concurrently for different tokens. Tokens are copied: keep them to a
// few bytes. Policy: see inline_dispatch.h. If oneTBB throws when a token is put into the next
// node, that ends the graph's run; in a carried node, the program.
#pragma once

#include <sluice/graph/flow/inline_dispatch.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>

namespace sluice::flow {

template <class Token, class Policy = as_task>
class select_node {
 public:
  // `selector(token)` returns the number of the port, 0 to ports - 1. The cost of a choice does not
  // depend on `ports`.
  template <class Selector>
  select_node(tbb::flow::graph& g, std::size_t ports, Selector selector)
      : node_(g, [this, selector = std::move(selector)](const Token& token) {
          std::size_t index = failed_port();
          try {
            index = static_cast<std::size_t>(selector(token));
          } catch (...) {  // an exception from the body would stop other tokens, too
          }
          if (index > failed_port()) index = failed_port();
          ports_[index]->template put<Policy>(token);
        }) {
    for (std::size_t i = 0; i <= ports; ++i) ports_.push_back(std::make_unique<Port>(g));
  }
  select_node(const select_node&) = delete;
  select_node& operator=(const select_node&) = delete;

  tbb::flow::receiver<Token>& input() { return node_; }
  tbb::flow::sender<Token>& port(std::size_t i) { return *ports_.at(i); }
  tbb::flow::sender<Token>& failed() { return *ports_.back(); }
  std::size_t size() const { return failed_port(); }

 private:
  using Port = output_port<Token>;
  std::size_t failed_port() const { return ports_.size() - 1; }

  std::vector<std::unique_ptr<Port>> ports_;
  input_node<Token, Policy> node_;
};

// predicate_node: sends each token to on_true() or on_false().
//
//   predicate_node<Token*> coin(g, [](Token* t) { return t->heads; });
//   make_edge(coin.on_true(), rotate);  make_edge(rotate, resize);
//   make_edge(coin.on_false(), resize);   // an empty branch: wired directly to the merge
//
// Only the branch that is taken runs. A token whose predicate throws leaves through failed().
// Ownership and threads: as for select_node.

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
