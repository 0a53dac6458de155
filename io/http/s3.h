// S3Account: the endpoint and credentials for s3://BUCKET/KEY, from the environment (request.h
// lists the variables). Internal: no user includes it.
//
// Amazon's host names contain the bucket, unless its name has a dot, which their certificates do
// not cover. Other servers (AWS_ENDPOINT_URL) get the bucket in the path.
//
// Threads: any; a value. Errors: IoError for a URL without a bucket or a key; BuildError if only
// one of the two keys is set.
#pragma once

#include <sluice/io/sources/environment.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// The signed parts of a GET: the host, the path, the query, and the headers that begin with x-amz-,
// such as the time. Proxies may rewrite other headers, as they often do with Accept-Encoding.
struct S3Request {
  std::string host;                  // as the header has it
  std::string path, query;           // encoded
  std::vector<std::string> headers;  // "name: value"
  std::string time;                  // "20260131T235959Z", as x-amz-date has it
};

struct S3Account {
  std::string endpoint;  // without a slash at its end; empty: Amazon's
  std::string region;
  std::string key;  // empty: anonymous
  std::string secret;
  std::string token;  // may be empty

  static S3Account of(const Environment& environment);
  bool is_anonymous() const { return key.empty(); }
  // The https or http URL of an s3 URL.
  std::string url_of(std::string_view s3) const;
  // The value of the header Authorization (Signature Version 4); the payload is not signed.
  std::string authorization_for(const S3Request& request) const;
};

}  // namespace sluice::detail
