// HttpRequest: what is asked for at a URL. HttpWaiter: who waits for the answer. Internal: no user
// includes it.
//
// Ownership: whoever takes a request owns its waiter, tells it once how it ended, and destroys it
// then. Threads: a waiter is told on one, which is not the one that asked. Errors: what take()
// throws is what fail() is told.
#pragma once

#include <sluice/io/http/checksum.h>
#include <sluice/io/http/epochs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::detail {

struct HttpRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;  // at least 1
};

struct HttpRequest {
  std::string url = {};                   // http, https or s3
  std::optional<HttpRange> range = {};    // of the file; none: all of it
  std::string version = {};               // HttpAnswer's, which must be this; empty: any
  std::optional<Checksum> checksum = {};  // of all of it
  HttpWanted wanted = {};
};

struct HttpAnswer {
  std::span<const std::uint8_t> body;  // fewer than the range where the file ends
  std::uint64_t size = 0;              // of the file
  // What tells this state of the file from others: its ETag, else Last-Modified, else nothing.
  std::string_view version;
};

class HttpWaiter {
 public:
  HttpWaiter() = default;
  HttpWaiter(const HttpWaiter&) = delete;
  HttpWaiter& operator=(const HttpWaiter&) = delete;
  virtual ~HttpWaiter() = default;
  // The answer is there until this returns.
  virtual void take(const HttpAnswer& answer) = 0;
  virtual void fail(std::string_view what) noexcept = 0;
};

}  // namespace sluice::detail
