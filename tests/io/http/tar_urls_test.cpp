// Tar archives at URLs: for each sample, only its part is requested.
#include "tests/io/http/server.h"
#include "tests/io/readers/scratch.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/readers/tar.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace tar_urls_test {

using Request = HttpServer::Request;

class TarUrlsTest : public ScratchTest {
 protected:
  void SetUp() override {
    if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
    ScratchTest::SetUp();
  }
  // An archive of samples 0 to count - 1. Each has a large file that is not read, an image, and its
  // class.
  static std::string archive(int count, int first = 0) {
    TarWriter writer;
    for (int i = first; i < first + count; ++i) {
      const std::string name = "x/" + std::to_string(i);
      writer.file(name + ".bin", std::string(100'000, 'b'))
          .file(name + ".jpg", "image " + std::to_string(i))
          .file(name + ".cls", std::to_string(10 * i));
    }
    return writer.whole();
  }
  void serve(const std::string& path, const std::string& content) {
    server_.on(path,
               [content](const Request& request) { return HttpServer::file(request, content); });
  }
  std::string index_of(const std::string& name, const std::string& content) const {
    TarIndex::of({write(name, content)}).save(path(name + ".offsets"));
    return path(name + ".offsets");
  }
  std::string outcome(const std::vector<std::string>& urls, const TarUrlOptions& options,
                      std::int64_t i = 0) const {
    std::string text = error_of([&] { (void)tar_at(urls, options).read(i); });
    for (std::size_t at = 0; (at = text.find(server_.url())) != std::string::npos;)
      text.replace(at, server_.url().size(), "S");
    return text;
  }
  HttpServer server_;
};

const HttpOptions kQuick{.retries = 1, .backoff_s = 0.001};

TEST_F(TarUrlsTest, ReadsTheirPartsAlone) {
  serve("/a.tar", archive(20));
  serve("/b.tar", archive(3, 20));
  const std::string a = index_of("a.tar", archive(20));
  write("b.tar", archive(3, 20));
  TarIndex::of({path("a.tar"), path("b.tar")}).save(path("both"));
  serve("/both", [&] {
    std::ifstream in(path("both"), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }());
  const std::vector<std::string> urls = {server_.url("/a.tar?signature=1"), server_.url("/b.tar")};
  for (const std::string& offsets : {path("both"), server_.url("/both"), std::string()}) {
    const auto files = tar_at(urls, {.offsets = offsets});
    ASSERT_EQ(files.size(), 23);
    EXPECT_EQ(files.name(21), server_.url("/b.tar/x/21"));
    EXPECT_EQ(files.name(2), server_.url("/a.tar?.../x/2"));
    const std::size_t asked = server_.asked().size();
    const std::uint64_t bytes = files.stats().bytes;
    auto pipeline = make_pipeline({.batch_size = 23, .threads = 2}, [&](Graph& g) {
      auto [file, label] = g.read(files);
      return std::tuple{g.map("text", text_of, file), label};
    });
    const auto batch = pipeline.epoch().next();
    ASSERT_TRUE(batch.has_value());
    for (std::size_t i = 0; i < 23; ++i) {
      EXPECT_EQ(std::string(batch->get<0>()[i]), "image " + std::to_string(i));
      EXPECT_EQ(batch->get<1>()[i], static_cast<std::int64_t>(10 * i));
    }
    EXPECT_EQ(server_.asked().size() - asked, 23);
    EXPECT_EQ(server_.asked().back().field("if-match"), "\"1\"");
    // A header, the image up to the end of its block, a header, the class.
    EXPECT_LT(files.stats().bytes - bytes, 23 * (3 * 512 + 4));
    EXPECT_EQ(text_of(std::get<0>(files.read(7))), "image 7");
    EXPECT_EQ(files.fingerprint(), tar_in({path("a.tar"), path("b.tar")}).fingerprint());
  }
}

TEST_F(TarUrlsTest, OtherColumns) {
  serve("/a.tar", archive(2));
  const auto files = tar_at<std::string, Bytes, float>({server_.url("/a.tar")},
                                                       {.columns = {"jpg", "bin", "cls"}});
  const auto [text, bytes, number] = files.read(1);
  EXPECT_EQ(text, "image 1");
  EXPECT_EQ(bytes.size(), 100'000);
  EXPECT_EQ(number, 10);
  const auto named =
      tar_at<std::string, std::int64_t>({server_.url("/a.tar")}, {.columns = {"__key__", "cls"}});
  EXPECT_EQ(named.read(1), std::tuple(std::string("x/1"), std::int64_t{10}));
}

TEST_F(TarUrlsTest, WhatIsWrong) {
  const std::string good = archive(3);
  const std::string offsets = index_of("a.tar", good);
  serve("/a.tar", good);
  serve("/short.tar", good.substr(0, 150'000));
  serve("/longer/a.tar", archive(4));
  std::string other = good;
  other.replace(other.find("x/0.cls"), 7, "x/0.CLS");
  serve("/other/a.tar", other);
  server_.on("/whole/a.tar", [&](const Request&) { return HttpServer::good(good); });
  server_.on("/wrong/a.tar", [&](const Request& request) {
    Request another = request;
    another.fields["range"] = "bytes=5-9";
    return HttpServer::file(another, good);
  });
  server_.on("/unknown/a.tar", [&](const Request&) {
    return HttpServer::reply("206 Partial Content", good.substr(0, 65536),
                             "Content-Range: bytes 0-65535/*\r\n");
  });
  server_.on("/less/a.tar", [&](const Request& request) {
    if (request.number == 0) return HttpServer::file(request, good);
    return HttpServer::Reply{"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 100864-102400/" +
                                 std::to_string(good.size()) + "\r\nETag: \"1\"\r\n\r\nonly this",
                             HttpServer::After::close};
  });
  // The archive changes after it was opened, and the server shows it in different ways.
  const auto changed = [&](const std::string& path, const std::string& before,
                           const std::string& after, bool heeds) {
    server_.on(path, [=](const Request& request) {
      Request asked = request;
      if (!heeds) asked.fields.erase("if-match");
      return HttpServer::file(asked, good, request.number == 0 ? before : after);
    });
  };
  changed("/new/a.tar", "\"1\"", "\"2\"", true);
  changed("/new_and_silent/a.tar", "\"1\"", "\"2\"", false);
  changed("/weak/a.tar", "W/\"1\"", "W/\"2\"", false);
  server_.on("/no_class.tar", [](const Request& request) {
    return HttpServer::file(
        request, TarWriter().file("1.jpg", "a").file("2.jpg", "b").file("2.cls", "c").whole());
  });
  // No version is reported, but another size.
  server_.on("/grown/a.tar", [&](const Request& request) {
    HttpServer::Reply reply =
        HttpServer::file(request, request.number == 0 ? good : good + std::string(512, '\0'));
    reply.bytes.erase(reply.bytes.find("ETag"), 11);
    return reply;
  });
  const auto options = [&](const std::string& index) {
    return TarUrlOptions{.offsets = index, .http = kQuick};
  };
  const struct {
    const char* path;
    std::string offsets;
    std::string what;
    std::int64_t i = 0;
  } all[] = {
      {"/missing.tar", "",
       "'S/missing.tar': the server answered 404 Not Found: 'there is no such file'"},
      {"/a.tar", path("none"), "'none' cannot be opened: No such file or directory"},
      {"/a.tar", server_.url("/none"),
       "'S/none': the server answered 404 Not Found: 'there is no such file'"},
      {"/short.tar", "",
       "the archive 'S/short.tar', at byte 102912: 'x/1.bin' is said to have 100000 bytes, but the "
       "archive ends after 46576 of them: it was truncated, or is damaged"},
      {"/longer/a.tar", offsets,
       "the index 'a.tar.offsets' knows no archive 'a.tar' of " +
           std::to_string(archive(4).size()) +
           " bytes, as 'S/longer/a.tar' is; make it again with 'sluice index --tar'"},
      {"/other/a.tar", offsets,
       "the sample 'S/other/a.tar/x/0', column 'cls': the archive has changed since its headers "
       "were read: another file lies at byte 102400"},
      {"/whole/a.tar", offsets,
       "'S/whole/a.tar': the server sends all of it, but bytes 0 to 65535 were requested: it does "
       "not support ranges; use one that does"},
      {"/wrong/a.tar", offsets,
       "'S/wrong/a.tar': the server sends another part than bytes 0 to 65535, which were asked "
       "for: 'bytes 5-9/" +
           std::to_string(good.size()) + "'"},
      {"/unknown/a.tar", offsets, "'S/unknown/a.tar': the server does not say how long it is"},
      {"/new/a.tar", offsets,
       "'S/new/a.tar': it has changed since it was opened; open the dataset again (the server "
       "answered 412 Precondition Failed: 'changed')"},
      {"/new_and_silent/a.tar", offsets,
       "'S/new_and_silent/a.tar': it has changed since it was opened: its version was '\"1\"' and "
       "is '\"2\"'; open the dataset again"},
      {"/weak/a.tar", offsets,
       "'S/weak/a.tar': it has changed since it was opened: its version was 'W/\"1\"' and is "
       "'W/\"2\"'; open the dataset again"},
      {"/grown/a.tar", offsets,
       "the sample 'S/grown/a.tar/x/0': its archive has changed since it was opened: it had " +
           std::to_string(good.size()) + " bytes, and has " + std::to_string(good.size() + 512) +
           "; open the dataset again"},
      {"/no_class.tar", "",
       "the sample 'S/no_class.tar/1', column 'cls': there is none; the files of a sample follow "
       "each other (tar --sort=name), and here are 'jpg'"},
      {"/no_class.tar", "",
       "the sample 'S/no_class.tar/2', column 'cls': 'c' is not a whole number", 1},
  };
  for (const auto& one : all)
    EXPECT_EQ(outcome({server_.url(one.path)}, options(one.offsets), one.i), one.what);
  const std::string less = outcome({server_.url("/less/a.tar")}, options(offsets));
  EXPECT_NE(less.find("gave up after 2 attempts"), std::string::npos) << less;
  EXPECT_NE(less.find("the connection ended after 9 bytes"), std::string::npos) << less;

  EXPECT_EQ(outcome({"a.tar"}, {}),
            "tar_at: 'a.tar' is not a URL; it must begin with http://, https://, s3:// or gs://");
  EXPECT_EQ(outcome({}, {}), "tar_at: no archives are named");
  EXPECT_EQ(outcome({server_.url("/a.tar")}, {.columns = {"jpg"}}).find("tar_at: .columns names 1"),
            0);
  EXPECT_EQ(
      outcome({server_.url("/a.tar")}, {.columns = {"bin", "cls"}, .http = {.max_bytes = 90'000}}),
      "the sample 'S/a.tar/x/0' takes 102401 bytes of its archive; more than "
      "HttpOptions::max_bytes, which is 90000");
}

}  // namespace tar_urls_test
}  // namespace sluice
