// CurlTransfer: makes one HTTP attempt at a time with a libcurl handle and judges the response.
// Internal: no user includes it.
//
// The response is checked while it arrives: one that is too long, compressed, or the wrong part of
// the file is stopped at once. Redirects are reported, not followed, so the caller decides what is
// sent to another server.
//
// Ownership: owns the handle and the body of the last answer. Refers to the options, the account
// and the sockets, and to the request from begin() to end(). Threads: one at a time. Errors:
// begin() throws IoError for an invalid URL, and std::bad_alloc.
#pragma once

#include <sluice/io/http/answer_head.h>
#include <sluice/io/http/request.h>
#include <sluice/io/http/s3.h>
#include <sluice/io/http/sockets.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// From libcurl. Declared here because its headers may not be installed where this header is read.
struct curl_slist;

namespace sluice::detail {

// The outcome of an attempt. The error text does not contain the URL.
struct HttpVerdict {
  // anew: the request was not sent, because the connection held bytes that no request had asked
  // for. The connection is now closed.
  enum class Kind : std::uint8_t { answer, redirect, again, failed, anew };
  Kind kind = Kind::answer;
  std::string what;   // the error, or the URL that a redirect leads to
  double wait_s = 0;  // the server's Retry-After: the least wait before another attempt
};

class CurlTransfer {
 public:
  using Clock = std::chrono::steady_clock;

  CurlTransfer(const HttpOptions& options, const S3Account& account, HttpSockets& sockets);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  void* handle() const { return handle_; }  // a CURL*

  // Prepares the handle for an attempt. `url` is the request's own URL or a redirect target.
  void begin(const HttpRequest& request, const std::string& url, std::chrono::milliseconds left);
  // When the last byte arrived.
  Clock::time_point last_byte() const { return last_byte_; }
  // The verdict on an attempt that was stopped because it received nothing for too long.
  HttpVerdict end_stalled() const;
  // Call it before the handle leaves its multi handle; `code` is the same as for end().
  void note_connection(int code) noexcept;
  HttpVerdict end(int code);  // `code`: a CURLcode
  // Valid after a verdict of `answer`, until the next attempt begins.
  HttpAnswer answer() const;
  // These two are for the current attempt.
  std::uint64_t bytes_received() const;
  std::int64_t connections_made() const;

 private:
  template <class F>
  static std::size_t guarded(void* user, std::size_t bytes, const F& f) noexcept;
  static int on_connection(void* user, char*, char*, int, int our_port);
  static std::size_t on_header(char* data, std::size_t, std::size_t bytes, void* user);
  static std::size_t on_body(char* data, std::size_t, std::size_t bytes, void* user);
  bool judge_head();
  bool take_body(std::string_view bytes);
  bool refuse(std::string why);
  void add_header(const std::string& header);
  std::string header_value(std::string_view name) const;
  void sign(const std::string& host, const std::string& path, const std::string& query);

  HttpVerdict judge_broken(int code) const;
  HttpVerdict judge_status() const;
  HttpVerdict judge_body();
  std::optional<std::string> damage() const;
  std::string how_far() const;

  const HttpOptions& options_;
  const S3Account& account_;
  HttpSockets& sockets_;
  void* handle_;
  curl_slist* headers_ = nullptr;
  char error_[256] = {};  // CURL_ERROR_SIZE

  const HttpRequest* request_ = nullptr;
  Clock::time_point last_byte_;
  AnswerHead head_;
  std::string body_;
  std::uint64_t most_ = 0;    // the longest allowed body, in bytes
  std::uint64_t size_ = 0;    // of the file; 0 if not known
  std::uint64_t passed_ = 0;  // bytes received of an error response
  std::size_t head_bytes_ = 0;
  std::string server_;     // the server of the attempt
  bool is_unfit_ = false;  // the connection holds bytes that no request had asked for
  std::string refused_;    // why this side stopped the attempt; empty if it did not
};

}  // namespace sluice::detail
