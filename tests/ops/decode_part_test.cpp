// A decoder in front of fused operators decodes no more than a crop among them needs. Pixels and
// errors equal those of the whole image. Also how often it does so.
#include "tests/ops/push_crops.h"
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_part_test {

struct Case {
  const char* name;
  std::function<Value<Digest>(Graph&, Jpeg, const Decode&)> describe;
  std::int64_t whole;    // images that are decoded
  std::int64_t regions;  // -1: of some samples
};

Value<Digest> digest(Graph& g, Value<Tensor> tensor) {
  return g.map(
      "digest",
      [](const Tensor& in) {
        Digest sum = static_cast<Digest>(in.shape().dims[1]);
        for (std::size_t k = 0; k < in.nbytes(); ++k)
          sum = sum * 31 + static_cast<Digest>(in.bytes()[k]);
        return sum;
      },
      tensor);
}

const Case kCases[] = {
    {"the middle, smaller, as a tensor",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto small = resize(decode(g, jpeg), {.shorter = 40});
       auto middle = center_crop(small, {.height = 24, .width = 32});
       return digest(g, crop_mirror_normalize(middle, {.layout = Layout::hwc}));
     },
     0, kSamples},
    {"turned over before and after it is cut, larger",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto large =
           resize(decode(g, jpeg), {.width = 150, .interpolation = Interpolation::lanczos});
       auto turned = flip(large, {.horizontal = g.coin_flip(0.5f), .vertical = true});
       return digest(g, flip(invert(crop(turned, Rectangle{7, 90, 40, 50}))));
     },
     0, kSamples},
    {"the last one cuts",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto small = resize(decode(g, jpeg), {.shorter = 40});
       return digest(
           g, center_crop(
                  small,
                  {.height = g.map(
                       "height",
                       [](ByteSpan file) { return 20 + static_cast<int>(file.size() % 20); }, jpeg),
                   .width = 30}));
     },
     0, kSamples},
    {"in a branch",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto cut = [&] {
         auto small = resize(decode(g, jpeg), {.height = 40, .width = 50});
         return flip(center_crop(small, {.height = 20, .width = 20}));
       };
       return digest(g, g.if_else(g.coin_flip(0.5f), cut, [&] { return decode(g, jpeg); }));
     },
     -1, -1},
    {"nothing is cut",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, flip(resize(decode(g, jpeg), {.height = 40, .width = 50})));
     },
     kSamples, 0},
    {"one step",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, resize(decode(g, jpeg), {.height = 40, .width = 50}));
     },
     kSamples, 0},
    {"one step that ends with a tensor, of the rows as they are",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, crop_mirror_normalize(decode(g, jpeg), {.layout = Layout::hwc}));
     },
     kSamples, 0},
    {"turned over, at its own size",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, invert(flip(decode(g, jpeg), {.horizontal = true, .vertical = true})));
     },
     kSamples, 0},
    {"only its height becomes another, by the nearest rows and by all",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto low = resize(decode(g, jpeg), {.height = 20, .mode = ResizeMode::stretch});
       auto high = resize(
           decode(g, jpeg),
           {.height = 170, .interpolation = Interpolation::nearest, .mode = ResizeMode::stretch});
       return g.map(
           "sum", [](Digest a, Digest b) { return a ^ (b * 3); }, digest(g, low), digest(g, high));
     },
     2 * kSamples, 0},
    {"the image is used besides",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto small = resize(image, {.height = 40, .width = 50});
       auto middle = digest(g, flip(center_crop(small, {.height = 20, .width = 20})));
       return g.map(
           "sum", [](Digest a, Digest b) { return a ^ (b * 3); }, middle, digest(g, image));
     },
     kSamples, 0},
    {"a middle that does not lie in all of them",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto small = resize(decode(g, jpeg), {.shorter = 40});
       auto middle = center_crop(small, {.height = 40, .width = 41});
       return digest(g, crop_mirror_normalize(middle, {.mirror = true}));
     },
     0, -1},
};

// Cut within its header or its first rows, so that each way of decoding sees it.
File damaged() {
  File file = files()[0];
  file.resize(file.size() / 3);
  return file;
}

// The outcome of each sample, and the number of runs of the decoders.
struct Found {
  std::map<std::int64_t, std::string> samples;
  std::int64_t whole = 0, regions = 0;
  std::string plan;
};

Found run(const Case& which, bool opaque, int threads) {
  static const File broken = damaged();
  auto pipeline = make_pipeline(
      {.batch_size = 5, .threads = threads, .on_error = OnError::skip, .profile = true},
      [&](Graph& g) {
        auto index =
            g.source(kSamples + 2, [](const SampleInfo& info) { return info.index_in_epoch; });
        auto jpeg = g.map(
            "file",
            [](std::int64_t i) {
              if (i == kSamples) return ByteSpan(broken);
              return i > kSamples ? ByteSpan() : ByteSpan(files()[static_cast<std::size_t>(i)]);
            },
            index);
        return std::tuple{index, which.describe(g, jpeg, Decode(opaque))};
      });
  Found found;
  for (auto epoch = pipeline.epoch(); auto batch = epoch.next();) {
    for (std::size_t k = 0; k < batch->size(); ++k)
      found.samples[batch->get<0>()[k]] = std::to_string(batch->get<1>()[k]);
    for (const SampleError& error : batch->errors())
      found.samples[error.key.index] = to_string(error);
  }
  found.plan = to_string(pipeline.plan());
  found.whole = decodes_of(pipeline.stats(), false);
  found.regions = decodes_of(pipeline.stats(), true);
  return found;
}

void expect_count(std::int64_t found, std::int64_t wanted) {
  if (wanted > 0) {
    EXPECT_GE(found, wanted);
    EXPECT_LE(found, wanted + 4);  // of the two that are damaged some run, too
  } else if (wanted == 0) {
    EXPECT_EQ(found, 0);
  } else {
    EXPECT_GT(found, 0);
    EXPECT_LT(found, kSamples);
  }
}

TEST(DecodePart, GivesTheSameOfWhatIsNeeded) {
  for (const Case& which : kCases) {
    SCOPED_TRACE(which.name);
    const Found expected = run(which, true, 1);
    ASSERT_EQ(expected.samples.size(), static_cast<std::size_t>(kSamples + 2));
    for (const int threads : {1, 4}) {
      const Found found = run(which, false, threads);
      SCOPED_TRACE(found.plan);
      EXPECT_EQ(found.samples, expected.samples);
      expect_count(found.whole, which.whole);
      expect_count(found.regions, which.regions);
    }
  }
}

TEST(DecodePart, IsSaidInThePlan) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
      return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    auto small = resize(decode_jpeg(jpeg), {.shorter = 40});
    return crop_mirror_normalize(center_crop(small, {.height = 24, .width = 32}));
  });
  const std::string plan = to_string(pipeline.plan());
  for (const char* said : {"decode_jpeg's size   [size", "decode_jpeg's region   [region",
                           "decode_jpeg   [region", "decode_jpeg's part   [its part"})
    EXPECT_NE(plan.find(said), std::string::npos) << plan;
}

}  // namespace decode_part_test
}  // namespace sluice
