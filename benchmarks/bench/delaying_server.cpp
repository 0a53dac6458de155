#include "benchmarks/bench/delaying_server.h"

#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice::app {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(what + ": " + std::generic_category().message(errno));
}

// The longest request that is read.
constexpr std::size_t kMostAsked = std::size_t{16} << 10;

// Returns the number after `before`, or `none`.
std::int64_t number_after(std::string_view text, std::string_view before, std::int64_t none) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return none;
  std::int64_t number = none;
  (void)std::from_chars(text.data() + at + before.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

DelayingServer::DelayingServer(const std::vector<std::string>& files,
                               std::chrono::milliseconds delay)
    : delay_(delay),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      events_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  for (const std::string& path : files) {
    detail::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.number(), &status) != 0) fail(path);
    files_.push_back({std::move(file), status.st_size});
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!listener_ || !events_ || !stop_ || ::bind(listener_.number(), any, size) != 0 ||
      ::listen(listener_.number(), 1024) != 0 || ::getsockname(listener_.number(), any, &size) != 0)
    fail("the server for URLs cannot listen");
  port_ = ntohs(address.sin_port);
  for (const int one : {listener_.number(), stop_.number()}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = one}};
    (void)::epoll_ctl(events_.number(), EPOLL_CTL_ADD, one, &event);
  }
  thread_ = std::thread([this] { run(); });
}

DelayingServer::~DelayingServer() {
  const std::uint64_t one = 1;
  (void)!::write(stop_.number(), &one, sizeof(one));
  thread_.join();
}

std::string DelayingServer::url(std::size_t file) const {
  return fmt::format("http://127.0.0.1:{}/{}.pack", port_, file);
}

double DelayingServer::cpu_seconds() const {
  clockid_t clock = 0;
  timespec time{};
  if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 ||
      ::clock_gettime(clock, &time) != 0)
    return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void DelayingServer::run() {
  std::array<epoll_event, 64> events;
  while (true) {
    // An answer is up to a millisecond late, never early.
    int wait = -1;
    if (!due_.empty()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(due_.front().time - Clock::now());
      wait = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    const int count =
        ::epoll_wait(events_.number(), events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const int socket = event.data.fd;
      if (socket == stop_.number()) return;
      if (socket == listener_.number()) {
        accept_all();
        continue;
      }
      const auto at = connections_.find(socket);
      if (at == connections_.end()) continue;
      if ((event.events & EPOLLOUT) != 0 && send_some(at->second)) {
        epoll_event in{.events = EPOLLIN, .data = {.fd = socket}};
        (void)::epoll_ctl(events_.number(), EPOLL_CTL_MOD, socket, &in);
      }
      if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) receive(socket);
    }
    while (!due_.empty() && due_.front().time <= Clock::now()) {
      const int socket = due_.front().socket;
      due_.pop_front();
      answer(socket);
    }
  }
}

void DelayingServer::accept_all() {
  while (true) {
    detail::Descriptor socket(
        ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    const int number = socket.number();
    const int one = 1;
    (void)::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connections_[number].socket = std::move(socket);
    epoll_event event{.events = EPOLLIN, .data = {.fd = number}};
    (void)::epoll_ctl(events_.number(), EPOLL_CTL_ADD, number, &event);
  }
}

void DelayingServer::receive(int socket) {
  Connection& from = connections_[socket];
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN)) return drop(socket);
  if (got > 0) from.in.append(bytes.data(), static_cast<std::size_t>(got));
  if (from.in.size() > kMostAsked) return drop(socket);
  // A client sends its next request when it has the answer, so there is one at most.
  if (from.in.ends_with("\r\n\r\n")) due_.push_back({Clock::now() + delay_, socket});
}

void DelayingServer::answer(int socket) {
  const auto at = connections_.find(socket);
  if (at == connections_.end()) return;
  Connection& to = at->second;
  const std::string request = std::exchange(to.in, {});
  const std::int64_t number = number_after(request, "GET /", -1);
  if (number < 0 || number >= std::ssize(files_)) return drop(socket);
  const File& file = files_[static_cast<std::size_t>(number)];
  const std::int64_t first = number_after(request, "bytes=", 0);
  const std::size_t dash = request.find('-', request.find("bytes="));
  std::int64_t last = file.size - 1;
  if (dash != std::string::npos)
    last = std::min(last, number_after(std::string_view(request).substr(dash), "-", last));
  if (first > last) return drop(socket);
  to.file = file.file.number();
  to.begin = first;
  to.end = last + 1;
  to.head = fmt::format(
      "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Length: {}\r\nContent-Range: bytes "
      "{}-{}/{}\r\n\r\n",
      to.end - to.begin, first, last, file.size);
  if (send_some(to)) return;
  epoll_event event{.events = EPOLLIN | EPOLLOUT, .data = {.fd = socket}};
  (void)::epoll_ctl(events_.number(), EPOLL_CTL_MOD, socket, &event);
}

// If the connection is broken, it sends nothing, and receive() closes it.
bool DelayingServer::send_some(Connection& to) {
  while (!to.head.empty()) {
    const ssize_t sent =
        ::send(to.socket.number(), to.head.data(), to.head.size(), MSG_NOSIGNAL | MSG_MORE);
    if (sent < 0) return errno != EAGAIN;
    to.head.erase(0, static_cast<std::size_t>(sent));
  }
  while (to.begin < to.end) {
    const ssize_t sent = ::sendfile(to.socket.number(), to.file, &to.begin,
                                    static_cast<std::size_t>(to.end - to.begin));
    if (sent < 0) return errno != EAGAIN;
    if (sent == 0) {  // the file has become shorter
      (void)::shutdown(to.socket.number(), SHUT_RDWR);
      return true;
    }
  }
  return true;
}

void DelayingServer::drop(int socket) {
  connections_.erase(socket);
  std::erase_if(due_, [socket](const Due& one) { return one.socket == socket; });
}

}  // namespace sluice::app
