// Types that a pipeline's description may not return.
//
// WANT 1: make_pipeline: the description returns nothing: end it with `return` and its result
// WANT 2: make_pipeline: the description returns a std::vector or std::map of Values, whose type does not say how many columns a batch has: return a std::array, std::tuple or struct of Values, or make one Value of them with map
// TYPES 2: std::vector<sluice::Value<int>
// WANT 3: make_pipeline: the description returns a std::vector or std::map of Values
// TYPES 3: std::map<int, sluice::Value<int>
// WANT 4: make_pipeline: the description returns a struct with a constant in it
// TYPES 4: PartlyConstant
// WANT 5: make_pipeline: the description must be a callable that takes a Graph&
// WANT 6: make_pipeline: the description must be a callable that takes a Graph&
// WANT 7: make_pipeline: the description returns a pointer or view, but a constant must own its data
// WANT 8: a plain object is given where a Value is needed: inside a step's function, call functions of sluice::kernels on plain objects; for a constant, make a Value with Graph::constant
// TYPES 8: int
// WANT 9: make_pipeline: the description returns a std::vector or std::map of Values
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace sluice;

struct Good {
  Value<int> a;
  std::array<Value<int>, 2> b;
};
struct PartlyConstant {
  Value<int> a;
  int b;
};

auto numbers(Graph& g) {
  return g.source(8,
                  [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
}

int main() {
#if CASE == 0
  auto pipeline = make_pipeline({}, [](Graph& g) {
    auto n = numbers(g);
    return std::pair{Good{n, {n, n}}, "text"};
  });
  for (const auto& [a, b, c, text] : pipeline.epoch()) return text[0] == "text" ? a[0] + b[0] : c[0];
#elif CASE == 1
  auto pipeline = make_pipeline({}, [](Graph& g) { (void)numbers(g); });
#elif CASE == 2
  auto pipeline = make_pipeline({}, [](Graph& g) { return std::vector{numbers(g)}; });
#elif CASE == 3
  auto pipeline = make_pipeline({}, [](Graph& g) { return std::map<int, Value<int>>{{1, numbers(g)}}; });
#elif CASE == 4
  auto pipeline = make_pipeline({}, [](Graph& g) { return PartlyConstant{numbers(g), 1}; });
#elif CASE == 5
  auto pipeline = make_pipeline({}, [] { return 1; });
#elif CASE == 6
  auto pipeline = make_pipeline({}, 1);
#elif CASE == 7
  auto pipeline = make_pipeline({}, [](Graph& g) { return &g; });
#elif CASE == 8
  auto pipeline = make_pipeline({}, [](Graph& g) { return Good{3, {numbers(g), numbers(g)}}; });
#elif CASE == 9
  auto pipeline = make_pipeline({}, [](Graph& g) {
    return std::tuple{numbers(g), std::pair{1, std::vector{numbers(g)}}};
  });
#endif
}
