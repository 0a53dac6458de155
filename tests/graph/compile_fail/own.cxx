// Values that hold a view which the library cannot find.
//
// WANT 1: give it a member function `void own()` that calls own() of each
// WANT 2: give it a member function `void own()` that calls own() of each
// WANT 3: give it a member function `void own()` that calls own() of each
#include <sluice/graph/pipeline.h>

#include <string>
#include <utility>

using namespace sluice;

struct Base {
  std::string name;
};
#if CASE == 0  // what cannot be looked into, but says what to do; and what needs not be looked into
struct Holder : Base {
  Image image;
  void own() { image.own(); }
};
struct Flags {
  unsigned a : 1;
  unsigned b : 1;
  std::string numbers[20];
};
#elif CASE == 1
struct Holder : Base {
  Image image;
};
#elif CASE == 2
struct Holder {
  std::string name;
  Image images[2];
};
#elif CASE == 3
struct Holder {
  int a, b, c, d, e, f, g, h, i, j, k, l;
  Image image;
};
#endif

auto describe(Graph& g) {
  auto n = g.source(8, [](const SampleInfo& info) { return info.index_in_epoch; });
#if CASE == 0
  (void)g.map(
      "flags", [](std::int64_t) { return Flags{}; }, n);
#endif
  return g.map(
      "hold", [](std::int64_t) { return Holder{}; }, n);
}

int main() { (void)make_pipeline({}, describe); }
