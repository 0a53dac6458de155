// Functions that cannot be steps.
//
// WANT 1: map: the function returns nothing: it must return the step's value; a step without one is a tap
// WANT 2: map: the function returns a Value, but computes with the plain objects of one sample: pass Values as arguments of the step, and call functions of sluice::kernels on plain objects
// TYPES 2: sluice::Value<sluice::Image>
// WANT 3: a plain object is given where a Value is needed: inside a step's function, call functions of sluice::kernels on plain objects; for a constant, make a Value with Graph::constant
// TYPES 3: sluice::Image
// WANT 4: map: the function cannot be called: it must take const references to the values given, in their order, and not be mutable
// TYPES 4: sluice::Value<int>
// WANT 5: map: the function cannot be called
// WANT 6: map: the function is or acts like a std::reference_wrapper, but must live as long as the pipeline
// WANT 7: map: a constant argument is a pointer or view, but must live as long as the pipeline: give the object, for example a std::string or std::vector, or a std::shared_ptr
// TYPES 7: int*
// WANT 8: map: a constant argument is a pointer or view
// TYPES 8: std::basic_string_view<char
// WANT 9: map: a constant argument is a pointer or view
// TYPES 9: std::reference_wrapper<int>
// WANT 10: random: the function cannot be called: it must take a Random& and const references to the values given
// WANT 11: map_into: the function cannot be called
// WANT 12: tap: the function cannot be called
// WANT 13: source: the function cannot be called: it must take a const SampleInfo&
// WANT 14: source: the function returns nothing
// WANT 15: random: the function returns nothing
// WANT 16: map: the function's result cannot be a value of a sample
// WANT 17: map: the function returns a reference to what can neither be copied nor cloned
// WANT 18: an operator's parameter is given a Value that may lose something: say how with cast<T>(value), or compare to make a bool
// TYPES 18: float
// WANT 19: map: a constant argument is a pointer or view
// TYPES 19: const char*
// WANT 20: map: the function returns a Value
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/image.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

using namespace sluice;

struct NoDefault {
  explicit NoDefault(int) {}
};
struct Sample {
  Image image;
  int number = 0;
};
struct Holder {
  Sample sample;
};

auto describe(Graph& g) {
  auto n =
      g.source(8, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
  auto image = g.map_into<Image>("make", [](int, Image& out) { out.create(8, 8, 3); }, n);
  auto holder = g.map("holder", [](const Image& i) { return Holder{{i.clone(), 1}}; }, image);
  int outside = 1;
  auto plus = [](int x, int y) { return x + y; };
  (void)outside, (void)plus, (void)holder;
#if CASE == 0
  auto sample = g.map("sample", [](const Image& i) { return Sample{i.clone(), 1}; }, image);
  auto shared = std::make_shared<int>(1);
  (void)g.map("add", [](int x, const std::shared_ptr<int>& y) { return x + *y; }, n, shared);
  (void)rotate(image, cast<double>(n));
  return std::tuple{g.map("image", &Sample::image, sample), g.map("add", plus, n, 1)};
#elif CASE == 1
  return g.map("nothing", [](int) {}, n);
#elif CASE == 2  // an operator on what one sample has
  return g.map("turn", [](const Image& i) { return rotate(i, 30.f); }, image);
#elif CASE == 3
  return g.map("turn", [](const Image& i) { (void)flip(i); return 1; }, image);
#elif CASE == 4
  return g.map("two", plus, n);
#elif CASE == 5
  return g.map("mutable", [k = 0](int x) mutable { return k += x; }, n);
#elif CASE == 6
  return g.map("plus", std::ref(plus), n, 1);
#elif CASE == 7
  return g.map("plus", [](int x, const int* y) { return x + *y; }, n, &outside);
#elif CASE == 8
  return g.map("text", [](int x, std::string_view y) { return std::to_string(x) + y.data(); }, n,
               std::string_view("y"));
#elif CASE == 9
  return g.map("plus", plus, n, std::ref(outside));
#elif CASE == 10
  return g.random("draw", [](int x) { return x; }, n);
#elif CASE == 11
  return g.map_into<Image>("make", [](int) {}, n);
#elif CASE == 12
  return g.tap("see", [](const Image&) {}, n);
#elif CASE == 13
  return g.source(8, [](int i) { return i; });
#elif CASE == 14
  return g.source(8, [](const SampleInfo&) {});
#elif CASE == 15
  return g.random("draw", [](Random&, int) {}, n);
#elif CASE == 16
  return g.map("make", [](int x) { return NoDefault(x); }, n);
#elif CASE == 17
  return g.map("sample", &Holder::sample, holder);
#elif CASE == 18
  return resize(image, {.height = 5, .width = cast<float>(n)});
#elif CASE == 19
  return g.map("text", [](int x, const char* y) { return std::to_string(x) + y; }, n, "y");
#elif CASE == 20  // a Value of the description, in a step of a sample
  return g.map("choose", [&](int) { return image; }, n);
#endif
}

int main() { (void)make_pipeline({}, describe); }
