#include "progress.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace sluice::app {

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)),
      total_(std::max<std::int64_t>(total, 1)),
      terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::update(std::int64_t done) {
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double since_last = std::chrono::duration<double>(now - last_).count();
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  // Lines come further and further apart: one after 2 seconds, then whenever the run is half as
  // long again.
  const double pause = terminal_ ? 0.1 : std::max(2.0, 0.35 * elapsed);
  if (elapsed < 0.5 || since_last < pause) return;
  last_ = now;
  const double rate = static_cast<double>(done) / elapsed;
  if (!terminal_) {
    fmt::print(stderr, "{} of {} {}, {:.0f}/s\n", done, total_, what_, rate);
    return;
  }
  constexpr std::size_t kBar = 30;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kBar));
  const double left = rate > 0 ? static_cast<double>(total_ - done) / rate : 0;
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  {} of {} {}, {:.0f}/s, {:.0f} s left \033[K",
             std::string(filled, '#'), std::string(kBar - filled, '.'), 100 * share, done, total_,
             what_, rate, left);
  (void)std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace sluice::app
