#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/stats.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace plan_text_test {

// An effect, a conditional with a branch that returns an outer value, a loop, an output in place,
// an unused step, and one that sinks.
auto make(bool profile) {
  return make_pipeline({.batch_size = 4, .threads = 1, .profile = profile}, [](Graph& g) {
    auto i = g.source(8, [](const SampleInfo& info) { return info.index_in_epoch; });
    (void)g.map(
        "unused", [](std::int64_t x) { return x; }, i);
    auto paint = [](std::int64_t shade, Image& out) {
      out.create(2, 2, 1);
      *out.data() = static_cast<std::uint8_t>(shade);
    };
    auto dark = g.map_into<Image>("dark", paint, i);
    auto light = g.map_into<Image>("light", paint, i * 2);
    auto image = g.if_else(
        i < 2, [&] { return light; }, [&] { return dark; });
    auto copied = g.map_into<Image>(
        "copied", [](const Image& from, Image& out) { out = from.clone(); }, image);
    auto last = g.while_loop(
        i, [](auto n) { return n < 3; }, [](auto n) { return n + 1; }, {.max_iterations = 1000});
    g.tap(
        "seen", [](const Image&, const Image&) {}, copied, dark);
    return std::tuple{copied, last};
  });
}

// Each pass in turn: the first lines of its report, up to the last change.
TEST(PlanText, ShowsWhatEachPassDid) {
  const std::string text = make(false).explain();
  const struct {
    std::string pass;
    std::string says;
  } cases[] = {
      {"as recorded:\n",
       R"(  8 samples
  source() -> %0 source   [source]
  unused(%0 source) -> %1 unused
  dark(%0 source) -> %2 dark
  multiply(%0 source) -> %3 multiply
  light(%3 multiply) -> %4 light
  less(%0 source) -> %5 less
  if_else by %5 less -> %6 if_else
    then:
      gives %4 light
    otherwise:
      gives %2 dark
  copied(%6 if_else) -> %7 copied
  while_loop from %0 source -> %13 while_loop
    carries %8 while_loop, at most 1,000 times
    condition:
      less#2(%8 while_loop) -> %11 less#2
      gives %11 less#2
    body:
      add(%8 while_loop) -> %12 add
      gives %12 add
  seen(%7 copied, %2 dark)   [effect]
  outputs %7 copied, %13 while_loop
)"},
      {"prune:\n",
       R"(  8 samples
  source() -> %0 source   [source]
  dark(%0 source) -> %2 dark
)"},
      {"sink:\n",
       R"(  8 samples
  source() -> %0 source   [source]
  dark(%0 source) -> %2 dark
  less(%0 source) -> %5 less
  if_else by %5 less -> %6 if_else
    then:
      multiply(%0 source) -> %3 multiply
      light(%3 multiply) -> %4 light
      gives %4 light
)"},
      {"      gives %12 add\n", "      moves out %12 add\n"},
      {"fuse:\n",
       R"(  8 samples
  stage
    source() -> %0 source   [source]
    dark(%0 source) -> %2 dark
    less(%0 source) -> %5 less
  if_else by %5 less -> %6 if_else
    then:
      stage
        multiply(%0 source) -> %3 multiply
        light(%3 multiply) -> %4 light
      gives %4 light
)"},
      {"", "  copied(%6 if_else) -> %7 copied   [output 0 in place]\n"},
      {"", "  copied(%6 if_else) -> %7 copied   [output 0 in place; releases %4 light]\n"},
  };
  std::size_t at = 0;
  for (const auto& c : cases) {
    at = text.find(c.pass + c.says, at);
    ASSERT_NE(at, std::string::npos) << c.pass << c.says << "is not in:\n" << text;
  }
}

TEST(PlanText, SaysWhereAPassFoundNothingToDo) {
  const auto pipeline = make_pipeline({.threads = 1}, [](Graph& g) {
    return g.source(1, [](const SampleInfo& info) { return info.index_in_epoch; });
  });
  EXPECT_EQ(pipeline.explain(),
            "as recorded:\n"
            "  1 sample\n"
            "  source() -> %0 source   [source]\n"
            "  outputs %0 source\n"
            "prune: no change\n"
            "sink: no change\n"
            "push_crops: no change\n"
            "split_for_device: no change\n"
            "fuse_kernels: no change\n"
            "carry: no change\n"
            "fuse: no change\n"
            "join_device_batches: no change\n"
            "place_outputs: no change\n"
            "release: no change\n");
}

