// HttpTransport: what does the work of an HttpClient. Internal. Beside client.h, so that a build
// without libcurl lacks one source and nothing else.
//
// Ownership: owns its thread and all requests; its destructor fails those that are open. Threads:
// all. Errors: fetch() throws std::bad_alloc; the rest is told to waiters.
#pragma once

#include <sluice/io/http/request.h>

#include <memory>

namespace sluice::detail {

class HttpTransport {
 public:
  HttpTransport() = default;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;
  virtual ~HttpTransport() = default;

  virtual void fetch(HttpRequest request, std::unique_ptr<HttpWaiter> waiter) = 0;
  // Requests fail, soon, that are not wanted any more.
  virtual void drop_unwanted() noexcept = 0;
  virtual HttpStats stats() const = 0;
};

// By libcurl, where the build has it.
std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& options);

}  // namespace sluice::detail
