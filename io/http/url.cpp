#include <sluice/io/http/url.h>
#include <sluice/runtime/letter_case.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sluice::detail {
namespace {

bool is_s3_scheme(std::string_view url) { return lower(url.substr(0, 5)) == "s3://"; }

// The parts of a URL that matter here. A text that is not a URL is all `path`, and so is the key of
// s3://, in which '?', '#' and '@' are ordinary characters.
struct Parts {
  std::string_view scheme;  // with "://"
  std::string_view path;    // host and path, without user and password
  std::string_view query;   // without the question mark
  bool has_query = false;
};

Parts parts_of(std::string_view url) {
  Parts parts;
  if (const std::size_t at = url.find("://"); at != std::string_view::npos) {
    parts.scheme = url.substr(0, at + 3);
    url.remove_prefix(at + 3);
  }
  if (is_s3_scheme(parts.scheme)) {
    parts.path = url;
    return parts;
  }
  url = url.substr(0, url.find('#'));
  if (const std::size_t at = url.find('?'); at != std::string_view::npos) {
    parts.has_query = true;
    parts.query = url.substr(at + 1);
    url = url.substr(0, at);
  }
  const std::size_t host_end = std::min(url.find('/'), url.size());
  if (const std::size_t at = url.substr(0, host_end).rfind('@');
      at != std::string_view::npos && !parts.scheme.empty())
    url.remove_prefix(at + 1);
  parts.path = url;
  return parts;
}

// True if a URL may contain the character unencoded (RFC 3986); '%' is included.
bool is_of_urls(char c) {
  constexpr std::string_view kOthers = "\"<>\\^`{|}";
  return c > ' ' && c < '\x7f' && kOthers.find(c) == std::string_view::npos;
}

// True for the signing parameters of presigned URLs: Amazon's and compatible ones, Google's,
// CloudFront's, Azure's.
bool signs(std::string_view parameter) {
  const std::string name = lower(parameter.substr(0, parameter.find('=')));
  constexpr std::string_view kNames[] = {"awsaccesskeyid",
                                         "googleaccessid",
                                         "key-pair-id",
                                         "signature",
                                         "policy",
                                         "expires",
                                         "sig",
                                         "se",
                                         "st",
                                         "sp",
                                         "sv",
                                         "sr",
                                         "skoid",
                                         "sktid",
                                         "skt",
                                         "ske",
                                         "sks",
                                         "skv",
                                         "spr",
                                         "sip",
                                         "token",
                                         "access_token"};
  return name.starts_with("x-amz-") || name.starts_with("x-goog-") ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

bool is_url(std::string_view text) {
  const std::string begin = lower(text.substr(0, 8));
  return begin.starts_with("http://") || begin.starts_with("https://") || is_s3_scheme(begin);
}

bool is_s3(std::string_view url) { return is_s3_scheme(url); }

std::string last_part(std::string_view url) {
  if (!is_s3(url)) url = url.substr(0, url.find_first_of("?#"));
  return std::string(url.substr(url.rfind('/') + 1));
}

std::string server_part(std::string_view url) {
  const Parts parts = parts_of(url);
  return lower(std::string(parts.scheme) + std::string(parts.path.substr(0, parts.path.find('/'))));
}

std::string shown_url(std::string_view url) {
  const Parts parts = parts_of(url);
  return printable(std::string(parts.scheme) + std::string(parts.path)) +
         (parts.has_query ? "?..." : "");
}

std::string unsigned_url(std::string_view url) {
  const Parts parts = parts_of(url);
  std::string all = std::string(parts.scheme) + std::string(parts.path);
  char before = '?';
  for (std::string_view rest = parts.query; !rest.empty();) {
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
    if (signs(parameter)) continue;
    all += before;
    all += parameter;
    before = '&';
  }
  return all;
}

std::string joined_url(const std::string& base, const std::string& path) {
  if (base.empty() || is_url(path)) return path;
  const std::size_t begin = path.starts_with('/') ? 1 : 0;
  std::string url = base + (base.ends_with('/') ? "" : "/");
  // The key of s3:// is not percent-encoded here but when an http URL is made of it.
  if (is_s3_scheme(base)) return url + path.substr(begin);
  for (const char c : std::string_view(path).substr(begin)) {
    if (is_of_urls(c)) {
      url += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      url += '%';
      url += "0123456789ABCDEF"[byte >> 4];
      url += "0123456789ABCDEF"[byte & 15];
    }
  }
  return url;
}

}  // namespace sluice::detail
