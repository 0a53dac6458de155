// A program may use the names of the library's inner parts for types of its own, even with `using
// namespace sluice`. It must compile; see compile_fail.cmake.
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>

#include <string>
#include <vector>

using namespace sluice;

struct Slot {
  int number = 0;
};
using SlotId = int;
using ScopeId = long;
enum class SlotType { none };
struct Scope {
  int depth = 0;
};
struct Step {
  Slot slot;
};
struct Stage {
  std::vector<Step> steps;
};
struct Block {
  std::vector<Stage> stages;
};
struct Branch {
  Block block;
};
struct Loop {
  Block block;
};
struct Node {
  Branch branch;
  Loop loop;
};
struct Plan {
  std::vector<Node> nodes;
};
struct Frame {
  Plan plan;
};
struct PlanBuilder {
  Frame frame;
};
struct Column {
  std::string name;
};
struct ColumnMaker {};
struct Engine {
  PlanBuilder builder;
};
struct BatchData {};
struct Boundary {};
struct Runner {};
struct Executor {};
struct Delivery {};
struct Notes {};
struct Side {};
struct Storages {};
struct StepCounters {};
struct Run {};
struct ExecutionPath {};
struct PendingBatch {};
template <class T>
std::string type_name() {
  return "mine";
}

int main() {
  const SlotId number = 1;
  const ScopeId scope = 2;
  Engine engine;
  engine.builder.frame.plan.nodes.push_back(
      Node{Branch{Block{{Stage{{Step{Slot{number}}}}}}}, Loop{}});
  const Scope depth{static_cast<int>(scope)};
  const Column column{type_name<Plan>()};
  (void)SlotType::none;
  (void)depth;
  (void)column;
  (void)ColumnMaker();
  (void)BatchData();
  (void)Boundary();
  (void)Runner();
  (void)Executor();
  (void)Delivery();
  (void)Notes();
  (void)Side();
  (void)Storages();
  (void)StepCounters();
  (void)Run();
  (void)ExecutionPath();
  (void)PendingBatch();
  auto pipeline = make_pipeline({}, [](Graph& g) {
    return g.source(8, [](const SampleInfo& info) { return Slot{static_cast<int>(info.batch)}; });
  });
  return to_dot(pipeline.plan()).empty() || to_string(pipeline.stats()).empty() ? 1 : 0;
}
