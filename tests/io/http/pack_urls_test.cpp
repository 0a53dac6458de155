// Packs at URLs: for each sample, only its bytes are requested.
#include "tests/io/http/server.h"
#include "tests/io/images.h"
#include "tests/io/readers/scratch.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/http/packs.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/ops/decode.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pack_urls_test {

using Request = HttpServer::Request;

const HttpOptions kQuick{.retries = 1, .backoff_s = 0.001};

class PackUrlsTest : public ScratchTest {
 protected:
  static constexpr int kFiles = 7;

  void SetUp() override {
    if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
    ScratchTest::SetUp();
    PackWriter writer(path("packs"), {"name", "label"}, {.pack_bytes = 20'000});
    for (int i = 0; i < kFiles; ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      const Bytes file = encode_jpeg(draw_image(80 + i, 120, 3, seed), {.quality = 90});
      writer.add(Bytes::view_of(file), {std::to_string(i) + ".jpg", std::to_string(i)});
    }
    writer.finish();
    ASSERT_GT(writer.stats().packs, 1);
    for (std::int64_t i = 0; i < writer.stats().packs; ++i) {
      const std::string name = "part-0000" + std::to_string(i) + ".pack";
      std::ifstream in(path("packs/" + name), std::ios::binary);
      contents_.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      serve("/" + name, contents_.back());
      urls_.push_back(server_.url("/" + name));
    }
  }
  void serve(const std::string& path, const std::string& content) {
    server_.on(path,
               [content](const Request& request) { return HttpServer::file(request, content); });
  }
  static std::uint64_t index_of(const std::string& pack) {
    std::uint64_t at = 0;
    std::memcpy(&at, pack.data() + pack.size() - 40, 8);
    return at;
  }
  std::string outcome(const std::vector<std::string>& urls, const PackUrlOptions& options = {},
                      std::int64_t i = 0) const {
    std::string text = error_of([&] { (void)pack_at(urls, options).read(i); });
    for (std::size_t at = 0; (at = text.find(server_.url())) != std::string::npos;)
      text.replace(at, server_.url().size(), "S");
    return text;
  }

  HttpServer server_;
  std::vector<std::string> contents_;
  std::vector<std::string> urls_;
};

TEST_F(PackUrlsTest, SamplesAreThoseOfTheFolder) {
  const auto here =
      pack_in<std::string, std::int64_t>(path("packs"), {.columns = {"name", "label"}});
  const auto there = pack_at<std::string, std::int64_t>(urls_, {.columns = {"name", "label"}});
  ASSERT_EQ(there.size(), here.size());
  EXPECT_EQ(there.fingerprint(), here.fingerprint());
  const std::uint64_t opening = there.stats().bytes;
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < here.size(); ++i) {
    const auto [expected, name, label] = here.read(i);
    const auto [file, url_name, url_label] = there.read(i);
    EXPECT_TRUE(std::equal(file.begin(), file.end(), expected.begin(), expected.end())) << i;
    EXPECT_EQ(url_name, name);
    EXPECT_EQ(url_label, label);
    EXPECT_TRUE(there.is_packed(i));
    EXPECT_TRUE(there.name(i).ends_with(".pack:" + name)) << there.name(i);
    bytes += here.bytes(i);
  }
  EXPECT_EQ(there.stats().bytes - opening, static_cast<std::uint64_t>(bytes));
}

TEST_F(PackUrlsTest, APipelineReadsThem) {
  const auto run = [&](auto source) {
    auto pipeline = make_pipeline({.batch_size = 3, .threads = 2}, [&](Graph& g) {
      auto [file, label] = g.read(source, {.shuffle = true});
      return std::tuple(decode_jpeg(file), label);
    });
    std::vector<std::pair<std::int64_t, Image>> samples;
    auto epoch = pipeline.epoch();
    while (const auto batch = epoch.next()) {
      for (std::size_t i = 0; i < batch->size(); ++i)
        samples.emplace_back(batch->template get<1>()[i], batch->template get<0>()[i].clone());
    }
    return samples;
  };
  const auto expected = run(pack_in(path("packs")));
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(kFiles));
  EXPECT_EQ(run(pack_at(urls_)), expected);
}

TEST_F(PackUrlsTest, ErrorsNameThePackAndTheSample) {
  EXPECT_EQ(outcome({}), "pack_at: there are no packs; give their URLs");
  EXPECT_EQ(outcome({"a.pack"}),
            "pack_at: 'a.pack' is not a URL; it must begin with http://, https://, s3:// or gs://");
  EXPECT_EQ(outcome(urls_, {.columns = {"class"}}),
            "the pack 'S/part-00000.pack' has no column 'class'; its columns: 'name', 'label'");
  serve("/text", std::string(1000, 'a'));
  EXPECT_EQ(outcome({server_.url("/text")}), "the pack 'S/text' is not a pack of Sluice");
  serve("/cut", contents_[0].substr(0, contents_[0].size() - 9));
  EXPECT_EQ(outcome({server_.url("/cut")}),
            "the pack 'S/cut' is damaged (it is cut, or its end has changed); write it again with "
            "'sluice pack'");
  std::string damaged = contents_[0];
  const auto first = pack_in(path("packs")).bytes(0);
  const std::uint64_t index = index_of(damaged);
  ASSERT_GT(index, static_cast<std::uint64_t>(first));
  damaged[index - 1] = static_cast<char>(damaged[index - 1] ^ 1);  // of the pack's last sample
  serve("/damaged", damaged);
  const auto bad = pack_at({server_.url("/damaged")}, {.http = kQuick});
  EXPECT_EQ(error_of([&] { (void)bad.read(0); }), "no error");
  EXPECT_NE(error_of([&] { (void)bad.read(bad.size() - 1); }).find("another checksum"),
            std::string::npos);
}

