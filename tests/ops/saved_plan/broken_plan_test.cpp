// Files that are no valid plans: each is an error that says where and what, or makes a plan that
// runs. It has no other effect.
#include "programs.h"
#include "tests/mutants.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>

#include <gtest/gtest.h>

namespace sluice {
namespace broken_plan_test {

// Returns the message of the text's BuildError; empty if there is none. Any other exception ends
// the test.
std::string error_of(const std::string& text) {
  try {
    const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
    (void)make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
      auto [jpeg, label] = labeled_files(g);
      return plan.apply<Image, std::int64_t>(jpeg, label);
    });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kGood = R"({
  "format": "sluice plan",
  "version": 1,
  "source": {"name": "read", "outputs": [0, 1]},
  "slots": ["bytes", "i64", "image", "bool", "image", "image", "i64", "i64", "bool", "i64", "i64"],
  "steps": [
    {"operator": "decode_jpeg", "version": 1, "arguments": {"jpeg": {"slot": 0}}, "outputs": [2]},
    {"operator": "coin_flip", "version": 1, "arguments": {"probability": 0.25}, "generator": 0, "outputs": [3]},
    {"choice": "if_else", "by": "truth", "on": {"slot": 3}, "branches": [
      {"name": "then", "steps": [
        {"operator": "invert", "version": 1, "arguments": {"image": {"slot": 2}}, "outputs": [4]}], "results": [4]},
      {"name": "otherwise", "steps": [], "results": [2]}], "outputs": [5]},
    {"loop": "while_loop", "max_iterations": 10, "init": [1], "state": [6], "iteration": 7,
      "condition": {"steps": [
        {"operator": "less", "version": 1, "arguments": {"x": {"slot": 6}, "y": {"i64": 40}}, "outputs": [8]}], "results": [8]},
      "body": {"steps": [
        {"operator": "add", "version": 1, "arguments": {"x": {"slot": 6}, "y": {"i64": 7}}, "outputs": [9]}], "results": [9]},
      "outputs": [10]}
  ],
  "outputs": [5, 10]
})";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(BrokenPlan, TheGoodOneIsGood) {
  EXPECT_EQ(error_of(std::string(kGood)), "");
  EXPECT_EQ(
      json_of(loaded(1, json_of(loaded(1, std::string(kGood)).recorded_plan())).recorded_plan()),
      json_of(loaded(1, std::string(kGood)).recorded_plan()));
}

// Files of before say "branch" for a choice and "arms" for its branches.
TEST(BrokenPlan, OldNamesOfAChoiceAreRead) {
  std::string old = replaced("\"choice\": \"if_else\"", "\"branch\": \"if_else\"");
  const std::string_view now = "\"branches\"";
  old.replace(old.find(now), now.size(), "\"arms\"");
  EXPECT_EQ(json_of(loaded(1, old).recorded_plan()),
            json_of(loaded(1, std::string(kGood)).recorded_plan()));
}

