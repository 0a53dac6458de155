// DelayingServer: an HTTP server on 127.0.0.1 that serves parts of files, for `sluice bench urls`.
// It delays each answer, as a server far away would.
//
// Ownership: owns its sockets, its thread and the open files.
// Threads: any. Errors: the constructor throws Error if a file cannot be opened, or if there are no
// sockets. A connection with a request that is too long or that it does not understand is closed.
#pragma once

#include <sluice/io/descriptor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace sluice::app {

class DelayingServer {
 public:
  DelayingServer(const std::vector<std::string>& files, std::chrono::milliseconds delay);
  ~DelayingServer();
  DelayingServer(const DelayingServer&) = delete;
  DelayingServer& operator=(const DelayingServer&) = delete;

  std::string url(std::size_t file) const;
  // The CPU time of its thread so far.
  double cpu_seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct File {
    detail::Descriptor file;
    std::int64_t size = 0;
  };
  struct Connection {
    detail::Descriptor socket;
    std::string in;
    std::string head;  // what is still to be sent: the head,
    int file = -1;     // and this part of this file
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  struct Due {
    Clock::time_point time;
    int socket;
  };

  void run();
  void accept_all();
  void receive(int socket);
  void answer(int socket);
  // Returns false if the socket takes no more now.
  static bool send_some(Connection& to);
  void drop(int socket);

  const std::chrono::milliseconds delay_;
  std::vector<File> files_;
  detail::Descriptor listener_, events_, stop_;
  int port_ = 0;
  std::map<int, Connection> connections_;  // only the server's thread uses it and due_
  std::deque<Due> due_;                    // answers that wait, in the order of time
  mutable std::thread thread_;
};

}  // namespace sluice::app
