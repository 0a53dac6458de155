#include "tests/in_child.h"
#include <sluice/runtime/log.h>
#include <sluice/runtime/trace.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace log_test {

using detail::log_message;

// Sets a handler during its lifetime.
class Handler {
 public:
  explicit Handler(LogHandler handler) : before_(set_log_handler(std::move(handler))) {}
  ~Handler() { set_log_handler(std::move(before_)); }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  LogHandler before_;
};

// Returns what goes to standard error meanwhile.
std::string written(const std::function<void()>& work) {
  ::testing::internal::CaptureStderr();
  work();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, EachMessageIsALineOnStandardError) {
  const std::string part(10'000, 'x');
  EXPECT_EQ(written([] { log_message({"one"}); }), "sluice: one\n");
  EXPECT_EQ(written([] { log_message({"50 % of ", "", "%s"}); }), "sluice: 50 % of %s\n");
  EXPECT_EQ(written([] { log_message({}); }), "sluice: \n");
  EXPECT_EQ(written([&] { log_message({part, part}); }), "sluice: " + part + part + "\n");
}

TEST(Log, AHandlerReplacesStandardError) {
  std::vector<std::string> messages;
  const auto keep = [&](std::string_view message) { messages.emplace_back(message); };
  EXPECT_EQ(written([&] {
              const Handler handler(keep);
              log_message({"one"});
              log_message({"t", "wo"});
            }),
            "");
  EXPECT_EQ(messages, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(written([] { log_message({"three"}); }), "sluice: three\n");
}

TEST(Log, SettingAHandlerReturnsTheOneBefore) {
  auto used = std::make_shared<int>(0);
  EXPECT_FALSE(set_log_handler([used](std::string_view) { ++*used; }));
  const LogHandler before = set_log_handler(nullptr);
  ASSERT_TRUE(before);
  before("one");
  EXPECT_EQ(*used, 1);
  EXPECT_FALSE(set_log_handler({}));
  EXPECT_EQ(used.use_count(), 2);  // the library keeps no copy
}

TEST(Log, AMessageWhoseHandlerThrowsGoesToStandardError) {
  const LogHandler handlers[] = {
      [](std::string_view) { throw std::runtime_error("no disk"); },
      [](std::string_view) { throw std::bad_alloc(); },
      [](std::string_view) { throw 1; },
  };
  for (const LogHandler& throws : handlers) {
    const Handler handler(throws);
    EXPECT_EQ(written([] { log_message({"o", "ne"}); }), "sluice: one\n");
    EXPECT_EQ(written([] { log_message({"two"}); }), "sluice: two\n");
  }
}

TEST(Log, AMessageInsideAHandlerGoesToStandardError) {
  int calls = 0;
  const Handler handler([&](std::string_view) {
    ++calls;
    log_message({"inner"});
  });
  EXPECT_EQ(written([] { log_message({"outer"}); }), "sluice: inner\n");
  EXPECT_EQ(written([] { log_message({"outer"}); }), "sluice: inner\n");
  EXPECT_EQ(calls, 2);
}

TEST(Log, AHandlerMaySetAnotherOne) {
  std::string said;
  const Handler handler([&](std::string_view) {
    set_log_handler([&](std::string_view message) { said = message; });
  });
  log_message({"one"});
  EXPECT_EQ(said, "");
  log_message({"two"});
  EXPECT_EQ(said, "two");
}

TEST(Log, ThreadsExchangeHandlersWhileOthersLog) {
  constexpr int kLoggers = 3, kMessages = 2000;
  struct Count {
    std::atomic<int> right{0}, wrong{0};
  };
  const auto counter = [](const std::shared_ptr<Count>& count) -> LogHandler {
    return [count](std::string_view message) {
      ++(message == "a message of three parts" ? count->right : count->wrong);
    };
  };
  const auto one = std::make_shared<Count>(), other = std::make_shared<Count>();
  {
    const Handler handler(counter(one));
    std::atomic<int> logging{kLoggers};
    std::vector<std::thread> threads;
    for (int i = 0; i < kLoggers; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < kMessages; ++k) log_message({"a message", " of three", " parts"});
        --logging;
      });
    }
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        while (logging > 0) {
          set_log_handler(counter(other));
          set_log_handler(counter(one));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(one->right + other->right, kLoggers * kMessages);
  EXPECT_EQ(one->wrong + other->wrong, 0);
  EXPECT_EQ(one.use_count(), 1);  // all handlers are gone
  EXPECT_EQ(other.use_count(), 1);
}

TEST(Log, AChildOfForkKeepsTheHandler) {
  std::string said;
  const Handler handler([&](std::string_view message) { said = message; });
  EXPECT_EQ(testing::in_child([&] {
              log_message({"from the child"});
              return said;
            }),
            "from the child");
  log_message({"from the parent"});
  EXPECT_EQ(said, "from the parent");
}

TEST(Log, MessagesOfTheLibraryComeWithoutThePrefix) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  std::string said;
  const Handler handler([&](std::string_view message) { said = message; });
  Trace("/dev/full", 1).finish();
  EXPECT_EQ(said.substr(0, said.find(": ")), "the trace cannot be written to '/dev/full'");
}

}  // namespace log_test
}  // namespace sluice
