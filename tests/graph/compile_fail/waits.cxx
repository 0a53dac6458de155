// Functions that cannot be steps that wait.
//
// WANT 1: map_async: name the type that the completion handle is fired with: g.map_async<R>(name, f, args...), where f takes a Completion<R>, then the values
// WANT 2: map_async: the function cannot be called: it must take a Completion<R>, then const references to the values given, in their order, and not be mutable
// TYPES 2: sluice::Completion<int>
// WANT 3: map_async: the function cannot be called
// TYPES 3: sluice::Completion<std::
// WANT 4: map_async: the function returns something, but the step's value is what the completion handle is fired with: return nothing, and call set() on the handle
// WANT 5: map_async: R is a Value, but the handle is fired with a plain object: name the plain type, for example g.map_async<int>
// TYPES 5: sluice::Value<int>
// WANT 6: map_async: an R cannot be a value of a sample: its type must have a default constructor, be movable, and have a destructor that does not throw
// TYPES 6: NoDefault
// WANT 7: map_async: R is void, const or a reference: name the type of an object, which becomes the step's value
// WANT 8: map_async: R is void, const or a reference
// WANT 9: map_async: a constant argument is a pointer or view, but must live as long as the pipeline: give the object, for example a std::string or std::vector, or a std::shared_ptr
// TYPES 9: int*
// WANT 10: map_async: the function is or acts like a std::reference_wrapper, but must live as long as the pipeline
#include <sluice/graph/pipeline.h>

#include <functional>
#include <string>
#include <tuple>
#include <utility>

using namespace sluice;

struct NoDefault {
  explicit NoDefault(int) {}
};

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  int outside = 1;
  auto ask = [](Completion<int> done, int x) { done.set(x); };
  (void)outside, (void)ask;
#if CASE == 0
  auto [two, name] = g.map_async<std::tuple<int, std::string>>(
      "ask both", [](Completion<std::tuple<int, std::string>> done, int x) { done.set({x, "x"}); },
      n);
  return std::tuple{g.map_async<int>("ask", ask, n), two, name};
#elif CASE == 1
  return g.map_async("ask", ask, n);
#elif CASE == 2  // as map's
  return g.map_async<int>("ask", [](int x) { return x; }, n);
#elif CASE == 3
  return g.map_async<std::string>("ask", ask, n);
#elif CASE == 4
  return g.map_async<int>("ask", [](Completion<int> done, int x) { return done.set(x); }, n);
#elif CASE == 5
  return g.map_async<Value<int>>("ask", ask, n);
#elif CASE == 6
  return g.map_async<NoDefault>("ask", [](auto, int) {}, n);
#elif CASE == 7
  return g.map_async<void>("ask", [](auto, int) {}, n);
#elif CASE == 8
  return g.map_async<const int&>("ask", [](auto, int) {}, n);
#elif CASE == 9
  return g.map_async<int>("ask", [](Completion<int> done, const int* x) { done.set(*x); },
                          &outside);
#elif CASE == 10
  return g.map_async<int>("ask", std::ref(ask), n);
#endif
}

int main() { (void)make_pipeline({}, describe); }
