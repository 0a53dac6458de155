// Lists in saved plans: which nodes may fill them, and which may use them when.
#include "tests/graph/saved.h"
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace saved_lists_test {

// Files that fill lists otherwise than a loop does.
TEST(SavedLists, AreFilledByOneLoop) {
  const std::string good = R"({
  "format": "sluice plan",
  "version": 1,
  "source": {"name": "source", "outputs": [0]},
  "slots": ["i64", "list of i64", "i64", "i64", "bool", "i64", "i64", "list of i64"],
  "steps": [
    {"operator": "list", "version": 1, "arguments": {"type": "list of i64"}, "outputs": [1]},
    {"loop": "loop", "max_iterations": 10, "init": [0], "state": [2], "iteration": 3,
      "condition": {"steps": [
        {"operator": "less", "version": 1, "arguments": {"x": {"slot": 3}, "y": {"i64": 2}}, "outputs": [4]}], "results": [4]},
      "body": {"steps": [
        {"operator": "add", "version": 1, "arguments": {"x": {"slot": 2}, "y": {"i64": 1}}, "outputs": [5]},
        {"operator": "append", "version": 1, "arguments": {"list": {"slot": 1}, "value": {"slot": 5}}, "outputs": []}], "results": [5]},
      "outputs": [6]},
    {"operator": "pad", "version": 1, "arguments": {"list": {"slot": 1}, "length": {"u8": 4}}, "outputs": [7]}
  ],
  "outputs": [7]
})";
  const std::string append =
      R"({"operator": "append", "version": 1, "arguments": {"list": {"slot": 1}, "value": {"slot": 0}}, "outputs": []})";
  const std::string pad = R"({"operator": "pad")";
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      const SavedPlan plan = SavedPlan::parse(text, "plan.json", registry());
      auto pipeline = make_pipeline({.batch_size = 2}, [&](Graph& g) {
        return plan.apply<std::vector<std::int64_t>>(
            g.source(2, [](const SampleInfo& info) { return info.index_in_epoch; }));
      });
      const auto batch = pipeline.epoch().next();
      EXPECT_EQ(batch->get<0>()[1], (std::vector<std::int64_t>{2, 3, 0, 0}));
    } catch (const BuildError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(good), "");
  const struct {
    std::string from, to;
    std::string where, what;
  } cases[] = {
      {pad, append + ", " + pad, "/steps/2", "cannot fill"},
      {R"({"loop")", append + R"(, {"loop")", "/steps/1", "cannot fill"},
      {R"({"operator": "append")", append + R"(, {"operator": "append")", "/body/steps/2",
       "cannot fill"},
      {R"("outputs": [4]})", R"("outputs": [4]}, )" + append, "/condition/steps/1", "cannot fill"},
      {R"("slots": ["i64")", R"("slots": ["list of i64")", "/source/outputs/0", "becomes"},
      {R"("list": {"slot": 1}, "value")", R"("list": {"slot": 0}, "value")", "/body/steps/1",
       "cannot fill 'source'"},
      {R"("value": {"slot": 5})", R"("value": {"slot": 4})", "/body/steps/1", "exists only"},
      {R"("value": {"slot": 5})", R"("value": {"slot": 1})", "/body/steps/1", "use it after"},
      {R"("results": [5]})", R"("results": [1]})", "/body/results", "this is a value of"},
      {R"("type": "list of i64")", R"("type": "i64")", "/steps/0", "but must be a list"},
      {R"("type": "list of i64")", R"("type": "list of tuna")", "/steps/0/arguments/type",
       "no type of values 'list of tuna'"},
      {R"("type": "list of i64")", R"("type": "list of i32")", "/steps/0/outputs/0", "/slots/1"},
      {R"({"loop")",
       R"({"operator": "reverse", "version": 1, "arguments": {"list": {"slot": 1}}, "outputs": [7]}, {"loop")",
       "/steps/2/body/steps/1", "cannot fill"},
      {pad,
       R"({"operator": "reverse", "version": 1, "arguments": {"list": {"slot": 1}}, "outputs": [7]}, )" +
           pad,
       "/steps/3", "cannot consume"},
      {R"("outputs": [7]
})",
       R"("outputs": [1]
})",
       "/outputs/0", "has consumed"},
      {R"({"u8": 4})", R"({"u8": 256})", "/length/u8", "between 0 and 255"},
      {R"({"u8": 4})", R"({"f32": 4})", "/steps/2", "length is 4, but must be any whole number"},
      {R"({"operator": "pad", "version": 1, "arguments": {"list": {"slot": 1})",
       R"({"operator": "pad", "version": 1, "arguments": {"list": {"slot": 0})", "/steps/2",
       "cannot consume"},
      {R"({"operator": "pad")", R"({"operator": "stack")", "/steps/2", "must be one of"},
  };
  for (const auto& c : cases) {
    std::string text = good;
    const std::size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    const std::string error = error_of(text.replace(at, c.from.size(), c.to));
    EXPECT_EQ(error.rfind("plan.json", 0), 0u) << c.from << " -> " << c.to << "\n" << error;
    EXPECT_NE(error.find(c.where), std::string::npos) << c.to << "\n" << error;
    EXPECT_NE(error.find(c.what), std::string::npos) << c.to << "\n" << error;
  }
}

}  // namespace saved_lists_test
}  // namespace sluice
