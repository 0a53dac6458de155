// Invalid datasets.
//
// clang-format off
// WANT 1: source: the function cannot be called: it must take a const SampleInfo&
// WANT 2: source: the function cannot be called: it must take a const SampleInfo&
// WANT 3: source: the function cannot be called: it must take a const SampleInfo&
// WANT 4: source: the function's result cannot be a value of a sample
// WANT 5: batches_of: the function cannot be called: it must take a const BatchInfo&, and not be mutable
// WANT 6: batches_of: the function must return a std::vector of samples
// WANT 7: values_of: a generator can be iterated only once and takes no options: give the function that makes it
// WANT 8: values_of: the function must return a range
// WANT 9: source: begin_epoch(const EpochInfo&) of the dataset must be const
// WANT 10: source: end_epoch() of the dataset must be const and noexcept
// WANT 11: source: the function cannot be called: it must take a const SampleInfo&
// WANT 12: source: the function's result cannot be a value of a sample
// WANT 13: 3 names
// WANT 14: no matching function for call to
// TYPES 14: tar_in
// TYPES 14: NoDefault
// WANT 15: no matching function for call to
// TYPES 15: list_in
// TYPES 15: NoDefault
// WANT 16: SLUICE_WORKER takes a function of a const WorkerArguments&
// WANT 17: the result of SLUICE_WORKER's function must be callable with a const SampleInfo&
// WANT 18: a worker returns Image, Tensor, Bytes, std::string, bool
// clang-format on
#include <sluice/sluice.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using namespace sluice;

struct NoDefault {
  explicit NoDefault(int) {}
};
// A dataset without operator(), and one whose samples cannot travel.
struct Mute {
  std::int64_t size() const { return 1; }
  std::string name(std::int64_t) const { return {}; }
};
struct Stuck : Mute {
  std::tuple<std::int64_t, NoDefault> operator()(const SampleInfo&) const {
    return {1, NoDefault(1)};
  }
};
#if CASE == 16
SLUICE_WORKER("wrong", [](int) { return 1; });
#elif CASE == 17
SLUICE_WORKER("wrong", [](const WorkerArguments&) { return 1; });
#elif CASE == 18
SLUICE_WORKER("wrong", [](const WorkerArguments&) {
  return [](const SampleInfo&) { return NoDefault(1); };
});
#else
SLUICE_WORKER("right", [](const WorkerArguments&) {
  return [](const SampleInfo& info) { return info.index; };
});
#endif
struct Dataset {
  std::int64_t size() const { return 1; }
  std::string name(std::int64_t) const { return {}; }
  std::int64_t operator()(const SampleInfo& info) const { return info.index; }
#if CASE == 9
  void begin_epoch(const EpochInfo&) {}
#elif CASE == 10
  void end_epoch() const {}
#else
  void begin_epoch(const EpochInfo&) const {}
  void end_epoch() const noexcept {}
#endif
};
generator<int> numbers() {
  for (int i = 0; i < 3; ++i) co_yield i;
}

auto describe(Graph& g) {
#if CASE == 1
  (void)g.source(8, [] { return 1; });
#elif CASE == 2
  (void)g.source(8, [](const SampleInfo&, int, int) { return 1; });
#elif CASE == 3
  (void)g.source(8, std::vector<int>{1, 2, 3});
#elif CASE == 4
  (void)g.source(8, [](const SampleInfo&) { return NoDefault(1); });
#elif CASE == 5
  (void)batches_of(8, 2, [](const SampleInfo&) { return std::vector<int>(2); });
#elif CASE == 6
  (void)batches_of(8, 2, [](const BatchInfo&) { return 1; });
#elif CASE == 7
  (void)values_of(numbers(), {.cycle = Cycle::quiet});
#elif CASE == 8
  (void)values_of([] { return 1; });
#elif CASE == 11
  (void)g.read(Mute());
#elif CASE == 12
  (void)g.read(Stuck());
#elif CASE == 13
  auto [jpeg, label, weight] = g.read(list_in("list.csv"));
#elif CASE == 14
  (void)g.read(tar_in<Bytes, NoDefault>({"a.tar"}));
#elif CASE == 15
  (void)g.read(list_in<NoDefault>("list.csv"));
#else
  (void)g.read(tar_in<Bytes, float>({"a.tar"}, {.columns = {"jpg", "txt"}}));
  (void)g.read(list_in<float>("list.csv", {.columns = {"weight"}}));
  (void)g.read(batches_of(8, 2, [](const BatchInfo&) { return std::vector<int>(2); }));
  (void)g.read(values_of(numbers()));
  (void)g.read(values_of(numbers, {.cycle = Cycle::quiet}));
  (void)g.read(values_of(std::vector<int>{1, 2, 3}));
#endif
  return g.read(Dataset());
}

int main() { (void)make_pipeline({}, describe); }
