#include "long_run.h"

#include "usage.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sluice::app {

std::string duration_in_words(double seconds) {
  constexpr double kLongest = 1e9;  // longer durations are not meaningful
  const auto whole = static_cast<std::int64_t>(std::clamp(std::ceil(seconds), 0.0, kLongest));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

Progress::Progress(std::string what, std::int64_t total, bool shown)
    : what_(std::move(what)),
      total_(std::max<std::int64_t>(total, 1)),
      terminal_(isatty(STDERR_FILENO) == 1) {
  if (!shown) return;
  try {
    thread_ = std::thread([this] { draw_until_finished(); });
  } catch (const std::system_error&) {
  }
}

void Progress::draw_until_finished() {
  using Seconds = std::chrono::duration<double>;
  const auto start = std::chrono::steady_clock::now();
  double next = terminal_ ? 0.5 : 1.0;  // seconds from the start
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, Seconds(next) - (std::chrono::steady_clock::now() - start),
                            [this] { return finished_; })) {
    const double elapsed = Seconds(std::chrono::steady_clock::now() - start).count();
    draw(elapsed);
    next = elapsed + (terminal_ ? 0.1 : std::max(2.0, 0.35 * elapsed));
  }
}

// Errors of standard error are ignored: a failed display must not end the run.
void Progress::draw(double elapsed) {
  const std::int64_t before = before_.load(std::memory_order_relaxed);
  const Done followed = follow_ ? follow_() : Done();
  const std::int64_t done = done_.load(std::memory_order_relaxed) + followed.items;
  const std::int64_t all = std::min(before + done, total_);
  const double rate = static_cast<double>(done) / elapsed;
  const std::string left =
      done > 0
          ? fmt::format(", {} left", duration_in_words(static_cast<double>(total_ - all) / rate))
          : "";
  const std::string bytes =
      follow_ ? fmt::format("{:.0f} MB, ", static_cast<double>(followed.bytes) / 1e6) : "";
  const std::string words =
      fmt::format("{} of {}, {}{:.0f}/s{}", all, counted(total_, what_), bytes, rate, left);
  if (!terminal_) {
    (void)std::fputs((words + "\n").c_str(), stderr);
    return;
  }
  // A line wider than the terminal would remain when the next one is drawn.
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t width = known ? size.ws_col - std::size_t{1} : 79;
  constexpr std::size_t kRest = sizeof("[] 100 %  ");
  const std::size_t kBar =
      std::min<std::size_t>(30, width > kRest + words.size() ? width - kRest - words.size() : 0);
  const double share = static_cast<double>(all) / static_cast<double>(total_);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBar));
  const std::string text =
      fmt::format("[{}{}] {:3.0f} %  {} ", std::string(filled, '#'),
                  std::string(kBar - filled, '.'), std::floor(100 * share), words);
  const std::string line = "\r" + (kBar == 0 ? words : text).substr(0, width) + "\033[K";
  (void)std::fputs(line.c_str(), stderr);
  (void)std::fflush(stderr);
  drawn_ = true;
}

void Progress::follow(std::function<Done()> done) {
  const std::lock_guard lock(mutex_);
  follow_ = std::move(done);
}

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  if (drawn_) (void)std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

namespace {

// Signal handlers may only use lock-free atomics and sem_post.
std::atomic<int> caught{0};
static_assert(std::atomic<int>::is_always_lock_free);
sem_t woken;

extern "C" void catch_signal(int number) {
  const int before = errno;
  caught.store(number);
  (void)sem_post(&woken);
  errno = before;
}

void install(int number, struct sigaction& before) {
  (void)::sigaction(number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = catch_signal;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  (void)::sigaction(number, &action, nullptr);
}

}  // namespace

Interruption::Interruption(std::function<void()> stop) {
  caught = 0;
  (void)sem_init(&woken, 0, 0);
  try {
    thread_ = std::thread([stop = std::move(stop)] {
      while (sem_wait(&woken) != 0) {
      }
      if (caught != 0) stop();
    });
  } catch (const std::system_error&) {
  }
  install(SIGINT, interrupt_before_);
  install(SIGTERM, terminate_before_);
}

Interruption::~Interruption() {
  (void)::sigaction(SIGINT, &interrupt_before_, nullptr);
  (void)::sigaction(SIGTERM, &terminate_before_, nullptr);
  (void)sem_post(&woken);
  if (thread_.joinable()) thread_.join();
  (void)sem_destroy(&woken);
}

int Interruption::signal() const { return caught; }

}  // namespace sluice::app
