#include "benchmarks/workloads/limits.h"
#include <sluice/runtime/error.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

//                                                            +--> arm --+
//   input --> limiter --> first --> second --> third --> switch         +--> order --> batch --+
//                ^                                             +--------+                      |
//                +-----------------------------------------------------------------------------+

namespace sluice::app {

double run_raw_tbb(std::int64_t samples, int threads, int batch) {
  namespace tf = tbb::flow;
  using Id = std::int64_t;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads, 1);
  std::int64_t arrived = 0;
  double seconds = 0;
  arena.execute([&] {
    tf::graph g;
    Id next = 0;
    tf::input_node<Id> input(g, [&](tbb::flow_control& control) -> Id {
      if (next == samples) control.stop();
      return next++;
    });
    // With `int` as its decrementer's type, it counts the numbers that come back. The default type
    // would wait for every edge.
    tf::limiter_node<Id, int> window(g, 3 * static_cast<std::size_t>(batch));
    const auto stage = [](Id id) { return id; };
    tf::function_node<Id, Id> first(g, tf::unlimited, stage);
    tf::function_node<Id, Id> second(g, tf::unlimited, stage);
    tf::function_node<Id, Id> third(g, tf::unlimited, stage);
    using Switch = tf::multifunction_node<Id, std::tuple<Id, Id>>;
    Switch choose(g, tf::unlimited, [](Id id, Switch::output_ports_type& ports) {
      if (id % 2 == 0) {
        std::get<0>(ports).try_put(id);
      } else {
        std::get<1>(ports).try_put(id);
      }
    });
    tf::function_node<Id, Id> arm(g, tf::unlimited, stage);
    tf::sequencer_node<Id> order(g, [](Id id) { return static_cast<std::size_t>(id); });
    std::vector<Id> gathered;
    gathered.reserve(static_cast<std::size_t>(batch));
    tf::function_node<Id, int> gather(g, tf::serial, [&](Id id) {
      ++arrived;
      gathered.push_back(id);
      if (gathered.size() == static_cast<std::size_t>(batch)) gathered.clear();
      return 1;
    });
    tf::make_edge(input, window);
    tf::make_edge(window, first);
    tf::make_edge(first, second);
    tf::make_edge(second, third);
    tf::make_edge(third, choose);
    tf::make_edge(tf::output_port<0>(choose), arm);
    tf::make_edge(tf::output_port<1>(choose), order);
    tf::make_edge(arm, order);
    tf::make_edge(order, gather);
    tf::make_edge(gather, window.decrementer());

    const auto start = std::chrono::steady_clock::now();
    input.activate();
    g.wait_for_all();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  if (arrived != samples) {
    throw Error("the hand-wired graph lost samples: " + std::to_string(arrived) + " of " +
                std::to_string(samples));
  }
  return seconds;
}

}  // namespace sluice::app
