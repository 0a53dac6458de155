#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/message.h>
#include <sluice/io/workers/worker.h>
#include <sluice/io/workers/workers.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tests/failing_allocations.h>
#include <tests/io/workers/asked.h>
#include <tests/mutants.h>
#include <tests/one_in.h>
#include <tests/tried.h>
#include <tests/worker_samples.h>
#include <unistd.h>

namespace sluice {
namespace pool_test {

using testing::Asked;
using testing::Mixed;
using testing::mixed_sample;

// Process, samples before, argument, worker, workers.
using Who = std::tuple<std::int64_t, std::int64_t, std::string, std::int32_t, std::int32_t>;

TEST(WorkerPool, GivesWhatTheReaderGivesHere) {
  for (const int workers : {1, 3}) {
    Asked<Mixed> asked("mixed", {.workers = workers});
    for (const std::int64_t epoch : {0, 1}) {
      const auto answers = asked.all_of(300, epoch);
      ASSERT_EQ(answers.size(), 300u);
      for (std::int64_t i = 0; i < 300; ++i) {
        const auto& answer = answers[static_cast<std::size_t>(i)];
        ASSERT_TRUE(answer.sample) << answer.error;
        ASSERT_TRUE(testing::same(*answer.sample, mixed_sample({.epoch = epoch, .index = i})));
      }
    }
    EXPECT_EQ(asked.pool().stats().samples, 600);
    EXPECT_EQ(asked.pool().stats().restarts, 0);
  }
}

// Each worker is set up once, knows its number, is another process, and receives work.
TEST(WorkerPool, SetsEachWorkerUpOnce) {
  Asked<Who> asked("who", {.workers = 3, .argument = "{\"path\": \"/data\"}"});
  std::map<std::int64_t, std::set<std::int64_t>> counts;
  std::set<std::int32_t> numbers;
  while (numbers.size() < 3) {
    for (const auto& answer : asked.all_of(200)) {
      ASSERT_TRUE(answer.sample) << answer.error;
      const auto& [pid, count, argument, worker, workers] = *answer.sample;
      EXPECT_NE(pid, ::getpid());
      EXPECT_EQ(argument, "{\"path\": \"/data\"}");
      EXPECT_EQ(workers, 3);
      numbers.insert(worker);
      EXPECT_TRUE(counts[pid].insert(count).second);
    }
  }
  EXPECT_EQ(numbers, (std::set<std::int32_t>{0, 1, 2}));
  ASSERT_EQ(counts.size(), 3u);
  for (const auto& [pid, seen] : counts)
    EXPECT_EQ(*seen.rbegin(), static_cast<std::int64_t>(seen.size()) - 1);
}

// Blocks the pool's thread until it is released.
class Gate final : public detail::WorkerRequest {
 public:
  Gate(std::promise<void>& entered, std::future<void> open)
      : entered_(entered), open_(std::move(open)) {}
  void give(detail::ReplyReader&) override {
    entered_.set_value();
    open_.wait();
  }
  void fail(const std::string& what) noexcept override { ADD_FAILURE() << what; }
  void end() noexcept override {}

