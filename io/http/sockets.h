// HttpSockets: the sockets of connections that are kept for later requests, and whether one of them
// has bytes that no request asked for. Internal: no user includes it.
//
// libcurl takes what waits in a socket for the answer to the next request. So a connection of
// HTTP/1 on which something waits before it is asked must not be used.
//
// Ownership: the sockets are libcurl's. Threads: one at a time. Errors: std::bad_alloc.
#pragma once

#include <vector>

namespace sluice::detail {

class HttpSockets {
 public:
  // As ::socket() and ::close(), but not for programs that this one starts.
  int open(int family, int type, int protocol);
  int close(int socket);
  // An answer has come through this one in HTTP/1, which sends nothing unasked.
  void note_http1(int socket);
  // Whether something waits on the connection from this port of this machine.
  bool has_unasked(int local_port) const;

 private:
  struct One {
    int socket;
    bool is_http1 = false;
  };
  std::vector<One> all_;
};

}  // namespace sluice::detail
