// HttpClient: downloads files from URLs, many at once, on its own thread. HttpTransport: the
// interface behind it that performs the requests. AnswerHead: the parsed head of a response.
// Internal: users have the datasets of io/http.
//
// Connections are kept and reused for later requests to the same server. Requests beyond
// HttpOptions::connections wait in FIFO order. A build without libcurl only omits the sources that
// implement the transport (curl_transport.h).
//
// Ownership: the client owns the transport, which owns its thread, the connections and all
// requests; the destructor ends them at once and fails the open ones. In a child of fork() there is
// no thread: requests throw Error, and the destructor leaves the rest alone. An AnswerHead is a
// value. Threads: all; an AnswerHead one at a time. Errors: the constructor throws BuildError for
// invalid options or a build without libcurl, and Error if no thread can be started. fetch() throws
// std::bad_alloc; the outcome of a request goes to its handler. AnswerHead ignores malformed header
// fields.
#pragma once

#include <sluice/io/http/request.h>
#include <sluice/runtime/process.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// HttpTransport: performs the requests of an HttpClient.
class HttpTransport {
 public:
  HttpTransport() = default;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;
  virtual ~HttpTransport() = default;

  virtual void fetch(HttpRequest request, std::unique_ptr<ResponseHandler> handler) = 0;
  // Requests that are no longer wanted fail soon.
  virtual void drop_unwanted() noexcept = 0;
  virtual HttpStats stats() const = 0;
};

// Uses libcurl; throws BuildError in a build without it.
std::unique_ptr<HttpTransport> make_curl_transport(const HttpOptions& options);

// AnswerHead: the parsed status line and headers of an HTTP response.
struct AnswerHead {
  // A parsed Content-Range: "bytes 0-99/1000"; the size may be "*".
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::optional<std::uint64_t> size;
  };

  int status = 0;         // 0: nothing received yet
  bool is_whole = false;  // the empty line that ends the head has come
  std::string reason;
  std::string etag;
  std::string last_modified;
  std::string encoding;
  std::string content_range;
  std::vector<std::string> lengths;  // each Content-Length
  bool is_chunked = false;
  bool closes = false;          // the server closes the connection afterwards
  std::string stored_encoding;  // the stored encoding, if the server decompresses before it sends
  bool has_warned_of_change = false;
  std::vector<Checksum> checksums;

  // Parses one line, including its end. A status line starts a new head. Returns false for the last
  // line of a head.
  bool take(std::string_view line);

  bool is_good() const { return status / 100 == 2; }
  std::optional<Part> part() const;
  // The error in Content-Length: different lengths, or one that is not a number of at most 63 bits.
  // Empty if there is no error.
  std::string wrong_length() const;
  // True if the body is not the one that the server stores: it was unpacked, or changed by a proxy.
  bool is_transformed() const;
  // True if the connection may be used again, unless the server sends more than the answer.
  bool keeps_connection() const { return !closes && (is_chunked || !lengths.empty()); }
  // See HttpAnswer.
  const std::string& version() const { return etag.empty() ? last_modified : etag; }
  // "404 Not Found" and the readable part of the body: the code and message of an S3 error, else
  // the first line, unless it is HTML.
  std::string in_words(std::string_view body) const;
};

// HttpClient: downloads files from URLs.
class HttpClient {
 public:
  explicit HttpClient(const HttpOptions& options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  void fetch(HttpRequest request, std::unique_ptr<ResponseHandler> handler);

  // Waits for the answer; throws IoError.
  HttpAnswer get(HttpRequest request);

  // Throws Error in a child of fork().
  void require_thread() const;
  // Requests that are no longer wanted fail soon.
  void drop_unwanted() noexcept;

  HttpStats stats() const;
  // HttpOptions::max_bytes. A range must not be larger.
  std::size_t max_bytes() const { return max_bytes_; }

 private:
  ForkGuard fork_guard_;
  std::size_t max_bytes_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace sluice::detail
