// The rows of tests/conformance.md on images. C19: a graph with the choice made by hand, by plain
// steps that look at the coin themselves, produces the same images bit for bit as the graph with
// if_else. C43: operators declare the properties of their tensors.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace conformance_test {

constexpr int kBatch = 10;
constexpr int kIterations = 5;

std::vector<Bytes> make_jpegs() {
  std::vector<Bytes> files;
  for (int i = 0; i < kBatch * kIterations; ++i) {
    files.push_back(encode_jpeg(draw_image(24 + i % 7, 30 + i % 5, 3, static_cast<unsigned>(i))));
  }
  return files;
}

auto describe(const std::vector<Bytes>& files, bool by_hand) {
  return [&files, by_hand](Graph& g) {
    auto jpeg = g.source(kBatch * kIterations, [&files](const SampleInfo& info) {
      const Bytes& file = files[static_cast<std::size_t>(info.index_in_epoch)];
      return ByteSpan(file.data(), file.size());
    });
    auto image = decode_jpeg(jpeg);
    auto coin = g.coin_flip(0.5f);
    if (!by_hand) {
      return std::tuple{g.if_else(
                            coin, [&] { return rotate(image, 30.f); }, [&] { return flip(image); }),
                        coin};
    }
    auto merged = g.map(
        "by hand",
        [](const Image& in, bool turn) {
          Image out;
          if (turn) {
            kernels::rotate(in, 30.f, {}, out);
          } else {
            kernels::flip(in, true, false, out);
          }
          return out;
        },
        image, coin);
    return std::tuple{merged, coin};
  };
}

TEST(Conformance, C19_TheGraphByHandGivesTheSameImages) {
  const auto files = make_jpegs();
  for (const int threads : {1, 2, 8}) {
    const PipelineOptions options{.batch_size = kBatch, .seed = 42, .threads = threads};
    auto by_if = make_pipeline(options, describe(files, false));
    auto by_hand = make_pipeline(options, describe(files, true));
    auto first = by_if.epoch(), second = by_hand.epoch();
    int samples = 0, turned = 0;
    while (auto a = first.next()) {
      auto b = second.next();
      ASSERT_TRUE(b.has_value());
      for (std::size_t k = 0; k < a->size(); ++k, ++samples) {
        EXPECT_EQ(a->get<0>()[k], b->get<0>()[k]) << "sample " << samples;
        EXPECT_EQ(a->get<1>()[k], b->get<1>()[k]);
        turned += a->get<1>()[k] ? 1 : 0;
      }
    }
    EXPECT_EQ(samples, kBatch * kIterations);
    EXPECT_GT(turned, 0);
    EXPECT_LT(turned, samples);
  }
}

TEST(Conformance, C43_OperatorsSayWhatTheirTensorsAreLike) {
  const auto files = make_jpegs();
  const auto build = [&](const CropMirrorNormalizeOptions& crop,
                         const ResizeMirrorNormalizeOptions& resized) -> std::string {
    try {
      (void)make_pipeline({.batch_size = kBatch}, [&](Graph& g) {
        auto image = decode_jpeg(g.source(kBatch, [&files](const SampleInfo& info) {
          const Bytes& file = files[static_cast<std::size_t>(info.index_in_epoch)];
          return ByteSpan(file.data(), file.size());
        }));
        return g.if_else(
            g.coin_flip(), [&] { return crop_mirror_normalize(image, crop); },
            [&] { return resize_mirror_normalize(image, resized); });
      });
    } catch (const BuildError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(build({.height = 8, .width = 8}, {}), "");
  EXPECT_EQ(build({.dtype = DType::f16}, {.dtype = DType::f16}), "");
  EXPECT_EQ(build({.layout = Layout::hwc}, {.dtype = DType::f16}),
            "'if_else': the result is a tensor (f16, CHW, 3 dimensions) in the branch 'otherwise', "
            "but (f32, HWC, 3 dimensions) in the branch 'then'; make both agree in type, layout "
            "and number of dimensions");
}

}  // namespace conformance_test
}  // namespace sluice