 private:
  std::promise<void>& entered_;
  std::future<void> open_;
};

// The waiting samples are cut into groups of consecutive samples, one for each worker. The sizes of
// the groups differ by at most 1.
TEST(WorkerPool, X10_X31_CutsWhatIsThereIntoGroups) {
  const std::vector<std::vector<int>> table = {{8, 8}, {6, 6, 5}, {1, 1, 1, 1}, {5}};
  for (const std::vector<int>& sizes : table) {
    Asked<Who> asked("who", {.workers = static_cast<int>(sizes.size())});
    while (asked.pool().stats().ready < static_cast<int>(sizes.size())) std::this_thread::yield();
    std::promise<void> entered;
    std::promise<void> open;
    asked.pool().fetch({}, std::make_unique<Gate>(entered, open.get_future()));
    entered.get_future().wait();
    for (int i = 0; i < std::accumulate(sizes.begin(), sizes.end(), 0); ++i) asked.begin(i);
    open.set_value();
    std::vector<int> seen;
    std::set<std::int64_t> pids;
    for (const auto& answer : asked.all()) {
      if (pids.insert(std::get<0>(answer.sample.value())).second) seen.push_back(0);
      ++seen.back();
    }
    EXPECT_EQ(seen, sizes);
  }
}

TEST(WorkerPool, ReplacesWorkersThatHaveMadeEnough) {
  Asked<Who> asked("who", {.workers = 2, .restarts = 0, .renew_after = 10, .mini_batch = 5});
  std::map<std::int64_t, int> counts;
  for (const auto& answer : asked.all_of(100)) {
    ASSERT_TRUE(answer.sample) << answer.error;
    ++counts[std::get<0>(*answer.sample)];
  }
  EXPECT_GE(counts.size(), 100u / 15);
  for (const auto& [pid, count] : counts) EXPECT_LT(count, 15);
}

// A worker that ends, in any way, costs the sample that it was processing. All others come.
TEST(WorkerPool, LosesTheSampleThatAWorkerWasAt) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"segv", "was killed by signal 11"},
      {"kill", "was killed by signal 9"},
      {"exit", "ended with status 3"},
      {"say and abort",
       "was killed by signal 6 (Aborted); its last output: the database is on fire"},
      {"close", "closed its socket"},
      {"nonsense letters", "sent an invalid message: a message of kind 2021161080"},
      {"nonsense short", "sent an invalid message: a message that is too short"},
      {"nonsense long", "sent an invalid message: a message that is too long"},
      {"nonsense unasked", "sent an invalid message: an unexpected answer"},
      {"nonsense ready", "sent an invalid message: a message of kind 4"},
      {"nonsense no descriptor", "sent an invalid message: shared memory without a descriptor"},
      {"nonsense gone", "sent an invalid message: the end of what it never shared"},
      {"nonsense cancelled", "sent an invalid message: that it left out what is wanted"}};
  for (const auto& [deed, how] : table) {
    for (const int workers : {1, 2}) {
      Asked<std::int64_t> asked("wild", {.workers = workers, .argument = deed + "@37"});
      const auto answers = asked.all_of(100);
      for (std::int64_t i = 0; i < 100; ++i) {
        const auto& answer = answers[static_cast<std::size_t>(i)];
        if (i == 37) {
          EXPECT_NE(answer.error.find(how), std::string::npos) << answer.error;
          EXPECT_NE(answer.error.find(" of 'wild' (pid "), std::string::npos) << answer.error;
        } else {
          ASSERT_TRUE(answer.sample) << deed << ", " << i << ": " << answer.error;
          EXPECT_EQ(*answer.sample, i);
        }
      }
      EXPECT_EQ(asked.pool().stats().restarts, 1) << deed;
    }
  }
}

