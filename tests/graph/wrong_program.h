// Wrong programs, and their error messages.
#pragma once

#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {

inline Value<int> numbers(Graph& g, std::int64_t count = 8) {
  return g.source(count,
                  [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
}
inline Value<int> same(Graph& g, Value<int> x, const char* name = "same") {
  return g.map(
      name, [](int v) { return v; }, x);
}

struct WrongProgram {
  const char* name;
  std::function<Value<int>(Graph&)> describe;
  const char* message;
  PipelineOptions options = {};
};

inline void expect_told(const std::vector<WrongProgram>& programs) {
  for (const WrongProgram& program : programs) {
    try {
      (void)make_pipeline(program.options, program.describe);
      ADD_FAILURE() << program.name << ": no error";
    } catch (const BuildError& error) {
      EXPECT_STREQ(error.what(), program.message) << program.name;
    }
  }
}

}  // namespace sluice
