// Files at URLs: the options of users (HttpOptions), and one request with its checksum and who
// waits for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

// HttpOptions: how files at URLs are asked for. HttpStats: what came of it. Plain data, for
// urls_of, urls_in and tar_at.
//
// A request is tried again when a connection cannot be made or breaks, a server sends nothing for
// too long, a checksum differs, or the answer is 408, 429, 500, 502, 503 or 504. Between two
// attempts it waits, each time up to twice as long, drawn from the upper half; where the server
// says how long (Retry-After), that long at least. Any other answer is an error at once.
//
// s3://BUCKET/KEY is asked for at AWS_ENDPOINT_URL, else at Amazon's host for AWS_REGION (or
// AWS_DEFAULT_REGION, else us-east-1). With AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY it is
// signed (Signature Version 4; AWS_SESSION_TOKEN is used where it is set), else anonymous. The
// environment is read when a dataset is made.
//
// Ownership: values. Threads: like any data. Errors: a dataset throws BuildError for options that
// cannot be.

struct HttpOptions {
  int connections = 32;       // requests under way at once; the others wait for their turn
  int retries = 4;            // attempts after the first one
  double backoff_s = 0.25;    // before the first retry
  double max_backoff_s = 30;  // before any, unless the server wants more
  double connect_s = 10;      // until there is a connection
  double stalled_s = 30;      // an attempt that gets no byte for so long is given up
  double deadline_s = 600;    // of a request: all attempts, and the time between them
  std::size_t max_bytes = std::size_t{1} << 30;  // of one answer
  int redirects = 5;                             // to http or https; not from https to http
  // "Authorization: Bearer ..."; they go to the server that the URL names, and to no other.
  std::vector<std::string> headers = {};
  std::string ca_file = {};  // certificates to trust in place of the system's, as PEM
};

// Whether this build can read URLs, that is, has libcurl.
bool can_read_urls();

struct HttpStats {
  std::int64_t requests = 0;     // that have ended, in whatever way
  std::int64_t failed = 0;       // of these
  std::int64_t attempts = 0;     // that were begun
  std::int64_t retries = 0;      // of which beyond the first of their request
  std::int64_t connections = 0;  // that were made; the other attempts used one that was there
  std::uint64_t bytes = 0;       // of bodies, those of failed attempts included
};

}  // namespace sluice

namespace sluice::detail {

// Checksum: what the bytes of a file must be, as a list or a server says it. Internal:
// users have HttpOptions above.
//
// In a list: "sha256:HEX", "md5:HEX", "crc32:HEX", "crc32c:HEX", or the digits alone of a SHA-256
// or an MD5, which their number tells. In an answer: Content-MD5, x-amz-checksum-sha256, -crc32c
// and -crc32, and x-goog-hash, all in base64. An ETag is none: it is an MD5 with some servers only,
// and not for all files.
//
// Threads: any; a value. Errors: CellError for a text that is no checksum.

struct Checksum {
  enum class Kind : std::uint8_t { sha256, md5, crc32c, crc32 };
  Kind kind = Kind::sha256;
  std::string digits;  // hexadecimal, small letters

  // Of a text in a list; nothing for an empty one.
  static std::optional<Checksum> of_text(std::string_view text);
  // Of a field of an answer. Nothing for fields that say none, or of which no sense can be made.
  static std::optional<Checksum> of_field(std::string_view name, std::string_view value);

  const char* name() const;
  // The digits for these bytes.
  std::string digits_of(std::span<const std::uint8_t> bytes) const;
};

// HttpEpochs: the epochs of one dataset, so that requests of one that has ended are known.
// Internal.
//
// Ownership: requests share what tells whether they are wanted. A copy is of a dataset by itself.
// Threads: all. Errors: std::bad_alloc when one is made.

// Whether somebody still wants an answer. A default one is always wanted.
class HttpWanted {
 public:
  HttpWanted() = default;
  explicit HttpWanted(std::shared_ptr<const std::atomic<std::int64_t>> epoch)
      : epoch_(std::move(epoch)), asked_in_(*epoch_) {}
  explicit operator bool() const { return epoch_ == nullptr || *epoch_ == asked_in_; }

 private:
  std::shared_ptr<const std::atomic<std::int64_t>> epoch_;
  std::int64_t asked_in_ = 0;
};

class HttpEpochs {
 public:
  HttpEpochs();
  HttpEpochs(const HttpEpochs& /*other*/) : HttpEpochs() {}
  HttpEpochs(HttpEpochs&&) noexcept = default;
  HttpEpochs& operator=(const HttpEpochs&) = delete;
  HttpEpochs& operator=(HttpEpochs&&) = delete;
  ~HttpEpochs() = default;

  HttpWanted wanted() const { return HttpWanted(epoch_); }
  void end() const noexcept { ++*epoch_; }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> epoch_;
};

// HttpRequest: what is asked for at a URL. HttpWaiter: who waits for the answer. Internal: no user
// includes it.
//
// Ownership: whoever takes a request owns its waiter, tells it once how it ended, and destroys it
// then. Threads: a waiter is told on one, which is not the one that asked. Errors: what take()
// throws is what fail() is told.

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
