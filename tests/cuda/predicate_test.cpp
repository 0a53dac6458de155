// Conditionals, filters and loops on numbers that a device computes: the samples equal those of the
// same program on the host. Rows of tests/conformance.md: C29, C44, L7.
#include "tests/cuda/shaded.h"
#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace predicate_test {

constexpr std::int64_t kSamples = 40;

// The program on images of the host, or of the device.
using Program = std::function<Value<Image>(Graph&, Value<Image>)>;

const std::vector<std::pair<std::string, Program>>& programs() {
  static const std::vector<std::pair<std::string, Program>> all{
      {"C29: a choice",
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return rotate(image, 20.f); }, [&] { return invert(image); });
       }},
      {"a branch that is as it was",
       [](Graph& g, Value<Image> image) {
         return flip(
             g.apply_if(max(image) > 200, image, [](auto bright) { return rotate(bright, 90.f); }));
       }},
      {"a number that is not a bool",
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             min(image), [&] { return flip(image); }, [&] { return invert(image); });
       }},
      {"select",
       [](Graph& g, Value<Image> image) {
         return g.select(
             cast<std::int32_t>(mean(image) / 64), [&] { return rotate(image, 10.f); },
             [&] { return flip(image); }, [&] { return invert(image); }, [&] { return image; });
       }},
      {"by its boundaries",
       [](Graph& g, Value<Image> image) {
         auto conditional = g.add_conditional("dark");
         conditional.set_condition(mean(image) < 60);
         auto inside = conditional.add_input(image);
         return conditional.add_output(invert(inside), flip(inside));
       }},
      {"one in the other",
       [](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 80,
             [&] {
               auto turned = rotate(image, 30.f);
               return g.if_else(
                   standard_deviation(turned) > 20, [&] { return flip(turned); },
                   [&] { return invert(turned); });
             },
             [&] {
               return g.apply_if(max(image) > 180, image, [](auto in) { return invert(in); });
             });
       }},
      {"filter",
       [](Graph& g, Value<Image> image) {
         g.filter(mean(image) >= 40);
         auto turned = rotate(image, 15.f);
         g.filter(standard_deviation(turned) > 10);
         return turned;
       }},
      {"while",
       [](Graph& g, Value<Image> image) {
         return g.while_loop(
             image,
             [&](Value<Image> now) {
               return g.all_of(max(now) > 0, [&] { return mean(now) < 90; });
             },
             [](Value<Image> now) { return brightness_contrast(now, {.brightness = 1.5f}); },
             {.max_iterations = 50});
       }},
      {"a loop whose body chooses",
       [](Graph& g, Value<Image> image) {
         return g.for_loop(3, image, [&](Value<std::int64_t>, Value<Image> now) {
           return g.if_else(
               mean(now) < 70, [&] { return invert(now); },
               [&] { return brightness_contrast(now, {.brightness = 0.7f}); });
         });
       }},
      {"L7: and, or, not",
       [](Graph& g, Value<Image> image) {
         auto dark = g.all_of(mean(image) < 100, [&] { return max(image) > 100; });
         auto flat = g.any_of(standard_deviation(image) < 5, [&] { return !(min(image) < 3); });
         return g.if_else(
             g.all_of(!dark, [&] { return flat; }), [&] { return flip(image); },
             [&] {
               return g.if_else(
                   dark, [&] { return rotate(image, 40.f); }, [&] { return image; });
             });
       }},
      {"a parameter of the next step",
       [](Graph&, Value<Image> image) {
         auto middle = brightness_contrast(
             flip(image), {.brightness = 1.1f, .contrast = 0.8f, .contrast_center = mean(image)});
         return brightness_contrast(middle, {.contrast = 1.3f, .contrast_center = max(middle)});
       }},
      {"the number and the image in one GPU batch",
       [](Graph&, Value<Image> image) {
         auto small = resize(image, {.height = 15, .width = 20});
         auto level = mean(small), most = max(small);
         auto turned = rotate(small, 90.f);
         return brightness_contrast(turned,
                                    {.contrast = 0.5f, .contrast_center = (level + most) / 2.f});
       }},
  };
  return all;
}

