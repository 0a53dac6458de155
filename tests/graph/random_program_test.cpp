// Random programs of branches, loops, logic and structures mean as graphs what they mean as plain
// functions: every output, every error, and how often each step runs.
//
//   SLUICE_RANDOM_PROGRAMS=1000000   how many programs to try instead of 10,000
//   SLUICE_RANDOM_SEED=5             where to begin; a failure names its seed
//
// A program that fails is made smaller before it is printed.
#include "tests/graph/random_program/check.h"
#include "tests/graph/random_program/generate.h"
#include "tests/graph/random_program/print.h"
#include "tests/graph/random_program/shrink.h"

#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice::random_program {
namespace {

constexpr std::uint64_t kShards = 4;  // tests that run side by side

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t programs() {
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::uint64_t kPrograms = 1000;
#elif defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t kPrograms = 300;
#else
  constexpr std::uint64_t kPrograms = 10000;
#endif
  return from_environment("SLUICE_RANDOM_PROGRAMS", kPrograms);
}

// What goes wrong only sometimes gets a few chances.
bool fails(const Program& program, const Setting& setting) {
  for (int i = 0; i < 3; ++i) {
    if (!difference(program, setting).empty()) return true;
  }
  return false;
}

class RandomPrograms : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPrograms, MeanTheSameAsGraphsAndAsPlainFunctions) {
  const std::uint64_t begin = from_environment("SLUICE_RANDOM_SEED", 1);
  for (std::uint64_t seed = begin + GetParam(); seed < begin + programs(); seed += kShards) {
    const Program program = generate(seed);
    const Setting setting = setting_for(seed);
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
INSTANTIATE_TEST_SUITE_P(Shard, RandomPrograms, testing::Range(std::uint64_t{0}, kShards));

}  // namespace
}  // namespace sluice::random_program
