// Compares an operator on a device with the same on the host. Parameters are drawn for each of 240
// images of all kinds, or 48 under a sanitizer. The pixels must be the same, bit for bit, and so
// must the errors.
#pragma once

#include "tests/cuda/test_device.h"
#include "tests/one_in.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {

inline const std::int64_t kImages = 240 / testing::one_in(1, 5);

inline Image image_of(std::int64_t i) {
  constexpr std::array<std::pair<int, int>, 12> kSizes{{{1, 1},
                                                        {1, 2},
                                                        {2, 1},
                                                        {1, 53},
                                                        {61, 1},
                                                        {2, 3},
                                                        {3, 3},
                                                        {5, 7},
                                                        {37, 53},
                                                        {32, 32},
                                                        {17, 64},
                                                        {97, 101}}};
  const auto n = static_cast<std::size_t>(i);
  const auto [height, width] = kSizes[n % kSizes.size()];
  const int channels = 1 + static_cast<int>(n / kSizes.size() % 4);
  if (n % 29 == 28) return testing::constant_image(height, width, channels, 77);
  return testing::make_image(height, width, channels, static_cast<std::uint32_t>(i));
}

using Change = std::function<Value<Image>(Graph&, Value<Image>)>;
struct OperatorCase {
  std::string text;
  Change change;
};

struct OperatorRun {
  std::vector<std::int64_t> ids;
  std::vector<Image> images;
  std::vector<std::string> errors;
};

inline OperatorRun run_operator(const Change& change, bool there) {
  const PipelineOptions options{.batch_size = 16,
                                .seed = 11,
                                .threads = 2,
                                .device = there ? test_device() : nullptr,
                                .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto image =
        g.map("draw", image_of,
              g.source(kImages, [](const SampleInfo& info) { return info.index_in_epoch; }));
    auto changed = change(g, there ? image.gpu() : image);
    return there ? changed.cpu() : changed;
  });
  OperatorRun ended;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ended.ids.push_back(batch.ids()[i]);
      ended.images.push_back(batch.get<0>()[i].clone());
    }
    for (const SampleError& error : batch.errors()) {
      ended.errors.push_back(std::to_string(error.id) + " " + error.step + " " + error.path + " " +
                             error.what);
    }
  }
  return ended;
}

inline void expect_same(const OperatorCase& one) {
  SCOPED_TRACE(one.text);
  const OperatorRun host = run_operator(one.change, false);
  const OperatorRun there = run_operator(one.change, true);
  EXPECT_EQ(there.errors, host.errors);
  ASSERT_EQ(there.ids, host.ids);
  EXPECT_GE(host.images.size(), static_cast<std::size_t>(kImages) / 24);
  for (std::size_t i = 0; i < host.images.size(); ++i) {
    ASSERT_TRUE(there.images[i] == host.images[i])
        << "image " << host.ids[i] << " differs by "
        << testing::largest_difference(there.images[i], host.images[i]);
  }
}
inline void expect_same(const std::vector<OperatorCase>& cases) {
  for (const OperatorCase& one : cases) expect_same(one);
}

// Returns a random integer from `low` to `high` - 1, drawn for each sample.
inline Value<std::int32_t> whole(Graph& g, int low, int high) {
  return cast<std::int32_t>(g.uniform(static_cast<float>(low), static_cast<float>(high)));
}

}  // namespace sluice::device
