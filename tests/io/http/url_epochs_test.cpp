// Pipelines over files at URLs: lists, order, connections, epochs that end early.
#include "tests/error_of.h"
#include "tests/in_child.h"
#include "tests/io/http/server.h"
#include "tests/io/readers/scratch.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/http/urls.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace url_epochs_test {

using Request = HttpServer::Request;

HttpServer::Handler good(const std::string& body) {
  return [body](const Request&) { return HttpServer::good(body); };
}

class UrlEpochsTest : public ScratchTest {
 protected:
  void SetUp() override {
    if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
    ScratchTest::SetUp();
  }
  // Files /0, /1 and so on. Each contains its number.
  std::vector<UrlItem> numbered(int count) {
    std::vector<UrlItem> items;
    for (int i = 0; i < count; ++i) {
      const std::string path = "/" + std::to_string(i);
      server_.on(path, good("file " + std::to_string(i)));
      items.emplace_back(server_.url(path), 100 + i);
    }
    return items;
  }
  std::string without_server(std::string text) const {
    for (std::size_t at = 0; (at = text.find(server_.url())) != std::string::npos;)
      text.replace(at, server_.url().size(), "S");
    return text;
  }
  HttpServer server_;
};

template <class Dataset>
auto texts_of(const Dataset& files, const PipelineOptions& options, const Sampler& sampler = {}) {
  return make_pipeline(options, [&](Graph& g) {
    auto [file, label] = g.read(files, sampler);
    return std::tuple{g.map("text", text_of, file), label};
  });
}

std::ptrdiff_t descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST_F(UrlEpochsTest, OrderIsThatOfTheEpoch) {
  constexpr int kFiles = 300;
  const auto files = urls_of(numbered(kFiles), {.connections = 5});
  auto pipeline = texts_of(files, {.batch_size = 16, .threads = 2, .window = 64});
  for (int epoch = 0; epoch < 2; ++epoch) {
    int i = 0;
    for (const auto& [texts, labels] : pipeline.epoch()) {
      for (std::size_t k = 0; k < texts.size(); ++k, ++i) {
        EXPECT_EQ(std::string(texts[k]), "file " + std::to_string(i));
        EXPECT_EQ(labels[k], 100 + i);
      }
    }
    EXPECT_EQ(i, kFiles);
  }
  EXPECT_LE(server_.connections(), 5);
  const HttpStats stats = files.stats();
  EXPECT_EQ(stats.requests, 2 * kFiles);
  EXPECT_EQ(stats.attempts, 2 * kFiles);
  EXPECT_EQ(stats.connections, server_.connections());
}

TEST_F(UrlEpochsTest, ABadFileCostsItself) {
  auto items = numbered(20);
  server_.on("/3", [](const Request&) { return HttpServer::reply("404 Not Found", ""); });
  server_.on("/7", [](const Request&) {
    return HttpServer::Reply{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nfile",
                             HttpServer::After::stall};
  });
  items[11].url = "nonsense";
  items[12].url = server_.url(" 12");
  auto pipeline = texts_of(urls_of(items, {.retries = 1, .backoff_s = 0.001, .stalled_s = 0.05}),
                           {.batch_size = 20, .threads = 2, .on_error = OnError::skip});
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->size(), 16);
  ASSERT_EQ(batch->errors().size(), 4);
  const struct {
    const char *source, *what;
  } errors[] = {
      {"S/3", "'S/3': the server answered 404 Not Found"},
      {"S/7",
       "'S/7': the server sent nothing for 0.05 s (HttpOptions::stalled_s), after 4 of 9 "
       "bytes; gave up after 2 attempts; check the URL and the server, or raise "
       "HttpOptions::retries"},
      {"nonsense", "'nonsense' is not a URL; it must begin with http://, https://, s3:// or gs://"},
      // libcurl's wording depends on its version.
      {"S 12", "'S 12': the URL cannot be read: "}};
  for (std::size_t i = 0; i < std::size(errors); ++i) {
    EXPECT_EQ(without_server(batch->errors()[i].source), errors[i].source);
    const std::string what = without_server(batch->errors()[i].what);
    EXPECT_EQ(what.substr(0, std::string(errors[i].what).size()), errors[i].what);
  }
}

