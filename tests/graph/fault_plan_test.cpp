// Random programs under random faults: steps that throw, allocations that fail, slow steps, runs
// that are cancelled or left. Each sample ends as the plain function says, or once with the fault's
// error, and the next epoch is whole.
//
//   SLUICE_FAULT_PLANS=100000   the number of programs to try instead of 1,000 (200 under a
//   sanitizer) SLUICE_RANDOM_SEED=5        the first seed; a failure names its seed
#include "tests/graph/random_program/check.h"
#include "tests/graph/random_program/generate.h"
#include "tests/graph/random_program/print.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/runtime/random.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice::random_program {
namespace fault_plan_test {

Setting setting_with_fault(std::uint64_t seed) {
  Setting setting = setting_for(seed);
  setting.epochs = 2;
  Random random({.seed = seed});
  using Kind = FaultPlan::Kind;
  constexpr Kind kKinds[] = {Kind::thrown, Kind::thrown,    Kind::memory, Kind::all_memory,
                             Kind::slow,   Kind::cancelled, Kind::left};
  setting.fault.kind = kKinds[random.below(7)];
  // Early ones are likelier: many programs make few calls.
  const std::uint32_t most = setting.fault.kind == Kind::left ? 8
                             : is_of_memory(setting.fault)    ? 1u << (1 + random.below(9))
                                                              : 1u << (1 + random.below(7));
  setting.fault.at = 1 + random.below(most);
  if (random.below(3) == 0) setting.fault.count = 1 + random.below(30);
  return setting;
}

// The row of docs/reliability.md.
const char* reliability_row(FaultPlan::Kind kind) {
  switch (kind) {
    case FaultPlan::Kind::memory:
    case FaultPlan::Kind::all_memory:
      return "no-memory";
    case FaultPlan::Kind::slow:
      return "slow-step";
    case FaultPlan::Kind::cancelled:
    case FaultPlan::Kind::left:
      return "cancelled";
    default:
      return "exceptions";
  }
}

class FaultPlans : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FaultPlans, CostOnlyTheSamplesThatMeetThem) {
  const std::uint64_t begin = from_environment("SLUICE_RANDOM_SEED", 1);
  const std::uint64_t programs = from_environment(
      "SLUICE_FAULT_PLANS", 4000 / static_cast<std::uint64_t>(testing::one_in(4, 20)));
  std::uint64_t met = 0;
  for (std::uint64_t seed = begin + GetParam(); seed < begin + programs; seed += kShards) {
    const Program program = generate(seed);
    const Setting setting = setting_with_fault(seed);
    const std::uint64_t before = met;
    const std::string wrong = fault_difference(program, setting, met);
    if (met > before) testing::tried(reliability_row(setting.fault.kind));
    if (!wrong.empty())
      FAIL() << "SLUICE_RANDOM_SEED=" << seed << ", " << to_string(setting) << "\n"
             << wrong << "\n"
             << to_code(program);
  }
  if (programs >= 100) {
    EXPECT_GT(met, programs / kShards / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(Shard0, FaultPlans, ::testing::Values(std::uint64_t{0}));
INSTANTIATE_TEST_SUITE_P(Shard1, FaultPlans, ::testing::Values(std::uint64_t{1}));
INSTANTIATE_TEST_SUITE_P(Shard2, FaultPlans, ::testing::Values(std::uint64_t{2}));
INSTANTIATE_TEST_SUITE_P(Shard3, FaultPlans, ::testing::Values(std::uint64_t{3}));

}  // namespace fault_plan_test
}  // namespace sluice::random_program