TEST_F(PackUrlsTest, APackThatChangesFailsItsSamples) {
  const auto packs = pack_at(urls_, {.http = kQuick});
  serve("/part-00000.pack", contents_[1]);
  EXPECT_NE(error_of([&] { (void)packs.read(0); }).find("changed"), std::string::npos);
  EXPECT_EQ(error_of([&] { (void)packs.read(packs.size() - 1); }), "no error");
}

TEST_F(PackUrlsTest, NoAnswerIsLargerThanTheLimit) {
  const auto expected = pack_in(path("packs"));
  // The dictionary alone is larger.
  const PackUrlOptions options{.http = {.max_bytes = 10'000}};
  const auto packs = pack_at(urls_, options);
  ASSERT_EQ(packs.size(), expected.size());
  int refused = 0;
  for (std::int64_t i = 0; i < packs.size(); ++i) {
    if (expected.bytes(i) <= 10'000) {
      EXPECT_EQ(std::get<1>(packs.read(i)), i);
      continue;
    }
    ++refused;
    EXPECT_NE(error_of([&] { (void)packs.read(i); }).find("HttpOptions::max_bytes"),
              std::string::npos);
  }
  EXPECT_LT(refused, kFiles);
  for (const Request& request : server_.asked()) {
    const std::string range = request.field("range");
    const std::size_t dash = range.find('-');
    const std::uint64_t first = std::stoull(range.substr(6)),
                        last = std::stoull(range.substr(dash + 1));
    EXPECT_LE(last - first + 1, 10'000u) << range;
  }
}

// The checksums of a forged pack may all fit.
TEST_F(PackUrlsTest, AnIndexSaidToBeHugeIsNotRead) {
  const std::string& content = contents_[0];
  std::uint32_t dictionary = 0;
  std::memcpy(&dictionary, content.data() + 12, sizeof dictionary);
  constexpr std::uint64_t kSize = std::uint64_t{1} << 62;
  std::string end = content.substr(content.size() - 48);
  const std::uint64_t index = 32 + dictionary, index_bytes = kSize - 48 - index;
  std::memcpy(end.data() + 8, &index, 8);
  std::memcpy(end.data() + 16, &index_bytes, 8);
  const std::uint64_t sum =
      checksum_of_dictionary({reinterpret_cast<const std::uint8_t*>(end.data()), 40});
  std::memcpy(end.data() + 40, &sum, 8);
  server_.on("/huge", [&content, end](const Request& request) {
    const std::string range = request.field("range");
    const std::uint64_t first = std::stoull(range.substr(6)),
                        last = std::stoull(range.substr(range.find('-') + 1));
    std::string body(last - first + 1, 'x');
    if (first < content.size()) body.replace(0, content.size() - first, content.substr(first));
    if (first == kSize - 48) body = end;
    body.resize(last - first + 1);
    return HttpServer::reply("206 Partial Content", body,
                             "Content-Range: bytes " + std::to_string(first) + "-" +
                                 std::to_string(last) + "/" + std::to_string(kSize) + "\r\n");
  });
  EXPECT_EQ(outcome({server_.url("/huge")}),
            "the pack 'S/huge' has an index of " + std::to_string(index_bytes) +
                " bytes; more than HttpOptions::max_bytes, which is 1073741824");
  EXPECT_LE(server_.asked("/huge"), 3);
  const std::size_t bytes = contents_[0].size() - index_of(contents_[0]) - 48;
  EXPECT_EQ(outcome(urls_, {.http = {.max_bytes = bytes - 1}}),
            "the pack 'S/part-00000.pack' has an index of " + std::to_string(bytes) +
                " bytes; more than HttpOptions::max_bytes, which is " + std::to_string(bytes - 1));
}

// Whatever the server sends, no more than the range that was asked for is kept.
TEST_F(PackUrlsTest, AnswersThatAreLongerThanAskedForFail) {
  const auto packs = pack_at(urls_, {.http = {.retries = 0}});
  const std::string& content = contents_[0];
  // Answers with this many bytes from the start of the range, without a length, then with `after`.
  const auto answer_with = [&](std::size_t more, HttpServer::After after) {
    for (const char* const name : {"/part-00000.pack", "/lies"}) {
      server_.on(name, [&content, more, after](const Request& request) {
        HttpServer::Reply reply = HttpServer::file(request, content);
        const std::string range = request.field("range");
        const std::size_t first = std::stoull(range.substr(6)),
                          last = std::min<std::size_t>(
                              std::stoull(range.substr(range.find('-') + 1)), content.size() - 1);
        reply.bytes = "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes " +
                      std::to_string(first) + "-" + std::to_string(last + more) + "/" +
                      std::to_string(content.size() + more) + "\r\nConnection: close\r\n\r\n" +
                      content.substr(first, last - first + 1);
        reply.after = after;
        return reply;
      });
    }
  };
  answer_with(0, HttpServer::After::endless);
  const std::string endless = "the server sends more than the part that it says it sends, ";
  EXPECT_NE(outcome({server_.url("/lies")}, {.http = {.retries = 0}}).find(endless),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)packs.read(0); }).find(endless), std::string::npos);
  answer_with(std::size_t{1} << 40, HttpServer::After::endless);
  const std::string other = "the server sends another part than bytes ";
  EXPECT_NE(outcome({server_.url("/lies")}, {.http = {.retries = 0}}).find(other),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)packs.read(0); }).find(other), std::string::npos);
}

}  // namespace pack_urls_test
}  // namespace sluice