TEST_F(UrlEpochsTest, Lists) {
  server_.on("/d/a.jpg", good("aa"));
  server_.on("/b.jpg", good("bb"));
  const std::string list = write("train.csv",
                                 "sum,file,label\n"
                                 ",a.jpg,1\n"
                                 "md5:21ad0bd836b90d08f4cf640b4c298e7c," +
                                     server_.url("/b.jpg?key=1") + ",2\n" +
                                     "md5:00,a.jpg,3\n"
                                     ",a.jpg,four\n"
                                     "md5:00000000000000000000000000000000,a.jpg,5\n");
  const UrlListOptions options{
      .url = "file", .base = server_.url("/d"), .checksum = "sum", .http = {.retries = 0}};
  const auto files = urls_in(list, options);
  ASSERT_EQ(files.size(), 5);
  EXPECT_EQ(without_server(files.name(0)), "S/d/a.jpg");
  EXPECT_EQ(without_server(files.name(1)), "S/b.jpg?...");
  EXPECT_EQ(std::get<0>(files.columns(1)), 2);
  auto pipeline = texts_of(files, {.batch_size = 5, .on_error = OnError::skip});
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2);
  EXPECT_EQ(std::string(batch->get<0>()[1]), "bb");
  EXPECT_EQ(batch->get<1>()[1], 2);
  ASSERT_EQ(batch->errors().size(), 3);
  const auto what = [&](std::size_t i) {
    return error_of([&]() -> void { throw Error(without_server(batch->errors()[i].what)); });
  };
  EXPECT_EQ(what(0).find("the list 'train.csv', line 4, column 'sum': 'md5:00' is not a checksum"),
            0);
  EXPECT_EQ(what(1), "the list 'train.csv', line 5, column 'label': 'four' is not a whole number");
  EXPECT_EQ(what(2).find("'S/d/a.jpg': its md5 is "), 0) << what(2);

  EXPECT_EQ(error_of([&] { (void)urls_in(list, {.url = "file"}).read(0); }),
            "the list 'train.csv', line 2, column 'file': 'a.jpg' is not a URL: it must begin with "
            "http://, https://, s3:// or gs://, or be relative to UrlListOptions::base");
  EXPECT_EQ(error_of([&] { (void)urls_in(list, {.url = "file", .base = "/data"}); }),
            "urls_in: .base, '/data', is not a URL; it must begin with http://, https://, s3:// or "
            "gs://");
  EXPECT_EQ(error_of([&] {
              (void)urls_in<std::int64_t, float>(list, {.url = "file"});
            }).find("urls_in: .columns names 1, but there are types for 2"),
            0);
}

TEST_F(UrlEpochsTest, FingerprintsKnowNoSecrets) {
  const auto of = [](const std::string& url, std::int64_t label = 0) {
    return urls_of({{url, label}}).fingerprint();
  };
  const std::string one = of("https://host/a?id=1&X-Amz-Signature=x");
  EXPECT_EQ(one, of("https://user:new@host/a?id=1&X-Amz-Signature=y&X-Amz-Date=z"));
  EXPECT_NE(one, of("https://host/a?id=2&X-Amz-Signature=x"));
  EXPECT_NE(one, of("https://host/b?id=1"));
  EXPECT_NE(one, of("https://host/a?id=1", 1));
}

TEST_F(UrlEpochsTest, EndsAtOnceWhileRequestsHang) {
  const std::ptrdiff_t before = descriptors();
  {
    auto items = numbered(50);
    for (int i = 1; i < 50; ++i) {
      server_.on("/" + std::to_string(i), [](const Request& request) {
        if (request.number > 0) return HttpServer::good("again");
        return HttpServer::Reply{"", HttpServer::After::stall};
      });
    }
    // A request that hangs would end only after an hour.
    const HttpOptions patient{.connections = 8, .stalled_s = 3600, .deadline_s = 3600};
    const auto files = urls_of(items, patient);
    // One thread requests files in order. With more threads, the hanging ones might take every
    // connection before the first file is requested.
    auto pipeline = texts_of(files, {.batch_size = 1, .threads = 1, .window = 32});
    {
      auto epoch = pipeline.epoch();
      ASSERT_TRUE(epoch.next().has_value());
      server_.wait_until_asked("/1");
    }
    // The next one is as good as any.
    auto epoch = pipeline.epoch();
    ASSERT_TRUE(epoch.next().has_value());
    EXPECT_GT(files.stats().failed, 0);
  }
  {
    auto items = numbered(3);
    server_.on("/1", [](const Request&) {
      return HttpServer::Reply{"", HttpServer::After::stall};
    });
    auto pipeline = texts_of(urls_of(items, {.stalled_s = 3600}), {.batch_size = 1});
    auto epoch = pipeline.epoch();
    ASSERT_TRUE(epoch.next().has_value());
    server_.wait_until_asked("/1");
    // Goes while one hangs.
    const auto gone = std::make_unique<decltype(pipeline)>(std::move(pipeline));
  }
  server_.wait_until_left();
  EXPECT_EQ(descriptors(), before);
}

