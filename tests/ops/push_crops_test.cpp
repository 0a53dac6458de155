// Crops reach into the decoder. Programs that crop decoded images have the same results as with a
// decoder that always decodes the whole image, but they decode no more of each image than they use.
#include "tests/ops/push_crops.h"

#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace push_crops_test {

struct Case {
  const char* name;
  std::function<Value<Digest>(Graph&, Jpeg, const Decode&)> describe;
  // The number of samples whose image was decoded whole, and of those with a region; -1: some, not
  // all.
  std::int64_t whole, regions;
};

const Case kCases[] = {
    {"a constant region",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, crop(decode(g, jpeg), kCorner));
     },
     0, kSamples},
    {"a random region",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, random_resized_crop(decode(g, jpeg), {.height = 24, .width = 16}));
     },
     0, kSamples},
    {"the middle",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, center_crop(decode(g, jpeg), {.height = 20, .width = 33}));
     },
     0, kSamples},
    {"a region by the header",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto region = g.map(
           "lower half",
           [](const JpegHeader& h) {
             const int half = h.oriented_height() / 2;
             return Rectangle{half, 0, h.oriented_height() - half, h.oriented_width()};
           },
           peek_jpeg(jpeg));
       return digest(g, crop(decode(g, jpeg), region));
     },
     0, kSamples},
    {"gray, as stored",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       const JpegOptions options{.color = ColorSpace::gray, .apply_orientation = false};
       return digest(g, center_crop(decode(g, jpeg, options), {.height = 50, .width = 21}));
     },
     0, kSamples},
    {"every branch cuts",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto region = random_region(image);
       return digest(
           g, g.select(
                  g.map(
                      "branch", [](float x) { return static_cast<int>(x); }, g.uniform(0.f, 3.f)),
                  [&] { return crop(image, region); }, [&] { return crop(image, kCorner); },
                  [&] { return center_crop(image, {.height = 30, .width = 30}); }));
     },
     0, kSamples},
    {"one branch cuts, another needs all",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return crop(image, kCorner); },
                            [&] { return flip(image); }));
     },
     -1, -1},
    {"branches in a branch",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto inner = g.coin_flip(0.5f);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f),
                            [&] {
                              return g.if_else(
                                  inner, [&] { return crop(image, random_region(image)); },
                                  [&] { return image; });
                            },
                            [&] { return center_crop(image, {.height = 9, .width = 9}); }));
     },
     -1, -1},
    {"two branches need all, one cuts",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto small = g.coin_flip(0.5f);
       auto branch = g.map(
           "branch", [](float x) { return static_cast<int>(x); }, g.uniform(0.f, 4.f));
       return digest(g, g.select(
                            branch, [&] { return rotate(image, 10.f); },
                            [&] { return flip(image); }, [&] { return crop(image, kCorner); },
                            [&] {
                              return g.if_else(
                                  small,
                                  [&] { return center_crop(image, {.height = 8, .width = 8}); },
                                  [&] { return image; });
                            }));
     },
     -1, -1},
    {"all of it in branches of branches beside a region",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto b = g.coin_flip(0.5f), c = g.coin_flip(0.5f);
       auto other = g.constant(Rectangle{1, 1, 9, 9});
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return crop(image, other); },
                            [&] {
                              return g.if_else(
                                  b,
                                  [&] {
                                    return g.if_else(
                                        c, [&] { return flip(image); }, [&] { return image; });
                                  },
                                  [&] { return crop(decode(g, jpeg), kCorner); });
                            }));
     },
     -1, -1},
    {"two regions of one sample",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto a = digest(g, crop(image, kCorner));
       auto b = digest(g, center_crop(image, {.height = 30, .width = 30}));
       return a + b;
     },
     kSamples, 0},
    {"a region, and all in a branch as well",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto part = crop(image, kCorner);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return part; }, [&] { return flip(image); }));
     },
     -1, -1},  // the crop sinks into its branch first
    {"a region, and all behind it",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto seen = g.tap(
           "look", [](const Image& in) { ASSERT_FALSE(in.empty()); }, image);
       return digest(g, crop(seen, kCorner));
     },
     kSamples, 0},
    {"again and again",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       return g.for_loop(3, g.constant(Digest{7}), [&](Value<std::int64_t>, Value<Digest> sum) {
         return sum * Digest{5} + digest(g, crop(image, kCorner));
       });
     },
     kSamples, 0},
    {"decoded again and again",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return g.for_loop(3, g.constant(Digest{7}), [&](Value<std::int64_t> i, Value<Digest> sum) {
         auto image = decode(g, jpeg);
         auto region = g.map(
             "region",
             [](std::int64_t k) {
               return Rectangle{static_cast<int>(k), 2, 20, 20};
             },
             i);
         return sum * Digest{5} + digest(g, crop(image, region));
       });
     },
     0, 3 * kSamples},
    {"at the top and in loops",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto sum = digest(g, crop(decode(g, jpeg), kCorner));
       for (int k = 0; k < 4; ++k) {
         sum = g.for_loop(2, sum, [&](Value<std::int64_t>, Value<Digest> s) {
           return s * Digest{5} + digest(g, crop(decode(g, jpeg), Rectangle{1, 2, 10, 10}));
         });
       }
       return sum;
     },
     0, 9 * kSamples},
    {"a loop's body sees what its condition decoded",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto loop = g.add_loop();
       auto sum = loop.add_recurrence(Digest{7});
       auto trip = loop.add_recurrence(0);
       trip.set_next(trip.value() + 1);
       auto file = g.map(
           "again", [](ByteSpan bytes, int) { return bytes; }, jpeg, trip.value());
       auto image = decode(g, file);
       auto go_on = g.map(
           "go on", [](Digest, int n) { return n < 2; }, digest(g, crop(image, kCorner)),
           trip.value());
       loop.add_while(go_on);
       sum.set_next(sum.value() * Digest{5} + digest(g, image));
       return loop.add_output(sum);
     },
     3 * kSamples, 0},
    {"the size alone",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, decode_jpeg(jpeg, random_region(decode(g, jpeg))));
     },
     kSamples, 0},  // the second decoder; of the first one nothing but the size
    {"explicit boundaries that compute both",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto either = g.add_conditional("either");
       either.set_condition(g.coin_flip(0.5f));
       return digest(g, either.add_output(crop(image, kCorner), flip(image)));
     },
     kSamples, 0},
};

