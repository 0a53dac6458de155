// The fragments of docs/http.md, and one of docs/packs.md.
#include "setup.h"
#include "tests/io/http/server.h"
#include "tests/io/readers/tar_writer.h"

#include <cstdint>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace http_test {

std::string text_of_file(std::int64_t i) {
  const Bytes file = jpeg_file(i);
  return {reinterpret_cast<const char*>(file.data()), file.size()};
}

TEST(Http, Lists) {
  if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  const PhotosFolder photos;
  HttpServer server;
  const std::string host = server.url();
  const std::string token = "secret";
  for (int i = 0; i < 2; ++i) {
    server.on("/photos/" + std::to_string(i) + ".jpg", [i](const HttpServer::Request& request) {
      if (request.field("authorization") != "Bearer secret")
        return HttpServer::reply("401 Unauthorized", "");
      return HttpServer::good(text_of_file(i));
    });
  }
  std::ofstream("train.csv") << "url,label,md5\n0.jpg,4,\n1.jpg,5,\n";
  const HttpOptions http{.connections = 64, .headers = {"Authorization: Bearer " + token}};
  auto pipeline = make_pipeline({.batch_size = 2, .on_error = OnError::skip}, [&](Graph& g) {
    auto [file, label] =
        g.read(urls_in("train.csv", {.base = host + "/photos", .checksum = "md5", .http = http}),
               {.shuffle = true});
    return std::tuple{mean(decode_image(file)), label};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(batch->get<0>()[i], 10.f * static_cast<float>(batch->get<1>()[i] - 4), 1);
}

TEST(Http, Archives) {
  if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  const PhotosFolder photos;
  HttpServer server;
  const std::string host = server.url();
  for (const char* name : {"a.tar", "b.tar"}) {
    const std::string archive =
        TarWriter().file("1.jpg", text_of_file(3)).file("1.cls", "7").whole();
    std::ofstream(name, std::ios::binary) << archive;
    server.on("/" + std::string(name), [archive](const HttpServer::Request& request) {
      return HttpServer::file(request, archive);
    });
  }
  TarIndex::of({"a.tar", "b.tar"}).save("train.offsets");
  auto pipeline = make_pipeline({.batch_size = 2}, [&](Graph& g) {
    auto [file, label] =
        g.read(tar_at({host + "/a.tar", host + "/b.tar"}, {.offsets = "train.offsets"}));
    return std::tuple{mean(decode_image(file)), label};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_NEAR(batch->get<0>()[1], 30, 1);
  EXPECT_EQ(batch->get<1>()[1], 7);
}

// The fragment of docs/packs.md.
TEST(Http, Packs) {
  if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  const PhotosFolder photos;
  HttpServer server;
  const std::string host = server.url();
  PackWriter writer("packed", {"label"}, {.pack_bytes = 1});
  for (std::int64_t i = 0; i < 2; ++i) writer.add(jpeg_file(i + 3), {std::to_string(i)});
  writer.finish();
  for (const std::string name : {"part-00000.pack", "part-00001.pack"}) {
    std::ifstream in("packed/" + name, std::ios::binary);
    const std::string pack{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    server.on("/" + name, [pack](const HttpServer::Request& request) {
      return HttpServer::file(request, pack);
    });
  }
  auto pipeline = make_pipeline({.batch_size = 2}, [&](Graph& g) {
    auto [file, label] = g.read(pack_at({host + "/part-00000.pack", host + "/part-00001.pack"}));
    return std::tuple{mean(decode_image(file)), label};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_NEAR(batch->get<0>()[0], 30, 1);
  EXPECT_EQ(batch->get<1>()[1], 1);
}

}  // namespace http_test
}  // namespace sluice::docs
