// URLs: what messages may show of them, what identifies a dataset, relative URLs, and the endpoint
// and account of s3://BUCKET/KEY and gs://BUCKET/KEY. Internal: no user includes it.
//
// The query of a URL, and a user and password before its host, may be secrets: a presigned URL is
// one. So messages never show them. Bucket URLs, s3://BUCKET/KEY and gs://BUCKET/KEY, have none of
// these: the whole key is their name.
//
// Threads: any; no state. Errors: std::bad_alloc. BucketAccount throws IoError for a URL without a
// bucket or a key, and BuildError if only one of the two keys is set.
#pragma once

#include <sluice/io/readers/environment.h>

#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

// True if it begins with http://, https://, s3:// or gs://, in upper or lower case, and has no zero
// byte.
bool is_url(std::string_view text);

// True if it begins with s3:// or gs://, in upper or lower case.
bool is_bucket(std::string_view url);

// True if it begins with s3://, in upper or lower case.
bool is_s3(std::string_view url);

// The last part of the path: "a.tar" for "https://host/x/a.tar?key=1".
std::string last_part(std::string_view url);

// The part that identifies the server: "https://host:1" for "https://host:1/x", or "s3://bucket".
std::string server_part(std::string_view url);

// The URL for messages: printable, without user, password and fragment; "?..." replaces a query.
std::string shown_url(std::string_view url);

// The URL without user, password, fragment, and the query parameters for its signature and expiry.
// It stays the same when the URL is presigned again.
std::string unsigned_url(std::string_view url);

// `path` itself if it is a URL, else `path` below `base`. Below http:// and https://, characters
// that URLs do not allow, such as spaces and non-ASCII letters, are percent-encoded.
std::string joined_url(const std::string& base, const std::string& path);

// BucketAccount: the endpoints for s3://BUCKET/KEY and gs://BUCKET/KEY, and the credentials for
// s3://, from the environment (request.h lists the variables).
//
// Amazon's host names contain the bucket, unless its name has a dot, which their certificates do
// not cover. Other servers (AWS_ENDPOINT_URL) get the bucket in the path.

// The signed parts of a GET: the host, the path, the query, and the headers that begin with x-amz-,
// such as the time. Proxies may rewrite other headers, as they often do with Accept-Encoding.
struct S3Request {
  std::string host;                  // as the header has it
  std::string path, query;           // encoded
  std::vector<std::string> headers;  // "name: value"
  std::string time;                  // "20260131T235959Z", as x-amz-date has it
};

struct BucketAccount {
  std::string endpoint;  // without a slash at its end; empty: Amazon's
  std::string region;
  std::string key;  // empty: anonymous
  std::string secret;
  std::string token;   // may be empty
  std::string google;  // the endpoint of gs://, without a slash at its end

  static BucketAccount of(const Environment& environment);
  bool is_anonymous() const { return key.empty(); }
  // The https or http URL of a bucket URL.
  std::string url_of(std::string_view url) const;
  // The value of the header Authorization (Signature Version 4); the payload is not signed.
  std::string authorization_for(const S3Request& request) const;
};

}  // namespace sluice::detail
