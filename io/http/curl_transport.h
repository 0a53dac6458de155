// The transport of an HttpClient with libcurl. CurlTransport runs all requests on one thread and
// retries transient failures. CurlTransfer makes one attempt at a time. HttpSockets tracks the
// sockets of reusable connections. Internal: see client.h.
//
// A request is in one of three lists: not begun, waiting for another attempt, or under way with its
// own CurlTransfer. Moving between the lists allocates no memory, so no request is lost when memory
// is short.
//
// A transfer checks the response while it arrives: one that is too long, compressed, or the wrong
// part of the file is stopped at once. Redirects are reported, not followed, so the transport
// decides what is sent to another server.
//
// libcurl takes bytes that wait in a socket for the answer to the next request. So an HTTP/1
// connection is checked before each request. If bytes wait on it, it is closed, and from then on
// each connection to this server serves one request only. Bytes that come after a request was sent
// look like its answer. So requests to a new server are spaced out after its last answer, until
// several checks have found nothing.
//
// Ownership: CurlTransport owns the thread, the lists and the transfers. A CurlTransfer owns its
// handle and the body of its last answer; it refers to the options, the account and the sockets,
// and to the request from begin() to end(). libcurl owns the sockets. Threads: as HttpTransport
// says; the thread alone uses everything except the orders. Errors: the constructor of
// CurlTransport throws Error if no thread can be started or libcurl fails to initialize, and
// std::bad_alloc. CurlTransfer::begin() throws IoError for an invalid URL, and std::bad_alloc.
#pragma once

#include <sluice/io/http/client.h>
#include <sluice/io/http/request.h>
#include <sluice/io/http/url.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// From libcurl. Declared here because its headers may not be installed where this header is read.
struct curl_slist;

namespace sluice::detail {

// HttpSockets: the sockets of reusable connections, and the servers that sent unrequested bytes.
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

// The outcome of an attempt. The error text does not contain the URL.
struct AttemptResult {
  // anew: the request was not sent, because the connection held bytes that no request had asked
  // for. The connection is now closed.
  enum class Kind : std::uint8_t { answer, redirect, again, failed, anew };
  Kind kind = Kind::answer;
  std::string what;   // the error, or the URL that a redirect leads to
  double wait_s = 0;  // the server's Retry-After: the least wait before another attempt
};

// CurlTransfer: makes one HTTP attempt at a time with a libcurl handle and judges the response.
class CurlTransfer {
 public:
  using Clock = std::chrono::steady_clock;

  CurlTransfer(const HttpOptions& options, const BucketAccount& account, HttpSockets& sockets);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  void* handle() const { return handle_; }  // a CURL*

  // Prepares the handle for an attempt. `url` is the request's own URL or a redirect target.
  void begin(const HttpRequest& request, const std::string& url, std::chrono::milliseconds left);
  // When the last byte arrived.
  Clock::time_point last_byte() const { return last_byte_; }
  // The verdict on an attempt that was stopped because it received nothing for too long.
  AttemptResult end_stalled() const;
  // Call it before the handle leaves its multi handle; `code` is the same as for end().
  void note_connection(int code) noexcept;
  AttemptResult end(int code);  // `code`: a CURLcode
  // Valid after a verdict of `answer`, until the next attempt begins.
  HttpAnswer answer() const;
  // These two are for the current attempt.
  std::uint64_t bytes_received() const;
  std::int64_t connections_made() const;

 private:
  template <class F>
  static std::size_t guarded(void* user, std::size_t bytes, const F& f) noexcept;
  static int on_connection(void* user, char*, char*, int, int our_port);
  static std::size_t on_header(char* data, std::size_t, std::size_t bytes, void* user);
  static std::size_t on_body(char* data, std::size_t, std::size_t bytes, void* user);
  bool judge_head();
  bool take_body(std::string_view bytes);
  bool refuse(std::string why);
  void add_header(const std::string& header);
  std::string header_value(std::string_view name) const;
  void sign(const std::string& host, const std::string& path, const std::string& query);

