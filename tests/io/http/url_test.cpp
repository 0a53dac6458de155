// URLs: the form in which they are shown, the names of their datasets, and the target of s3://.
#include "tests/error_of.h"
#include <sluice/io/http/url.h>
#include <sluice/io/readers/files.h>

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace url_test {

TEST(Url, IsToldFromPaths) {
  for (const char* url : {"http://a", "HTTPS://a/b", "s3://b/k"}) EXPECT_TRUE(is_url(url)) << url;
  for (const char* path : {"", "a.jpg", "/http://a", "file:///a", "ftp://a", "http:/a", "s3:"})
    EXPECT_FALSE(is_url(path)) << path;
}

TEST(Url, SecretsAreNotShown) {
  const struct {
    const char *url, *shown, *without_signature;
  } all[] = {
      {"https://host/a/b.jpg", "https://host/a/b.jpg", "https://host/a/b.jpg"},
      {"https://user:p@ss@host/a@b", "https://host/a@b", "https://host/a@b"},
      {"https://host?x=/a@b", "https://host?...", "https://host?x=/a@b"},
      {"https://host/a#part", "https://host/a", "https://host/a"},
      {"https://host/get?id=7&X-Amz-Signature=ab&X-Amz-Date=1&v=2", "https://host/get?...",
       "https://host/get?id=7&v=2"},
      {"https://host/a?sig=x&se=2030&sp=r", "https://host/a?...", "https://host/a"},
      {"https://host/a?X-Goog-Credential=x&Expires=1&Signature=y", "https://host/a?...",
       "https://host/a"},
      {"https://host/a?", "https://host/a?...", "https://host/a"},
      {"s3://bucket/key", "s3://bucket/key", "s3://bucket/key"},
      // The whole key is the name.
      {"s3://bucket/a#1.jpg", "s3://bucket/a#1.jpg", "s3://bucket/a#1.jpg"},
      {"S3://bucket/a?x=1&sig=2.jpg", "S3://bucket/a?x=1&sig=2.jpg", "S3://bucket/a?x=1&sig=2.jpg"},
      {"s3://bucket/b@c%20d", "s3://bucket/b@c%20d", "s3://bucket/b@c%20d"},
      {"a\nb", "a\\nb", "a\nb"},
  };
  for (const auto& one : all) {
    EXPECT_EQ(shown_url(one.url), one.shown);
    EXPECT_EQ(unsigned_url(one.url), one.without_signature);
  }
}

TEST(Url, IsJoinedToItsBase) {
  const struct {
    const char *base, *path, *url;
  } all[] = {
      {"", "a.jpg", "a.jpg"},
      {"https://host/d", "a.jpg", "https://host/d/a.jpg"},
      {"https://host/d/", "/a.jpg", "https://host/d/a.jpg"},
      {"https://host/d", "http://other/a.jpg", "http://other/a.jpg"},
      {"https://host/d", "sub dir/a \"b\", \xC3\xBC.jpg",
       "https://host/d/sub%20dir/a%20%22b%22,%20%C3%BC.jpg"},
      {"https://host/d", "a%20b.jpg?x=1#y", "https://host/d/a%20b.jpg?x=1#y"},
      {"s3://bucket/d", "a b%.jpg", "s3://bucket/d/a b%.jpg"},
      {"S3://bucket/d#1/", "a?b#c.jpg", "S3://bucket/d#1/a?b#c.jpg"},
  };
  for (const auto& one : all) EXPECT_EQ(joined_url(one.base, one.path), one.url);
}

TEST(Url, LastParts) {
  const struct {
    const char *url, *part;
  } all[] = {
      {"https://host/x/a.tar?key=/1", "a.tar"},
      {"https://host/x/a.tar#/y", "a.tar"},
      {"s3://bucket/x/a#1?.tar", "a#1?.tar"},
      {"s3://bucket/a.tar", "a.tar"},
  };
  for (const auto& one : all) EXPECT_EQ(last_part(one.url), one.part);
}

BucketAccount account(const std::map<std::string, std::string>& variables) {
  return BucketAccount::of([&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(Urls, AZeroByteMakesNoUrl) {
  EXPECT_TRUE(is_url("GS://bucket/key"));
  EXPECT_FALSE(is_url(std::string("http://host/a\0b", 15)));
  EXPECT_FALSE(is_url("ftp://host/a"));
}

TEST(BucketAccount, UrlsOfKeys) {
  const BucketAccount amazon = account({{"AWS_REGION", "eu-central-1"}});
  const BucketAccount other = account({{"AWS_ENDPOINT_URL", "http://localhost:9000/"}});
  const struct {
    const BucketAccount& account;
    const char *s3, *url;
  } all[] = {
      {amazon, "s3://photos/a/b c+d?.jpg",
       "https://photos.s3.eu-central-1.amazonaws.com/a/b%20c%2Bd%3F.jpg"},
      {amazon, "S3://my.photos/ä", "https://s3.eu-central-1.amazonaws.com/my.photos/%C3%A4"},
      {other, "s3://photos/a~b/c", "http://localhost:9000/photos/a~b/c"},
      {other, "s3://photos/a#b?c=d&e%20", "http://localhost:9000/photos/a%23b%3Fc%3Dd%26e%2520"},
      {account({}), "s3://b/k", "https://b.s3.us-east-1.amazonaws.com/k"},
      {account({{"AWS_DEFAULT_REGION", "x"}, {"AWS_REGION", ""}}), "s3://b/k",
       "https://b.s3.x.amazonaws.com/k"},
      {other, "gs://photos/a b?.jpg", "https://storage.googleapis.com/photos/a%20b%3F.jpg"},
      {account({{"STORAGE_EMULATOR_HOST", "localhost:9023"}}), "GS://b/k",
       "http://localhost:9023/b/k"},
      {account({{"STORAGE_EMULATOR_HOST", "https://localhost/"}}), "gs://b/k",
       "https://localhost/b/k"},
  };
  for (const auto& one : all) EXPECT_EQ(one.account.url_of(one.s3), one.url);
  for (const char* wrong : {"s3://", "s3://bucket", "s3://bucket/", "s3:///key"}) {
    EXPECT_EQ(error_of<IoError>([&] { (void)amazon.url_of(wrong); }),
              "'" + std::string(wrong) + "' names no file; it should be s3://BUCKET/KEY");
  }
  EXPECT_EQ(error_of<IoError>([&] { (void)amazon.url_of("gs://bucket"); }),
            "'gs://bucket' names no file; it should be gs://BUCKET/KEY");
  // These would be other files.
  for (const char* wrong : {"s3://b/../c/k", "s3://b/a/./k", "s3://b/a/..", "s3://../k"})
    EXPECT_NE(error_of<IoError>([&] { (void)amazon.url_of(wrong); }), "") << wrong;
}

// The example of a GET in Amazon's documents, with the payload unsigned.
TEST(BucketAccount, SignsWhatMustBe) {
  BucketAccount amazon =
      account({{"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"},
               {"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}});
  S3Request request;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  request.time = "20130524T000000Z";
  request.headers = {"Accept-Encoding: identity", "x-amz-date: 20130524T000000Z",
                     "X-Amz-Meta: a  b ", "User-Agent: any"};
  const std::string signed_so = amazon.authorization_for(request);
  EXPECT_EQ(signed_so.find("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/"
                           "aws4_request, SignedHeaders=host;x-amz-date;x-amz-meta, Signature="),
            0)
      << signed_so;
  // The signature does not depend on the order of headers, on spaces, or on unsigned parts.
  request.headers = {"x-amz-meta:a b", "x-amz-date: 20130524T000000Z", "Accept-Encoding: gzip"};
  EXPECT_EQ(amazon.authorization_for(request), signed_so);
  request.query = "b=2&a";
  const std::string with_query = amazon.authorization_for(request);
  EXPECT_NE(with_query, signed_so);
  request.query = "a=&b=2";
  EXPECT_EQ(amazon.authorization_for(request), with_query);
}

TEST(BucketAccount, KeysAreTwo) {
  EXPECT_TRUE(account({}).is_anonymous());
  EXPECT_FALSE(
      account({{"AWS_ACCESS_KEY_ID", "k"}, {"AWS_SECRET_ACCESS_KEY", "s"}}).is_anonymous());
  for (const char* alone : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}) {
    const std::string error = error_of<BuildError>([&] { (void)account({{alone, "x"}}); });
    EXPECT_NE(error.find("only one is set"), std::string::npos) << error;
  }
}

}  // namespace url_test
}  // namespace sluice::detail