struct Samples {
  std::vector<std::int64_t> ids;
  std::vector<Image> images;
};

Samples run(const Program& program, std::shared_ptr<Device> device, PipelineOptions options) {
  options.on_error = OnError::skip;
  const bool move = device != nullptr;
  options.device = std::move(device);
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto image = program(g, move ? shaded(g, kSamples).gpu() : shaded(g, kSamples));
    return move ? image.cpu() : image;
  });
  Samples all;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_TRUE(batch.errors().empty());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      all.ids.push_back(batch.ids()[i]);
      all.images.push_back(batch.get<0>()[i].clone());
    }
  }
  return all;
}

void expect_same(const Samples& actual, const Samples& expected) {
  ASSERT_EQ(actual.ids, expected.ids);
  for (std::size_t i = 0; i < actual.ids.size(); ++i)
    EXPECT_TRUE(actual.images[i] == expected.images[i]) << "sample " << actual.ids[i];
}

TEST(DevicePredicates, ChooseAsTheHostDoes) {
  for (const auto& [name, program] : programs()) {
    SCOPED_TRACE(name);
    const Samples expected = run(program, nullptr, {.batch_size = 7, .seed = 5, .threads = 1});
    ASSERT_GT(expected.ids.size(), 5u);
    for (const int threads : {1, 3})
      expect_same(run(program, test_device(), {.batch_size = 7, .seed = 5, .threads = threads}),
                  expected);
  }
}

// The tests above mean little unless some samples take each branch.
TEST(DevicePredicates, BothWaysAreTaken) {
  auto pipeline =
      make_pipeline({.batch_size = 8, .device = test_device(), .profile = true}, [](Graph& g) {
        auto image = shaded(g, kSamples).gpu();
        return programs()[0].second(g, image).cpu();
      });
  for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
  const Stats stats = pipeline.stats();
  ASSERT_EQ(stats.choices.size(), 1u);
  for (const BranchStats& branch : stats.choices[0].branches) EXPECT_GT(branch.taken, 5);
}

