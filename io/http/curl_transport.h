// CurlTransport: the thread that has all requests of an HttpClient under way by libcurl, and tries
// again what failed in passing. Internal: see transport.h.
//
// A request is in one of three lists: those that have not begun, those that wait for another
// attempt, and those under way, of which each has a CurlTransfer. It moves between them without
// memory being taken, so none is lost where there is none.
//
// Ownership: owns the thread, the lists and the transfers. Threads: as transport.h says; all but
// the orders belongs to the thread. Errors: the constructor throws Error where there is no thread
// or no libcurl to be had, std::bad_alloc.
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
    std::string url;     // where it is asked for now: the request's, or where that one leads to
    std::string server;  // of this URL
    int redirects = 0;
    int attempts = 1;                        // those that it is redirected to are part of the same
    Clock::time_point deadline;              // good from the first attempt on
    Clock::time_point due;                   // of the next attempt
    std::unique_ptr<CurlTransfer> transfer;  // while it is under way
  };
  using Jobs = std::list<Job>;
  struct MultiDeleter {
    void operator()(void* multi) const;
  };

  void run() noexcept;
  bool take_orders() noexcept;  // false: it is to stop
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
  HttpSockets sockets_;                        // of multi_, until that has gone
  std::unique_ptr<void, MultiDeleter> multi_;  // libcurl's CURLM

  // The thread's.
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
