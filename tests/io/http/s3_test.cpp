// Requests for s3:// and gs:// URLs. Signatures are recomputed from Amazon's documents.
#include "tests/error_of.h"
#include "tests/io/http/server.h"
#include "tests/io/readers/scratch.h"
#include "tests/io/sha256.h"
#include <sluice/io/http/urls.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace s3_test {

using Request = HttpServer::Request;

std::string hex_sha256(std::string_view text) {
  Sha256 sum;
  sum.update({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  return sum.finish();
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// RFC 2104; the key is shorter than a block.
std::string hmac(std::string key, std::string_view text) {
  key.resize(64);
  std::string inner, outer;
  for (const char c : key) {
    inner += static_cast<char>(c ^ 0x36);
    outer += static_cast<char>(c ^ 0x5c);
  }
  return bytes_of_hex(hex_sha256(outer + bytes_of_hex(hex_sha256(inner + std::string(text)))));
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    text += "0123456789abcdef"[c & 15];
  }
  return text;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

// The signature that the request should have.
std::string signature(const Request& request, const std::string& secret) {
  const std::string authorization = request.field("authorization") + ",";
  const std::string names = between(authorization, "SignedHeaders=", ",");
  std::string canonical = request.method + "\n" + request.target + "\n\n";
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(';', at), names.size());
    const std::string name = names.substr(at, end - at);
    canonical += name + ":" + request.field(name) + "\n";
    at = end + 1;
  }
  canonical += "\n" + names + "\n" + request.field("x-amz-content-sha256");
  const std::string scope = between(authorization, "Credential=KEY/", ",");
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + request.field("x-amz-date") + "\n" + scope +
                              "\n" + hex_sha256(canonical);
  std::string key = "AWS4" + secret;
  for (std::size_t at = 0; at < scope.size();) {
    const std::size_t end = std::min(scope.find('/', at), scope.size());
    key = hmac(key, scope.substr(at, end - at));
    at = end + 1;
  }
  return hex(hmac(key, to_sign));
}

class S3Test : public ::testing::Test {
 protected:
  static constexpr const char* kNames[] = {
      "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",  "AWS_REGION",
      "AWS_ENDPOINT_URL",  "AWS_ENDPOINT_URL_S3",   "AWS_DEFAULT_REGION", "STORAGE_EMULATOR_HOST"};
  void SetUp() override {
    for (const char* name : kNames) {
      const char* const value = std::getenv(name);
      if (value != nullptr) before_[name] = value;
      ::unsetenv(name);
    }
    ::setenv("AWS_ENDPOINT_URL", server_.url().c_str(), 1);
    server_.on("/photos/a/b%20c.jpg", [](const Request&) { return HttpServer::good("image"); });
    if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  }
  void TearDown() override {
    for (const char* name : kNames) {
      ::unsetenv(name);
      if (const auto at = before_.find(name); at != before_.end())
        ::setenv(name, at->second.c_str(), 1);
    }
  }
  std::map<std::string, std::string> before_;
  HttpServer server_;
};

TEST_F(S3Test, Anonymous) {
  EXPECT_EQ(text_of(std::get<0>(urls_of({"s3://photos/a/b c.jpg"}).read(0))), "image");
  EXPECT_EQ(server_.asked().at(0).field("authorization"), "");
}

// Amazon's keys are for s3:// only.
TEST_F(S3Test, GoogleBucketsGetHeadersAndNoSignature) {
  ::setenv("STORAGE_EMULATOR_HOST", server_.url().c_str(), 1);
  ::setenv("AWS_ACCESS_KEY_ID", "KEY", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "SECRET", 1);
  for (const bool has_token : {false, true}) {
    HttpOptions http;
    if (has_token) http.headers = {"Authorization: Bearer x"};
    EXPECT_EQ(text_of(std::get<0>(urls_of({"gs://photos/a/b c.jpg"}, http).read(0))), "image");
    const Request request = server_.asked().back();
    EXPECT_EQ(request.field("authorization"), has_token ? "Bearer x" : "");
    EXPECT_EQ(request.field("x-amz-checksum-mode"), "");
  }
}

TEST_F(S3Test, Signed) {
  ::setenv("AWS_ACCESS_KEY_ID", "KEY", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "SE:CRET/+", 1);
  ::setenv("AWS_REGION", "eu-west-9", 1);
  for (const bool has_token : {false, true}) {
    if (has_token) ::setenv("AWS_SESSION_TOKEN", "token/+==", 1);
    const HttpOptions http{.headers = {"User-Agent: any", "x-amz-request-payer: requester"}};
    const auto files = urls_of({"s3://photos/a/b c.jpg"}, http);
    EXPECT_EQ(text_of(std::get<0>(files.read(0))), "image");
    const Request request = server_.asked().back();
    const std::string authorization = request.field("authorization");
    EXPECT_EQ(authorization.find("AWS4-HMAC-SHA256 Credential=KEY/"), 0) << authorization;
    EXPECT_NE(authorization.find("/eu-west-9/s3/aws4_request"), std::string::npos) << authorization;
    EXPECT_EQ(between(authorization, "SignedHeaders=", ","),
              std::string("host;x-amz-checksum-mode;x-amz-content-sha256;x-amz-date;"
                          "x-amz-request-payer") +
                  (has_token ? ";x-amz-security-token" : ""));
    EXPECT_EQ(request.field("x-amz-security-token"), has_token ? "token/+==" : "");
    EXPECT_EQ(authorization.substr(authorization.rfind('=') + 1), signature(request, "SE:CRET/+"))
        << authorization;
  }
}

TEST_F(S3Test, AllOfAKeyIsItsName) {
  ::setenv("AWS_ACCESS_KEY_ID", "KEY", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "SECRET", 1);
  const std::vector<std::string> keys = {"a#1.jpg",     "a#2.jpg",   "a?b=1.jpg", "a?b=2.jpg",
                                         "a.jpg?sig=1", "a%20b.jpg", "a b.jpg"};
  const std::vector<std::string> paths = {"a%231.jpg",     "a%232.jpg",       "a%3Fb%3D1.jpg",
                                          "a%3Fb%3D2.jpg", "a.jpg%3Fsig%3D1", "a%2520b.jpg",
                                          "a%20b.jpg"};
  std::set<std::string> prints;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string url = "s3://photos/" + keys[i];
    server_.on("/photos/" + paths[i], [&, i](const Request&) { return HttpServer::good(keys[i]); });
    const auto files = urls_of({url});
    EXPECT_EQ(text_of(std::get<0>(files.read(0))), keys[i]);
    const Request request = server_.asked().back();
    EXPECT_EQ(request.target, "/photos/" + paths[i]);
    const std::string authorization = request.field("authorization");
    EXPECT_EQ(authorization.substr(authorization.rfind('=') + 1), signature(request, "SECRET"));
    EXPECT_EQ(files.name(0), url);
    prints.insert(files.fingerprint());
    const std::string missing =
        sluice::error_of<IoError>([&] { (void)urls_of({url + "x"}).read(0); });
    EXPECT_EQ(missing.find("'" + url + "x':"), 0) << missing;
  }
  EXPECT_EQ(prints.size(), keys.size());
}

TEST_F(S3Test, KeysAreNotForOthers) {
  ::setenv("AWS_ACCESS_KEY_ID", "KEY", 1);
  ::setenv("AWS_SECRET_ACCESS_KEY", "SECRET", 1);
  server_.on("/plain", [](const Request&) { return HttpServer::good("plain"); });
  EXPECT_EQ(text_of(std::get<0>(urls_of({server_.url("/plain")}).read(0))), "plain");
  HttpServer other;
  other.on("/x", [](const Request&) { return HttpServer::good("moved"); });
  server_.on("/photos/moved", [&](const Request&) {
    return HttpServer::reply("307 Moved", "", "Location: " + other.url("/x") + "\r\n");
  });
  EXPECT_EQ(text_of(std::get<0>(urls_of({"s3://photos/moved"}).read(0))), "moved");
  EXPECT_EQ(server_.asked().at(0).field("authorization"), "");
  EXPECT_NE(server_.asked().at(1).field("authorization"), "");
  for (const char* name : {"authorization", "x-amz-date", "x-amz-content-sha256"})
    EXPECT_EQ(other.asked().at(0).field(name), "") << name;
}

}  // namespace s3_test
}  // namespace sluice
