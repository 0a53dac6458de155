// CurlEvents: runs the transfers of a libcurl multi handle as their sockets become ready. Internal:
// for curl_transport.h.
//
// epoll watches the sockets, so the cost of an event does not depend on the number of transfers
// that wait.
//
// Ownership: owns the multi handle. Threads: wake() from any; the rest on one. Errors: the
// constructor throws Error if there are no descriptors left, and std::bad_alloc.
#pragma once

#include <sluice/io/descriptor.h>
#include <sluice/runtime/function.h>

#include <chrono>
#include <optional>

namespace sluice::detail {

class CurlEvents {
 public:
  // `look`: called after each event, because transfers may have ended. It must not throw.
  explicit CurlEvents(Function<void()> look);
  ~CurlEvents();
  CurlEvents(const CurlEvents&) = delete;
  CurlEvents& operator=(const CurlEvents&) = delete;

  void* multi() const { return multi_; }  // a CURLM*
  // run_once() returns soon.
  void wake() noexcept;
  // Waits for events, at most this long, and lets libcurl handle them.
  void run_once(std::chrono::milliseconds most) noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  static int on_socket(void* easy, int socket, int what, void* user, void* is_watched);
  static int on_timer(void* multi, long milliseconds, void* user);
  bool watch(int socket, int what, bool is_new) noexcept;

  Function<void()> look_;
  Descriptor wake_;
  Descriptor events_;
  void* multi_;
  std::optional<Clock::time_point> timer_;  // when libcurl has work without an event
  bool must_poll_ = false;                  // epoll lacks memory for a socket
};

}  // namespace sluice::detail
