// Conditionals inside of a device batch: which ones go there. Samples, counts, errors and paths do
// not show it.
#include "tests/cuda/join_device_batches.h"

#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device::joins {
namespace join_device_batches_test {

TEST(JoinDeviceBatches, NobodyCanTell) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    auto on_host = pipeline_of(row, {.batch_size = 7, .threads = 1, .profile = true}, false);
    const Seen expected = see(on_host);
    EXPECT_FALSE(expected.images.empty());
    for (const auto& [threads, batch_size] : {std::pair{1, 7}, {3, 7}, {3, 1}}) {
      const PipelineOptions options{.batch_size = batch_size, .threads = threads, .profile = true};
      auto pipeline = pipeline_of(row, options, true);
      EXPECT_EQ(batches_in(pipeline.plan().top), row.batches) << to_string(pipeline.plan());
      const Seen actual = see(pipeline);
      EXPECT_EQ(actual.errors, expected.errors);
      EXPECT_EQ(actual.counts, expected.counts);
      EXPECT_TRUE(actual == expected);
      for (std::int64_t i = 0; i < kSamples; i += 13)
        EXPECT_EQ(pipeline.inspect(i).path(), on_host.inspect(i).path()) << i;
    }
  }
}

// Branches write straight into a batch that stays on the device.
TEST(JoinDeviceBatches, BranchesGiveOutputs) {
  const auto run = [](const std::shared_ptr<Device>& device) {
    auto pipeline = make_pipeline({.batch_size = 8, .seed = 2, .device = device}, [&](Graph& g) {
      auto image = drawn(g);
      if (device != nullptr) image = image.gpu();
      auto one = invert(image);
      return g.if_else(
          g.coin_flip(0.5f),
          [&] { return resize_mirror_normalize(one, {.height = 6, .width = 8}); },
          [&] { return resize_mirror_normalize(flip(one), {.height = 6, .width = 8}); });
    });
    std::vector<Tensor> all;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Tensor& tensor = batch.get<0>()[i];
        all.push_back(device != nullptr ? tensor.to_host() : tensor.clone());
      }
    }
    return std::pair(std::move(all), batches_in(pipeline.plan().top));
  };
  const auto [expected, none] = run(nullptr);
  const auto [actual, batches] = run(test_device());
  EXPECT_EQ(none, 0);
  EXPECT_EQ(batches, 1);
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_TRUE(actual[i] == expected[i]) << i;
}

TEST(JoinDeviceBatches, AreDrawnAsOne) {
  auto pipeline = pipeline_of(rows()[0], {.batch_size = 5}, true);
  const std::string text = to_string(pipeline.plan()), drawing = to_dot(pipeline.plan());
  const auto occurs = [](const std::string& in, const std::string& what) {
    int times = 0;
    for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++times;
    return times;
  };
  EXPECT_EQ(occurs(text, "\nGPU batch\n"), 1) << text;
  EXPECT_EQ(occurs(text, "\n  if_else by "), 1) << text;
  EXPECT_EQ(occurs(drawing, "label=\"one GPU batch\""), 1) << drawing;
  EXPECT_EQ(occurs(drawing, "shape=diamond"), 1) << drawing;
  EXPECT_EQ(occurs(drawing, "{"), occurs(drawing, "}")) << drawing;
  EXPECT_NE(pipeline.explain().find("join_device_batches:\n"), std::string::npos);
}

TEST(JoinDeviceBatches, TextAndDrawingSayWhereSamplesStop) {
  const auto stops = [](const char* name) {
    const std::string text = to_string(pipeline_of(row_of(name), {.batch_size = 5}, true).plan());
    std::vector<std::string> steps;
    for (auto at = text.find("in the next GPU batch"); at != std::string::npos;
         at = text.find("in the next GPU batch", at + 1)) {
      const std::size_t line = text.rfind('\n', at) + 1, from = text.find_first_not_of(' ', line);
      steps.push_back(text.substr(from, text.find_first_of(" (", from) - from));
    }
    return steps;
  };
  using Steps = std::vector<std::string>;
  EXPECT_EQ(stops("a coin"), Steps{});
  EXPECT_EQ(stops("a number of the device's chooses"), Steps{});
  EXPECT_EQ(stops("a number of the device's in a branch is a parameter"),
            Steps{"brightness_contrast"});
  const Row& row = row_of("a number of the device's in a branch is a parameter");
  const std::string drawing = to_dot(pipeline_of(row, {.batch_size = 5}, true).plan());
  EXPECT_NE(drawing.find("label=\"GPU batches, one after the other\""), std::string::npos)
      << drawing;
  EXPECT_NE(drawing.find("label=\"brightness_contrast\\nin the next GPU batch\""),
            std::string::npos)
      << drawing;
  const auto chosen = pipeline_of(row_of("a number of the device's chooses"), {}, true);
  EXPECT_NE(to_string(chosen.plan()).find("[the device chooses]"), std::string::npos);
  EXPECT_NE(to_dot(chosen.plan()).find("\\nthe device chooses\""), std::string::npos);
  EXPECT_NE(to_dot(chosen.plan()).find("label=\"one GPU batch\""), std::string::npos);
}

}  // namespace join_device_batches_test
}  // namespace sluice::device::joins
