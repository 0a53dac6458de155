#include <sluice/io/http/curl_events.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>
#include <utility>

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace sluice::detail {
namespace {

// The wait between two looks at all transfers, if epoll does not watch all sockets.
constexpr std::chrono::milliseconds kPolling(10);

}  // namespace

CurlEvents::CurlEvents(Function<void()> look)
    : look_(std::move(look)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      multi_(nullptr) {
  if (!wake_ || !events_ || !watch(wake_.number(), CURL_POLL_IN, true)) {
    throw Error("URLs cannot be read, because the system has no descriptor left: " +
                std::generic_category().message(errno) + "; raise its limit (ulimit -n)");
  }
  multi_ = curl_multi_init();
  if (multi_ == nullptr) throw std::bad_alloc();
  (void)curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlEvents::on_socket);
  (void)curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  (void)curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlEvents::on_timer);
  (void)curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

CurlEvents::~CurlEvents() { curl_multi_cleanup(multi_); }

void CurlEvents::wake() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(wake_.number(), &one, sizeof(one));
}

void CurlEvents::run_once(std::chrono::milliseconds most) noexcept {
  using std::chrono::milliseconds;
  // Rounded up so that we never wake early.
  if (timer_) most = std::min(most, std::chrono::ceil<milliseconds>(*timer_ - Clock::now()));
  if (must_poll_) most = std::min(most, kPolling);
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(events_.number(), events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(std::max<milliseconds::rep>(most.count(), 0)));
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_.number()) {
      std::uint64_t calls = 0;
      (void)!::read(wake_.number(), &calls, sizeof(calls));
      continue;
    }
    // If an earlier event closed this socket, libcurl ignores the call.
    const int what = ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                     ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                     ((event.events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
    (void)curl_multi_socket_action(multi_, event.data.fd, what, &running);
    look_();
  }
  if (must_poll_) {
    (void)curl_multi_perform(multi_, &running);
    look_();
  } else if (timer_ && *timer_ <= Clock::now()) {
    timer_.reset();
    (void)curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
    look_();
  }
}

bool CurlEvents::watch(int socket, int what, bool is_new) noexcept {
  epoll_event event{};
  event.data.fd = socket;
  if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
  if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
  return ::epoll_ctl(events_.number(), is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0;
}

// libcurl calls this when it waits for other events of a socket, and before it closes one.
int CurlEvents::on_socket(void* /*easy*/, int socket, int what, void* user, void* is_watched) {
  auto& to = *static_cast<CurlEvents*>(user);
  if (what == CURL_POLL_REMOVE) {
    (void)::epoll_ctl(to.events_.number(), EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  if (!to.watch(socket, what, is_watched == nullptr)) to.must_poll_ = true;
  (void)curl_multi_assign(to.multi_, socket, &to);
  return 0;
}

int CurlEvents::on_timer(void* /*multi*/, long milliseconds, void* user) {
  auto& timer = static_cast<CurlEvents*>(user)->timer_;
  timer.reset();
  if (milliseconds >= 0) timer = Clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace sluice::detail
