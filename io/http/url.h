// URLs as text: what a message may show of one, what tells a dataset from others, and what a
// relative one stands for. Internal: no user includes it.
//
// The query of a URL, and a user and password before its host, may be secrets: a presigned URL is
// one. So messages never show them. s3://BUCKET/KEY has none of these: all of the key is its name.
//
// Threads: any; no state. Errors: std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace sluice::detail {

// Whether it begins with http://, https:// or s3://, in any case.
bool is_url(std::string_view text);

// True if it begins with s3://, in upper or lower case.
bool is_s3(std::string_view url);

// "a.tar" of "https://host/x/a.tar?key=1".
std::string last_part(std::string_view url);

// The part that identifies the server: "https://host:1" of "https://host:1/x", "s3://bucket".
std::string server_part(std::string_view url);

// Printable, without user, password and fragment; "?..." in place of a query.
std::string shown_url(std::string_view url);

// Without user, password and fragment, and without those parameters of the query that sign it, or
// that say until when it is valid: the same for a URL that is presigned anew.
std::string unsigned_url(std::string_view url);

// `path` itself if it is a URL, else what it is below `base`: what no URL has, such as spaces and
// letters that are not ASCII, is percent-encoded below http:// and https://.
std::string joined_url(const std::string& base, const std::string& path);

}  // namespace sluice::detail
