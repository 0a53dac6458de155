// Walks through a plan with a loop in a branch: the nodes that they visit, and their order.
#include "tests/graph/sources.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace visit_test {

using detail::Block;
using detail::Choice;
using detail::Loop;
using detail::Node;
using detail::Stage;
using detail::Step;

using Names = std::vector<std::string>;
using Number = Value<std::int64_t>;

Number step(Graph& g, const char* name, Number x) {
  return g.map(
      name, [](std::int64_t v) { return v + 1; }, x);
}

class Walks : public ::testing::Test {
 protected:
  Walks() {
    Graph g(builder_);
    const Number n = indices(g, 8);
    const Number made = g.if_else(
        n > 3,
        [&] {
          const Number looped = g.while_loop(
              n, [&](Number x) { return step(g, "in the condition", x) < 10; },
              [&](Number x) { return step(g, "in the body", x); });
          return step(g, "in the branch", looped);
        },
        [&] { return step(g, "in the other branch", n); });
    (void)step(g, "at the end", made);
  }

  const detail::Plan& plan() const { return builder_.plan(); }
  // Returns a node of the top block: the source, a comparison, the conditional, the end.
  const Node& node(std::size_t at) const { return plan().top.nodes.at(at); }

  static std::string name_of(const Node& node) {
    return visit(
        node, [](const Stage& stage) { return stage.steps.front().name; },
        [](const Choice& choice) { return choice.name; },
        [](const Loop& loop) { return loop.name; });
  }

 private:
  detail::PlanBuilder builder_;
};

TEST_F(Walks, GoBlockByBlockAndOutermostFirst) {
  Names nodes, steps, choices, loops, blocks;
  for_each_node(plan().top, [&](const Node& node) { nodes.push_back(name_of(node)); });
  detail::for_each<Step>(plan().top, [&](const Step& step) { steps.push_back(step.name); });
  detail::for_each<Choice>(plan().top, [&](const Choice& one) { choices.push_back(one.name); });
  detail::for_each<Loop>(plan().top, [&](const Loop& one) { loops.push_back(one.name); });
  for_each_block(plan().top, [&](const Block& block) {
    blocks.push_back(block.nodes.empty() ? "" : name_of(block.nodes.front()));
  });
  EXPECT_EQ(nodes,
            (Names{"source", "greater", "if_else", "at the end", "while_loop", "in the branch",
                   "in the condition", "less", "in the body", "in the other branch"}));
  EXPECT_EQ(steps, (Names{"source", "greater", "at the end", "in the branch", "in the condition",
                          "less", "in the body", "in the other branch"}));
  EXPECT_EQ(choices, Names{"if_else"});
  EXPECT_EQ(loops, Names{"while_loop"});
  EXPECT_EQ(blocks, (Names{"source", "while_loop", "in the condition", "in the body",
                           "in the other branch"}));
}

TEST_F(Walks, MayChangeThePlan) {
  detail::Plan changed = plan();
  detail::for_each<Step>(changed.top, [](Step& step) { step.name += "!"; });
  for_each_block(changed.top, [](Block& block) {
    block.nodes.erase(block.nodes.begin() + 1, block.nodes.end());
  });
  Names names;
  for_each_node(changed.top, [&](const Node& node) { names.push_back(name_of(node)); });
  EXPECT_EQ(names, Names{"source!"});
}

TEST_F(Walks, KnowWhatANodeHoldsAndReads) {
  const detail::SlotId source = steps_in(node(0)).front().writes.front();
  const detail::SlotId greater = steps_in(node(1)).front().writes.front();
  struct Case {
    std::size_t at, steps, blocks;
    std::vector<detail::SlotId> inputs;
  };
  for (const Case& c : {Case{0, 1, 0, {}}, Case{1, 1, 0, {source}}, Case{2, 0, 2, {greater}}}) {
    SCOPED_TRACE(name_of(node(c.at)));
    EXPECT_EQ(steps_in(node(c.at)).size(), c.steps);
    EXPECT_EQ(blocks_in(node(c.at)).size(), c.blocks);
    EXPECT_EQ(inputs_of(node(c.at)), c.inputs);
  }
  const Node& loop = blocks_in(node(2)).front()->nodes.front();
  EXPECT_TRUE(steps_in(loop).empty());
  EXPECT_EQ(blocks_in(loop),
            (std::vector{&std::get<Loop>(loop).condition, &std::get<Loop>(loop).body}));
  EXPECT_EQ(inputs_of(loop), std::vector{source});
}

}  // namespace visit_test
}  // namespace sluice
