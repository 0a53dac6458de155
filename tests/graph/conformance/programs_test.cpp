// The programs of programs.json as lambdas (if_else, while_loop, ...) and by explicit boundaries
// (add_conditional, add_loop): every sample equals the plain interpreter's, for 1, 2 and 8 threads.
// tests/python/test_conformance_programs.py runs them in Python.
#include "tests/graph/conformance/programs_front_ends.h"
#include "tests/graph/conformance/setup.h"

#include <array>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace sluice::conformance {
namespace programs_test {

using programs::Describe;
using programs::Number;
using programs::Numbers;
using programs::Program;
using programs::Truth;
using programs::Variable;
using programs::Variables;

// The inputs of all samples: each combination of predicates for kSamples samples. A program
// without predicates runs for four times as many.
std::vector<Numbers> samples_of(const Program& program) {
  std::vector<Numbers> all(1);
  for (const auto& [name, kind] : program.inputs) {
    if (kind == "index") continue;
    std::vector<Numbers> more;
    const std::size_t choices = kind == "number" ? kNumbers.size() : kBools.size();
    for (const Numbers& one : all) {
      for (std::size_t i = 0; i < choices; ++i) {
        more.push_back(one);
        more.back()[name] = static_cast<std::int64_t>(i);
      }
    }
    all = std::move(more);
  }
  if (all.size() == 1) all.resize(4);
  std::vector<Numbers> samples;
  for (const Numbers& predicates : all) {
    for (int idx = 0; idx < kSamples; ++idx) {
      Numbers values;
      for (const auto& [name, kind] : program.inputs) {
        if (kind == "index") {
          values[name] = static_cast<std::int64_t>(samples.size());
        } else {
          const auto i = static_cast<std::size_t>(predicates.at(name));
          values[name] = kind == "number" ? kNumbers[i].of(at(idx)) : kBools[i].of(at(idx));
        }
      }
      samples.push_back(std::move(values));
    }
  }
  return samples;
}

// The columns of a batch. Numbers come first, then bools.
constexpr std::size_t kMost = 4;
using Outputs = std::tuple<std::array<Number, kMost>, std::array<Truth, kMost>>;

template <class T>
Value<T> column(Graph& g, const std::vector<Numbers>& samples, const std::string& name) {
  return g.source(static_cast<std::int64_t>(samples.size()), [&samples, name](const SampleInfo& i) {
    return static_cast<T>(samples[static_cast<std::size_t>(i.index_in_epoch)].at(name));
  });
}

Variables inputs_of(Graph& g, const Program& program, const std::vector<Numbers>& samples) {
  Variables inputs;
  for (const auto& [name, kind] : program.inputs) {
    if (kind == "bool") {
      inputs.emplace(name, column<bool>(g, samples, name));
    } else {
      inputs.emplace(name, column<std::int64_t>(g, samples, name));
    }
  }
  return inputs;
}

// Throws an exception that says what is wrong if a sample differs.
void run_and_compare(const Program& program, Describe describe, int threads) {
  const std::vector<Numbers> samples = samples_of(program);
  std::vector<std::size_t> places;  // of each result among the columns
  auto pipeline =
      make_pipeline({.batch_size = kBatch, .threads = threads}, [&](Graph& g) -> Outputs {
        std::array<Number, kMost> numbers;
        std::array<Truth, kMost> truths;
        numbers.fill(g.constant(std::int64_t{0}));
        truths.fill(g.constant(false));
        std::size_t number = 0, truth = 0;
        for (const Variable& one : describe(g, program, inputs_of(g, program, samples))) {
          if (std::holds_alternative<Number>(one)) {
            places.push_back(number);
            numbers.at(number++) = std::get<Number>(one);
          } else {
            places.push_back(kMost + truth);
            truths.at(truth++) = std::get<Truth>(one);
          }
        }
        return {numbers, truths};
      });
  std::size_t sample = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k, ++sample) {
      const auto row = std::apply(
          [](auto... x) { return std::array{static_cast<std::int64_t>(x)...}; }, row_of(batch, k));
      std::vector<std::int64_t> results;
      for (const std::size_t place : places) results.push_back(row[place]);
      const auto wanted = programs::run_plain(program, samples.at(sample));
      if (results == wanted) continue;
      throw std::runtime_error("sample " + testing::PrintToString(samples.at(sample)) + " gives " +
                               testing::PrintToString(results) + ", not " +
                               testing::PrintToString(wanted));
    }
  }
  if (sample != samples.size()) {
    throw std::runtime_error("it gives " + std::to_string(sample) + " samples, not " +
                             std::to_string(samples.size()));
  }
  if (!pipeline.stats().epoch.balanced())
    throw std::runtime_error("the statistics of the epoch are not balanced");
}

const std::vector<Program>& all_programs() {
  static const std::vector<Program> all = programs::read_programs(SLUICE_PROGRAMS);
  return all;
}

struct Case {
  std::string front_end;
  Describe describe;
  const Program* program;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.program->title; }

auto cases(const std::string& front_end, Describe describe) {
  std::vector<Case> all;
  for (const Program& one : all_programs()) all.push_back({front_end, describe, &one});
  return testing::ValuesIn(all);
}
std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.program->name; }

class Programs : public testing::TestWithParam<Case> {};

TEST_P(Programs, MatchThePlainProgram) {
  const auto& [front_end, describe, program] = GetParam();
  const auto excused = program->not_in.find(front_end);
  for (const int threads : {1, 2, 8}) {
    if (excused == program->not_in.end()) {
      EXPECT_NO_THROW(run_and_compare(*program, describe, threads)) << threads << " threads";
    } else {
      EXPECT_ANY_THROW(run_and_compare(*program, describe, threads))
          << "the program runs on this front end; remove its 'not in'";
    }
  }
  if (excused != program->not_in.end()) GTEST_SKIP() << "as the data says: " << excused->second;
}

INSTANTIATE_TEST_SUITE_P(Lambdas, Programs, cases("lambdas", programs::by_lambdas), name_of);
INSTANTIATE_TEST_SUITE_P(Boundaries, Programs, cases("boundaries", programs::by_boundaries),
                         name_of);

// The plain interpreter is held to the examples, and so is plain Python.
TEST(ProgramsFile, ExamplesMatchThePlainProgram) {
  for (const Program& one : all_programs()) {
    EXPECT_EQ(programs::run_plain(one, one.example), one.example_gives) << one.name;
    for (const auto& [front_end, why] : one.not_in) {
      EXPECT_TRUE(front_end == "lambdas" || front_end == "boundaries" || front_end == "python");
      EXPECT_FALSE(why.empty()) << one.name;
    }
  }
}

TEST(ProgramsFile, ExpressionsThatAreWrongAreRefused) {
  for (const char* text : {"", "a +", "(a", "a b", "a < b < c", "a if b", "a, b", "a = b", "$"})
    EXPECT_THROW((void)programs::read_expression(text), std::runtime_error) << text;
}

}  // namespace programs_test
}  // namespace sluice::conformance
