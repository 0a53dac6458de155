#include "benchmarks/workloads/overhead.h"

#include <sluice/graph/pipeline.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace sluice::app {
namespace {

using Number = Value<std::int64_t>;
using Describe = std::function<Number(Graph&, Number)>;

constexpr int kTrips = 10;
constexpr int kNested = 6;
constexpr int kManyArms = 32;

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
      "arm", [](std::int64_t y, std::int64_t) { return y; }, x, key);
}

Number one_if(Graph& g, const Number& x) {
  auto key = g.map(
      "key", [](std::int64_t y) { return y % 2 == 0; }, x);
  const auto arm = [&] { return step(g, "arm", x); };
  return g.if_else(key, arm, arm);
}

// `taken`: the number of branches that are ever taken; `other`: the body of the others.
Number one_select(Graph& g, const Number& x, std::int64_t arms, std::int64_t taken,
                  Number (*other)(Graph&, const Number&)) {
  auto key = g.map(
      "key", [taken](std::int64_t y) { return y % taken; }, x);
  std::vector<std::function<Number()>> all;
  for (std::int64_t a = 0; a < arms; ++a)
    all.emplace_back(
        [&g, x, a, taken, other] { return a < taken ? step(g, "arm", x) : other(g, x); });
  return g.select(key, all);
}

Number nested(Graph& g, const Number& x, int depth) {
  if (depth == 0) return step(g, "arm", x);
  return g.if_else(
      is_true(g, x), [&] { return nested(g, x, depth - 1); }, [&] { return x; });
}
Number nest_in_a_line(Graph& g, const Number& x) {
  Number last = x;
  for (int i = 0; i < kNested; ++i)
    last = g.map(
        "is_true", [](std::int64_t y, std::int64_t) { return y; }, x, last);
  return step(g, "arm", last);
}

Number loop(Graph& g, const Number& x) {
  return g.for_loop(kTrips, x, [&](const auto&, const Number& y) { return step(g, "trip", y); });
}
Number loop_in_a_line(Graph& g, const Number& x) {
  Number last = x;
  for (int i = 0; i < kTrips; ++i) last = step(g, "trip", last);
  return last;
}

Number idle(Graph& g, const Number& x) { return step(g, "arm", x); }

struct Contender {
  std::string name;  // empty: a baseline
  Describe describe;
  std::size_t base = 0;  // the index of its baseline
};

std::vector<Contender> contenders() {
  const auto select = [](std::int64_t arms, std::int64_t taken,
                         Number (*other)(Graph&, const Number&)) {
    return [=](Graph& g, const Number& x) { return one_select(g, x, arms, taken, other); };
  };
  return {{"", in_a_line},
          {"if", one_if, 0},
          {"select of 8", select(8, 8, idle), 0},
          {"select of 32", select(kManyArms, kManyArms, idle), 0},
          {"select of 32, one arm taken", select(kManyArms, 1, idle), 0},
          {"the same, work in the others", select(kManyArms, 1, work), 0},
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
        even, [&] { return step(g, "arm", third); }, [&] { return third; });
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

}  // namespace sluice::app
