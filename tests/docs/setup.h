// The frame for the code fragments of the chapters in docs/: small images, and pipelines over them
// whose batches are compared with plain C++. tests/house/doc_fragments.cmake checks that the
// chapters show the code that is compiled here.
#pragma once

#include <sluice/sluice.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice::docs {

constexpr std::int64_t kSamples = 24;

// Image i: all pixel values are 10 * i; wide, tall or square in turns.
inline Image image_of(std::int64_t i) {
  static constexpr int kHeights[] = {40, 60, 50}, kWidths[] = {60, 40, 50};
  Image image(kHeights[i % 3], kWidths[i % 3], 3);
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x)
      image.row(y)[x] = static_cast<std::uint8_t>(10 * i);
  }
  return image;
}

inline Bytes jpeg_file(std::int64_t i) { return encode_jpeg(image_of(i), {.quality = 100}); }

inline float mean_level(const Image& image) {
  double sum = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x) sum += image.row(y)[x];
  }
  return static_cast<float>(sum / static_cast<double>(image.row_bytes()) / image.height());
}

inline Value<std::int64_t> indices(Graph& g) {
  return g.source(kSamples, [](const SampleInfo& info) { return info.index; });
}

// Returns the results of `describe(g, image, i)` for each of the images.
template <class Describe>
auto results_of(const Describe& describe) {
  auto pipeline = make_pipeline({.batch_size = 7, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto i = indices(g);
    return describe(g, g.map("image", image_of, i), i);
  });
  using Results = std::decay_t<decltype((*pipeline.epoch().next()).template get<0>())>;
  std::vector<std::decay_t<decltype(std::declval<Results&>()[0])>> all;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k) all.push_back(batch.template get<0>()[k]);
  }
  return all;
}

// While it lives, the working directory is a folder that holds photos/gray/, with the images.
class PhotosFolder {
 public:
  PhotosFolder() : before_(std::filesystem::current_path()) {
    here_ =
        std::filesystem::path(::testing::TempDir()) / ("sluice_docs_" + std::to_string(getpid()));
    std::filesystem::create_directories(here_ / "photos" / "gray");
    std::filesystem::current_path(here_);
    for (std::int64_t i = 0; i < kSamples; ++i) {
      const Bytes file = jpeg_file(i);
      std::ofstream("photos/gray/" + std::to_string(i) + ".jpg", std::ios::binary)
          .write(reinterpret_cast<const char*>(file.data()),
                 static_cast<std::streamsize>(file.size()));
    }
  }
  ~PhotosFolder() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(here_, ignored);
  }
  PhotosFolder(const PhotosFolder&) = delete;
  PhotosFolder& operator=(const PhotosFolder&) = delete;

 private:
  std::filesystem::path before_, here_;
};

}  // namespace sluice::docs
