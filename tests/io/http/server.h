// HttpServer: a small HTTP server on 127.0.0.1, for tests. It serves from memory, and misbehaves on
// request.
//
//   HttpServer server;
//   server.on("/a", [](const HttpServer::Request&) { return HttpServer::good("content"); });
//   server.url("/a")
//
// Ownership: owns its sockets and its thread, which end with it. Threads: handlers are called on
// the server's; on() and the rest on any. Errors: std::runtime_error where there are no sockets.
#pragma once

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace sluice {

class HttpServer {
 public:
  struct Request {
    std::string method;
    std::string target;                         // path and query
    std::map<std::string, std::string> fields;  // names in small letters
    int number = 0;                             // earlier requests of the path
    std::string field(const std::string& name) const {
      const auto at = fields.find(name);
      return at == fields.end() ? "" : at->second;
    }
  };
  // The state of the connection once the reply is sent.
  enum class After : std::uint8_t { keep, close, reset, stall, endless, trickle };
  struct Reply {
    std::string bytes;
    After after = After::keep;
    std::string unasked = {};  // sent after everything else
  };
  using Handler = std::function<Reply(const Request&)>;

  HttpServer() {
    // Tests ask this server directly, whatever proxies the environment names.
    (void)::setenv("no_proxy", "*", 1);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 256) != 0 ||
        ::getsockname(listener_, any, &size) != 0 || ::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0)
      throw std::runtime_error("the test server cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~HttpServer() {
    stop_ = true;
    (void)!::write(wake_[1], "", 1);
    thread_.join();
    for (const Connection& one : connections_) ::close(one.socket);
    for (const int socket : {listener_, wake_[0], wake_[1]}) ::close(socket);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url(const std::string& target = {}) const {
    return "http://127.0.0.1:" + std::to_string(port_) + target;
  }
  void on(const std::string& path, Handler handler) {
    const std::lock_guard lock(mutex_);
    handlers_[path] = std::move(handler);
  }
  // Returns all requests so far.
  std::vector<Request> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  int asked(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    const auto at = counts_.find(path);
    return at == counts_.end() ? 0 : at->second;
  }
  void wait_until_asked(const std::string& path) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return counts_.contains(path); });
  }
  // Waits until `count` replies have sent bytes that no request asked for.
  void wait_until_unasked(int count) const {
    for (int sent = unasked_; sent < count; sent = unasked_) unasked_.wait(sent);
  }
  int connections() const { return accepted_; }
  // Waits until no client is connected; the server goes on.
  void wait_until_left() const {
    for (int open = open_; open != 0; open = open_) open_.wait(open);
  }

  static Reply reply(const std::string& status, const std::string& body,
                     const std::string& fields = {}, After after = After::keep) {
    return {"HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                fields + "\r\n" + body,
            after};
  }
  static Reply good(const std::string& body, const std::string& fields = {}) {
    return reply("200 OK", body, fields);
  }
  // Serves a file as a good server does: whole or in part, if If-Match fits its ETag.
  static Reply file(const Request& request, const std::string& content,
                    const std::string& etag = "\"1\"") {
    const std::string wanted = request.field("if-match");
    if (!wanted.empty() && wanted != etag) return reply("412 Precondition Failed", "changed");
    const std::string fields = "ETag: " + etag + "\r\n";
    const std::string range = request.field("range");
    if (range.empty()) return good(content, fields);
    const std::size_t first = std::stoull(range.substr(6));
    const std::size_t last =
        std::min(std::stoull(range.substr(range.find('-') + 1)), content.size() - 1ULL);
    const std::string size = std::to_string(content.size());
    if (first >= content.size())
      return reply("416 Range Not Satisfiable", "", "Content-Range: bytes */" + size + "\r\n");
    return reply("206 Partial Content", content.substr(first, last - first + 1),
                 fields + "Content-Range: bytes " + std::to_string(first) + "-" +
                     std::to_string(last) + "/" + size + "\r\n");
  }

 private:
  struct Connection {
    int socket = -1;
    std::string in, out, unasked;
    After after = After::keep;
    bool over = false;
  };

  void run() {
    while (!stop_) {
      bool is_slow = false;
      std::vector<pollfd> polled = {{wake_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const Connection& one : connections_) {
        const bool drips = one.after == After::trickle && !one.out.empty();
        is_slow = is_slow || drips;
        const bool writes = !one.out.empty() && !drips;
        polled.push_back({one.socket, static_cast<short>(POLLIN | (writes ? POLLOUT : 0)), 0});
      }
      if (::poll(polled.data(), polled.size(), is_slow ? 5 : -1) < 0) continue;
      std::size_t i = 2;
      for (Connection& one : connections_) serve(one, polled[i++].revents);
      if (polled[1].revents != 0) accept_one();
      connections_.remove_if([this](const Connection& one) {
        if (!one.over) return false;
        ::close(one.socket);
        --open_;
        open_.notify_all();
        return true;
      });
    }
  }

  void accept_one() {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    const int one = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    ++accepted_;
    ++open_;
    connections_.push_back({socket, {}, {}, {}, After::keep, false});
  }

  void serve(Connection& one, short events) {
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) {
      char bytes[4096];
      const ssize_t got = ::recv(one.socket, bytes, sizeof(bytes), 0);
      if (got == 0 || (got < 0 && errno != EAGAIN)) {
        one.over = true;
        return;
      }
      if (got > 0) one.in.append(bytes, static_cast<std::size_t>(got));
    }
    const bool is_free = one.out.empty() && one.after == After::keep;
    if (const std::size_t end = one.in.find("\r\n\r\n"); is_free && end != std::string::npos) {
      Reply reply = answer(one.in.substr(0, end + 2));
      one.in.erase(0, end + 4);
      one.out = std::move(reply.bytes);
      one.unasked = std::move(reply.unasked);
      one.after = reply.after;
    }
    send_some(one);
  }

  void send_some(Connection& one) {
    if (!one.out.empty()) {
      const std::size_t most = one.after == After::trickle ? 1 : one.out.size();
      const ssize_t sent = ::send(one.socket, one.out.data(), most, MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) one.over = true;
      if (sent > 0) one.out.erase(0, static_cast<std::size_t>(sent));
    }
    if (!one.out.empty()) return;
    if (!one.unasked.empty()) {
      (void)::send(one.socket, one.unasked.data(), one.unasked.size(), MSG_NOSIGNAL);
      one.unasked.clear();
      ++unasked_;
      unasked_.notify_all();
    }
    if (one.after == After::endless) one.out.assign(16384, 'x');
    if (one.after == After::trickle) one.after = After::keep;
    if (one.after == After::reset) {
      const linger now{1, 0};
      (void)::setsockopt(one.socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
    one.over = one.over || one.after == After::close || one.after == After::reset;
  }

  Reply answer(const std::string& head) {
    Request request;
    std::size_t at = head.find("\r\n") + 2;
    const std::string first = head.substr(0, at - 2);
    const std::size_t space = first.find(' ');
    request.method = first.substr(0, space);
    request.target = first.substr(space + 1, first.rfind(' ') - space - 1);
    while (at < head.size()) {
      const std::size_t end = head.find("\r\n", at);
      const std::string line = head.substr(at, end - at);
      const std::size_t colon = line.find(':');
      std::string name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      request.fields[name] =
          line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
      at = end + 2;
    }
    const std::string path = request.target.substr(0, request.target.find('?'));
    Handler handler;
    {
      const std::lock_guard lock(mutex_);
      request.number = counts_[path]++;
      asked_.push_back(request);
      came_.notify_all();
      if (const auto found = handlers_.find(path); found != handlers_.end())
        handler = found->second;
    }
    return handler ? handler(request) : reply("404 Not Found", "there is no such file\nat all");
  }

  int listener_ = -1;
  int wake_[2] = {-1, -1};
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> accepted_{0};
  std::atomic<int> open_{0};
  std::atomic<int> unasked_{0};
  std::list<Connection> connections_;  // the thread's
  mutable std::mutex mutex_;           // guards the members below
  std::condition_variable came_;
  std::map<std::string, Handler> handlers_;
  std::map<std::string, int> counts_;
  std::vector<Request> asked_;
  std::thread thread_;
};

}  // namespace sluice
