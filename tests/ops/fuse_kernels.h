// Shared by the tests of the pass fuse_kernels: images of many sizes, and the comparison with
// inspect(), which runs each step by itself.
#pragma once

#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {

inline constexpr std::int64_t kImages = 24;
using Digest = std::uint64_t;

// Images of one to four channels, one image of five channels, and an empty one. No operator accepts
// the last two.
inline const std::vector<Image>& drawn_images() {
  static const std::vector<Image> all = [] {
    std::vector<Image> made;
    for (int i = 0; i < kImages; ++i) {
      made.push_back(i == 7 ? Image()
                            : draw_image(20 + i * 7 % 41, 24 + i * 13 % 37, i == 11 ? 5 : 1 + i % 4,
                                         static_cast<std::uint64_t>(i)));
    }
    return made;
  }();
  return all;
}

// Digests depend on the shape and on every byte.
inline Digest digest_of(Digest sum, const std::uint8_t* bytes, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) sum = sum * 31 + bytes[k];
  return sum;
}
inline Digest digest_of(const Image& in) {
  Digest sum = static_cast<Digest>(in.width()) * 1000 + static_cast<Digest>(in.height());
  for (int y = 0; y < in.height(); ++y) sum = digest_of(sum, in.row(y), in.row_bytes());
  return sum;
}
inline Digest digest_of(const Tensor& in) {
  Digest sum = static_cast<Digest>(in.shape().dims[0]) * 1000 + static_cast<Digest>(in.dtype());
  return digest_of(sum, reinterpret_cast<const std::uint8_t*>(in.bytes()), in.nbytes());
}
template <class T>
Value<Digest> digest(Graph& g, const Value<T>& value) {
  return g.map(
      "digest", [](const T& in) { return digest_of(in); }, value);
}

// Returns the fused steps, each row with its last step at the end: "resize + flip".
inline std::vector<std::string> fused(const Stats& stats) {
  std::vector<std::string> found;
  const std::string mark = " (fused with ";
  for (const StepStats& step : stats.steps) {
    const std::size_t at = step.name.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    found.push_back(step.name.substr(begin, step.name.size() - begin - 1) + " + " +
                    step.name.substr(0, at));
  }
  return found;
}

struct NumberedImage {
  Value<Image> image;
  Value<int> index;
};

// Runs describe(g, image), which returns a digest, in a pipeline with fused kernels, and each
// sample by itself without. Compares digests, errors, and how often each step runs. Returns the
// fused steps.
template <class Describe>
std::vector<std::string> expect_as_inspected(const Describe& describe, int threads = 2) {
  auto pipeline = make_pipeline(
      {.batch_size = 5, .seed = 3, .threads = threads, .on_error = OnError::skip, .profile = true},
      [&](Graph& g) {
        auto index = g.source(
            kImages, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
        auto image = g.map(
            "image", [](int i) { return drawn_images()[static_cast<std::size_t>(i)].clone(); },
            index);
        auto result = g.map(
            "result", [](Digest x) { return x; }, describe(g, NumberedImage{image, index}));
        return std::tuple{index, result};
      });
  std::map<std::int64_t, std::string> found;
  for (auto epoch = pipeline.epoch(); auto batch = epoch.next();) {
    for (std::size_t k = 0; k < batch->size(); ++k)
      found[batch->template get<0>()[k]] = std::to_string(batch->template get<1>()[k]);
    for (const SampleError& error : batch->errors()) found[error.key.index] = to_string(error);
  }
  const Stats stats = pipeline.stats();
  std::map<std::string, std::int64_t> runs, expected_runs;
  for (const StepStats& step : stats.steps) {
    const std::string name = step.name.substr(0, step.name.find(" ("));
    if (name.starts_with("look")) continue;  // has no result to compare
    runs[name] = step.runs;
    expected_runs[name] = 0;
  }
  for (std::int64_t i = 0; i < kImages; ++i) {
    const Inspection sample = pipeline.inspect(i);
    EXPECT_EQ(found[i], sample.error() != nullptr ? to_string(*sample.error())
                                                  : std::to_string(sample.get<Digest>("result")))
        << "sample " << i;
    for (auto& [name, count] : expected_runs)
      count += sample.has(name) || (sample.error() != nullptr && sample.error()->step == name);
  }
  // In a loop, an inspected sample shows only the last iteration.
  if (!stats.loops.empty()) expected_runs = runs;
  EXPECT_EQ(runs, expected_runs);
  if (::testing::Test::HasFailure()) ADD_FAILURE() << to_string(pipeline.plan());
  return fused(stats);
}

}  // namespace sluice::testing