TEST(BrokenPlan, SaysWhereAndWhat) {
  const struct {
    std::string from, to;
    std::string where, what;
  } cases[] = {
      {R"("sluice plan")", R"("tuna")", "the top", "no saved plan"},
      {R"("version": 1,)", R"("version": 2,)", "/version",
       "version 2, but this program reads version 1; save it again"},
      {R"("version": 1,)", R"("version": "1",)", "/version", "whole number, not \"1\""},
      {R"("version": 1,)", "", "the top", "'version' is missing"},
      {R"("format")", R"("more": 0, "format")", "the top", "no field \"more\" here"},
      {R"("outputs": [0, 1])", R"("outputs": [0])", "/source/outputs", "1 slot here for 2 values"},
      {R"("outputs": [0, 1])", R"("outputs": [0, 11])", "/source/outputs/1", "no slot 11"},
      {R"("outputs": [0, 1])", R"("outputs": [])", "/source/outputs", "at least one"},
      {R"("bytes", "i64")", R"("image", "i64")", "/source/outputs/0",
       "becomes a value of 'bytes', but /slots/0 says 'image'"},
      {R"("bytes", "i64")", R"("bytes", "tuna")", "/slots/1", "no type of values 'tuna'"},
      {R"("i64", "i64"],)", R"("i64", "i64", "f32"],)", "/slots/11", "no step makes"},
      {R"("operator": "decode_jpeg")", R"("operator": "decode_gif")", "/steps/0/operator",
       "no operator 'decode_gif' in this program"},
      {R"("operator": "decode_jpeg", "version": 1)", R"("operator": "decode_jpeg", "version": 9)",
       "/steps/0/version",
       "saved with version 9 of 'decode_jpeg', but this program has version 1; check"},
      {R"("operator": "decode_jpeg", "version": 1)",
       R"("operator": "decode_jpeg", "version": 99999999999999999999)", "/steps/0/version",
       "whole number"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 0}, "size": 3})", "/steps/0/arguments/size",
       "no such argument; it has: jpeg"},
      {R"({"jpeg": {"slot": 0}})", "{}", "/steps/0/arguments", "'jpeg' is missing"},
      {R"({"jpeg": {"slot": 0}})", "[]", "/steps/0/arguments", "must be an object"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": 0})", "/steps/0/arguments/jpeg", "must be a slot"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 1}})", "/steps/0", "is given a value of"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 5}})", "/steps/0/arguments/jpeg/slot",
       "used before a step has made it"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": -1}})", "/steps/0/arguments/jpeg/slot",
       "between 0 and"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 0.5}})", "/steps/0/arguments/jpeg/slot",
       "whole number, not 0.5"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 18446744073709551615}})",
       "/steps/0/arguments/jpeg/slot", "between 0 and"},
      {R"({"jpeg": {"slot": 0}}, "outputs": [2])", R"({"jpeg": {"slot": 0}}, "outputs": [])",
       "/steps/0/outputs", "0 slots here for 1 value"},
      {R"({"jpeg": {"slot": 0}}, "outputs": [2])", R"({"jpeg": {"slot": 0}}, "outputs": [0])",
       "/steps/0/outputs/0", "made by another step already"},
      {R"({"jpeg": {"slot": 0}}, "outputs": [2])", R"({"jpeg": {"slot": 0}}, "outputs": [4])",
       "/steps/2/branches/0", ""},
      {R"({"jpeg": {"slot": 0}}, )", R"({"jpeg": {"slot": 0}}, "generator": 1, )",
       "/steps/0/generator", "draws no random numbers"},
      {R"("generator": 0, )", "", "/steps/1", "'generator' is missing"},
      {R"("generator": 0)", R"("generator": 4294967295)", "/steps/1/generator", "between 0 and"},
      {"0.25", "1.5", "/steps/1", "between 0 and 1, not 1.5"},
      {"0.25", "1e99", "/steps/1/arguments/probability", "32 bits"},
      {"0.25", "1e999", "", "is not JSON"},
      {"0.25", "true", "/steps/1/arguments/probability", "must be a number, not true"},
      {"0.25", R"("half")", "/steps/1/arguments/probability", "must be a number"},
      {"0.25", R"({"slot": 1, "x": 2})", "/steps/1/arguments/probability", "no field \"x\""},
      {R"("operator": "coin_flip")", R"("tuna": "coin_flip")", "/steps/1", "this is not a step"},
      {R"({"operator": "coin_flip")", R"(7, {"operator": "coin_flip")", "/steps/1", "not a step"},
      {R"("by": "truth")", R"("by": "luck")", "/steps/2/by", "'truth' or 'number'"},
      {R"("on": {"slot": 3})", R"("on": {"slot": 2})", "/steps/2",
       "'if_else' cannot choose by truth (got a value of '"},
      {R"("on": {"slot": 3})", R"("on": {"text": "yes"})", "/steps/2",
       "cannot choose by truth (got 'yes', expected a bool or another number); compare it"},
      {R"("by": "truth", "on": {"slot": 3})", R"("by": "number", "on": {"f32": 0})", "/steps/2",
       "cannot choose by number (got 0, expected an integer, a bool or an enum); cast it to an "
       "integer"},
      {R"("on": {"slot": 3})", R"("on": 1)", "/steps/2/on", "a constant and its type"},
      {R"("choice": "if_else")", R"("choice": "")", "/steps/2", "empty name"},
      {R"("choice": "if_else")", R"("choice": null)", "/steps/2/choice", "a text, not null"},
      {R"("loop": "while_loop")", R"("loop": null)", "/steps/3/loop", "a text, not null"},
      {R"("choice": "if_else")", R"("choice": "a\u0000b")", "/steps/2/choice",
       R"(the name 'a\x00b' has characters that cannot be printed; choose another name)"},
      {R"("loop": "while_loop")", R"("loop": "a\nb")", "/steps/3/loop", R"('a\nb' has characters)"},
      {R"({"name": "then")", R"({"name": "\u001b[2J")", "/steps/2/branches/0/name",
       R"('\x1b[2J' has characters)"},
      {R"("name": "read")", R"("name": "\u0000")", "/source/name", R"('\x00' has characters)"},
      {R"("operator": "decode_jpeg")", R"("operator": "decode\u0000")", "/steps/0/operator",
       R"(no operator 'decode\x00' in this program)"},
      {R"({"jpeg": {"slot": 0}})", R"({"jpeg": {"slot": 0}, "\u0000": 3})",
       R"(/steps/0/arguments/\x00)", "no such argument"},
      {R"(,
      {"name": "otherwise", "steps": [], "results": [2]})",
       "", "/steps/2/branches",
       "the number of branches is wrong (got 1, expected 2 by truth, at least 1 by number)"},
      {R"("steps": [], "results": [2])", R"("steps": [], "results": [])",
       "/steps/2/branches/1/results", "0 values here, but the first branch gives 1 value"},
      {R"("steps": [], "results": [2])", R"("steps": [], "results": [1])",
       "/steps/2/branches/1/results/0", "'i64', but the first branch gives one of 'image'"},
      {R"("steps": [], "results": [2])", R"("steps": [], "results": [4])",
       "/steps/2/branches/1/results", "exists only inside the branch 'then'"},
      {R"("outputs": [5, 10])", R"("outputs": [4, 10])", "/outputs/0", "exists only inside"},
      {R"("outputs": [5, 10])", R"("outputs": [5, 9])", "/outputs/1", "exists only inside"},
      {R"("outputs": [5, 10])", R"("outputs": [])", "/outputs", "at least one value"},
      {R"("outputs": [5, 10])", R"("outputs": [5])", "/outputs", "gives 1 value, but"},
      {R"("outputs": [5, 10])", R"("outputs": [10, 5])", "/outputs/0", "the program asks for one"},
      {R"("max_iterations": 10)", R"("max_iterations": -1)", "/steps/3/max_iterations", "between"},
      {R"("init": [1])", R"("init": [5])", "/steps/3/state/0", "/slots/6 says 'i64'"},
      {R"("init": [1])", R"("init": [])", "/steps/3/state", "1 slot here for 0 values"},
      {R"("iteration": 7)", R"("iteration": 8)", "/steps/3/iteration", "'i64', but /slots/8"},
      {R"("results": [8])", R"("results": [6])", "/steps/3/condition/results", "a bool"},
      {R"("results": [8])", R"("results": [])", "/steps/3/condition/results", "one value"},
      {R"("results": [9])", R"("results": [8])", "/steps/3/body/results/0", "'bool', but the loop"},
      {R"("results": [9])", R"("results": [])", "/steps/3/body/results", "0 values here"},
      {R"({"x": {"slot": 6}, "y": {"i64": 7}})", R"({"x": {"slot": 6}, "y": {"slot": 8}})",
       "/steps/3/body/steps/0", "exists only inside the condition"},
      {R"({"x": {"slot": 6}, "y": {"i64": 7}})", R"({"x": {"slot": 9}, "y": {"i64": 7}})",
       "/steps/3/body/steps/0/arguments/x/slot", "before a step has made it"},
      {R"({"i64": 7})", R"({"i64": 7, "i32": 7})", "/steps/3/body/steps/0/arguments/y", "its type"},
      {R"({"i64": 7})", R"({"i63": 7})", "/steps/3/body/steps/0/arguments/y", "no field \"i63\""},
      {R"({"i64": 7})", R"({"i32": 2147483648})", "/arguments/y/i32", "between -2147483648"},
      {R"({"i64": 7})", R"({"i64": "7"})", "/arguments/y/i64", "whole number"},
      {R"("x": {"slot": 6}, "y": {"i64": 7})", R"("x": {"slot": 6}, "x": {"slot": 6})", "",
       "\"x\" appears twice"},
      {R"("outputs": [9])", R"("outputs": [9], "declared": [{"slot": 9}])",
       "/steps/3/body/steps/0/declared/0/slot", "only tensors"},
      {R"("name": "read")", "\"name\": \"\xff\"", "", "is not JSON"},
      {R"("name": "read")", R"("name": 1)", "/source/name", "must be a text"},
      {R"("steps": [], "results": [2])",
       R"("steps": [{"alias": "again", "of": 2, "outputs": [5]}], "results": [5])",
       "/steps/2/outputs/0", "made by another step"},
  };
  for (const auto& c : cases) {
    const std::string error = error_of(replaced(c.from, c.to));
    EXPECT_EQ(error.rfind("plan.json", 0), 0u) << c.from << " -> " << c.to << "\n" << error;
    EXPECT_EQ(error.find("plan.json at ", 1), std::string::npos) << c.to << "\n" << error;
    EXPECT_NE(error.find(c.where), std::string::npos) << c.to << "\n" << error;
    EXPECT_NE(error.find(c.what), std::string::npos) << c.to << "\n" << error;
  }
}