// The other direction: messages from the program to a worker that it has started.
class Started {
 public:
  Started() : process_(detail::WorkerProgram::of(SLUICE_WORKER_PROGRAM, {}, "mixed")) {
    (void)process_.channel().receive(detail::Blocking::yes);  // hello
  }
  void send(std::string_view message) {
    (void)process_.channel().send(std::as_bytes(std::span(message.data(), message.size())),
                                  detail::Blocking::yes);
  }
  // True if the worker asks for work.
  bool is_ready() {
    const auto received = process_.channel().receive(detail::Blocking::yes);
    if (received.result != detail::Channel::Result::done) return false;
    detail::MessageReader message(received.message);
    return message.take<detail::Header>().kind == detail::MessageKind::ready;
  }
  // It reads all of it, and ends.
  std::string ending() {
    ::shutdown(process_.channel().number(), SHUT_WR);
    while (process_.channel().receive(detail::Blocking::yes).result ==
           detail::Channel::Result::done) {
    }
    const std::string how = process_.ended(60'000).value_or("did not end");
    (void)process_.listen();
    return how + ": " + process_.last_words();
  }

 private:
  detail::WorkerProcess process_;
};

std::string text_of(const detail::MessageWriter& message) {
  const auto bytes = message.message();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::string setup_message(std::uint64_t name_bytes) {
  detail::MessageWriter setup({detail::MessageKind::setup, 0, detail::kWorkerProtocol});
  setup.add(detail::SetupFields{0, 1, 1 << 24, name_bytes});
  setup.add_text("mixed");
  return text_of(setup);
}
std::string message_of(detail::MessageKind kind, std::uint32_t count, std::size_t more = 0) {
  detail::MessageWriter message({kind, count, 1});
  message.add_text(std::string(more, 'x'));
  return text_of(message);
}

TEST(WorkerProcess, EndsByItselfAtAMessageThatCannotBe) {
  using detail::MessageKind;
  const std::string nonsense =
      "ended with status 1: sluice: a worker ends: the program that started this worker sent an "
      "invalid message: ";
  struct Row {
    bool set_up;
    std::string message, ending;
  };
  const std::vector<Row> table = {
      {false, "x", nonsense + "a message that is too short"},
      {false, message_of(MessageKind::setup, 0), "ended with status 0: "},  // of no version
      {false, setup_message(5).substr(0, 20), nonsense + "a message that is too short"},
      {false, setup_message(6), nonsense + "a name that ends behind its message"},
      {true, "x", nonsense + "a message that is too short"},
      {true, message_of(MessageKind::fetch, 4'000'000'000),
       nonsense + "a message that is too short"},
      {true, message_of(MessageKind::call, 1), nonsense + "a message that is too short"},
      {true, message_of(MessageKind::give_back, 2, 8), nonsense + "a message that is too short"},
      {true, message_of(MessageKind::give_back, 1, 8), "ended with status 0: "},
      {true, message_of(MessageKind::hello, 0), nonsense + "a message of kind 12"},
      {true, message_of(static_cast<MessageKind>(99), 0), nonsense + "a message of kind 99"},
      {true, message_of(MessageKind::cancel, 0, std::size_t{80} << 10),
       nonsense + "a message that is too long"},
  };
  for (const Row& row : table) {
    Started worker;
    if (row.set_up) {
      worker.send(setup_message(5));
      ASSERT_TRUE(worker.is_ready());
    }
    worker.send(row.message);
    EXPECT_EQ(worker.ending(), row.ending);
  }
}

TEST(WorkerProcess, MutantsOfMessagesAreServedOrEndIt) {
  detail::MessageWriter fetch({detail::MessageKind::fetch, 2, 1});
  fetch.add(SampleInfo{.index = 3});
  fetch.add(SampleInfo{.index = 4});
  detail::MessageWriter call({detail::MessageKind::call, 1, 3});
  call.add(SampleInfo{.index = 5});
  call.add(detail::WireValue{});
  const std::vector<std::string> good = {text_of(fetch), text_of(call),
                                         message_of(detail::MessageKind::give_back, 1, 8),
                                         message_of(detail::MessageKind::cancel, 0)};
  std::vector<testing::Mutants> mutants;
  for (const std::string& message : good) mutants.emplace_back(message, mutants.size());
  testing::Mutants setups(setup_message(5), 9);
  for (int i = 2'000 / testing::one_in(40, 200); i > 0; --i) {
    Started worker;
    if (i % 4 == 0) {
      worker.send(setups.next());
    } else {
      worker.send(setup_message(5));
      ASSERT_TRUE(worker.is_ready());
      for (int sent = 0; sent < 20; ++sent) worker.send(mutants[std::size_t(sent) % 4].next());
    }
    EXPECT_EQ(worker.ending().substr(0, 18), "ended with status ") << i;
  }
}

// If no memory is left for anything, requests fail, and nothing else happens.
TEST(WorkerPool, EndsNothingButSamplesWhereMemoryIsShort) {
  struct Answered final : detail::WorkerRequest {
    explicit Answered(std::atomic<int>& count) : gone(count) {}
    ~Answered() override { ++gone; }
    void give(detail::ReplyReader& reply) override { (void)reply; }
    void fail(const std::string&) noexcept override {}
    void end() noexcept override {}
    std::atomic<int>& gone;
  };
  constexpr int kRequests = 30;
  for (std::uint64_t first = 1; first <= 60; first += 2) {
    for (const std::uint64_t count : {std::uint64_t{1}, ~std::uint64_t{0} / 2}) {
      std::atomic<int> gone{0};
      {
        auto asked =
            std::make_unique<Asked<Mixed>>("mixed", WorkerOptions{.workers = 1, .restarts = 0});
        asked->pool().begin_epoch();
        std::vector<std::unique_ptr<detail::WorkerRequest>> requests;
        for (int i = 0; i < kRequests; ++i) requests.push_back(std::make_unique<Answered>(gone));
        const testing::FailingAllocations failing(first, count);
        for (auto& request : requests) {
          try {
            asked->pool().fetch({}, std::move(request));
          } catch (const std::bad_alloc&) {
          }
        }
        asked->pool().end_epoch();
        asked.reset();
      }
      EXPECT_EQ(gone, kRequests);
    }
  }
}

TEST(WorkerPool, EndsAWorkerThatTakesTooLong) {
  for (const std::string how : {"hang", "stop"}) {
    SCOPED_TRACE(how);
    Asked<std::int64_t> asked("wild", {.workers = 2, .argument = how + "@3", .deadline_s = 5});
    const auto answers = asked.all_of(20);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(answers[i].sample.has_value(), i != 3);
    EXPECT_NE(answers[3].error.find("took longer for a sample than deadline_s = 5 seconds"),
              std::string::npos)
        << answers[3].error;
    testing::tried("killed-workers");
  }
}

TEST(WorkerPool, TriesOnceMoreIfAsked) {
  const std::string file = ::testing::TempDir() + "sluice-once-" + std::to_string(::getpid());
  for (const bool once : {false, true}) {
    (void)std::remove(file.c_str());
    Asked<std::int64_t> asked(
        "wild", {.workers = 2, .argument = "segv@3" + (once ? "?" + file : ""), .retry = true});
    const auto answers = asked.all_of(20);
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_EQ(answers[i].sample.has_value(), i != 3 || once) << answers[i].error;
    EXPECT_EQ(asked.pool().stats().restarts, once ? 1 : 2);
  }
  (void)std::remove(file.c_str());
}

TEST(WorkerPool, PassesOnWhatTheReaderThrows) {
  Asked<std::int64_t> asked("wild", {.workers = 2, .argument = "throw@4", .retry = true});
  const auto answers = asked.all_of(20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(answers[i].sample.has_value(), i != 4);
  EXPECT_EQ(answers[4].error, "no such image");
  EXPECT_EQ(asked.pool().stats().restarts, 0);
  Asked<std::int64_t> odd("wild", {.workers = 2, .argument = "throw 42@4"});
  const auto rest = odd.all_of(20);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(rest[i].sample.has_value(), i != 4);
  EXPECT_EQ(rest[4].error, "threw something that is not a std::exception");
  EXPECT_EQ(odd.pool().stats().restarts, 0);
  Asked<std::int64_t> ends("wild", {.workers = 2, .argument = "end@4"});
  EXPECT_TRUE(ends.all_of(5)[4].end);
}

TEST(WorkerPool, GivesUpWhenNoWorkerIsLeft) {
  Asked<std::int64_t> asked("wild", {.workers = 1, .argument = "exit@0", .restarts = 2});
  asked.pool().begin_epoch();
  for (int i = 0; i < 5; ++i) asked.begin(0);
  const auto answers = asked.all();
  EXPECT_NE(answers[0].error.find("ended with status 3"), std::string::npos) << answers[0].error;
  for (const std::size_t i : {3u, 4u}) {
    EXPECT_NE(answers[i].error.find("no worker of 'wild' is left, and restarts = 2 are used up; "
                                    "the last one: worker 0 of 'wild' (pid "),
              std::string::npos)
        << answers[i].error;
  }
  asked.begin(1);
  EXPECT_NE(asked.all().back().error.find("no worker of 'wild' is left"), std::string::npos);
  EXPECT_THROW(asked.pool().begin_epoch(), Error);
}

// All samples report why a pool does not begin to serve.
TEST(WorkerPool, SaysWhyWorkersCannotBeSetUp) {
  const auto error_of = [](auto asked) { return asked->all_of(1)[0].error; };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos ? "" : text;
  };
  EXPECT_EQ(
      has(error_of(std::make_unique<Asked<std::int64_t>>("nothing", WorkerOptions{.restarts = 1})),
          "cannot be set up: the database is closed"),
      "");
  EXPECT_EQ(has(error_of(std::make_unique<Asked<std::int64_t>>("nobody")),
                "the program has no SLUICE_WORKER(\"nobody\", ...); it has: 'block', 'groups', "),
            "");
  EXPECT_EQ(has(error_of(std::make_unique<Asked<Bytes>>("wild")),
                "returns samples of (i64), but workers<...> expects (bytes)"),
            "");
  // If setup fails in each worker, and again in one of them, it is not tried ten times.
  Asked<std::int64_t> closed("nothing", {.workers = 2});
  EXPECT_EQ(has(closed.all_of(1)[0].error, "cannot be set up: the database is closed"), "");
  EXPECT_GE(closed.pool().stats().restarts, 2);
  EXPECT_LE(closed.pool().stats().restarts, 4);
  // A BuildError is permanent: no restart is used.
  Asked<std::int64_t> mistaken("mistaken");
  EXPECT_EQ(has(mistaken.all_of(1)[0].error, "cannot be set up: no such table"), "");
  EXPECT_EQ(mistaken.pool().stats().restarts, 0);
  ::setenv("SLUICE_TEST_FORGETS", "1", 1);
  EXPECT_EQ(has(error_of(std::make_unique<Asked<std::int64_t>>("wild")),
                "ended with status 0, before it was ready; a program that uses workers() calls "
                "sluice::run_worker_if_asked"),
            "");
  ::unsetenv("SLUICE_TEST_FORGETS");
  EXPECT_EQ(has(error_of(std::make_unique<Asked<std::int64_t>>(
                    "wild", WorkerOptions{.program = "/bin/false"})),
                "ended with status 1, before it was ready"),
            "");
}

// A worker that ends during setup has reached run_worker_if_asked, so that is not the reason.
TEST(WorkerPool, SaysThatAWorkerEndedWhileItWasSetUp) {
  const struct {
    const char* argument;
    const char* wanted;
  } kCases[] = {
      {"exit", "ended with status 3, before it was ready, while it was set up"},
      {"say and exit",
       "ended with status 3; its last output: no licence for the camera, before it was ready, "
       "while it was set up"},
  };
  for (const auto& c : kCases) {
    Asked<std::int64_t> asked("set-up", {.workers = 1, .argument = c.argument, .restarts = 0});
    const std::string error = asked.all_of(1)[0].error;
    EXPECT_NE(error.find(c.wanted), std::string::npos) << error;
    EXPECT_EQ(error.find("run_worker_if_asked"), std::string::npos) << error;
  }
}

// The output of a worker is read all the time, so that it never waits for that. All of it goes on
// to stderr, and only the last words are kept.
TEST(WorkerPool, AWorkerThatFloodsItsOutputIsNotHeldUp) {
  constexpr std::int64_t kSamples = 5;
  constexpr std::int64_t kBytes = 300'000;  // of one line, more than a pipe takes
  ::testing::internal::CaptureStderr();
  {
    Asked<std::int64_t> asked("noisy", {.workers = 2, .argument = std::to_string(kBytes)});
    const auto answers = asked.all_of(kSamples);
    for (std::int64_t i = 0; i < kSamples; ++i)
      EXPECT_EQ(answers[static_cast<std::size_t>(i)].sample, i);
    EXPECT_EQ(asked.pool().stats().restarts, 0);
  }
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(written.begin(), written.end(), '#'), 2 * kSamples * kBytes);
}

TEST(WorkerPool, RefusesOptionsThatCannotBe) {
  const auto error_of = [](WorkerOptions options) -> std::string {
    if (options.program.empty()) options.program = SLUICE_WORKER_PROGRAM;
    try {
      (void)workers<std::int64_t>("wild", 10, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of({.workers = 0}), "workers(\"wild\"): workers is 0; it must be at least 1");
  EXPECT_EQ(error_of({.workers = -1}), "workers(\"wild\"): workers is -1; it must be at least 1");
  EXPECT_EQ(error_of({.restarts = -1}), "workers(\"wild\"): restarts is -1; it must be at least 0");
  EXPECT_EQ(error_of({.renew_after = -1}),
            "workers(\"wild\"): renew_after is -1; it must be at least 0");
  EXPECT_EQ(error_of({.mini_batch = 0}),
            "workers(\"wild\"): mini_batch is 0; it must be at least 1");
  EXPECT_EQ(error_of({.prefetch = 0}), "workers(\"wild\"): prefetch is 0; it must be at least 1");
  EXPECT_EQ(error_of({.workers = 5000}),
            "workers(\"wild\"): workers, mini_batch and prefetch must be at most 1024, not 5000");
  EXPECT_EQ(error_of({.deadline_s = 0}),
            "workers(\"wild\"): deadline_s is 0.000000; it must be above 0, and 1e8 at the most");
  EXPECT_EQ(error_of({.max_bytes = 1}),
            "workers(\"wild\"): max_bytes is 1; it must be 1 MiB or more");
  EXPECT_EQ(error_of({.argument = std::string(40'000, 'x')}),
            "workers(\"wild\"): the argument has 40000 bytes; write it into a file, and let the "
            "argument be its path");
  // QEMU starts a process that ends at once.
  std::array<char*, 1> none{};
  pid_t pid{};
  if (::posix_spawn(&pid, "/nowhere/program", nullptr, nullptr, none.data(), none.data()) == 0) {
    ::waitpid(pid, nullptr, 0);
  } else {
    EXPECT_EQ(error_of({.program = "/nowhere/program"}),
              "the workers of 'wild' cannot be started from '/nowhere/program': posix_spawn: No "
              "such file or directory");
  }
  EXPECT_EQ(error_of({.workers = 2}), "no error");
  // This program is known to lack the reader before anything is started.
  EXPECT_THROW((void)workers<std::int64_t>("wild", 10), BuildError);
}

TEST(WorkerPool, WarnsOfWorkersWithoutWork) {
  ::testing::internal::CaptureStderr();
  (void)workers<std::int64_t>("wild", 3, {.workers = 3, .program = SLUICE_WORKER_PROGRAM});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  ::testing::internal::CaptureStderr();
  (void)workers<std::int64_t>("wild", 3, {.workers = 4, .program = SLUICE_WORKER_PROGRAM});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "sluice: workers(\"wild\") has 4 workers for 3 samples: some will have nothing to "
            "do\n");
}

std::int64_t index_in(const Bytes& bytes) {
  std::int64_t index = -1;
  std::memcpy(&index, bytes.data(), sizeof(index));
  return index;
}

// Memory goes back when the last handle goes, and is used again; a value outlives its pool.
TEST(WorkerPool, LendsSharedMemory) {
  for (const char* const argument : {"300000", "300000 view"}) {
    Bytes kept;
    {
      Asked<Bytes> asked("block", {.workers = 2, .argument = argument});
      std::set<const std::uint8_t*> places;
      for (int round = 0; round < 10; ++round) {
        auto answers = asked.all_of(40);
        EXPECT_EQ(asked.pool().stats().bytes_held, 40 * 300'000u + kept.size());
        for (std::size_t i = 0; i < 40; ++i) {
          ASSERT_TRUE(answers[i].sample) << answers[i].error;
          ASSERT_EQ(answers[i].sample->size(), 300'000u);
          EXPECT_EQ(index_in(*answers[i].sample), static_cast<std::int64_t>(i));
          places.insert(answers[i].sample->begin());
        }
        if (round == 0) kept = std::move(*answers[7].sample);
      }
      EXPECT_LT(places.size(), 150u);
      EXPECT_EQ(index_in(kept), 7);
    }
    EXPECT_EQ(index_in(kept), 7);
    kept.data()[299'999] = 1;
  }
}

// A caller that returns no memory receives all samples, one at a time. No value is larger than
// allowed.
TEST(WorkerPool, HasABoundOnSharedMemory) {
  Asked<Bytes> asked("block", {.workers = 3, .argument = "300000", .max_bytes = 1 << 20});
  const auto answers = asked.all_of(40);
  for (const auto& answer : answers) EXPECT_TRUE(answer.sample) << answer.error;
  Asked<Bytes> large("block", {.workers = 2, .argument = "3000000", .max_bytes = 1 << 20});
  EXPECT_EQ(large.all_of(1)[0].error,
            "there is no shared memory for a value of 3000000 bytes: 3145792 bytes are more than "
            "max_bytes of WorkerOptions");
}

// Samples of an ended epoch fail at once, and the worker does not make them.
TEST(WorkerPool, LeavesOutWhatAnEndedEpochAskedFor) {
  Asked<std::int64_t> asked("wild", {.workers = 1, .argument = "hang@5", .deadline_s = 5});
  asked.pool().begin_epoch();
  asked.pool().begin_epoch();  // of two pipelines
  for (std::int64_t i = 0; i < 40; ++i) asked.begin(i);
  asked.wait_for(5);
  asked.pool().end_epoch();
  asked.pool().end_epoch();
  const auto answers = asked.all();
  for (std::size_t i = 0; i < 40; ++i) {
    if (i < 5) {
      EXPECT_EQ(*answers[i].sample, static_cast<std::int64_t>(i));
    } else {
      EXPECT_EQ(answers[i].error, "the sample is no longer needed: its epoch has ended");
    }
  }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(asked.all_of(5)[i].sample);
}

}  // namespace pool_test
}  // namespace sluice
