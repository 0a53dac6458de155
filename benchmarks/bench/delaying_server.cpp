#include "benchmarks/bench/delaying_server.h"

#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
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
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace sluice::app {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(what + ": " + std::generic_category().message(errno));
}

std::span<const std::uint8_t> mapped(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) fail(path);
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  if (at == MAP_FAILED) fail(path);
  return {static_cast<const std::uint8_t*>(at), size};
}

// Returns the number after `before`, or `none`.
std::size_t number_after(std::string_view text, std::string_view before, std::size_t none) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return none;
  std::size_t number = none;
  (void)std::from_chars(text.data() + at + before.size(), text.data() + text.size(), number);
  return number;
}

}  // namespace

DelayingServer::DelayingServer(const std::vector<std::string>& files,
                               std::chrono::milliseconds delay)
    : delay_(delay) {
  for (const std::string& file : files) files_.push_back(mapped(file));
  // Clients must not ask a proxy for this server.
  (void)::setenv("no_proxy", "127.0.0.1", 1);
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  events_ = ::epoll_create1(EPOLL_CLOEXEC);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  if (listener_ < 0 || events_ < 0 || stop_ < 0 || ::bind(listener_, any, size) != 0 ||
      ::listen(listener_, 1024) != 0 || ::getsockname(listener_, any, &size) != 0)
    fail("the server for URLs cannot listen");
  port_ = ntohs(address.sin_port);
  for (const int one : {listener_, stop_}) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = one}};
    (void)::epoll_ctl(events_, EPOLL_CTL_ADD, one, &event);
  }
  thread_ = std::thread([this] { run(); });
}

DelayingServer::~DelayingServer() {
  const std::uint64_t one = 1;
  (void)!::write(stop_, &one, sizeof(one));
  thread_.join();
  for (const auto& connection : connections_) ::close(connection.first);
  for (const int socket : {listener_, events_, stop_}) ::close(socket);
  for (const auto file : files_) ::munmap(const_cast<std::uint8_t*>(file.data()), file.size());
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
    const int count = ::epoll_wait(events_, events.data(), static_cast<int>(events.size()), wait);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const int socket = event.data.fd;
      if (socket == stop_) return;
      if (socket == listener_) {
        accept_all();
        continue;
      }
      const auto at = connections_.find(socket);
      if (at == connections_.end()) continue;
      if ((event.events & EPOLLOUT) != 0 && send_some(socket, at->second)) {
        epoll_event in{.events = EPOLLIN, .data = {.fd = socket}};
        (void)::epoll_ctl(events_, EPOLL_CTL_MOD, socket, &in);
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
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    const int one = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connections_[socket];
    epoll_event event{.events = EPOLLIN, .data = {.fd = socket}};
    (void)::epoll_ctl(events_, EPOLL_CTL_ADD, socket, &event);
  }
}

void DelayingServer::receive(int socket) {
  Connection& from = connections_[socket];
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
  if (got == 0 || (got < 0 && errno != EAGAIN)) return drop(socket);
  if (got > 0) from.in.append(bytes.data(), static_cast<std::size_t>(got));
  // A client sends its next request when it has the answer, so there is one at most.
  if (from.in.ends_with("\r\n\r\n")) due_.push_back({Clock::now() + delay_, socket});
}

void DelayingServer::answer(int socket) {
  const auto at = connections_.find(socket);
  if (at == connections_.end()) return;
  Connection& to = at->second;
  const std::string request = std::exchange(to.in, {});
  const std::size_t number = number_after(request, "GET /", files_.size());
  if (number >= files_.size()) return drop(socket);
  const std::span<const std::uint8_t> file = files_[number];
  const std::size_t first = number_after(request, "bytes=", 0);
  const std::size_t dash = request.find('-', request.find("bytes="));
  const std::size_t last =
      dash == std::string::npos
          ? file.size() - 1
          : std::min(number_after(std::string_view(request).substr(dash), "-", file.size()),
                     file.size() - 1);
  if (first > last) return drop(socket);
  to.body = file.subspan(first, last - first + 1);
  to.head = fmt::format(
      "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Length: {}\r\nContent-Range: bytes "
      "{}-{}/{}\r\n\r\n",
      to.body.size(), first, last, file.size());
  to.sent_of_head = 0;
  if (send_some(socket, to)) return;
  epoll_event event{.events = EPOLLIN | EPOLLOUT, .data = {.fd = socket}};
  (void)::epoll_ctl(events_, EPOLL_CTL_MOD, socket, &event);
}

bool DelayingServer::send_some(int socket, Connection& to) const {
  while (to.sent_of_head < to.head.size() || !to.body.empty()) {
    std::array<iovec, 2> parts{
        {{to.head.data() + to.sent_of_head, to.head.size() - to.sent_of_head},
         {const_cast<std::uint8_t*>(to.body.data()), to.body.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) return errno != EAGAIN;  // receive() closes broken connections
    const auto bytes = static_cast<std::size_t>(sent);
    const std::size_t of_head = std::min(bytes, to.head.size() - to.sent_of_head);
    to.sent_of_head += of_head;
    to.body = to.body.subspan(bytes - of_head);
  }
  return true;
}

void DelayingServer::drop(int socket) {
  connections_.erase(socket);
  std::erase_if(due_, [socket](const Due& one) { return one.socket == socket; });
  ::close(socket);
}

}  // namespace sluice::app