// A number that the device computes is for the next device batch: no step of the same one may need
// it.
TEST(DevicePredicates, AStepThatNeedsTheNumberBeginsAnotherDeviceBatch) {
  const std::string text = make_pipeline({.device = test_device()}, [](Graph& g) {
                             auto image = shaded(g, kSamples).gpu();
                             auto level = mean(image);
                             auto other = flip(image);
                             auto one = brightness_contrast(other, {.contrast_center = level});
                             return invert(one).cpu();
                           }).explain();
  const std::size_t fuse = text.find("fuse:");
  ASSERT_NE(fuse, std::string::npos) << text;
  const std::size_t first = text.find("mean(", fuse), other = text.find("flip(", fuse),
                    next = text.find("brightness_contrast(", fuse),
                    last = text.find("invert(", fuse);
  const auto stages = [&](std::size_t from, std::size_t to) {
    int count = 0;
    for (std::size_t at = text.find("stage\n", from); at < to; at = text.find("stage\n", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(stages(first, other), 0) << text;
  EXPECT_EQ(stages(other, next), 1) << text;
  EXPECT_EQ(stages(next, last), 0) << text;
}

// Returns the number of device batches that one sample goes through: each records one event.
int batches(const Program& program) {
  auto records = std::make_shared<std::atomic<int>>(0);
  HostDevice::Options options;
  options.fault = [=](const HostDevice::Call& call) {
    if (std::string(call.what) == "record") ++*records;
    return HostDevice::Fault::none;
  };
  auto pipeline = make_pipeline({.device = std::make_shared<HostDevice>(options)}, [&](Graph& g) {
    auto image = g.source(1, [](const SampleInfo&) { return draw_image(20, 30, 3); });
    return program(g, image.gpu()).cpu();
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 1u);
  return *records;
}

// The device's number needs no batch of its own if work on the same images precedes it. Numbers
// that are known in time need no batch at all.
TEST(DevicePredicates, DeviceBatchesOfASample) {
  const auto choose = [](Graph& g, Value<Image> image, Value<bool> predicate) {
    return invert(g.if_else(
        predicate, [&] { return rotate(image, 20.f); }, [&] { return flip(image); }));
  };
  const struct {
    const char* what;
    int batches;
    Program program;
  } cases[] = {
      {"a chain", 1, [](Graph&, Value<Image> image) { return invert(flip(image)); }},
      {"a chain, and numbers that are drawn", 1,
       [](Graph& g, Value<Image> image) {
         return brightness_contrast(rotate(image, g.uniform(-9.f, 9.f)),
                                    {.brightness = g.uniform(0.5f, 1.5f)});
       }},
      {"a choice by a coin", 1,
       [&](Graph& g, Value<Image> image) {
         auto small = resize(image, {.width = 9});
         return choose(g, small, g.coin_flip(0.5f));
       }},
      {"a choice by the mean, between images of one size", 1,
       [&](Graph& g, Value<Image> image) {
         return g.if_else(
             mean(image) < 60, [&] { return invert(image); }, [&] { return flip(image); });
       }},
      {"two of them, and a parameter", 2,
       [&](Graph& g, Value<Image> image) {
         auto light = mean(image);
         auto one = g.apply_if(light < 60, image, [](auto in) { return invert(in); });
         auto two = g.apply_if(60 <= light, one, [](auto in) { return flip(in); });
         return brightness_contrast(two, {.contrast_center = light});
       }},
      {"a choice by the mean", 2,
       [&](Graph& g, Value<Image> image) {
         auto small = resize(image, {.width = 9});
         return choose(g, small, mean(small) < 60);
       }},
      {"two numbers", 2,
       [&](Graph& g, Value<Image> image) {
         auto lowest = min(image), highest = max(image);
         return choose(g, image, highest - lowest < 60);
       }},
      {"a number as a parameter", 2,
       [](Graph&, Value<Image> image) {
         return brightness_contrast(image, {.contrast_center = mean(image)});
       }},
      {"choices and parameters, one after the other", 1 + 3,
       [&](Graph& g, Value<Image> image) {
         auto one = choose(g, image, mean(image) < 60);
         auto two = brightness_contrast(choose(g, one, max(one) > 200), {.brightness = 0.9f});
         return brightness_contrast(two, {.contrast_center = mean(two)});
       }},
      {"a number that is asked three times", 2,
       [&](Graph& g, Value<Image> image) {
         auto light = mean(image);
         auto two = choose(g, choose(g, image, light < 60), light < 30);
         return brightness_contrast(two, {.contrast_center = light});
       }},
      {"a loop that asks before each trip", 1 + 4 + 3 + 1,
       [](Graph& g, Value<Image> image) {
         auto trips = g.constant(0);
         auto [last, n] = g.while_loop(
             std::tuple{image, trips},
             [&](auto now, auto i) { return g.all_of(mean(now) >= 0, [&] { return i < 3; }); },
             [](auto now, auto i) {
               return std::tuple{flip(now), i + 1};
             });
         return last;
       }},
      {"the same with the number in the state", 1 + 3 + 1,
       [](Graph& g, Value<Image> image) {
         auto [last, number, n] = g.while_loop(
             std::tuple{image, mean(image), g.constant(0)},
             [&](auto, auto level, auto i) { return g.all_of(level >= 0, [&] { return i < 3; }); },
             [](auto now, auto, auto i) {
               auto next = flip(now);
               return std::tuple{next, mean(next), i + 1};
             });
         return last;
       }},
  };
  for (const auto& c : cases) EXPECT_EQ(batches(c.program), c.batches) << c.what;
}

// A single sample, with each step in a device batch of its own.
TEST(DevicePredicates, InspectionShowsTheNumber) {
  auto there = make_pipeline({.device = test_device()}, [](Graph& g) {
    return programs()[0].second(g, shaded(g, kSamples).gpu()).cpu();
  });
  auto here =
      make_pipeline({}, [](Graph& g) { return programs()[0].second(g, shaded(g, kSamples)); });
  for (std::int64_t sample = 0; sample < 5; ++sample) {
    const Inspection actual = there.inspect(sample), expected = here.inspect(sample);
    EXPECT_EQ(actual.get<float>("mean"), expected.get<float>("mean"));
    EXPECT_EQ(actual.path(), expected.path());
  }
}

// C44: inputs that a device copies lie in memory that it can read by itself, in every branch.
TEST(DevicePredicates, C44_WhatABranchCopiesThereIsPinned) {
  const Program program = [](Graph& g, Value<Image> image) {
    return g.if_else(
        mean(image) < 80, [&] { return invert(image.cpu()).gpu(); }, [&] { return flip(image); });
  };
  const Program on_host = [](Graph& g, Value<Image> image) {
    return g.if_else(
        mean(image) < 80, [&] { return invert(image); }, [&] { return flip(image); });
  };
  const PipelineOptions options{.batch_size = 7, .threads = 2};
  expect_same(run(program, test_device(), options), run(on_host, nullptr, options));
}

// Branches that are too large for some images, and numbers that the next step refuses.
TEST(DevicePredicates, ErrorsAreThoseOfTheHost) {
  const auto errors = [](bool move) {
    PipelineOptions options{.batch_size = 4, .on_error = OnError::skip};
    if (move) options.device = test_device();
    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto image = shaded(g, kSamples);
      if (move) image = image.gpu();
      auto cut = g.if_else(
          max(image) < 100, [&] { return center_crop(image, {.height = 20, .width = 60}); },
          [&] { return image; });
      auto one = brightness_contrast(cut, {.brightness = mean(cut) - 30.f});
      return move ? one.cpu() : one;
    });
    std::vector<std::string> all;
    for (const auto& batch : pipeline.epoch()) {
      for (const SampleError& error : batch.errors())
        all.push_back(std::to_string(error.id) + " " + error.step + ": " + error.what);
    }
    return all;
  };
  const auto expected = errors(false);
  EXPECT_GT(expected.size(), 3u);
  EXPECT_EQ(errors(true), expected);
}

// A failing launch or copy costs the samples of its device batch. No caller waits for ever, and
// delivered samples are right.
TEST(DevicePredicates, FaultsCostNoMoreThanTheirDeviceBatches) {
  if (on_gpu()) GTEST_SKIP() << "a GPU does not fail when it is told to";
  const Program& program = programs()[4].second;
  const Samples expected = run(program, nullptr, {.batch_size = 5, .threads = 1});
  for (int every = 3; every < 24; every += 4) {
    for (const auto fault : {HostDevice::Fault::refused, HostDevice::Fault::failed}) {
      auto calls = std::make_shared<std::atomic<int>>(0);
      HostDevice::Options options;
      options.fault = [=](const HostDevice::Call& call) {
        const std::string what = call.what;
        if (what != "copy" && what != "launch" && what != "fill") return HostDevice::Fault::none;
        return ++*calls % every == 0 ? fault : HostDevice::Fault::none;
      };
      PipelineOptions with{.batch_size = 5, .threads = 2, .on_error = OnError::skip};
      auto device = std::make_shared<HostDevice>(options);
      with.device = device;
      auto pipeline = make_pipeline(
          with, [&](Graph& g) { return program(g, shaded(g, kSamples).gpu()).cpu(); });
      std::size_t delivered = 0;
      for (const auto& batch : pipeline.epoch()) {
        for (std::size_t i = 0; i < batch.size(); ++i, ++delivered) {
          const auto id = static_cast<std::size_t>(batch.ids()[i]);
          EXPECT_TRUE(batch.get<0>()[i] == expected.images[id]) << "sample " << id;
        }
      }
      EXPECT_TRUE(pipeline.stats().epoch.balanced());
      EXPECT_LT(delivered, expected.ids.size());
      EXPECT_TRUE(device->violations().empty());
    }
  }
}

}  // namespace predicate_test
}  // namespace sluice::device