TEST(BrokenPlan, IsNotJsonAtAll) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("1"),
        std::string("\0\0\0", 3), std::string("\xef\xbb\xbf{}"),
        std::string("{\"format\": 1e999}")})
    EXPECT_EQ(error_of(text).rfind("plan.json", 0), 0u) << text << ": " << error_of(text);
  for (const std::string& open :
       {std::string("["), std::string("{\"a\":"), std::string("[{\"a\":")}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += open;
    EXPECT_NE(error_of(deep).find("more than 256"), std::string::npos) << error_of(deep);
  }
}

// As deep as a file may be, and one more.
TEST(BrokenPlan, BoundsChoicesInChoices) {
  const auto nested = [](int depth) {
    return pipeline_of(1, [&](Graph& g, Value<Bytes> jpeg, Value<std::int64_t> i) {
      const auto image = decode_jpeg(jpeg);
      std::function<Value<Image>(int)> at = [&](int level) -> Value<Image> {
        if (level == 0) return image;
        return g.if_else(
            i > std::int64_t{level}, [&] { return at(level - 1); }, [&] { return image; });
      };
      return at(depth);
    });
  };
  const std::string text = json_of(nested(60).recorded_plan());
  EXPECT_EQ(error_of(text), "");
  EXPECT_THROW((void)json_of(nested(62).recorded_plan()), BuildError);
}

