// Errors name the step for which a device refuses something.
#include "tests/io/images.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace sluice::device {
namespace launch_fault_test {

using Fault = HostDevice::Fault;

// A refused launch is the error of its step. If the step is not known, it is the error of the first
// one in the device batch.
TEST(DeviceFaults, TheStepIsNamedWhoseLaunchWasRefused) {
  const struct {
    const char* call;
    const char* kernel;
    int skipped;  // calls like this before it
    const char* step;
  } cases[] = {{"launch", "resize", 0, "resize"}, {"launch", "pixels", 0, "flip"},
               {"launch", "pixels", 1, "invert"}, {"launch", "warp", 0, "rotate"},
               {"record", "", 0, "gpu"},          {"copy", "", 0, "gpu"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.call) + " " + c.kernel + ", step " + c.step);
    int skipped = 0;
    HostDevice::Options how;
    how.fault = [&](const HostDevice::Call& call) {
      if (std::string(call.what) != c.call || std::string(call.kernel) != c.kernel)
        return Fault::none;
      return skipped++ == c.skipped ? Fault::refused : Fault::none;
    };
    const auto describe = [](Graph& g) {
      auto image = g.map(
          "draw", [](std::int64_t) { return draw_image(20, 30, 3, 1); },
          g.source(1, [](const SampleInfo& info) { return info.index_in_epoch; }));
      return invert(rotate(resize(flip(image.gpu()), {.height = 8, .width = 9}), 20.f)).cpu();
    };
    PipelineOptions options{.batch_size = 1, .threads = 1};
    options.on_error = OnError::skip;
    for (const bool inspects : {false, true}) {
      skipped = 0;
      options.device = std::make_shared<HostDevice>(how);
      auto pipeline = make_pipeline(options, describe);
      SampleError error;
      if (inspects) {
        const Inspection sample = pipeline.inspect(0);
        ASSERT_NE(sample.error(), nullptr);
        error = *sample.error();
      } else {
        for (const auto& batch : pipeline.epoch()) {
          ASSERT_EQ(batch.errors().size(), 1u);
          error = batch.errors()[0];
        }
      }
      EXPECT_EQ(error.step, c.step) << to_string(error);
      EXPECT_NE(error.what.find("refuses"), std::string::npos) << to_string(error);
    }
  }
}

}  // namespace launch_fault_test
}  // namespace sluice::device
