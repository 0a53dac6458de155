// Random programs of branches, loops, logic and structures mean the same as graphs and as plain
// functions: every output, every error, and how often each step runs.
//
//   SLUICE_RANDOM_PROGRAMS=1000000   the number of programs to try instead of 2,500, or of fewer
//                                    under a sanitizer
//   SLUICE_RANDOM_SEED=5             the first seed; a failure names its seed
//
// A program that fails is made smaller before it is printed.
#include "tests/graph/random_program/check.h"
#include "tests/graph/random_program/generate.h"
#include "tests/graph/random_program/print.h"
#include "tests/graph/random_program/shrink.h"
#include "tests/one_in.h"
#include "tests/tried.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::random_program {
namespace random_program_test {

std::uint64_t programs() {
  constexpr std::uint64_t kPrograms = testing::kThreadSanitizer ? 2400 : 10000;
  return from_environment("SLUICE_RANDOM_PROGRAMS",
                          kPrograms / static_cast<std::uint64_t>(testing::one_in(4, 20)));
}

// Tries three times, because some failures are intermittent.
bool fails(const Program& program, const Setting& setting) {
  for (int i = 0; i < 3; ++i) {
    if (!difference(program, setting).empty()) return true;
  }
  return false;
}

class RandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPrograms, MeanTheSameAsGraphsAndAsPlainFunctions) {
  const std::uint64_t begin = from_environment("SLUICE_RANDOM_SEED", 1);
  for (std::uint64_t seed = begin + GetParam(); seed < begin + programs(); seed += kShards) {
    const Program program = generate(seed);
    const Setting setting = setting_for(seed);
    testing::tried("random-programs");
    const std::string wrong = difference(program, setting);
    if (wrong.empty()) continue;
    const Program small =
        shrink(program, [&](const Program& candidate) { return fails(candidate, setting); });
    std::string now = difference(small, setting);
    if (now.empty()) now = wrong + " (not every time)";
    FAIL() << "SLUICE_RANDOM_SEED=" << seed << ", " << to_string(setting)
           << "\nas generated: " << wrong << "\nmade smaller: " << now << "\n"
           << to_code(small);
  }
}
// The programs that the shards try hold every construct, at every depth, and all ways in which
// samples end.
TEST(RandomProgramGenerator, MakesEveryKindAtEveryDepth) {
  std::set<Kind> kinds;
  std::set<int> depths;
  std::set<Ending::How> endings;
  std::size_t moved = 0;
  const auto visit = [&](const auto& self, const Block& block, int depth) -> void {
    depths.insert(depth);
    for (const Node& node : block.nodes) {
      kinds.insert(node.kind);
      for (const Block& inner : node.blocks) self(self, inner, depth + 1);
    }
  };
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Program program = generate(seed);
    EXPECT_EQ(to_code(program), to_code(generate(seed)));
    visit(visit, program.top, 0);
    const Schedule schedule = follow_rule(program);
    for (const auto& [block, nodes] : schedule) {
      for (const Node* node : nodes) {
        const auto is_node = [node](const Node& own) { return &own == node; };
        moved += std::none_of(block->nodes.begin(), block->nodes.end(), is_node) ? 1 : 0;
      }
    }
    for (std::int64_t i = 0; i < 10; ++i)
      endings.insert(interpret(program, schedule, {seed, 0, i}).how);
  }
  EXPECT_EQ(kinds.size(), 13u);
  EXPECT_EQ(depths.size(), static_cast<std::size_t>(kMaxDepth) + 1);
  EXPECT_EQ(endings.size(), 3u);
  EXPECT_GT(moved, 50u);
}

// Makes the plain function wrong: the branches of every if_else are swapped.
Program with_branches_exchanged(Program program) {
  const auto visit = [](const auto& self, Block& block) -> void {
    for (Node& node : block.nodes) {
      if (node.kind == Kind::if_else) std::swap(node.blocks[0], node.blocks[1]);
      for (Block& inner : node.blocks) self(self, inner);
    }
  };
  visit(visit, program.top);
  return program;
}

bool fault_shows(const Program& program) {
  const Program faulty = with_branches_exchanged(program);
  const Schedule right = follow_rule(program), wrong = follow_rule(faulty);
  for (std::int64_t i = 0; i < 5; ++i) {
    const Sample sample{1, 0, i};
    if (interpret(program, right, sample).outputs != interpret(faulty, wrong, sample).outputs)
      return true;
  }
  return false;
}

TEST(Shrink, LeavesOnlyWhatShowsTheFault) {
  int faults = 0;
  for (std::uint64_t seed = 1; seed <= 400 && faults < 40; ++seed) {
    const Program program = generate(seed);
    if (!fault_shows(program)) continue;
    ++faults;
    const Program small = shrink(program, fault_shows);
    EXPECT_TRUE(fault_shows(small));
    EXPECT_LE(size_of(small.top), 3u) << to_code(small);
    EXPECT_NE(to_code(small).find("g.if_else("), std::string::npos) << to_code(small);
    // The smaller program must still be valid.
    EXPECT_EQ(difference(small, {}), "") << to_code(small);
  }
  EXPECT_EQ(faults, 40);
}

TEST(Shrink, EveryStepIsAProgramThatMakesSense) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    int asked = 0;
    (void)shrink(generate(seed), [&](const Program& candidate) {
      // Accepting most candidates leads through many different programs.
      const std::string wrong = difference(candidate, {.samples = 4});
      EXPECT_EQ(wrong, "") << to_code(candidate);
      return ++asked % 3 != 0;
    });
    EXPECT_GT(asked, 0);
  }
}

TEST(ToCode, IsWhatAUserWouldWrite) {
  Program program;
  program.seed = 5;
  program.values = 5;
  program.numbers = 2;
  Node choice;
  choice.kind = Kind::if_else;
  choice.in = {kSource};
  choice.out = {2, 3};
  choice.shape = Shape::tuple;
  choice.blocks.resize(2);
  Node sum;
  sum.kind = Kind::arithmetic;
  sum.number = 1;
  sum.in = {kSource};
  sum.out = {1};
  sum.constant = 4;
  choice.blocks[0].nodes = {sum};
  choice.blocks[0].results = {1, kSource};
  choice.blocks[1].results = {kSource, kSource};
  program.top.nodes = {choice};
  program.top.results = {2};
  EXPECT_EQ(to_code(program),
            "// random program of seed 5\n"
            "auto v0 = g.source(samples, index_in_epoch);\n"
            "auto [v2, v3] = g.if_else(v0,\n"
            "    [&] {\n"
            "      auto v1 = (v0 + 4) % 1009;\n"
            "      return std::tuple{v1, v0};\n"
            "    },\n"
            "    [&] {\n"
            "      return std::tuple{v0, v0};\n"
            "    });\n"
            "return v2;\n");
  EXPECT_EQ(difference(program, {}), "");
}

INSTANTIATE_TEST_SUITE_P(Shard0, RandomPrograms, ::testing::Values(std::uint64_t{0}));
INSTANTIATE_TEST_SUITE_P(Shard1, RandomPrograms, ::testing::Values(std::uint64_t{1}));
INSTANTIATE_TEST_SUITE_P(Shard2, RandomPrograms, ::testing::Values(std::uint64_t{2}));
INSTANTIATE_TEST_SUITE_P(Shard3, RandomPrograms, ::testing::Values(std::uint64_t{3}));

}  // namespace random_program_test
}  // namespace sluice::random_program
