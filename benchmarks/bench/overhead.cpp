#include "benchmarks/bench/overhead.h"

#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace sluice::app {

//                                                            +--> branch --+
//   input --> limiter --> first --> second --> third --> switch         +--> order --> batch --+
//                ^                                             +--------+                      |
//                +-----------------------------------------------------------------------------+
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
    tf::function_node<Id, Id> branch(g, tf::unlimited, stage);
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
    tf::make_edge(tf::output_port<0>(choose), branch);
    tf::make_edge(tf::output_port<1>(choose), order);
    tf::make_edge(branch, order);
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

namespace {

using Number = Value<std::int64_t>;
using Describe = std::function<Number(Graph&, Number)>;

constexpr int kTrips = 10;
constexpr int kNested = 6;
constexpr int kManyBranches = 32;

std::int64_t same(std::int64_t x) { return x; }

Number step(Graph& g, const char* name, const Number& x) { return g.map(name, same, x); }
Value<bool> is_true(Graph& g, const Number& x) {
  return g.map(
      "is_true", [](std::int64_t) { return true; }, x);
}

// Work that no sample should ever wait for.
Number work(Graph& g, const Number& x) {
  return g.map(
      "work",
      [](std::int64_t y) {
        for (int i = 0; i < 100000; ++i) y = y * 6364136223846793005 + 1442695040888963407;
        return y;
      },
      x);
}

Number in_a_line(Graph& g, const Number& x) {
  auto key = step(g, "key", x);
  return g.map(
      "branch", [](std::int64_t y, std::int64_t) { return y; }, x, key);
}

Number one_if(Graph& g, const Number& x) {
  auto key = g.map(
      "key", [](std::int64_t y) { return y % 2 == 0; }, x);
  const auto branch = [&] { return step(g, "branch", x); };
  return g.if_else(key, branch, branch);
}

// `taken`: the number of branches that are ever taken; `other`: the body of the others.
Number one_select(Graph& g, const Number& x, std::int64_t branches, std::int64_t taken,
                  Number (*other)(Graph&, const Number&)) {
  auto key = g.map(
      "key", [taken](std::int64_t y) { return y % taken; }, x);
  std::vector<std::function<Number()>> all;
  for (std::int64_t a = 0; a < branches; ++a)
    all.emplace_back(
        [&g, x, a, taken, other] { return a < taken ? step(g, "branch", x) : other(g, x); });
  return g.select(key, all);
}

Number nested(Graph& g, const Number& x, int depth) {
  if (depth == 0) return step(g, "branch", x);
  return g.if_else(
      is_true(g, x), [&] { return nested(g, x, depth - 1); }, [&] { return x; });
}
Number nest_in_a_line(Graph& g, const Number& x) {
  Number last = x;
  for (int i = 0; i < kNested; ++i)
    last = g.map(
        "is_true", [](std::int64_t y, std::int64_t) { return y; }, x, last);
  return step(g, "branch", last);
}

Number loop(Graph& g, const Number& x) {
  return g.for_loop(kTrips, x, [&](const auto&, const Number& y) { return step(g, "trip", y); });
}
Number loop_in_a_line(Graph& g, const Number& x) {
  Number last = x;
  for (int i = 0; i < kTrips; ++i) last = step(g, "trip", last);
  return last;
}

Number idle(Graph& g, const Number& x) { return step(g, "branch", x); }

struct Contender {
  std::string name;  // empty: a baseline
  Describe describe;
  std::size_t base = 0;  // the index of its baseline
};

std::vector<Contender> contenders() {
  const auto select = [](std::int64_t branches, std::int64_t taken,
                         Number (*other)(Graph&, const Number&)) {
    return [=](Graph& g, const Number& x) { return one_select(g, x, branches, taken, other); };
  };
  return {{"", in_a_line},
          {"if", one_if, 0},
          {"select of 8", select(8, 8, idle), 0},
          {"select of 32", select(kManyBranches, kManyBranches, idle), 0},
          {"select of 32, one branch taken", select(kManyBranches, 1, idle), 0},
          {"the same, work in the others", select(kManyBranches, 1, work), 0},
          {"", nest_in_a_line},
          {"six ifs, nested", [](Graph& g, const Number& x) { return nested(g, x, kNested); }, 6},
          {"", loop_in_a_line},
          {"loop of 10 iterations", loop, 8}};
}

Subject make(const SubjectOptions& options, const Describe& describe) {
  return subject_of(options, [images = options.images, describe](Graph& g) {
    auto id = g.source(images, [](const SampleInfo& info) { return info.index; });
    return describe(g, step(g, "third", step(g, "second", step(g, "first", id))));
  });
}

// Returns the number of samples for about `seconds`, estimated from a short run.
std::int64_t samples_for(double seconds, SubjectOptions options, const Describe& describe) {
  constexpr std::int64_t kLeast = 20000, kMost = 20000000;
  options.images = kLeast;
  const double probe = make(options, describe).run();
  return std::clamp<std::int64_t>(std::llround(seconds / probe * static_cast<double>(kLeast)),
                                  kLeast, kMost);
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

std::vector<double> OverheadRow::adds() const {
  std::vector<double> all;
  for (std::size_t i = 0; i < ns.size(); ++i) all.push_back(ns[i] - base_ns[i]);
  return all;
}

Subject make_overhead_subject(const SubjectOptions& options) {
  return make(options, [](Graph& g, const Number& third) {
    auto even = g.map(
        "even", [](std::int64_t x) { return x % 2 == 0; }, third);
    return g.if_else(
        even, [&] { return step(g, "branch", third); }, [&] { return third; });
  });
}

std::vector<OverheadRow> measure_overhead_rows(const SubjectOptions& options, double seconds,
                                               int rounds, std::FILE* out) {
  const std::vector<Contender> all = contenders();
  std::vector<SubjectOptions> sizes(all.size(), options);
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sizes[i].images = samples_for(seconds, options, all[i].describe);
    subjects.push_back(make(sizes[i], all[i].describe));
  }
  std::vector<std::vector<double>> ns(all.size());
  for (int round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double took = subjects[i].run();
      if (round > 0) ns[i].push_back(1e9 * took / static_cast<double>(sizes[i].images));
    }
    if (round > 0) fmt::print(out, "  rows: round {} of {}\n", round, rounds);
    (void)std::fflush(out);
  }
  std::vector<OverheadRow> rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].name.empty()) rows.push_back({all[i].name, ns[i], ns[all[i].base]});
  }
  return rows;
}

