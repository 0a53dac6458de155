// window: tokens that go round, so that only so many samples are under way, however many there are.
//
//   +--> window --> work --> count --+
//   +--------------------------------+
//
// The window owns no samples: it hands out free tokens, here pointers to slots, and admits the next
// sample into them.
#include <sluice/graph/flow/window.h>

#include <cstdio>
#include <vector>

#include <tbb/flow_graph.h>

namespace {

struct Slot {
  long id = 0;
  long result = 0;
};

}  // namespace

int main() {
  constexpr long kSamples = 1000;
  tbb::flow::graph g;
  std::vector<Slot> slots(8);
  std::vector<Slot*> tokens;
  for (Slot& slot : slots) tokens.push_back(&slot);

  long next = 0;
  sluice::flow::window<Slot*> window(g, tokens, 0, [&](Slot* slot) {
    if (next == kSamples) return false;
    slot->id = next++;
    return true;
  });
  tbb::flow::function_node<Slot*, Slot*> work(g, tbb::flow::unlimited, [](Slot* slot) {
    slot->result = slot->id * slot->id;
    return slot;
  });
  long sum = 0;
  tbb::flow::function_node<Slot*, Slot*> count(g, tbb::flow::serial, [&](Slot* slot) {
    sum += slot->result;
    return slot;
  });
  make_edge(window.output(), work);
  make_edge(work, count);
  make_edge(count, window.returns());

  window.start();
  g.wait_for_all();
  std::printf("%ld samples through %zu slots, sum of squares %ld\n", next, slots.size(), sum);
}
