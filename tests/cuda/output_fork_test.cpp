// Batches in a device's memory, in a child of fork(). Calls that need the device fail at once, and
// the parent's batches stay as they were.
#include "tests/cuda/output_pipeline.h"
#include "tests/in_child.h"
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace output_fork_test {

using testing::in_child;

bool is_right(const Batch<Image>& batch) {
  const ImageBatch here = batch.get<0>().to_host();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!is_upside_down(reinterpret_cast<const std::byte*>(here[i].data()), batch.keys()[i].index))
      return false;
  }
  return true;
}

class DeviceOutputFork : public DeviceOutputTest {};
SLUICE_FOR_BOTH_MAKERS(DeviceOutputFork);

TEST_P(DeviceOutputFork, WhatNeedsTheDeviceIsAnErrorInTheChild) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks beside threads";
  for (const bool holes : {false, true}) {
    SCOPED_TRACE(holes ? "with copies" : "in place");
    auto device = test_device();
    auto stream = device->make_stream();
    {
      auto pipeline = std::make_optional(
          make_pipeline(options_for(device, GetParam()), upside_down(holes, GetParam())));
      auto epoch = std::make_optional(pipeline->epoch());
      auto batch = epoch->next();
      ASSERT_TRUE(batch);
      batch->wait();
      auto sample = std::make_optional(pipeline->inspect(2));
      const struct {
        const char* name;
        std::function<void()> use;
      } uses[] = {
          {"column", [&] { (void)batch->get<0>().to_host(); }},
          {"image", [&] { (void)batch->get<0>()[0].to_host(); }},
          {"tensor", [&] { (void)batch->get<0>().tensor().to_host(); }},
          {"release_after", [&] { batch->release_after(stream->native()); }},
      };
      for (const auto& one : uses) {
        EXPECT_EQ(in_child([&]() -> std::string {
                    one.use();
                    return "no error";
                  }),
                  "threw: a device's batch belongs to the process that made it, and fork() does "
                  "not copy its threads; make a pipeline in the child, and destroy all others "
                  "before fork()")
            << one.name;
      }
      const char* const expected = GetParam() == MadeBy::device
                                       ? "threw: an inspection of what is on a device belongs to"
                                       : "no error";
      EXPECT_EQ(in_child([&]() -> std::string {
                  (void)sample->get<Image>("flip");
                  return "no error";
                }).rfind(expected, 0),
                0u);
      batch->release_after(stream->native());
      // Everything is destroyed silently, in any order, and the parent's objects stay as they are.
      for (int order = 0; order < 3; ++order) {
        EXPECT_EQ(in_child([&] {
                    if (order == 0) batch.reset();
                    epoch.reset();
                    pipeline.reset();
                    if (order == 1) batch.reset();
                    sample.reset();
                    stream.reset();
                    device.reset();
                    batch.reset();
                    return "gone";
                  }),
                  "gone");
        EXPECT_TRUE(is_right(*batch));
      }
      for (batch = epoch->next(); batch; batch = epoch->next()) EXPECT_TRUE(is_right(*batch));
    }
    stream.reset();
    expect_clean(device);
  }
}

// While the pipeline is at work, and whatever locks are held.
TEST_P(DeviceOutputFork, BatchesMayGoInTheChild) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "forks beside threads";
  const auto device = test_device();
  {
    auto pipeline = make_pipeline(options_for(device, GetParam()), upside_down(true, GetParam()));
    std::vector<Batch<Image>> kept;
    for (int epochs = 0; epochs < 6; ++epochs) {
      auto epoch = pipeline.epoch();
      while (auto batch = epoch.next()) {
        kept.push_back(std::move(*batch));
        EXPECT_EQ(in_child([&] {
                    kept.clear();
                    return "gone";
                  }),
                  "gone");
      }
    }
    for (const auto& batch : kept) EXPECT_TRUE(is_right(batch));
  }
  expect_clean(device);
}

}  // namespace output_fork_test
}  // namespace sluice::device