// Every run of a step took a microsecond, according to these statistics.
Stats counted_on_all_samples() {
  auto pipeline = make(true);
  for (auto epoch = pipeline.epoch(); epoch.next();) {
  }
  Stats stats = pipeline.stats();
  for (StepStats& s : stats.steps) s.total_ns = 1000 * s.runs;
  for (ChoiceStats& b : stats.choices) {
    for (BranchStats& a : b.branches) a.total_ns = a.name == "then" ? 2000 * a.taken : 0;
  }
  for (LoopStats& l : stats.loops) l.total_ns = 12345 * l.entries;
  return stats;
}

TEST(PlanText, WithCountsAndTimes) {
  EXPECT_EQ(to_string(make(true).plan(), counted_on_all_samples()),
            R"(8 samples
stage
  source() -> %0 source   [source]   8 runs, 1.00 us each
  dark(%0 source) -> %2 dark   8 runs, 1.00 us each
  less(%0 source) -> %5 less   8 runs, 1.00 us each
if_else by %5 less -> %6 if_else
  then:   taken 2 of 8 times, 2.00 us each
    stage
      multiply(%0 source) -> %3 multiply   2 runs, 1.00 us each
      light(%3 multiply) -> %4 light   2 runs, 1.00 us each
    gives %4 light
  otherwise:   taken 6 of 8 times
    gives %2 dark
copied(%6 if_else) -> %7 copied   [output 0 in place; releases %4 light]   8 runs, 1.00 us each
while_loop from %0 source -> %13 while_loop   entered 8 times, 6 iterations, 12.3 us each
  carries %8 while_loop, at most 1,000 times
  condition:
    less#2(%8 while_loop) -> %11 less#2   14 runs, 1.00 us each
    gives %11 less#2
  body:
    add(%8 while_loop) -> %12 add   6 runs, 1.00 us each
    gives %12 add
    moves out %12 add
seen(%7 copied, %2 dark)   [effect; releases %2 dark]   8 runs, 1.00 us each
outputs %7 copied, %13 while_loop
)");
}

TEST(PlanText, BeforeAnythingRanTheNotesSaySo) {
  const auto pipeline = make(true);
  const std::string text = to_string(pipeline.plan(), pipeline.stats());
  for (const char* note :
       {"dark   never run\n", "then:   never taken\n", "%13 while_loop   never entered\n"}) {
    EXPECT_NE(text.find(note), std::string::npos) << note << text;
  }
}

TEST(PlanText, DrawingWithCountsAndTimes) {
  const auto pipeline = make(true);
  const std::string plain = to_dot(pipeline.plan());
  const std::string noted = to_dot(pipeline.plan(), counted_on_all_samples());
  const struct {
    std::string plain;
    std::string noted;
  } cases[] = {
      {R"([label="dark"];)", R"([label="dark\n8 runs, 1.00 us each"];)"},
      {R"([label="seen", peripheries=2];)",
       R"([label="seen\n8 runs, 1.00 us each", peripheries=2];)"},
      {R"(label="if_else: then";)", R"(label="if_else: then\ntaken 2 of 8 times, 2.00 us each";)"},
      {R"(label="if_else: otherwise";)", R"(label="if_else: otherwise\ntaken 6 of 8 times";)"},
      {R"(style=solid, label="while_loop"];)",
       R"(style=solid, label="while_loop\nentered 8 times, 6 iterations, 12.3 us each"];)"},
      {R"(label="while_loop: condition";)", R"(label="while_loop: condition";)"},
      {R"(label="while_loop: body";)", R"(label="while_loop: body";)"},
  };
  for (const auto& c : cases) {
    EXPECT_NE(plain.find(c.plain), std::string::npos) << c.plain << plain;
    EXPECT_NE(noted.find(c.noted), std::string::npos) << c.noted << noted;
  }
  // Apart from the labels they are the same drawing.
  EXPECT_EQ(std::count(plain.begin(), plain.end(), '\n'),
            std::count(noted.begin(), noted.end(), '\n'));
}

}  // namespace plan_text_test
}  // namespace sluice
