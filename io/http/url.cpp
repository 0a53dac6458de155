#include <sluice/io/http/request.h>
#include <sluice/io/http/url.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>

namespace sluice::detail {
namespace {

// The parts of a URL that matter here. A text that is not a URL is all `path`, and so is the key of
// a bucket URL, in which '?', '#' and '@' are ordinary characters.
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
  if (is_bucket(parts.scheme)) {
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
  // libcurl would take a zero byte for the end.
  if (text.find('\0') != std::string_view::npos) return false;
  const std::string begin = lower(text.substr(0, 8));
  return begin.starts_with("http://") || begin.starts_with("https://") || is_bucket(begin);
}

bool is_s3(std::string_view url) { return lower(url.substr(0, 5)) == "s3://"; }

bool is_bucket(std::string_view url) { return is_s3(url) || lower(url.substr(0, 5)) == "gs://"; }

std::string last_part(std::string_view url) {
  if (!is_bucket(url)) url = url.substr(0, url.find_first_of("?#"));
  return std::string(url.substr(url.rfind('/') + 1));
}

std::string server_part(std::string_view url) {
  const Parts parts = parts_of(url);
  return lower(std::string(parts.scheme) + std::string(parts.path.substr(0, parts.path.find('/'))));
}

std::string shown_url(std::string_view url) {
  const Parts parts = parts_of(url);
  return escape_control_chars(std::string(parts.scheme) + std::string(parts.path)) +
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
  // url_of() encodes keys later.
  if (is_bucket(base)) return url + path.substr(begin);
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

namespace {

// Percent-encodes all but letters, digits and "-._~/", as signatures require.
std::string encoded(std::string_view key) {
  std::string text;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte) != 0) ||
        std::string_view("-._~/").find(c) != std::string_view::npos) {
      text += c;
    } else {
      text += {'%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    }
  }
  return text;
}

constexpr const char* kUnsignedPayload = "UNSIGNED-PAYLOAD";

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// HMAC (RFC 2104) with SHA-256.
std::string hmac(std::string key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  const auto digest = [](const std::string& of) {
    const auto bytes = sha256_of(as_bytes(of));
    return std::string(bytes.begin(), bytes.end());
  };
  if (key.size() > kBlock) key = digest(key);
  key.resize(kBlock);
  std::string inner, outer;
  for (const char c : key) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  return digest(outer + digest(inner + std::string(text)));
}

// A header value in its signed form: no spaces around it, and no two in a row.
std::string single_spaced(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

// A query in its signed form: sorted, and with an equals sign after each name.
std::string sorted(std::string_view query) {
  std::vector<std::string> parts;
  for (; !query.empty();) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    parts.push_back(std::string(part) + (part.find('=') == std::string_view::npos ? "=" : ""));
  }
  std::sort(parts.begin(), parts.end());
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : "&") + part;
  return all;
}

}  // namespace

BucketAccount BucketAccount::of(const Environment& environment) {
  const auto first_of = [&](std::initializer_list<const char*> names) -> std::string {
    for (const char* const name : names) {
      const char* const value = environment(name);
      if (value != nullptr && *value != '\0') return value;
    }
    return {};
  };
  BucketAccount account{.endpoint = first_of({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}),
                        .region = first_of({"AWS_REGION", "AWS_DEFAULT_REGION"}),
                        .key = first_of({"AWS_ACCESS_KEY_ID"}),
                        .secret = first_of({"AWS_SECRET_ACCESS_KEY"}),
                        .token = first_of({"AWS_SESSION_TOKEN"}),
                        .google = first_of({"STORAGE_EMULATOR_HOST"})};
  if (account.google.empty()) {
    account.google = "https://storage.googleapis.com";
  } else if (account.google.find("://") == std::string::npos) {
    account.google = "http://" + account.google;
  }
  for (std::string* const endpoint : {&account.endpoint, &account.google})
    while (endpoint->ends_with('/')) endpoint->pop_back();
  if (account.region.empty()) account.region = "us-east-1";
  if (account.key.empty() != account.secret.empty()) {
    throw BuildError(
        "of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set; set both, or neither for "
        "public buckets");
  }
  return account;
}

std::string BucketAccount::url_of(std::string_view url) const {
  const std::string form = std::string(is_s3(url) ? "s3" : "gs") + "://BUCKET/KEY";
  std::string_view rest = url.substr(5);
  const std::string bucket(rest.substr(0, rest.find('/')));
  rest.remove_prefix(std::min(bucket.size() + 1, rest.size()));
  if (bucket.empty() || rest.empty()) {
    throw IoError("'" + shown_url(url) + "' names no file; it should be " + form);
  }
  // Servers and libcurl would resolve "." and ".." in a path, which leads to another file.
  for (std::string_view left = rest; !left.empty();) {
    const std::string_view part = left.substr(0, left.find('/'));
    left.remove_prefix(std::min(part.size() + 1, left.size()));
    if (part == "." || part == "..") {
      throw IoError("'" + shown_url(url) + "' has a part '" + std::string(part) +
                    "', which would lead to another file; such keys cannot be read");
    }
  }
  if (bucket == "." || bucket == "..")
    throw IoError("'" + shown_url(url) + "' names no bucket; it should be " + form);
  const std::string path = encoded(rest);
  if (!is_s3(url)) return google + "/" + encoded(bucket) + "/" + path;
  if (!endpoint.empty()) return endpoint + "/" + encoded(bucket) + "/" + path;
  const std::string host = "s3." + region + ".amazonaws.com/";
  return bucket.find('.') == std::string::npos ? "https://" + encoded(bucket) + "." + host + path
                                               : "https://" + host + encoded(bucket) + "/" + path;
}

std::string BucketAccount::authorization_for(const S3Request& request) const {
  std::vector<std::pair<std::string, std::string>> fields = {{"host", request.host}};
  for (const std::string& header : request.headers) {
    const std::size_t colon = header.find(':');
    std::string name = lower(header.substr(0, colon));
    if (name.starts_with("x-amz-"))
      fields.emplace_back(std::move(name),
                          single_spaced(std::string_view(header).substr(colon + 1)));
  }
  std::sort(fields.begin(), fields.end());
  std::string names, canonical = "GET\n" + request.path + "\n" + sorted(request.query) + "\n";
  for (const auto& [name, value] : fields) {
    names += (names.empty() ? "" : ";") + name;
    canonical += name + ":" + value + "\n";
  }
  canonical += "\n" + names + "\n" + kUnsignedPayload;
  const std::string day = request.time.substr(0, 8);
  const std::string scope = day + "/" + region + "/s3/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + request.time + "\n" + scope + "\n" +
                              hex_of(sha256_of(as_bytes(canonical)));
  std::string by = "AWS4" + secret;
  for (const std::string& part : {day, region, std::string("s3"), std::string("aws4_request")})
    by = hmac(by, part);
  return "AWS4-HMAC-SHA256 Credential=" + key + "/" + scope + ", SignedHeaders=" + names +
         ", Signature=" + hex_of(as_bytes(hmac(by, to_sign)));
}

}  // namespace sluice::detail
