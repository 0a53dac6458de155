// CurlTransfer: one attempt at a time to get what is asked for, by one handle of libcurl, and the
// judgement on the answer. Internal: no user includes it.
//
// An answer is judged while it comes: what is too long, compressed, or the wrong part of the file
// is not waited for. Redirects are told, not followed, so that whoever follows decides what goes to
// another server.
//
// Ownership: owns the handle, and the body of the last answer; refers to the options, the account
// and the sockets, and from begin() to end() to the request. Threads: one at a time. Errors:
// begin() throws IoError for a URL that is none, std::bad_alloc.
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

// Of libcurl, whose headers are not everywhere where this one is looked at.
struct curl_slist;

namespace sluice::detail {

// How an attempt ended. What went wrong does not name the URL.
struct HttpVerdict {
  // anew: the request was not sent, because the connection held bytes that no request had asked
  // for. The connection is closed now.
  enum class Kind : std::uint8_t { answer, redirect, again, failed, anew };
  Kind kind = Kind::answer;
  std::string what;   // of a redirect, the URL that it leads to
  double wait_s = 0;  // before another attempt, as the server wishes
};

class CurlTransfer {
 public:
  using Clock = std::chrono::steady_clock;

  CurlTransfer(const HttpOptions& options, const S3Account& account, HttpSockets& sockets);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  void* handle() const { return handle_; }  // its CURL*

  // Readies the handle for an attempt of the request at this URL, the request's own or one that it
  // was redirected to.
  void begin(const HttpRequest& request, const std::string& url, std::chrono::milliseconds left);
  // When it last got something.
  Clock::time_point last_byte() const { return last_byte_; }
  // It got nothing for too long, and was stopped.
  HttpVerdict end_stalled() const;
  // Before the handle leaves its multi handle; `code` as for end().
  void note_connection(int code) noexcept;
  HttpVerdict end(int code);  // its CURLcode
  // Good after an `answer`, until the next attempt begins.
  HttpAnswer answer() const;
  // Of the attempt.
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
  std::uint64_t most_ = 0;    // bytes that the body may have
  std::uint64_t size_ = 0;    // of the file
  std::uint64_t passed_ = 0;  // bytes of an answer that is an error
  std::size_t head_bytes_ = 0;
  std::string server_;     // that is asked
  bool is_unfit_ = false;  // the connection to it
  std::string refused_;    // why the attempt was stopped here; empty if it was not
};

}  // namespace sluice::detail