// One epoch hangs and is left. The other pipeline uses the same connections, and goes on.
TEST_F(UrlEpochsTest, EndsWithItsOwnPipelineAlone) {
  auto items = numbered(4);
  server_.on("/2", [](const Request& request) {
    return request.number == 0 ? HttpServer::Reply{"", HttpServer::After::stall}
                               : HttpServer::good("file 2");
  });
  const auto files = urls_of(items, {.connections = 2, .stalled_s = 3600});
  auto first = texts_of(files, {.batch_size = 1, .window = 3});
  auto second = texts_of(files, {.batch_size = 2, .window = 2});
  auto hanging = std::make_unique<decltype(first.epoch())>(first.epoch());
  ASSERT_TRUE(hanging->next().has_value());
  ASSERT_TRUE(hanging->next().has_value());
  server_.wait_until_asked("/2");
  auto other = second.epoch();
  ASSERT_TRUE(other.next().has_value());
  hanging.reset();
  ASSERT_TRUE(other.next().has_value());
  EXPECT_FALSE(other.next().has_value());
}

TEST_F(UrlEpochsTest, WaitsBetweenAttemptsEndAtOnce) {
  auto items = numbered(2);
  server_.on("/1", [](const Request&) {
    return HttpServer::reply("503 Busy", "", "Retry-After: 3000\r\n");
  });
  auto pipeline = texts_of(urls_of(items, {.deadline_s = 3600}), {.batch_size = 1});
  auto epoch = pipeline.epoch();
  ASSERT_TRUE(epoch.next().has_value());
  server_.wait_until_asked("/1");
}

TEST_F(UrlEpochsTest, TwoPipelinesShareAClient) {
  const auto files = urls_of(numbered(40), {.connections = 3});
  auto first = texts_of(files, {.batch_size = 10}, {.shuffle = true});
  auto second = texts_of(files, {.batch_size = 10});
  auto one = first.epoch();
  auto other = second.epoch();
  ASSERT_TRUE(one.next().has_value());
  std::size_t count = 0;
  while (const auto batch = other.next()) count += batch->size();
  EXPECT_EQ(count, 40);
  for (count = 10; const auto batch = one.next();) count += batch->size();
  EXPECT_EQ(count, 40);
  EXPECT_LE(server_.connections(), 3);
}

TEST_F(UrlEpochsTest, InspectNeedsNoEpoch) {
  auto pipeline = texts_of(urls_of(numbered(3)), {.batch_size = 1});
  const auto seen = pipeline.inspect(2);
  EXPECT_EQ(server_.asked("/2"), 1);
  EXPECT_EQ(server_.asked().size(), 1);
}

TEST_F(UrlEpochsTest, AChildOfForkHasNoThread) {
  if (testing::kThreadSanitizer) GTEST_SKIP();
  const auto files = urls_of(numbered(1));
  EXPECT_EQ(text_of(std::get<0>(files.read(0))), "file 0");
  const std::string said = testing::in_child([&]() -> std::string {
    const auto copy = std::make_unique<Urls<std::int64_t>>(files);
    (void)copy->read(0);
    return "read";
  });
  EXPECT_EQ(said.find("threw: a dataset of URLs"), 0) << said;
  EXPECT_EQ(text_of(std::get<0>(files.read(0))), "file 0");
}

TEST_F(UrlEpochsTest, OptionsThatCannotBe) {
  const struct {
    HttpOptions options;
    const char* what;
  } all[] = {
      {{.connections = 0}, "connections is 0; it must be 1 to 4096"},
      {{.retries = -1}, "retries is -1; it must be 0 to 1000"},
      {{.backoff_s = -1}, "backoff_s is -1.000000; it must be above 0, or 0, and at most 1000000"},
      {{.stalled_s = 0}, "stalled_s is 0.000000; it must be above 0 and at most 1000000"},
      {{.deadline_s = 1e9},
       "deadline_s is 1000000000.000000; it must be above 0 and at most 1000000"},
      {{.max_bytes = 0}, "max_bytes is 0; it must be at least 1"},
      {{.redirects = 101}, "redirects is 101; it must be 0 to 100"},
      {{.headers = {"no header"}},
       "headers contains an invalid header; each is a text like \"Authorization: Bearer ...\""},
      {{.headers = {"A: b\r\nC: d"}},
       "headers contains an invalid header; each is a text like \"Authorization: Bearer ...\""},
  };
  for (const auto& one : all) {
    EXPECT_EQ(sluice::error_of<BuildError>([&] { (void)urls_of({"http://a"}, one.options); }),
              "HttpOptions: " + std::string(one.what));
  }
  EXPECT_EQ(sluice::error_of<BuildError>([] { (void)urls_of({}); }), "urls_of: no URLs are given");
}

}  // namespace url_epochs_test
}  // namespace sluice
