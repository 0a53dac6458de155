// Datasets of URLs, and their outcomes with servers that misbehave.
#include "tests/error_of.h"
#include "tests/io/http/server.h"
#include "tests/io/readers/scratch.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/http/client.h>
#include <sluice/io/http/urls.h>

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace urls_test {

using After = HttpServer::After;
using Request = HttpServer::Request;

const HttpOptions kQuick{.retries = 2, .backoff_s = 0.001};

class UrlsTest : public ScratchTest {
 protected:
  void SetUp() override {
    if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
    ScratchTest::SetUp();
  }
  // Returns the outcome of reading one file, without the server's address.
  std::string outcome(const UrlItem& item, const HttpOptions& options = kQuick) const {
    try {
      return "got " + text_of(std::get<0>(urls_of({item}, options).read(0)));
    } catch (const Error& error) {
      std::string text = error.what();
      for (std::size_t at = 0; (at = text.find(server_.url())) != std::string::npos;)
        text.replace(at, server_.url().size(), "S");
      return text;
    }
  }
  HttpServer server_;
};

// Without libcurl the error says what to do.
TEST(Urls, ABuildWithoutThemSaysSo) {
  if (can_read_urls()) GTEST_SKIP() << "this build has libcurl";
  EXPECT_EQ(sluice::error_of<BuildError>([] { (void)urls_of({"http://host/a"}); }),
            "this build of Sluice cannot read URLs: install libcurl4-openssl-dev, 7.85 or newer, "
            "and build it again");
}

TEST_F(UrlsTest, GivesWholeFilesWithTheirLabels) {
  const std::string large(3'000'000, 'y');
  server_.on("/a", [](const Request&) { return HttpServer::good("aaa"); });
  server_.on("/b c", [](const Request&) { return HttpServer::good("bad"); });
  server_.on("/large", [&](const Request&) { return HttpServer::good(large); });
  server_.on("/empty", [](const Request&) { return HttpServer::good(""); });
  const auto files =
      urls_of({{server_.url("/a?secret=1"), 5}, server_.url("/large"), server_.url("/empty")});
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(files.name(0), server_.url("/a?..."));
  EXPECT_EQ(text_of(std::get<0>(files.read(0))), "aaa");
  EXPECT_EQ(std::get<1>(files.read(0)), 5);
  EXPECT_EQ(text_of(std::get<0>(files.read(1))), large);
  EXPECT_EQ(std::get<1>(files.read(1)), -1);
  EXPECT_TRUE(std::get<0>(files.read(2)).empty());
  EXPECT_EQ(server_.asked().front().target, "/a?secret=1");
  EXPECT_EQ(server_.asked().front().field("accept-encoding"), "identity");
  const HttpStats stats = files.stats();
  EXPECT_EQ(stats.requests, 5);
  EXPECT_EQ(stats.attempts, 5);
  EXPECT_EQ(stats.failed, 0);
  EXPECT_EQ(stats.connections, 1);
  EXPECT_EQ(stats.bytes, 3 + 3 + 2 * large.size());
}

// A length above 16 MiB is not believed: the memory of the file grows while its bytes arrive.
TEST_F(UrlsTest, AFileMayBeLargerThanTheMemoryAllocatedAtOnce) {
  const std::string large((std::size_t{16} << 20) + 1, 'y');
  server_.on("/x", [&](const Request&) { return HttpServer::good(large); });
  EXPECT_TRUE(outcome({server_.url("/x")}) == "got " + large);
}

// The handler of an answer for which there is no memory.
class NoMemory final : public detail::ResponseHandler {
 public:
  explicit NoMemory(std::promise<std::string>& outcome) : outcome_(outcome) {}
  Bytes allocate(std::size_t size) override {
    throw Error("no memory for " + std::to_string(size) + " bytes");
  }
  void take(detail::HttpAnswer /*answer*/) override { outcome_.set_value("taken"); }
  void fail(std::string_view what) noexcept override { outcome_.set_value(std::string(what)); }

 private:
  std::promise<std::string>& outcome_;
};

TEST_F(UrlsTest, AnAnswerWithoutMemoryFailsWithItsUrl) {
  server_.on("/known", [](const Request&) { return HttpServer::good("12345"); });
  server_.on("/empty", [](const Request&) { return HttpServer::good(""); });
  server_.on("/chunked", [](const Request&) {
    return HttpServer::Reply{
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
  });
  const std::vector<std::uint8_t> before{1, 2};
  detail::HttpClient client(kQuick);
  for (const auto& [path, size] :
       {std::pair("/known", "7"), std::pair("/empty", "2"), std::pair("/chunked", "5")}) {
    std::promise<std::string> outcome;
    client.fetch({.url = server_.url(path), .before = before}, std::make_unique<NoMemory>(outcome));
    EXPECT_EQ(outcome.get_future().get(),
              "'" + server_.url(path) + "': no memory for " + std::string(size) + " bytes");
  }
  EXPECT_EQ(client.stats().failed, 3);
}

// Requests that use the same libcurl handle share no user, password, range or version.
TEST_F(UrlsTest, ARequestSendsNothingOfTheOneBefore) {
  for (const char* const path : {"/a", "/b"})
    server_.on(path, [](const Request&) { return HttpServer::good("file"); });
  HttpOptions options = kQuick;
  options.connections = 1;
  std::string with_user = server_.url("/a");
  with_user.insert(with_user.find("//") + 2, "me:pw@");
  const auto files = urls_of({with_user, server_.url("/b"), with_user}, options);
  for (const std::int64_t i : {0, 1, 2, 2})
    EXPECT_EQ(text_of(std::get<0>(files.read(i))), "file") << i;
  std::vector<std::string> sent;
  for (const Request& request : server_.asked())
    sent.push_back(request.target + " " + request.field("authorization"));
  const std::string basic = "/a Basic bWU6cHc=";
  EXPECT_EQ(sent, (std::vector<std::string>{basic, "/b ", basic, basic}));
}

// The answer is repeated on every attempt, unless the case says otherwise.
struct Case {
  const char* name;
  HttpServer::Handler handler;
  std::string outcome;  // a regular expression
  int asked;            // how often
  HttpOptions options = kQuick;
};

HttpServer::Handler always(const HttpServer::Reply& reply) {
  return [reply](const Request&) { return reply; };
}
// The first `bad` times `reply`, then a good file.
HttpServer::Handler at_first(int bad, const HttpServer::Reply& reply) {
  return [=](const Request& request) {
    return request.number < bad ? reply : HttpServer::good("good");
  };
}
HttpOptions quick(const std::function<void(HttpOptions&)>& change) {
  HttpOptions options = kQuick;
  change(options);
  return options;
}

std::string many_lines(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += "X-Line: " + std::to_string(i) + "\r\n";
  return lines;
}

std::vector<Case> cases() {
  const auto reply = [](const std::string& status, const std::string& body,
                        const std::string& fields = {}) {
    return HttpServer::reply(status, body, fields);
  };
  const auto few = [](const std::string& said, const std::string& sent, After after) {
    return HttpServer::Reply{"HTTP/1.1 200 OK\r\nContent-Length: " + said + "\r\n\r\n" + sent,
                             after};
  };
  const HttpOptions stalls = quick([](HttpOptions& o) {
    o.stalled_s = 0.05;
    o.retries = 1;
  });
  const auto last = [](const std::string& attempts) {
    return "; gave up after " + attempts +
           "; check the URL and the server, or raise HttpOptions::retries";
  };
  const std::string last_of_3 = last("3 attempts");
  return {
      {"missing", always(reply("404 Not Found", "no such\nthing")),
       "'S/x': the server answered 404 Not Found: 'no such'", 1},
      {"html", always(reply("404 Not Found", "<html>no</html>")),
       "'S/x': the server answered 404 Not Found", 1},
      {"no reason", always({"HTTP/1.1 410\r\nContent-Length: 0\r\n\r\n"}),
       "'S/x': the server answered 410", 1},
      {"terminal", always(reply("404 Not\x1b[1mFound", "a\tb\x1b")),
       R"('S/x': the server answered 404 Not\\x1b\[1mFound: 'a\\tb\\x1b')", 1},
      {"forbidden",
       always(reply("403 Forbidden",
                    "<?xml?>\n<Error><Code>AccessDenied</Code>"
                    "<Message>No</Message></Error>")),
       "'S/x': the server answered 403 Forbidden: 'AccessDenied: No'; give it "
       "HttpOptions::headers, .*",
       1},
      {"500 twice, then good", at_first(2, reply("500 Oops", "")), "got good", 3},
      {"429, then good", at_first(1, reply("429 Slow Down", "")), "got good", 2},
      {"503 for ever", always(reply("503 Busy", "later")),
       "'S/x': the server answered 503 Busy: 'later'" + last_of_3, 3},
      {"retry-after", at_first(1, reply("503 Busy", "", "Retry-After: 0\r\n")), "got good", 2},
      {"retry-after behind the deadline", always(reply("503 Busy", "", "Retry-After: 100000\r\n")),
       "'S/x': the server answered 503 Busy; gave up after 1 attempt, since there is no time for "
       "another one; check the server, or raise HttpOptions::deadline_s",
       1},
      {"no retries", always(reply("500 Oops", "")),
       "'S/x': the server answered 500 Oops" + last("1 attempt"), 1,
       quick([](HttpOptions& o) { o.retries = 0; })},
      {"long error", always(reply("404 Not Found", std::string(1'000'000, 'e'))),
       "'S/x': the server answered 404 Not Found: 'e{60}...' \\(4096 bytes\\)", 1},
      {"closes without an answer", always({"", After::close}),
       "'S/x': the connection ended before it answered \\(.*\\)" + last_of_3, 3},
      {"resets", at_first(1, {"", After::reset}), "got good", 2},
      {"closes in the head", always({"HTTP/1.1 200 OK\r\nConte", After::close}),
       "'S/x': the connection ended in the head of the answer" + last_of_3, 3},
      {"closes in the body", always(few("10", "1234", After::close)),
       "'S/x': the connection ended after 4 of 10 bytes \\(.*\\)" + last_of_3, 3},
      {"says too little", always(few("4", "12345678", After::close)), "got 1234", 1},
      {"says nothing of the length", always({"HTTP/1.1 200 OK\r\n\r\nabc", After::close}),
       "got abc", 1},
      {"chunks",
       always({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
               "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"}),
       "got abcd", 1},
      {"chunks that stop",
       always({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", After::close}),
       "'S/x': the connection ended after 2 bytes .*" + last_of_3, 3},
      {"stalls at once", always({"", After::stall}),
       "'S/x': the server sent nothing for 0.05 s \\(HttpOptions::stalled_s\\), before it "
       "answered" +
           last("2 attempts"),
       2, stalls},
      {"stalls in the body", always(few("10", "1234", After::stall)),
       "'S/x': the server sent nothing for 0.05 s \\(HttpOptions::stalled_s\\), after 4 of 10 "
       "bytes; .*",
       2, stalls},
      {"stalls, then good", at_first(1, {"HTTP/1.1 ", After::stall}), "got good", 2, stalls},
      {"is slow", always({"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow", After::trickle}),
       "got slow", 1},
      {"is too slow", always({reply("200 OK", std::string(10'000, 's')).bytes, After::trickle}),
       "'S/x': .*; gave up after 1 attempt, since there is no time for another one; check the "
       "server, or raise HttpOptions::deadline_s",
       1, quick([](HttpOptions& o) { o.deadline_s = 0.1; })},
      {"endless", always({"HTTP/1.1 200 OK\r\n\r\n", After::endless}),
       "'S/x': it goes on after 100000 bytes, which is HttpOptions::max_bytes", 1,
       quick([](HttpOptions& o) { o.max_bytes = 100'000; })},
      {"says that it is large", always(few("100001", "", After::stall)),
       "'S/x': it has 100001 bytes; more than HttpOptions::max_bytes, which is 100000", 1,
       quick([](HttpOptions& o) { o.max_bytes = 100'000; })},
      {"endless head", always({"HTTP/1.1 200 OK\r\nX: ", After::endless}), "'S/x': .*", 1,
       quick([](HttpOptions& o) { o.retries = 0; })},
      {"compressed", always(HttpServer::good("zzz", "Content-Encoding: gzip\r\n")),
       "'S/x': the server sends it compressed \\(Content-Encoding: 'gzip'\\) .*", 1},
      {"as it is", always(HttpServer::good("zzz", "Content-Encoding: identity\r\n")), "got zzz", 1},
      {"a part", always(reply("206 Partial Content", "a", "Content-Range: bytes 0-0/9\r\n")),
       "'S/x': the server sends a part of it, but all of it was requested", 1},
      {"no content", always({"HTTP/1.1 204 No Content\r\n\r\n"}),
       "'S/x': the server answered 204 No Content, which comes with no file", 1},
      {"continue",
       always({"HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n"
               "Content-Length: 2\r\n\r\nok"}),
       "got ok", 1},
      {"no HTTP", always({"SSH-2.0-OpenSSH\r\n", After::close}), "'S/x': .*HTTP/0.9.*", 1},
      {"MD5 of the server",
       always(HttpServer::good("abc", "Content-MD5: kAFQmDzST7DWlj99KOF/cg==\r\n")), "got abc", 1},
      {"another MD5", always(HttpServer::good("abd", "Content-MD5: kAFQmDzST7DWlj99KOF/cg==\r\n")),
       "'S/x': its md5 is 4911e516e5aa21d327512e0c8b197616, and the server says "
       "900150983cd24fb0d6963f7d28e17f72: it was damaged in transit, or is another file" +
           last_of_3,
       3},
      {"what is stored compressed",
       always(HttpServer::good("abc",
                               "X-Goog-Stored-Content-Encoding: gzip\r\n"
                               "x-goog-hash: crc32c=AAAAAA==\r\n")),
       "got abc", 1},
      {"what is stored as it is",
       always(HttpServer::good("abc",
                               "X-Goog-Stored-Content-Encoding: identity\r\n"
                               "x-goog-hash: crc32c=AAAAAA==\r\n")),
       "'S/x': its crc32c is 364b3fb7, and the server says 00000000: .*", 3},
      {"changed by a proxy",
       always(reply("203 Non-Authoritative Information", "abc",
                    "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n")),
       "got abc", 1},
      {"changed, says the proxy",
       always(HttpServer::good("abc",
                               "Warning: 214 proxy \"Transformation Applied\"\r\n"
                               "Content-MD5: AAAAAAAAAAAAAAAAAAAAAA==\r\n")),
       "got abc", 1},
      {"two lengths",
       always({"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"}),
       "'S/x': the server says two lengths of it \\(Content-Length\\), 3 and 4", 1},
      {"two lengths in one", always({"HTTP/1.1 200 OK\r\nContent-Length: 4, 3\r\n\r\nabcd"}),
       "'S/x': the server says two lengths of it \\(Content-Length\\), 4 and 3", 1},
      {"a length twice",
       always({"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"}), "got abc",
       1},
      {"a length of 64 bits",
       always({"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551619\r\n\r\nabc", After::close}),
       "'S/x': the server says that it has '18446744073709551619' bytes \\(Content-Length\\), .*",
       1},
      {"a length of 63 bits",
       always({"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nabc", After::close}),
       "'S/x': the server says that it has '9223372036854775808' bytes .*", 1},
      {"no length", always({"HTTP/1.1 200 OK\r\nContent-Length: 3x\r\n\r\nabc", After::close}),
       "'S/x': .*", 1},
      {"a long line", always(HttpServer::good("abc", "X: " + std::string(200'000, 'x') + "\r\n")),
       "'S/x': the head of the answer is too long: .*", 1},
      {"many lines", always(HttpServer::good("abc", many_lines(20'000))),
       "'S/x': the head of the answer is too long: .*", 1},
      {"Amazon's sum", always(HttpServer::good("abd", "x-amz-checksum-crc32: NSRBwg==\r\n")),
       "'S/x': its crc32 is .*, and the server says 352441c2: .*", 3},
      {"Google's sums",
       always(HttpServer::good("abc",
                               "x-goog-hash: crc32c=Nks/tw==\r\n"
                               "x-goog-hash: md5=kAFQmDzST7DWlj99KOF/cg==\r\n")),
       "got abc", 1},
  };
}

TEST_F(UrlsTest, SaysWhatServersDo) {
  int i = 0;
  for (const Case& one : cases()) {
    testing::tried("http");
    const std::string path = "/case" + std::to_string(i++);
    server_.on(path, one.handler);
    std::string text = outcome(server_.url(path), one.options);
    if (const std::size_t at = text.find("S" + path); at != std::string::npos)
      text.replace(at, path.size() + 1, "S/x");
    EXPECT_TRUE(std::regex_match(text, std::regex(one.outcome))) << one.name << ": " << text;
    EXPECT_EQ(server_.asked(path), one.asked) << one.name;
  }
}

TEST_F(UrlsTest, NothingIsHurtByABadAnswer) {
  server_.on("/long", [](const Request&) {
    return HttpServer::Reply{
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 200 OK\r\n"
        "Content-Length: 4\r\n\r\nevil"};
  });
  server_.on("/good", [](const Request&) { return HttpServer::good("good"); });
  const auto files = urls_of({server_.url("/long"), server_.url("/good")}, {.connections = 1});
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(text_of(std::get<0>(files.read(0))), "1");
    EXPECT_EQ(text_of(std::get<0>(files.read(1))), "good");
  }
}

// This also holds if it comes after its answer was taken.
TEST_F(UrlsTest, AnAnswerThatNobodyAskedForIsNotTaken) {
  server_.on("/long", [](const Request&) {
    HttpServer::Reply reply = HttpServer::good("1");
    reply.unasked = HttpServer::good("evil").bytes;
    return reply;
  });
  server_.on("/good", [](const Request&) { return HttpServer::good("good"); });
  const auto files = urls_of({server_.url("/long"), server_.url("/good")}, {.connections = 1});
  for (int i = 1; i <= 20; ++i) {
    EXPECT_EQ(text_of(std::get<0>(files.read(0))), "1");
    server_.wait_until_unasked(i);
    EXPECT_EQ(text_of(std::get<0>(files.read(1))), "good");
  }
  EXPECT_EQ(files.stats().attempts, 40);
  EXPECT_EQ(files.stats().retries, 0);
  // The server is not trusted any more: its connections are used once.
  EXPECT_GE(files.stats().connections, 39);
}

TEST_F(UrlsTest, NobodyIsThere) {
  std::string url;
  {
    const HttpServer gone;
    url = gone.url("/a");
  }
  const std::string text = outcome(url);
  EXPECT_NE(text.find("Connection refused"), std::string::npos) << text;
  EXPECT_NE(text.find("gave up after 3 attempts"), std::string::npos) << text;
}

TEST_F(UrlsTest, Redirects) {
  const auto to = [](const std::string& where) {
    return always(HttpServer::reply("302 Found", "", "Location: " + where + "\r\n"));
  };
  HttpServer other;
  other.on("/good", [](const Request&) { return HttpServer::good("other"); });
  server_.on("/good", [](const Request&) { return HttpServer::good("good"); });
  server_.on("/near", to("/good"));
  server_.on("/far", to(other.url("/good")));
  server_.on("/loop", to("/loop"));
  server_.on("/file", to("file:///etc/passwd"));
  server_.on("/gopher", to("gopher://127.0.0.1/1"));
  server_.on("/secret", to("ftp://user:password@host/x?token=1"));
  server_.on("/nowhere", always(HttpServer::reply("302 Found", "")));
  server_.on("/again", at_first(2, HttpServer::reply("500 Oops", "")));
  server_.on("/to_again", to("/again"));
  struct One {
    const char* path;
    std::string outcome;
  };
  const One all[] = {
      {"/near", "got good"},
      {"/far", "got other"},
      {"/to_again", "got good"},
      {"/loop",
       "'S/loop': the server redirects to 'S/loop', after 5 such redirects; more than "
       "HttpOptions::redirects are not followed"},
      {"/file",
       "'S/file': the server redirects to 'file:///etc/passwd', which is neither http nor https"},
      {"/gopher",
       "'S/gopher': the server redirects to 'gopher://127.0.0.1/1', which is neither http nor "
       "https"},
      {"/secret",
       "'S/secret': the server redirects to 'ftp://host/x?...', which is neither http nor https"},
      {"/nowhere", "'S/nowhere': the server answered 302 Found"},
  };
  for (const One& one : all) EXPECT_EQ(outcome(server_.url(one.path)), one.outcome);
}

TEST_F(UrlsTest, SecretsStayWithTheirServer) {
  HttpServer other;
  other.on("/x", [](const Request&) { return HttpServer::good("x"); });
  server_.on("/far",
             always(HttpServer::reply("307 Moved", "", "Location: " + other.url("/x") + "\r\n")));
  server_.on("/near", always(HttpServer::reply("307 Moved", "", "Location: /x\r\n")));
  server_.on("/x", [](const Request&) { return HttpServer::good("x"); });
  const HttpOptions options{.headers = {"X-Key: abc", "Authorization: Bearer def"}};
  EXPECT_EQ(outcome(server_.url("/far"), options), "got x");
  EXPECT_EQ(outcome(server_.url("/near"), options), "got x");
  for (const Request& request : server_.asked()) {
    EXPECT_EQ(request.field("x-key"), "abc");
    EXPECT_EQ(request.field("authorization"), "Bearer def");
  }
  ASSERT_EQ(other.asked().size(), 1);
  EXPECT_EQ(other.asked()[0].field("x-key"), "");
  EXPECT_EQ(other.asked()[0].field("authorization"), "");

  std::string url = server_.url("/nothing?X-Amz-Signature=1");
  url.insert(7, "user:pass@");
  EXPECT_EQ(outcome(url),
            "'S/nothing?...': the server answered 404 Not Found: 'there is no such file'");
  EXPECT_EQ(server_.asked().back().field("authorization"), "Basic dXNlcjpwYXNz");
}

TEST_F(UrlsTest, ChecksumsOfTheDataset) {
  server_.on("/abc", [](const Request&) { return HttpServer::good("abc"); });
  const std::string sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  struct One {
    std::string sum, outcome;
  };
  const One all[] = {
      {"", "got abc"},
      {sha, "got abc"},
      {"sha256:" + sha, "got abc"},
      {"900150983CD24FB0D6963F7D28E17F72", "got abc"},
      {"crc32:352441c2", "got abc"},
      {"crc32c:364b3fb7", "got abc"},
      {"crc32c:364b3fb8",
       "'S/abc': its crc32c is 364b3fb7, and the dataset says 364b3fb8: it was damaged in transit, "
       "or is another file; gave up after 3 attempts; check the URL and the server, or raise "
       "HttpOptions::retries"},
      {"364b3fb7",
       "'S/abc': '364b3fb7' is not a checksum: expected sha256:, md5:, crc32c: or crc32: with its "
       "hexadecimal digits, or the 64 digits of a SHA-256 or 32 of an MD5 alone"},
  };
  for (const One& one : all)
    EXPECT_EQ(outcome({server_.url("/abc"), 0, one.sum}), one.outcome) << one.sum;
}

}  // namespace urls_test
}  // namespace sluice
