// Functions on the text of URLs: what messages may show, what identifies a dataset, and relative
// URLs. Internal: no user includes it.
//
// The query of a URL, and a user and password before its host, may be secrets: a presigned URL is
// one. So messages never show them. s3://BUCKET/KEY has none of these: the whole key is its name.
//
// Threads: any; no state. Errors: std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace sluice::detail {

// True if it begins with http://, https:// or s3://, in upper or lower case.
bool is_url(std::string_view text);

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

}  // namespace sluice::detail
