// The options for files at URLs (HttpOptions), and a request with its checksum and its handler.
#pragma once

#include <sluice/runtime/bytes.h>

#include <array>
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

// HttpOptions: connections, retries and time limits for files at URLs. HttpStats: counts of
// requests. Plain data, for urls_of, urls_in and tar_at.
//
// A request is retried if it cannot connect, its connection breaks, the server sends nothing for
// too long, a checksum differs, or the status is 408, 429, 500, 502, 503 or 504. The upper bound of
// the wait doubles with each attempt; the wait is drawn from its upper half. If the server sends
// Retry-After, the wait is at least that long. Any other status fails at once.
//
// s3://BUCKET/KEY is requested from AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL, else Amazon's host
// for AWS_REGION (or AWS_DEFAULT_REGION, else us-east-1). With AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY the request is signed (Signature Version 4, with AWS_SESSION_TOKEN if it is
// set), else it is anonymous.
//
// gs://BUCKET/KEY is requested from STORAGE_EMULATOR_HOST, else https://storage.googleapis.com. It
// is anonymous, unless `headers` has an access token ("Authorization: Bearer ..."). With Google's
// HMAC keys, use s3:// and AWS_ENDPOINT_URL_S3=https://storage.googleapis.com.
//
// Certificates come from `ca_file`, else from the file that SSL_CERT_FILE names, else from the
// system.
//
// The environment is read when a dataset is made.
//
// Ownership: values. Threads: like any data. Errors: a dataset throws BuildError for invalid
// options.

struct HttpOptions {
  int connections = 32;       // requests under way at once; others wait
  int retries = 4;            // attempts after the first one
  double backoff_s = 0.25;    // before the first retry
  double max_backoff_s = 30;  // upper limit of a wait, unless the server asks for more
  double connect_s = 10;      // limit for connecting
  double stalled_s = 30;      // an attempt that receives nothing for this long is stopped
  double deadline_s = 600;    // limit for a request: all attempts and the waits between them
  std::size_t max_bytes = std::size_t{1} << 30;  // limit for one answer
  int redirects = 5;                             // to http or https; not from https to http
  // Such as "Authorization: Bearer ...". They are sent only to the server that the URL names.
  std::vector<std::string> headers = {};
  std::string ca_file = {};  // certificates to trust in place of the system's, as PEM
};

// True if this build can read URLs, that is, has libcurl.
bool can_read_urls();

struct HttpStats {
  std::int64_t requests = 0;     // finished, with success or not
  std::int64_t failed = 0;       // requests that failed
  std::int64_t attempts = 0;     // started, including those for redirects
  std::int64_t retries = 0;      // attempts after a failed one
  std::int64_t connections = 0;  // new connections; other attempts reused one
  std::uint64_t bytes = 0;       // of bodies, including those of failed attempts
};

}  // namespace sluice

namespace sluice::detail {

// Checksum: the expected checksum of a file, from a list or a server. Internal: users have
// HttpOptions above.
//
// In a list: "sha256:HEX", "md5:HEX", "crc32:HEX", "crc32c:HEX", or only the digits of a SHA-256 or
// an MD5, told apart by their number. In an answer: Content-MD5, x-amz-checksum-sha256, -crc32c and
// -crc32, and x-goog-hash, all in base64. An ETag does not count as a checksum: only some servers
// use an MD5 for it, and not for all files.
//
// Threads: any; a value. Errors: CellError for a text that is not a checksum.

struct Checksum {
  enum class Kind : std::uint8_t { sha256, md5, crc32c, crc32 };
  Kind kind = Kind::sha256;
  std::string digits;  // lowercase hexadecimal

  // Parses a text of a list. Returns nothing for an empty one.
  static std::optional<Checksum> of_text(std::string_view text);
  // Parses a header field of an answer. Returns nothing if it has no checksum or is malformed.
  static std::optional<Checksum> of_field(std::string_view name, std::string_view value);

  const char* name() const;
  // The checksum of these bytes, as digits.
  std::string digits_of(std::span<const std::uint8_t> bytes) const;
};

// HttpEpochs: counts the epochs of one dataset, so that requests of an ended epoch can be dropped.
// Internal.
//
// Ownership: requests share the counter. A copy has its own counter. Threads: all. Errors: the
// constructor throws std::bad_alloc.

// True until the epoch in which it was made ends. A default one is always true.
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

// HttpRequest: a request for a URL. ResponseHandler: receives its answer or its error. Internal: no
// user includes it.
//
// Ownership: the function that takes a request owns its handler. It calls take() or fail() and then
// destroys the handler. Threads: the handler is called on one thread, which is not the requesting
// one. Errors: if allocate() or take() throws, fail() is called with that error.

struct HttpRange {
  std::uint64_t first = 0;
  std::uint64_t size = 0;  // at least 1
};

struct HttpRequest {
  std::string url = {};                   // http, https, s3 or gs
  std::optional<HttpRange> range = {};    // of the file; none: all of it
  std::string version = {};               // the HttpAnswer::version required; empty: any
  std::optional<Checksum> checksum = {};  // of the whole file
  HttpWanted wanted = {};
  // Bytes to put in front of the body. They must live until the request ends.
  std::span<const std::uint8_t> before = {};
};

struct HttpAnswer {
  Bytes bytes;  // HttpRequest::before, and the body
  // The end of `bytes`. It is shorter than the range if the file ends in it.
  std::span<const std::uint8_t> body;
  std::uint64_t size = 0;  // of the file; 0 if not known
  // Identifies this version of the file: its ETag, else Last-Modified, else empty.
  std::string version;
};

class ResponseHandler {
 public:
  ResponseHandler() = default;
  ResponseHandler(const ResponseHandler&) = delete;
  ResponseHandler& operator=(const ResponseHandler&) = delete;
  virtual ~ResponseHandler() = default;
  // Returns memory for the answer. It may be called several times, because an attempt may fail.
  virtual Bytes allocate(std::size_t size) { return Bytes(size); }
  virtual void take(HttpAnswer answer) = 0;
  virtual void fail(std::string_view what) noexcept = 0;
};

// The sums of bytes that a Checksum compares: SHA-256 (FIPS 180-4), MD5 (RFC 1321), CRC-32
// (ISO-HDLC) and CRC-32C (Castagnoli). They detect damage; they are not for security.
//
// The bytes of a sum come in the order in which it is written. Threads: any; no state. Errors:
// BuildError in a build without URL support, Error for a sum that the system's OpenSSL refuses
// (some systems forbid MD5).
std::array<std::uint8_t, 32> sha256_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 16> md5_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 4> crc32_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 4> crc32c_of(std::span<const std::uint8_t> bytes);

// In lowercase hexadecimal.
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace sluice::detail
