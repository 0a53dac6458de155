// DelayingServer: an HTTP server on 127.0.0.1 that serves parts of files, for `sluice bench urls`.
// It delays each answer, as a server far away would.
//
// Ownership: owns its sockets, its thread and the mappings of the files.
// Threads: any. Errors: the constructor throws Error if a file cannot be mapped, or if there are no
// sockets. A connection with a request that it does not understand is closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
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
  struct Connection {
    std::string in, head;
    std::span<const std::uint8_t> body;  // the part that is still to be sent
    std::size_t sent_of_head = 0;
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
  bool send_some(int socket, Connection& to) const;
  void drop(int socket);

  const std::chrono::milliseconds delay_;
  std::vector<std::span<const std::uint8_t>> files_;
  int listener_ = -1, events_ = -1, stop_ = -1;
  int port_ = 0;
  std::map<int, Connection> connections_;  // only the server's thread uses it and due_
  std::deque<Due> due_;                    // answers that wait, in the order of time
  mutable std::thread thread_;
};

}  // namespace sluice::app
