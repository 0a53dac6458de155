// HttpSockets: the sockets of reusable connections, and the servers that sent unrequested bytes.
// Internal: for curl_transport.h.
//
// libcurl takes bytes that wait in a socket for the answer to the next request. So an HTTP/1
// connection is checked before each request. If bytes wait on it, it is closed, and from then on
// each connection to this server serves one request only. Bytes that come after a request was sent
// look like its answer. So requests to a new server are spaced out after its last answer, until
// several checks have found nothing.
//
// Ownership: libcurl owns the sockets. Threads: one at a time. Errors: open() and the functions
// that note something throw std::bad_alloc.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace sluice::detail {

class HttpSockets {
 public:
  using Clock = std::chrono::steady_clock;

  // Like ::socket() and ::close(), but child programs do not inherit the sockets.
  int open(int family, int type, int protocol);
  int close(int socket);
  // Call it when the server answered through this socket in HTTP/1, where servers only answer.
  void note_answer(int socket, const std::string& server);
  // Call it when the server has sent more than an answer.
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
    int local_port = -1;  // of HTTP/1
  };
  struct Server {
    Clock::time_point last_answer = {};
    int clean = 0;  // checks that found no waiting bytes
    bool is_trusted = true;
  };
  std::vector<One> all_;
  std::map<std::string, Server> servers_;
};

}  // namespace sluice::detail
