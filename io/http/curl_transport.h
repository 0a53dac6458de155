// CurlTransport: runs all requests of an HttpClient on one thread with libcurl, and retries
// transient failures. Internal: see transport.h.
//
// A request is in one of three lists: not begun, waiting for another attempt, or under way with its
// own CurlTransfer. Moving between the lists allocates no memory, so no request is lost when memory
// is short.
//
// Ownership: owns the thread, the lists and the transfers. Threads: as in transport.h; the thread
// alone uses everything except the orders. Errors: the constructor throws Error if no thread can be
// started or libcurl fails to initialize, and std::bad_alloc.
#pragma once

#include <sluice/io/http/curl_transfer.h>
#include <sluice/io/http/transport.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sluice::detail {

class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(const HttpOptions& options);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  void fetch(HttpRequest request, std::unique_ptr<HttpWaiter> waiter) override;
  void drop_unwanted() noexcept override;
  HttpStats stats() const override;

 private:
  using Clock = CurlTransfer::Clock;
  struct Job {
    HttpRequest request;
    std::unique_ptr<HttpWaiter> waiter;
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

  void follow(Jobs::iterator job, HttpVerdict verdict) noexcept;
  Clock::time_point time_of(const Job& job) const noexcept;
  void redirect(Jobs::iterator job, std::string url);
  void wait_until_now(Jobs::iterator job) noexcept;
  void try_again(Jobs::iterator job, const HttpVerdict& verdict);
  void stop(const Job& job, int code) noexcept;
  void retire(Job& job) noexcept;
  void answer(Jobs::iterator job) noexcept;
  void fail(Jobs& from, Jobs::iterator job, std::string_view what) noexcept;
  void fail_unwanted(Jobs& jobs, bool all) noexcept;

  const HttpOptions options_;
  const S3Account account_;
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