  AttemptResult judge_broken(int code) const;
  AttemptResult judge_status() const;
  AttemptResult judge_body();
  std::optional<std::string> damage() const;
  std::string how_far() const;

  const HttpOptions& options_;
  const BucketAccount& account_;
  HttpSockets& sockets_;
  void* handle_;
  curl_slist* headers_ = nullptr;
  char error_[256] = {};  // CURL_ERROR_SIZE

  const HttpRequest* request_ = nullptr;
  Clock::time_point last_byte_;
  AnswerHead head_;
  std::string body_;
  std::uint64_t most_ = 0;    // the longest allowed body, in bytes
  std::uint64_t size_ = 0;    // of the file; 0 if not known
  std::uint64_t passed_ = 0;  // bytes received of an error response
  std::size_t head_bytes_ = 0;
  std::string server_;     // the server of the attempt
  bool is_unfit_ = false;  // the connection holds bytes that no request had asked for
  std::string refused_;    // why this side stopped the attempt; empty if it did not
};

// CurlTransport: runs all requests of an HttpClient on one thread.
class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(const HttpOptions& options);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  void fetch(HttpRequest request, std::unique_ptr<ResponseHandler> handler) override;
  void drop_unwanted() noexcept override;
  HttpStats stats() const override;

 private:
  using Clock = CurlTransfer::Clock;
  struct Job {
    HttpRequest request;
    std::unique_ptr<ResponseHandler> handler;
    std::string url;     // the current URL: the request's, or a redirect target
    std::string server;  // of this URL
    int redirects = 0;
    int attempts = 1;                        // redirects belong to the same attempt
    Clock::time_point deadline;              // set by the first attempt
    Clock::time_point due;                   // of the next attempt
    std::unique_ptr<CurlTransfer> transfer;  // while it is under way
  };
  using Jobs = std::list<Job>;
  struct MultiDeleter {
    void operator()(void* multi) const;
  };

  void run() noexcept;
  bool take_orders() noexcept;  // false: stop the thread
  void begin_what_can() noexcept;
  void begin(Jobs& from, Jobs::iterator job) noexcept;
  void end_what_has() noexcept;
  void stop_what_stalls() noexcept;
  int milliseconds_to_wait() const noexcept;
  std::unique_ptr<CurlTransfer> a_transfer();

  void follow(Jobs::iterator job, AttemptResult attempt_result) noexcept;
  Clock::time_point time_of(const Job& job) const noexcept;
  void redirect(Jobs::iterator job, std::string url);
  void wait_until_now(Jobs::iterator job) noexcept;
  void try_again(Jobs::iterator job, const AttemptResult& attempt_result);
  void stop(const Job& job, int code) noexcept;
  void retire(Job& job) noexcept;
  void answer(Jobs::iterator job) noexcept;
  void fail(Jobs& from, Jobs::iterator job, std::string_view what) noexcept;
  void fail_unwanted(Jobs& jobs, bool all) noexcept;

  const HttpOptions options_;
  const BucketAccount account_;
  HttpSockets sockets_;                        // used by multi_, so it is destroyed after it
  std::unique_ptr<void, MultiDeleter> multi_;  // libcurl's CURLM

  // Used by the thread only.
  Jobs fresh_;
  Jobs waiting_;
  Jobs under_way_;
  std::vector<std::unique_ptr<CurlTransfer>> idle_;

  mutable std::mutex mutex_;  // guards what follows
  Jobs ordered_;
  bool drop_unwanted_ = false;
  bool stop_ = false;

  std::atomic<std::int64_t> requests_{0};
  std::atomic<std::int64_t> failed_{0};
  std::atomic<std::int64_t> attempts_{0};
  std::atomic<std::int64_t> retries_{0};
  std::atomic<std::int64_t> connections_{0};
  std::atomic<std::uint64_t> bytes_{0};

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sluice::detail
