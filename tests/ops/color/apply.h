// Operators on images, as pipelines of one step.
#pragma once

#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {

inline constexpr int kImages = 4;
inline Image numbered_image(std::int64_t i, int channels = 3) {
  return draw_image(9, 7, channels, static_cast<std::uint64_t>(i) + 5);
}

// Applies describe(image, index) to the values of each sample. Returns the results, or the errors,
// by sample.
using Describe = std::function<Value<Image>(Value<Image>, Value<int>)>;
struct Result {
  std::vector<Image> images;
  std::vector<std::string> errors;
};
inline Result apply(const Describe& describe, int channels = 3) {
  auto pipeline = make_pipeline({.batch_size = kImages, .on_error = OnError::skip}, [&](Graph& g) {
    auto index = g.source(
        kImages, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [channels](int i) { return numbered_image(i, channels); }, index);
    return describe(image, index);
  });
  Result result;
  for (auto& batch : pipeline.epoch()) {
    for (const Image& image : batch.template get<0>()) result.images.push_back(image.clone());
    for (const auto& error : batch.errors()) result.errors.push_back(error.what);
  }
  return result;
}

// Returns the message of the BuildError that describing the pipeline throws; empty if it throws
// none.
inline std::string build_error(const Describe& describe) {
  try {
    static_cast<void>(apply(describe));
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

// Checks that the operator produces what `kernel` makes of the image of that number.
inline void expect_images(const Result& result,
                          const std::function<void(std::int64_t, const Image&, Image&)>& kernel,
                          int channels = 3) {
  EXPECT_TRUE(result.errors.empty());
  ASSERT_EQ(result.images.size(), static_cast<std::size_t>(kImages));
  for (int i = 0; i < kImages; ++i) {
    Image out;
    kernel(i, numbered_image(i, channels), out);
    EXPECT_EQ(result.images[static_cast<std::size_t>(i)], out) << i;
  }
}

}  // namespace sluice::testing
