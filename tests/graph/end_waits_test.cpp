// A shutdown that waits for samples names their steps, in one line on standard error.
#include "tests/graph/elsewhere.h"
#include "tests/graph/sources.h"
#include <sluice/graph/pipeline.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace end_waits_test {

using testing::Shelf;

// Standard error as a pipe, with a reader and a writer at the same time.
class Errors {
 public:
  Errors() : before_(dup(STDERR_FILENO)) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) ADD_FAILURE() << "no pipe";
    from_ = ends[0];
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
  }
  Errors(const Errors&) = delete;
  Errors& operator=(const Errors&) = delete;
  ~Errors() {
    stop();
    close(from_);
  }

  // Waits for a line and returns it without its end. Empty at the end of the pipe.
  std::string line() const {
    std::string text;
    for (char c = 0; read(from_, &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  // Nothing more is written to the pipe.
  void stop() {
    if (before_ < 0) return;
    dup2(before_, STDERR_FILENO);
    close(before_);
    before_ = -1;
  }

 private:
  int before_ = -1;
  int from_ = -1;
};

constexpr double kTiny = 0.02;
constexpr int kWindow = 8;

// Describes a pipeline in which all samples wait for handles on the shelf.
auto waiting(Shelf<std::int64_t>& shelf) {
  return make_pipeline({.batch_size = 4, .threads = 2, .window = kWindow, .stall_timeout = kTiny},
                       [&](Graph& g) {
                         return g.map_async<std::int64_t>(
                             "ask",
                             [&shelf](Completion<std::int64_t> done, std::int64_t i) {
                               shelf.put(std::move(done), i);
                             },
                             indices(g, 40));
                       });
}
using Waiting = Pipeline<std::int64_t>;

// Ends a run while all handles are held, and waits for the line. Returns the line without the time.
std::string told(const std::function<void(std::optional<Waiting>&)>& end) {
  Shelf<std::int64_t> shelf;
  std::optional<Waiting> pipeline(waiting(shelf));
  auto epoch = pipeline->epoch();
  auto held = shelf.take(kWindow);
  Errors errors;
  std::string line, more;
  std::thread elsewhere([&] {
    line = errors.line();
    held.clear();
  });
  end(pipeline);
  elsewhere.join();
  errors.stop();
  EXPECT_EQ(errors.line(), "");
  const std::size_t since = line.find(" since "), words = line.find(" s: ");
  if (since == std::string::npos || words == std::string::npos) return line;
  return line.substr(0, since) + line.substr(words + 2);
}

TEST(EndWaits, AreToldOnceWithTheStepThatWaits) {
  const std::string rest =
      "'s end waits for 8 samples in step 'ask': fire or destroy their "
      "completion handles";
  EXPECT_EQ(told([](std::optional<Waiting>& p) { p.reset(); }), "sluice: the pipeline" + rest);
  EXPECT_EQ(told([](std::optional<Waiting>& p) { p->reset(); }), "sluice: the epoch" + rest);
}

// A step that blocks until it is released.
struct Gate {
  void pass() {
    std::unique_lock lock(mutex);
    inside = true;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
  }
  void await_somebody() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false, open = false;
};

TEST(EndWaits, AreToldOfOrdinaryStepsToo) {
  Gate gate;
  std::optional pipeline(make_pipeline({.threads = 1, .stall_timeout = kTiny}, [&](Graph& g) {
    return g.map(
        "long",
        [&gate](std::int64_t i) {
          gate.pass();
          return i;
        },
        indices(g, 4));
  }));
  auto epoch = pipeline->epoch();
  gate.await_somebody();
  Errors errors;
  std::string line;
  std::thread elsewhere([&] {
    line = errors.line();
    gate.let_go();
  });
  pipeline.reset();
  elsewhere.join();
  errors.stop();
  EXPECT_EQ(line.find("sluice: the pipeline's end waits for 1 sample in step 'long' since "), 0u)
      << line;
  EXPECT_NE(line.find(" s: they end when it returns"), std::string::npos) << line;
}

}  // namespace end_waits_test
}  // namespace sluice
