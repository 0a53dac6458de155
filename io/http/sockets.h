// HttpSockets: the sockets of connections that are kept for later requests, and which servers send
// what no request asked for. Internal: no user includes it.
//
// libcurl takes what waits in a socket for the answer to the next request. So a connection of
// HTTP/1 is looked at before each request: if something waits on it, it is closed, and connections
// to this server are used once from then on. What comes after the request was sent looks like its
// answer. So a server that is not known yet is asked again only some time after its last answer,
// until a few connections were still clean then.
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
  // An answer of the server has come through this one, in HTTP/1, which sends nothing unasked.
  void note_answer(int socket, const std::string& server);
  // It has sent more than an answer.
  void distrust(const std::string& server) { servers_[server].is_trusted = false; }
  // When the server may be asked again, which may be over.
  Clock::time_point next_time(const std::string& server) const;
  // Whether connections to it may be used for several requests.
  bool is_trusted(const std::string& server) const;
  // Before a request: whether something waits on the connection from this port of this machine.
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
