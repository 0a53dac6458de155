// AnswerHead: the parsed status line and headers of an HTTP response. Internal: no user includes
// it.
//
// Ownership: a value. Threads: one at a time. Errors: std::bad_alloc; malformed header fields are
// ignored.
#pragma once

#include <sluice/io/http/request.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

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

}  // namespace sluice::detail
