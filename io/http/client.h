// HttpClient: downloads files from URLs, many at once, on its own thread. Internal: users have the
// datasets of io/http.
//
// Connections are kept and reused for later requests to the same server. Requests beyond
// HttpOptions::connections wait in FIFO order.
//
// Ownership: owns the thread, the connections and all requests; the destructor ends them at once.
// In a child of fork() there is no thread: requests throw Error, and the destructor leaves the rest
// alone. Threads: all. Errors: the constructor throws BuildError for invalid options or a build
// without libcurl, and Error if no thread can be started. The outcome of a request goes to its
// waiter.
#pragma once

#include <sluice/io/http/request.h>
#include <sluice/io/http/transport.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/process.h>

#include <cstdint>
#include <memory>
#include <string>

namespace sluice::detail {

class HttpClient {
 public:
  explicit HttpClient(const HttpOptions& options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void fetch(HttpRequest request, std::unique_ptr<HttpWaiter> waiter);

  struct Got {
    Bytes body;
    std::uint64_t size = 0;
    std::string version;
  };
  // Waits for the answer; throws IoError.
  Got get(HttpRequest request);

  // Throws Error in a child of fork().
  void require_thread() const;
  // Requests that are no longer wanted fail soon.
  void drop_unwanted() noexcept;

  HttpStats stats() const;

 private:
  HomeProcess home_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace sluice::detail
