// HttpClient: asks for files at URLs, many at once, on one thread of its own. Internal: users have
// the datasets of io/http.
//
// Connections are kept for the next request to their server. Requests beyond
// HttpOptions::connections wait in the order in which they came.
//
// Ownership: owns the thread, the connections and all requests; destroying it ends them at once. In
// a child of fork() there is no thread: requests throw Error, and the rest is left alone. Threads:
// all. Errors: the constructor throws BuildError for options that cannot be and for a build without
// libcurl, Error where no thread can be made. What becomes of a request its waiter is told.
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
  // Requests fail, soon, that are not wanted any more.
  void drop_unwanted() noexcept;

  HttpStats stats() const;

 private:
  HomeProcess home_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace sluice::detail
