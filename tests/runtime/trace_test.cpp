#include "tests/trace_file.h"
#include <sluice/runtime/error.h>
#include <sluice/runtime/trace.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace trace_test {

namespace fs = std::filesystem;
using traces::read_trace;
using traces::TraceFile;

// A file for this test alone, which is removed with it.
class TraceTest : public ::testing::Test {
 protected:
  ~TraceTest() override { fs::remove(path_); }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string path_ =
      (fs::path(::testing::TempDir()) / ("sluice_trace_" + std::to_string(getpid()) + ".json"))
          .string();
};

Trace::Time after(Trace::Time begin, int nanoseconds) {
  return begin + std::chrono::nanoseconds(nanoseconds);
}

TEST_F(TraceTest, IsAFileOfWhatWasAdded) {
  const Trace::Time now = Trace::Clock::now() + std::chrono::seconds(1);
  Trace trace(path_, 100);
  trace.set_name(3, "decode", "if_else:then");
  trace.set_name(4, "ask");
  trace.set_name(5, "bytes");
  Trace::Track& own = trace.add_track("worker");
  Trace::Track& counters = trace.add_track("counters");
  trace.use_here(own);
  trace.slice(3, now, after(now, 1500), {.epoch = 1, .sample = 7, .position = 9, .batch = 2});
  trace.wait(4, now, after(now, 7), {.sample = 8});
  trace.counter(counters, 5, now, 1234567890123);
  std::thread([&] { trace.slice(4, now, now, {}); }).join();
  EXPECT_EQ(text(), "");
  trace.finish();
  const std::string whole = text();
  trace.slice(own, 3, now, now, {});
  trace.finish();
  EXPECT_EQ(text(), whole);

  const TraceFile file = read_trace(path_);
  EXPECT_EQ(file.tracks, (std::map<std::int64_t, std::string>{
                             {1, "worker"}, {2, "counters"}, {3, "other threads"}}));
  ASSERT_EQ(file.slices.size(), 2u);
  const TraceFile::Slice& slice = file.slices[0];
  EXPECT_EQ(slice.name, "decode");
  EXPECT_EQ(slice.in, "if_else:then");
  EXPECT_EQ(slice.to - slice.from, 1500);
  EXPECT_EQ(slice.track, 1);
  EXPECT_EQ(slice.epoch, 1);
  EXPECT_EQ(slice.sample, 7);
  EXPECT_EQ(slice.position, 9);
  EXPECT_EQ(slice.batch, 2);
  EXPECT_EQ(file.slices[1].track, 3);
  EXPECT_EQ(file.slices[1].sample, -1);
  ASSERT_EQ(file.waits.size(), 1u);
  EXPECT_EQ(file.waits[0].to - file.waits[0].from, 7);
  EXPECT_EQ(file.counters.at("bytes"), std::vector<std::int64_t>{1234567890123});
  EXPECT_EQ(file.dropped, 0u);
}

// Work on many samples at once, with names that are new to the trace.
TEST_F(TraceTest, HasWhatIsDoneForManySamples) {
  Trace trace(path_, 100);
  trace.set_name(3, "GPU batch");
  Trace::Track& track = trace.add_track("stream");
  const Trace::Time now = Trace::Clock::now();
  const Trace::NameId resize = trace.name_of("resize", "then/resize");
  EXPECT_EQ(trace.name_of("resize", "then/resize"), resize);
  EXPECT_NE(trace.name_of("resize"), resize);
  trace.add_device_batch(track, 3, now, after(now, 30), {.samples = 12});
  trace.add_device_batch(track, resize, now, after(now, 20), {.samples = 12, .bytes = 0});
  trace.finish();
  trace.add_device_batch(track, 3, now, now, {});
  const TraceFile file = read_trace(path_);
  ASSERT_EQ(file.slices.size(), 2u);
  EXPECT_EQ(file.slices[0].name, "GPU batch");
  EXPECT_EQ(file.slices[0].samples, 12);
  EXPECT_EQ(file.slices[0].bytes, -1);
  EXPECT_EQ(file.slices[0].sample, -1);
  EXPECT_EQ(file.slices[1].name, "resize");
  EXPECT_EQ(file.slices[1].in, "then/resize");
  EXPECT_EQ(file.slices[1].bytes, 0);
  EXPECT_EQ(file.slices[1].epoch, -1);
}

TEST_F(TraceTest, KeepsTheFirstEventsAndCountsTheOthers) {
  Trace trace(path_, 10);
  trace.use_here(trace.add_track("worker"));
  Trace::Track& counters = trace.add_track("counters");
  const Trace::Time now = Trace::Clock::now();
  for (int i = 0; i < 25; ++i) {
    trace.slice(0, after(now, i), after(now, i + 1), {.sample = i});
    trace.counter(counters, 1, now, i);
  }
  trace.finish();
  const TraceFile file = read_trace(path_);
  ASSERT_EQ(file.slices.size(), 10u);
  EXPECT_EQ(file.slices.back().sample, 9);
  EXPECT_EQ(file.dropped, 30u);
}

TEST_F(TraceTest, NamesMayBeAnything) {
  struct Case {
    std::string name, shown;
  };
  const Case cases[] = {
      {"plain", "plain"},
      {"", ""},
      {"\"quoted\" \\ {}", "\"quoted\" \\ {}"},
      {"two\nlines\t\x01", "two\\nlines\\t\\x01"},
      {"\xc3\xbc\xe2\x82\xac", "\xc3\xbc\xe2\x82\xac"},
      {"bad \xff\xc3", "bad \\xff\\xc3"},
      {std::string("zero\0byte", 9), "zero\\x00byte"},
  };
  {
    Trace trace(path_, 100);
    Trace::NameId id = 0;
    for (const Case& c : cases) {
      trace.set_name(id, c.name, c.name);
      trace.slice(trace.add_track(c.name), id++, Trace::Clock::now(), Trace::Clock::now(), {});
    }
  }
  const TraceFile file = read_trace(path_);
  ASSERT_EQ(file.slices.size(), std::size(cases));
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(file.slices[i].name, cases[i].shown);
    EXPECT_EQ(file.slices[i].in, cases[i].shown);
    EXPECT_EQ(file.tracks.at(static_cast<std::int64_t>(i) + 1), cases[i].shown);
  }
}

TEST_F(TraceTest, RefusesWhatCannotBeWritten) {
  EXPECT_THROW(Trace("/no/such/folder/trace.json", 1), BuildError);
  EXPECT_THROW(Trace(::testing::TempDir(), 1), BuildError);
  std::ofstream(path_) << "what was there";
  {
    const Trace trace(path_, 1);
    EXPECT_THROW(Trace(path_, 1), BuildError);
    EXPECT_EQ(text(), "what was there");
  }
  EXPECT_EQ(read_trace(path_).slices.size(), 0u);
  const Trace again(path_, 1);
}

TEST_F(TraceTest, SaysThatADiskIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  Trace trace("/dev/full", 1);
  ::testing::internal::CaptureStderr();
  trace.finish();
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("the trace cannot be written to '/dev/full': No space left"),
            std::string::npos)
      << said;
}

}  // namespace trace_test
}  // namespace sluice