auto describe(const Case& which, bool opaque) {
  return [&which, opaque](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
      return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    return which.describe(g, jpeg, Decode(opaque));
  };
}

void expect_count(std::int64_t found, std::int64_t wanted, const char* what) {
  if (wanted >= 0) {
    EXPECT_EQ(found, wanted) << what;
  } else {
    EXPECT_GT(found, 0) << what;
    EXPECT_LT(found, kSamples) << what;
  }
}

TEST(PushCrops, GivesTheSameAndDecodesNoMoreThanIsLookedAt) {
  for (const Case& which : kCases) {
    SCOPED_TRACE(which.name);
    auto whole = make_pipeline({.batch_size = 5}, describe(which, true));
    std::vector<Digest> expected;
    for (const auto& [digests] : whole.epoch())
      expected.insert(expected.end(), digests.begin(), digests.end());
    ASSERT_EQ(expected.size(), files().size());
    for (const int threads : {1, 2, 8}) {
      auto pushed = make_pipeline({.batch_size = 7, .threads = threads, .profile = true},
                                  describe(which, false));
      std::vector<Digest> given;
      for (const auto& [digests] : pushed.epoch())
        given.insert(given.end(), digests.begin(), digests.end());
      EXPECT_EQ(given, expected);
      const Stats stats = pushed.stats();
      const std::string plan = to_string(pushed.plan());
      const std::int64_t all = decodes_of(stats, false), regions = decodes_of(stats, true);
      expect_count(all, which.whole, plan.c_str());
      expect_count(regions, which.regions, plan.c_str());
      // No sample is decoded twice, unless the program says so.
      EXPECT_LE(all + regions, std::max({kSamples, which.whole, which.regions})) << plan;
    }
  }
}

// The regions of an image that goes into a tensor; they are written straight into the batch.
TEST(PushCrops, ReachesFromTensorsAndIntoBatches) {
  const auto program = [](bool opaque) {
    return [opaque](Graph& g) {
      auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
        return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
      });
      const Decode decode(opaque);
      auto mirror = g.coin_flip(0.5f);
      auto tensor = crop_mirror_normalize(decode(g, jpeg), {.height = 32,
                                                            .width = 24,
                                                            .mirror = mirror,
                                                            .mean = kImageNetMean,
                                                            .std = kImageNetStd});
      return std::tuple{tensor, crop(decode(g, jpeg), kCorner),
                        crop_mirror_normalize(decode(g, jpeg), {.layout = Layout::hwc})};
    };
  };
  auto pushed = make_pipeline({.batch_size = 6, .profile = true}, program(false));
  auto whole = make_pipeline({.batch_size = 6}, program(true));
  auto a = pushed.epoch(), b = whole.epoch();
  std::int64_t samples = 0;
  while (auto mine = a.next()) {
    auto other = b.next();
    ASSERT_TRUE(other.has_value());
    for (std::size_t k = 0; k < mine->size(); ++k, ++samples) {
      EXPECT_EQ(mine->get<0>()[k], other->get<0>()[k]);
      EXPECT_EQ(mine->get<1>()[k], other->get<1>()[k]);
      EXPECT_EQ(mine->get<2>()[k], other->get<2>()[k]);
    }
  }
  EXPECT_EQ(samples, kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg (region)"), kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg#2 (region)"), kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg#3"), kSamples);  // all of it: no region
}

}  // namespace push_crops_test
}  // namespace sluice
