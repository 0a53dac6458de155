// The transport of an HttpClient with libcurl. CurlTransport runs all requests on one thread and
// retries transient failures. CurlTransfer makes one attempt at a time. Internal: see client.h.
//
// A body goes straight into the memory of its answer, if the server says how long it is.
//
// A request is in one of three lists: not begun, waiting for another attempt, or under way with its
// own CurlTransfer. Moving between the lists allocates no memory, so no request is lost when memory
// is short.
//
// A transfer checks the response while it arrives: one that is too long, compressed, or the wrong
// part of the file is stopped at once. Redirects are reported, not followed, so the transport
// decides what is sent to another server.
//
// Ownership: CurlTransport owns the thread, the lists and the transfers. A CurlTransfer owns its
// handle and the answer; it refers to the options, the account and the sockets, and to the request
// and its handler from begin() to rest(). libcurl owns the sockets. Threads: as HttpTransport
// says; the thread alone uses everything except the orders. Errors: the constructor of
// CurlTransport throws Error if no thread can be started or libcurl fails to initialize, and
// std::bad_alloc. CurlTransfer::begin() throws IoError for an invalid URL, and std::bad_alloc.
#pragma once

#include <sluice/io/http/client.h>
#include <sluice/io/http/curl_events.h>
#include <sluice/io/http/http_sockets.h>
#include <sluice/io/http/request.h>
#include <sluice/io/http/url.h>
#include <sluice/runtime/bytes.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

// From libcurl. Declared here because its headers may not be installed where this header is read.
struct curl_slist;

namespace sluice::detail {

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
  void begin(const HttpRequest& request, ResponseHandler& handler, const std::string& url,
             std::chrono::milliseconds left);
  // When the last byte arrived.
  Clock::time_point last_byte() const { return last_byte_; }
  // The verdict on an attempt that was stopped because it received nothing for too long.
  AttemptResult end_stalled() const;
  // Call it before the handle leaves its multi handle; `code` is the same as for end().
  void note_connection(int code) noexcept;
  AttemptResult end(int code);  // `code`: a CURLcode
  // Call it once, after a verdict of `answer`. Throws what the handler throws.
  HttpAnswer answer();
  // Call it after an attempt; releases its memory.
  void rest() noexcept;
  // These two are for the current attempt.
  std::uint64_t bytes_received() const;
  std::int64_t connections_made() const;

 private:
  template <class F>
  static std::size_t guarded(void* user, std::size_t bytes, const F& f) noexcept;
  static int on_connection(void* user, char*, char*, int, int our_port);
  static std::size_t on_header(char* data, std::size_t, std::size_t bytes, void* user);
  static std::size_t on_body(char* data, std::size_t, std::size_t bytes, void* user);
  void set_lasting_options();
  void set_target(const HttpRequest& request, const std::string& url);
  bool judge_head();
  bool take_body(std::string_view bytes);
  bool has_passed_enough() const;
  void allocate(std::size_t size);
  std::span<const std::uint8_t> body() const;
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

  // The URLs and the version that the handle was prepared for.
  struct Target {
    bool is_set = false;
    std::string asked;  // the request's own URL
    std::string url;    // of the attempt
    std::string version;
    std::string server;  // of the attempt
  };
  Target target_;

  const HttpRequest* request_ = nullptr;
  ResponseHandler* handler_ = nullptr;
  Clock::time_point last_byte_;
  AnswerHead head_;
  Bytes bytes_;                    // of the answer; empty until its body comes
  std::span<std::uint8_t> place_;  // of the body in it
  std::string collected_;          // a body of unknown length, or the begin of an error response
  std::uint64_t received_ = 0;     // bytes of the body
  std::uint64_t most_ = 0;         // the longest allowed body, in bytes
  bool is_length_known_ = false;   // the body has most_ bytes
  std::uint64_t size_ = 0;         // of the file; 0 if not known
  std::size_t head_bytes_ = 0;
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
    std::list<Job>::iterator here;           // valid while it is under way
  };
  using Jobs = std::list<Job>;

  void run() noexcept;
  bool take_orders() noexcept;  // false: stop the thread
  void begin_what_can() noexcept;
  void begin(Jobs& from, Jobs::iterator job) noexcept;
  void end_what_has() noexcept;
  void stop_what_stalls() noexcept;
  std::chrono::milliseconds time_to_wait() const noexcept;
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
  HttpSockets sockets_;  // used by events_, so it is destroyed after it
  CurlEvents events_;

  // Used by the thread only.
  Jobs fresh_;
  Jobs waiting_;
  Jobs under_way_;
  std::vector<std::unique_ptr<CurlTransfer>> idle_;
  Clock::time_point next_stall_;  // no transfer stalls before

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
