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
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

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

// Whether this build of Sluice can: it has libcurl then.
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
