// Conditionals on numbers that a device computes follow the rules of tests/conformance.md. Samples,
// errors, paths and counts equal those of the same program on the host, whether all samples take
// one branch, none or some.
#include "tests/cuda/join_device_batches.h"
#include "tests/cuda/shaded.h"
#include "tests/cuda/test_device.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace predicate_conformance_test {

using joins::Here;
using joins::Seen;

constexpr std::int64_t kSamples = 40;

// Images with a lower mean are dark: none, some, or all of them.
constexpr float kLimits[] = {-1, 45, 256};

// `image` lies on the host.
struct Row {
  std::string name;
  std::function<Value<Image>(const Here&, Value<Image> image, float limit)> program;
};

Value<bool> dark(const Here& h, Value<Image> image, float limit) {
  return mean(h.there(image)) < limit;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"C20: one branch goes there, the other stays here",
       [](const Here& h, Value<Image> image, float limit) {
         return h.g.if_else(
             dark(h, image, limit), [&] { return h.back(rotate(h.there(image), 20.f)); },
             [&] { return joins::darker(h.g, image); });
       }},
      {"C20: three branches, one after the other",
       [](const Here& h, Value<Image> image, float limit) {
         auto branch = cast<std::int32_t>(dark(h, image, limit)) + 1;
         auto one = h.g.select(
             branch, [&] { return image; }, [&] { return joins::darker(h.g, image); },
             [&] { return h.back(invert(h.there(image))); });
         return h.g.apply_if(max(h.there(one)) < 2.f * limit, one,
                             [&](auto in) { return h.back(flip(h.there(in))); });
       }},
      {"C29: both branches stay there",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.if_else(
             mean(there) < limit,
             [&] { return brightness_contrast(there, {.brightness = h.g.uniform(1.f, 2.f)}); },
             [&] { return there; });
         return h.back(flip(one));
       }},
      {"C29: branches of other sizes, and a loop after them",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.select(
             cast<std::int32_t>(mean(there) >= limit), [&] { return joins::small(there); },
             [&] { return rotate(there, h.g.uniform(3.f, 90.f)); });
         auto lit = h.g.while_loop(
             one, [&](Value<Image> now) { return mean(now) < limit / 2.f; },
             [&](Value<Image> now) {
               return brightness_contrast(now, {.contrast = 0.8f, .contrast_center = 255});
             });
         return h.back(lit);
       }},
      {"C36: both branches bring it back",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.if_else(
             standard_deviation(there) < limit, [&] { return h.back(flip(there)); },
             [&] { return h.back(there); });
         return joins::darker(h.g, one);
       }},
      {"C39: chosen among images of the host, used there",
       [](const Here& h, Value<Image> image, float limit) {
         auto one = h.g.if_else(
             dark(h, image, limit), [&] { return joins::darker(h.g, image); },
             [&] { return image; });
         return h.back(flip(h.there(one)));
       }},
      {"C44: branches and loops take images of the host there",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.select(
             cast<std::int32_t>(mean(there) < limit),
             [&] { return h.there(joins::darker(h.g, h.back(there))); },
             [&] { return h.there(joins::darker(h.g, image)); });
         auto two = h.g.while_loop(
             std::tuple{one, h.g.constant(0)},
             [&](auto now, auto i) { return h.g.all_of(mean(now) < limit, [&] { return i < 2; }); },
             [&](auto now, auto i) {
               return std::tuple{h.there(joins::darker(h.g, h.back(now))), i + 1};
             });
         return h.back(invert(std::get<0>(two)));
       }},
      {"C51: filters leave the order as it is",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         h.g.filter(mean(there) >= limit / 2.f);
         auto turned = rotate(there, 15.f);
         h.g.filter(!(max(turned) < limit));
         return h.back(turned);
       }},
      {"C57: what the other branch would fail of",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.if_else(
             mean(there) < limit,
             [&] { return flip(center_crop(there, {.height = 50, .width = 60})); },
             [&] { return brightness_contrast(there, {.brightness = mean(there) - limit}); });
         return h.back(invert(one));
       }},
      {"C57: a way that is not there",
       [](const Here& h, Value<Image> image, float limit) {
         auto there = h.there(image);
         auto one = h.g.select(
             cast<std::int32_t>(mean(there) < limit) * 2, [&] { return there; },
             [&] { return flip(there); });
         return h.back(one);
       }},
      {"L7: operands on the left and on the right, and those that fail if they are asked",
       [](const Here& h, Value<Image> image, float limit) {
         auto& g = h.g;
         auto there = h.there(image);
         auto is_dark = mean(there) < limit;
         auto odd = g.coin_flip(0.5f);
         auto both = g.all_of(is_dark, [&] { return odd; });
         auto either = g.any_of(odd, [&] { return max(there) < limit; });
         // Only bright images have a number to divide by.
         auto bright =
             g.all_of(!is_dark, [&] { return 100 / cast<std::int32_t>(mean(there) >= limit) > 1; });
         auto none = g.all_of(is_dark, [&] { return g.constant(false); });
         auto one = g.apply_if(both, there, [](auto in) { return invert(in); });
         auto two = g.apply_if(either, one, [](auto in) { return rotate(in, 90.f); });
         auto three = g.apply_if(bright, two, [](auto in) { return flip(in); });
         return h.back(g.apply_if(none, three, [](auto in) { return rotate(in, 45.f); }));
       }},
  };
  return all;
}

