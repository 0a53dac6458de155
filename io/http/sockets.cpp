#include <sluice/io/http/sockets.h>

#include <algorithm>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sluice::detail {
namespace {

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

void HttpSockets::note_http1(int socket) {
  for (One& one : all_) one.is_http1 = one.is_http1 || one.socket == socket;
}

bool HttpSockets::has_unasked(int local_port) const {
  return std::any_of(all_.begin(), all_.end(), [local_port](const One& one) {
    char byte = 0;
    return one.is_http1 && local_port_of(one.socket) == local_port &&
           ::recv(one.socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
  });
}

}  // namespace sluice::detail
