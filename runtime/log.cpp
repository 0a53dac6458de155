#include <sluice/runtime/log.h>

#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <pthread.h>

namespace sluice {
namespace {

constexpr std::string_view kPrefix = "sluice: ";

// CurrentHandler: locks itself only to copy or exchange the handler, so that handlers run and are
// destroyed without a lock.
class CurrentHandler {
 public:
  // Made on first use without an allocation, and never destroyed: threads may log while the program
  // ends.
  static CurrentHandler& instance() {
    alignas(CurrentHandler) static std::byte memory[sizeof(CurrentHandler)];
    static CurrentHandler* const made = new (memory) CurrentHandler;
    return *made;
  }

  LogHandler get() {
    const std::lock_guard lock(mutex_);
    return handler_;
  }
  LogHandler exchange(LogHandler handler) {
    const std::lock_guard lock(mutex_);
    return std::exchange(handler_, std::move(handler));
  }

 private:
  // fork() waits for the mutex. Otherwise a child could find it locked by a thread that the child
  // does not have.
  CurrentHandler() {
    const auto unlock = [] { instance().mutex_.unlock(); };
    (void)::pthread_atfork([] { instance().mutex_.lock(); }, unlock, unlock);
  }

  std::mutex mutex_;  // guards handler_
  LogHandler handler_;
};

constinit thread_local bool inside_handler = false;

struct InsideHandler {
  InsideHandler() { inside_handler = true; }
  ~InsideHandler() { inside_handler = false; }
  InsideHandler(const InsideHandler&) = delete;
  InsideHandler& operator=(const InsideHandler&) = delete;
};

void put(std::string_view text) noexcept { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

// Does not allocate. Other threads write to `stderr` before or after the whole line.
void write_line(std::initializer_list<std::string_view> parts) noexcept {
  ::flockfile(stderr);
  put(kPrefix);
  for (const std::string_view part : parts) put(part);
  put("\n");
  ::funlockfile(stderr);
}

}  // namespace

LogHandler set_log_handler(LogHandler handler) noexcept {
  return CurrentHandler::instance().exchange(std::move(handler));
}

namespace detail {

void log_message(std::initializer_list<std::string_view> parts) noexcept {
  try {
    std::string line(kPrefix);
    for (const std::string_view part : parts) line += part;
    const LogHandler handler = inside_handler ? nullptr : CurrentHandler::instance().get();
    if (handler) {
      const InsideHandler inside;
      handler(std::string_view(line).substr(kPrefix.size()));
    } else {
      line += '\n';
      put(line);  // at once, so that other processes write before or after it
    }
  } catch (...) {  // no memory, or an exception of the handler
    write_line(parts);
  }
}

}  // namespace detail
}  // namespace sluice
