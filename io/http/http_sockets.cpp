#include <sluice/io/http/http_sockets.h>

#include <algorithm>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sluice::detail {
namespace {

// The pause between two requests to a new server, and the number of clean checks that end it.
constexpr std::chrono::milliseconds kRest(20);
constexpr int kCleanChecks = 8;

int local_port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return -1;
  if (address.ss_family == AF_INET)
    return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return -1;
}

}  // namespace

int HttpSockets::open(int family, int type, int protocol) {
  all_.reserve(all_.size() + 1);
  const int socket = ::socket(family, type | SOCK_CLOEXEC, protocol);
  if (socket >= 0) all_.push_back({socket});
  return socket;
}

int HttpSockets::close(int socket) {
  std::erase_if(all_, [socket](const One& one) { return one.socket == socket; });
  return ::close(socket);
}

void HttpSockets::note_answer(int socket, const std::string& server) {
  for (One& one : all_) {
    if (one.socket != socket || one.is_http1) continue;
    one.is_http1 = true;
    one.local_port = local_port_of(socket);
  }
  servers_[server].last_answer = Clock::now();
}

HttpSockets::Clock::time_point HttpSockets::next_time(const std::string& server) const {
  const auto at = servers_.find(server);
  const bool is_known =
      at == servers_.end() || !at->second.is_trusted || at->second.clean >= kCleanChecks;
  return is_known ? Clock::time_point() : at->second.last_answer + kRest;
}

bool HttpSockets::is_trusted(const std::string& server) const {
  const auto at = servers_.find(server);
  return at == servers_.end() || at->second.is_trusted;
}

bool HttpSockets::has_unasked(int local_port, const std::string& server) {
  for (const One& one : all_) {
    if (!one.is_http1 || one.local_port != local_port) continue;
    Server& told = servers_[server];
    char byte = 0;
    if (::recv(one.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
      told.is_trusted = false;
      return true;
    }
    ++told.clean;
  }
  return false;
}

}  // namespace sluice::detail
