// AnswerHead: what the head of an answer says, as far as it matters. Internal: no user includes it.
//
// Ownership: a value. Threads: one at a time. Errors: std::bad_alloc; fields that make no sense are
// as good as none.
#pragma once

#include <sluice/io/http/request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

struct AnswerHead {
  // "bytes 0-99/1000", or "*" for the size
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::optional<std::uint64_t> size;
  };

  int status = 0;         // 0: nothing has come
  bool is_whole = false;  // its last line has come
  std::string reason;
  std::string etag;
  std::string last_modified;
  std::string encoding;
  std::string content_range;
  std::vector<std::string> lengths;  // each Content-Length
  bool is_chunked = false;
  bool closes = false;          // the connection, afterwards
  std::string stored_encoding;  // in which the server stores what it sends unpacked
  bool has_warned_of_change = false;
  std::vector<Checksum> checksums;

  // One line, with its end. The line of the status begins another head. False: it is the last one.
  bool take(std::string_view line);

  bool is_good() const { return status / 100 == 2; }
  std::optional<Part> part() const;
  // The error in Content-Length: lengths that differ, or one that is not a number of 63 bits. Empty
  // if there is no error.
  std::string wrong_length() const;
  // True if the body is not the one that the server stores: it was unpacked, or changed by a proxy.
  bool is_transformed() const;
  // True if the connection may be used again, unless the server sends more than the answer.
  bool keeps_connection() const { return !closes && (is_chunked || !lengths.empty()); }
  // See HttpAnswer.
  const std::string& version() const { return etag.empty() ? last_modified : etag; }
  // "404 Not Found", and what people can read of the body: the code and the message of an S3
  // server, else the first line, unless it is HTML.
  std::string in_words(std::string_view body) const;
};

}  // namespace sluice::detail
