// Conditionals that a device decides itself: the results equal the host's for the same program, in
// one device batch.
#include "tests/cuda/shaded.h"
#include "tests/cuda/test_device.h"
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/noise.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace device_choice_test {

constexpr std::int64_t kSamples = 40;

using Program = std::function<Value<Image>(Graph&, Value<Image>)>;
struct Row {
  const char* what;
  bool there;   // the device chooses
  int batches;  // of all samples, at most: some may have to stop
  Program program;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"mean", true, 1,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return invert(image); }, [&] { return flip(image); });
       }},
      {"the number on the right, a double on the left", true, 1,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             g.constant(59.9) >= mean(image), [&] { return flip(image); },
             [&] { return invert(image); });
       }},
      {"lowest, highest, and how far they lie apart", true, 1,
       [](Graph& g, Value<Image> image) {
         auto one = g.apply_if(min(image) == 0.f, image, [](auto in) { return invert(in); });
         auto two = g.apply_if(max(one) > 200.f, one, [](auto in) { return flip(in); });
         return g.apply_if(standard_deviation(two) <= 20.f, two,
                           [](auto in) { return brightness_contrast(in, {.brightness = 0.5f}); });
       }},
      {"beside a number that is drawn, with draws in the branches, one in the other", true, 2,
       [](Graph& g, Value<Image> image) {
         auto limit = g.uniform(20.f, 100.f);
         return g.if_else(
             mean(image) != limit,
             [&] {
               return g.if_else(
                   mean(image) < limit,
                   [&] {
                     return brightness_contrast(image, {.brightness = g.uniform(0.5f, 1.5f)});
                   },
                   [&] { return gamma_correction(image, g.uniform(0.5f, 2.f)); });
             },
             [&] { return image; });
       }},
      {"several steps in a branch, and what was before is used after", true, 1,
       [](Graph& g, Value<Image> image) {
         auto some = g.if_else(
             mean(image) < 60, [&] { return flip(invert(gaussian_blur(image, {.sigma = 1.f}))); },
             [&] { return gaussian_blur(image, {.sigma = 2.f}); });
         return g.if_else(
             g.coin_flip(0.5f), [&] { return some; }, [&] { return image; });
       }},
      {"beside a number that is drawn, with draws in the branches", true, 1,
       [](Graph& g, Value<Image> image) {
         auto limit = g.uniform(20.f, 100.f);
         return g.if_else(
             limit > mean(image),
             [&] { return brightness_contrast(image, {.brightness = g.uniform(0.5f, 1.5f)}); },
             [&] { return gamma_correction(image, g.uniform(0.5f, 2.f)); });
       }},
      {"branches of several launches for a step", true, 1,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return elastic(shot_noise(image, 2.f), {.alpha = 9.f}); },
             [&] { return jitter(elastic(image, {.alpha = g.uniform(1.f, 9.f)}), 3); });
       }},
      {"a branch that some images do not suit", true, 2,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return flip(image); }, [&] { return equalize(image); });
       }},
      {"two results", true, 1,
       [](Graph& g, Value<Image> image) {
         auto [one, two] = g.if_else(
             mean(image) < 60,
             [&] {
               return std::tuple{invert(image), flip(image)};
             },
             [&] {
               return std::tuple{flip(image), gaussian_blur(image, {.sigma = 2.f})};
             });
         return g.if_else(
             g.coin_flip(0.5f), [&, x = one] { return x; }, [&, x = two] { return x; });
       }},
      {"sizes that differ", true, 2,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return rotate(image, 20.f); }, [&] { return flip(image); });
       }},
      {"a branch that is wrong for samples that do not take it", true, 2,
       [](Graph& g, Value<Image> image) {
         auto side = cast<std::int32_t>(g.uniform(0.f, 90.f));
         return g.if_else(
             mean(image) < 0, [&] { return center_crop(image, {.height = side, .width = side}); },
             [&] { return flip(image); });
       }},
      {"neither branch makes anything", false, 2,
       [](Graph& g, Value<Image> image) {
         auto other = flip(image);
         auto some = g.if_else(
             mean(image) < 60, [&] { return image; }, [&] { return other; });
         return g.if_else(
             g.coin_flip(0.5f), [&] { return some; }, [&] { return other; });
       }},
      {"the result is the output", true, 1,
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return image; }, [&] { return invert(image); });
       }},
  };
  return all;
}

struct Seen {
  std::vector<std::int64_t> ids;
  std::vector<Image> images;
  std::vector<std::string> errors, paths;
  std::map<std::string, std::int64_t> taken;
  double batches = 0;
  std::string plan;
};

Seen run(const Row& row, bool there, const PipelineOptions& how) {
  PipelineOptions options = how;
  options.on_error = OnError::skip;
  if (there) options.device = test_device();
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto image = shaded(g, kSamples);
    auto made = row.program(g, there ? image.gpu() : image);
    return there ? made.cpu() : made;
  });
  Seen seen;
  for (const auto& batch : pipeline.epoch()) {
    for (const SampleError& error : batch.errors()) seen.errors.push_back(to_string(error));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      seen.ids.push_back(batch.ids()[i]);
      seen.images.push_back(batch.get<0>()[i].clone());
    }
  }
  const Stats stats = pipeline.stats();
  for (const ChoiceStats& choice : stats.choices) {
    for (const BranchStats& branch : choice.branches)
      seen.taken[choice.path + " " + choice.name + ":" + branch.name] = branch.taken;
  }
  if (there)
    seen.batches = static_cast<double>(stats.device.samples) / static_cast<double>(kSamples);
  seen.plan = to_string(pipeline.plan());
  return seen;
}

TEST(ChoicesOfADevice, AreThoseOfTheHost) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.what);
    const Seen expected = run(row, false, {.batch_size = 7, .seed = 5, .threads = 1});
    for (const int threads : {1, 3}) {
      const Seen actual = run(row, true, {.batch_size = 7, .seed = 5, .threads = threads});
      EXPECT_EQ(actual.ids, expected.ids);
      EXPECT_EQ(actual.errors, expected.errors);
      EXPECT_EQ(actual.taken, expected.taken);
      ASSERT_EQ(actual.images.size(), expected.images.size());
      for (std::size_t i = 0; i < actual.images.size(); ++i)
        EXPECT_TRUE(actual.images[i] == expected.images[i]) << "sample " << actual.ids[i];
      EXPECT_LE(actual.batches, row.batches);
      EXPECT_EQ(actual.batches > 1, row.batches > 1);
      EXPECT_EQ(actual.plan.find("[the device chooses]") != std::string::npos, row.there)
          << actual.plan;
    }
  }
}

// Jobs of a branch that is not taken do not run.
TEST(ChoicesOfADevice, OtherJobsAreNotDone) {
  struct Job {
    std::int32_t tiles = 1;
    int number = 0;
  };
  const std::int32_t taken[2] = {0, 1};
  alignas(256) std::byte memory[1024];
  JobBlock<Job> block(memory, 4, true);
  block.add({1, 0});
  block.add({2, 1}, {&taken[0], 0});
  block.add({3, 2}, {&taken[0], 1});
  block.add({4, 3}, {&taken[1], 1});
  std::vector<std::pair<int, int>> done;
  for_each_tile(block.on_device(memory),
                [&](const Job& job, int tile) { done.emplace_back(job.number, tile); });
  EXPECT_EQ(done, (std::vector<std::pair<int, int>>{
                      {0, 0}, {1, 0}, {1, 1}, {3, 0}, {3, 1}, {3, 2}, {3, 3}}));
}

}  // namespace device_choice_test
}  // namespace sluice::device
