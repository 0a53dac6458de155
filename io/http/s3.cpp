#include <sluice/io/http/s3.h>
#include <sluice/io/http/url.h>
#include <sluice/io/sources/files.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>

namespace sluice::detail {
namespace {

// All but letters, digits and "-._~/" as %XX, as signatures want it.
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

}  // namespace

S3Account S3Account::of(const Environment& environment) {
  const auto first_of = [&](std::initializer_list<const char*> names) -> std::string {
    for (const char* const name : names) {
      const char* const value = environment(name);
      if (value != nullptr && *value != '\0') return value;
    }
    return {};
  };
  S3Account account{.endpoint = first_of({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}),
                    .region = first_of({"AWS_REGION", "AWS_DEFAULT_REGION"}),
                    .key = first_of({"AWS_ACCESS_KEY_ID"}),
                    .secret = first_of({"AWS_SECRET_ACCESS_KEY"}),
                    .token = first_of({"AWS_SESSION_TOKEN"})};
  while (account.endpoint.ends_with('/')) account.endpoint.pop_back();
  if (account.region.empty()) account.region = "us-east-1";
  if (account.key.empty() != account.secret.empty()) {
    throw BuildError(
        "of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY only one is set; set both, or neither for "
        "buckets that anybody may read");
  }
  return account;
}

std::string S3Account::url_of(std::string_view s3) const {
  std::string_view rest = s3.substr(5);
  const std::string bucket(rest.substr(0, rest.find('/')));
  rest.remove_prefix(std::min(bucket.size() + 1, rest.size()));
  if (bucket.empty() || rest.empty()) {
    throw IoError("'" + shown_url(s3) + "' names no file; it should be s3://BUCKET/KEY");
  }
  // Servers and libcurl take these parts of a path as others do: for the folder above, and none.
  for (std::string_view left = rest; !left.empty();) {
    const std::string_view part = left.substr(0, left.find('/'));
    left.remove_prefix(std::min(part.size() + 1, left.size()));
    if (part == "." || part == "..") {
      throw IoError("'" + shown_url(s3) + "' has a part '" + std::string(part) +
                    "', which would lead to another file; such keys cannot be read");
    }
  }
  if (bucket == "." || bucket == "..")
    throw IoError("'" + shown_url(s3) + "' names no bucket; it should be s3://BUCKET/KEY");
  const std::string path = encoded(rest);
  if (!endpoint.empty()) return endpoint + "/" + encoded(bucket) + "/" + path;
  const std::string host = "s3." + region + ".amazonaws.com/";
  return bucket.find('.') == std::string::npos ? "https://" + encoded(bucket) + "." + host + path
                                               : "https://" + host + encoded(bucket) + "/" + path;
}

bool is_s3(std::string_view url) { return is_url(url) && (url[0] == 's' || url[0] == 'S'); }

}  // namespace sluice::detail
