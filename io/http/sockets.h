// HttpSockets: the sockets of connections that are kept for later requests, and the servers that
// sent bytes that no request had asked for. Internal: no user includes it.
//
// libcurl takes bytes that wait in a socket for the answer to the next request. So a connection of
// HTTP/1 is checked before each request. If bytes wait on it, it is closed, and from then on each
// connection to this server serves one request only. Bytes that come after a request was sent look
// like its answer. So a new server gets its next request only some time after its last answer,
// until several checks have found nothing.
//
// Ownership: the sockets are libcurl's. Threads: one at a time. Errors: std::bad_alloc.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace sluice::detail {

class HttpSockets {
 public:
  using Clock = std::chrono::steady_clock;

  // As ::socket() and ::close(), but not for programs that this one starts.
  int open(int family, int type, int protocol);
  int close(int socket);
  // An answer of the server came through this socket, in HTTP/1, where servers only answer.
  void note_answer(int socket, const std::string& server);
  // The server has sent more than an answer.
  void distrust(const std::string& server) { servers_[server].is_trusted = false; }
  // The earliest time of the next request to the server; it may be in the past.
  Clock::time_point next_time(const std::string& server) const;
  // True if a connection to the server may serve several requests.
  bool is_trusted(const std::string& server) const;
  // Call it before a request: true if bytes wait on the connection from this local port.
  bool has_unasked(int local_port, const std::string& server);

 private:
  struct One {
    int socket;
    bool is_http1 = false;
  };
  struct Server {
    Clock::time_point last_answer = {};
    int clean = 0;  // connections that were found so
    bool is_trusted = true;
  };
  std::vector<One> all_;
  std::map<std::string, Server> servers_;
};

}  // namespace sluice::detail
