// HttpTransport: the interface behind HttpClient that performs the requests. Internal. It is
// separate from client.h, so a build without libcurl only omits the sources that implement it.
//
// Ownership: owns its thread and all requests; its destructor fails the open ones. Threads: all.
// Errors: fetch() throws std::bad_alloc; waiters are told of all others.
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
  // Requests that are no longer wanted fail soon.
  virtual void drop_unwanted() noexcept = 0;
  virtual HttpStats stats() const = 0;
};

// Uses libcurl; throws BuildError in a build without it.
std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& options);

}  // namespace sluice::detail