namespace {

using Clock = std::chrono::steady_clock;
using Done = Completion<std::int64_t>;

// Completes each handle kWait after it was added. A ring is enough, because handles become due in
// order. It is destroyed after the run, when no handle is left.
class Timer {
 public:
  Timer() : ring_(kWaiting) { due_.reserve(kWaiting); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void add(Done done, std::int64_t value) {
    const std::lock_guard lock(mutex_);
    Waiting& place = ring_[(first_ + count_) % ring_.size()];
    place = {Clock::now() + kWait, std::move(done), value};
    if (++count_ == 1) wake_.notify_one();
  }

 private:
  struct Waiting {
    Clock::time_point until;
    Done done;
    std::int64_t value = 0;
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (count_ == 0) {
        wake_.wait(lock);
        continue;
      }
      const Clock::time_point now = Clock::now();
      for (; count_ > 0 && ring_[first_].until <= now; --count_) {
        due_.push_back(std::move(ring_[first_]));
        first_ = (first_ + 1) % ring_.size();
      }
      if (due_.empty()) {
        wake_.wait_until(lock, ring_[first_].until);
        continue;
      }
      lock.unlock();
      for (Waiting& waiting : due_) waiting.done.set(waiting.value);
      due_.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Waiting> ring_;  // never more handles than in flight
  std::size_t first_ = 0, count_ = 0;
  std::vector<Waiting> due_;  // used by the thread only
  bool stopping_ = false;
  std::thread thread_{[this] { run(); }};
};

}  // namespace

Subject make_wait_subject(SubjectOptions options) {
  options.window = kWaiting;
  return subject_of(options, [images = options.images](Graph& g) {
    auto id = g.source(images, [](const SampleInfo& info) { return info.index; });
    return g.map_async<std::int64_t>(
        "wait",
        [timer = std::make_shared<Timer>()](Done done, std::int64_t x) {
          timer->add(std::move(done), x);
        },
        id);
  });
}

}  // namespace sluice::app