TEST(BrokenPlan, EveryTruncationIsAnError) {
  const std::string good(kGood);
  for (std::size_t size = 0; size < good.size(); size += 3) {
    testing::tried("damaged-input");
    const std::string error = error_of(good.substr(0, size));
    EXPECT_EQ(error.rfind("plan.json", 0), 0u) << size << ": " << error;
  }
}

// Some mutations leave a valid plan. It must then be one that can be saved.
TEST(BrokenPlan, RandomMutations) {
  Random random({17, 0, 0, 0});
  const std::string_view alphabet = "0123456789-.e\"{}[],:tfn \\x\xff";
  int good = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text(kGood);
    const std::uint32_t changes = 1 + random.below(3);
    for (std::uint32_t c = 0; c < changes; ++c) {
      const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
      const char byte = alphabet[random.below(static_cast<std::uint32_t>(alphabet.size()))];
      switch (random.below(4)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        case 2:
          text.erase(at, 1 + random.below(30));
          break;
        default:
          text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size())), 40));
      }
    }
    const std::string error = error_of(text);
    if (error.empty()) {
      const std::string saved = json_of(loaded(1, text).recorded_plan());
      EXPECT_EQ(json_of(loaded(1, saved).recorded_plan()), saved) << text;
      ++good;
    } else {
      EXPECT_EQ(error.rfind("plan.json", 0), 0u) << error << "\n" << text;
    }
  }
  EXPECT_GT(good, 5);
  EXPECT_LT(good, 300);
}

// Numbers in a good file become other numbers.
TEST(BrokenPlan, RandomNumbers) {
  Random random({18, 0, 0, 0});
  const std::string good = json_of(pipeline_of(1, everything).recorded_plan());
  std::vector<std::size_t> digits;
  for (std::size_t i = 1; i < good.size(); ++i) {
    if (good[i] >= '0' && good[i] <= '9' && (good[i - 1] < '0' || good[i - 1] > '9'))
      digits.push_back(i);
  }
  ASSERT_GT(digits.size(), 50u);
  for (int i = 0; i < 400; ++i) {
    std::string text = good;
    const std::size_t at = digits[random.below(static_cast<std::uint32_t>(digits.size()))];
    static const std::string numbers[] = {
        "0", "1", "7", "40", "-1", "2147483648", "9223372036854775807", "1e300", "0.5"};
    text.replace(at, 1, numbers[random.below(9)]);
    const std::string error = error_of(text);
    EXPECT_TRUE(error.empty() || error.rfind("plan.json", 0) == 0) << error;
  }
}

TEST(BrokenPlan, MutantsAreReadOrRefused) {
  for (const Program& program : programs()) {
    const std::string good = json_of(pipeline_of(1, program.describe).recorded_plan());
    testing::Mutants mutants(good);
    for (int i = 4'000 / testing::one_in(20, 100); i > 0; --i) {
      testing::tried("damaged-input");
      const std::string text = mutants.next();
      ASSERT_EQ(testing::foreign_error([&] {
                  const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
                  (void)make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
                    auto [jpeg, label] = labeled_files(g);
                    return plan.apply<Image>(jpeg, label);
                  });
                }),
                "")
          << text;
    }
  }
}

}  // namespace broken_plan_test
}  // namespace sluice