auto pipeline_of(const Row& row, float limit, PipelineOptions options, bool moves) {
  if (moves && options.device == nullptr) options.device = test_device();
  options.on_error = OnError::skip;
  options.seed = 3;
  return make_pipeline(options, [&](Graph& g) {
    return row.program({g, moves}, shaded(g, kSamples), limit);
  });
}

TEST(DeviceChoices, AreThoseOfTheHost) {
  for (const Row& row : rows()) {
    std::vector<std::map<std::string, std::int64_t>> ways;
    for (const float limit : kLimits) {
      SCOPED_TRACE(row.name + ", limit " + std::to_string(limit));
      auto on_host =
          pipeline_of(row, limit, {.batch_size = 7, .threads = 1, .profile = true}, false);
      const Seen expected = joins::see(on_host);
      auto pipeline =
          pipeline_of(row, limit, {.batch_size = 7, .threads = 3, .profile = true}, true);
      const Seen actual = joins::see(pipeline);
      EXPECT_EQ(actual.errors, expected.errors);
      EXPECT_EQ(actual.counts, expected.counts);
      EXPECT_TRUE(actual == expected);
      for (std::int64_t i = 0; i < kSamples; i += 13)
        EXPECT_EQ(pipeline.inspect(i).path(), on_host.inspect(i).path()) << i;
      ways.push_back(expected.counts);
    }
    // The test means little unless the limits lead to different paths.
    EXPECT_NE(ways[0], ways[1]) << row.name;
    EXPECT_NE(ways[2], ways[1]) << row.name;
  }
}

// C52: a branch that no sample takes does nothing, also on the device.
TEST(DeviceChoices, C52_ABranchThatNobodyTakesLaunchesNothing) {
  if (on_gpu()) GTEST_SKIP() << "a GPU does not tell of its launches";
  for (const float limit : kLimits) {
    std::atomic<std::int64_t> warps{0};
    const auto device = std::make_shared<HostDevice>(
        HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
          if (std::string(call.what) == "launch" && std::string(call.kernel) == "warp") ++warps;
          return HostDevice::Fault::none;
        }});
    auto pipeline = make_pipeline({.batch_size = 8, .device = device}, [&](Graph& g) {
      auto image = shaded(g, kSamples).gpu();
      // Not by one comparison, so that the host chooses.
      return g
          .apply_if(mean(image) / 2.f < limit / 2.f, image,
                    [](auto in) { return rotate(in, 20.f); })
          .cpu();
    });
    for (const auto& batch : pipeline.epoch()) EXPECT_TRUE(batch.errors().empty());
    const Stats stats = pipeline.stats();
    const ChoiceStats& choice = stats.choices.at(0);
    EXPECT_EQ(choice.taken(), kSamples);
    EXPECT_EQ(warps > 0, choice.branches[0].taken > 0) << limit;
  }
}

// C43: whatever decides, branches return tensors of one kind in one memory.
TEST(DeviceChoices, C43_BranchesThatDifferAreRefused) {
  using Branch = std::function<Value<Tensor>(Value<Image>)>;
  const auto made = [](DType dtype, Layout layout, bool back) -> Branch {
    return [=](Value<Image> image) {
      auto tensor =
          crop_mirror_normalize(image, {.height = 8, .width = 8, .dtype = dtype, .layout = layout});
      return back ? tensor.cpu() : tensor;
    };
  };
  const Branch plain = made(DType::f32, Layout::chw, false);
  const struct {
    const char* what;
    Branch other;
    std::vector<std::string> says;
  } cases[] = {
      {"the type of the elements", made(DType::f16, Layout::chw, false), {"f32", "f16"}},
      {"the layout", made(DType::f32, Layout::hwc, false), {"CHW", "HWC"}},
      {"the memory", made(DType::f32, Layout::chw, true), {"on the GPU", "in host memory"}},
  };
  const auto refusal = [&](const std::function<Value<Tensor>(Graph&, Value<Image>)>& choose) {
    try {
      (void)make_pipeline({.batch_size = 4, .device = test_device()},
                          [&](Graph& g) { return choose(g, shaded(g, kSamples).gpu()); });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string told[] = {
        refusal([&](Graph& g, Value<Image> image) {
          return g.if_else(
              mean(image) < 60, [&] { return plain(image); }, [&] { return c.other(image); });
        }),
        refusal([&](Graph& g, Value<Image> image) {
          return g.select(
              cast<std::int32_t>(mean(image) / 100.f), [&] { return plain(image); },
              [&] { return plain(flip(image)); }, [&] { return c.other(image); });
        }),
        refusal([&](Graph& g, Value<Image> image) {
          return g.while_loop(
              plain(image), [&](Value<Tensor>) { return mean(image) < 60; },
              [&](Value<Tensor>) { return c.other(image); });
        })};
    for (const std::string& text : told) {
      for (const std::string& part : c.says) EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

}  // namespace predicate_conformance_test
}  // namespace sluice::device
