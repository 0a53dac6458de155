// mosaic on the batches of pipelines, against the definition: pixel by pixel, box by box.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/batch.h>
#include <sluice/ops/normalize.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <tests/ops/kernels/reference.h>

namespace sluice {
namespace mosaic_test {

constexpr int kHeight = 7, kWidth = 10;
constexpr std::uint64_t kSeed = 3;

Image image_of(std::int64_t i) {
  return testing::make_image(kHeight, kWidth, 3, static_cast<std::uint32_t>(i) + 1);
}
// One box for sample 0, two for sample 1, none for sample 2, and so on.
Tensor boxes_of(std::int64_t i) {
  const std::int64_t count = (i + 1) % 3;
  Tensor boxes({count, 4}, DType::f32);
  auto* at = reinterpret_cast<float*>(boxes.bytes());
  for (std::int64_t k = 0; k < count; ++k, at += 4) {
    const float x = static_cast<float>((i + 3 * k) % 7), y = static_cast<float>((i + k) % 4);
    at[0] = x, at[1] = y, at[2] = x + 3, at[3] = y + 2.5f;
  }
  return boxes;
}
Tensor labels_of(std::int64_t i) {
  const std::int64_t count = (i + 1) % 3;
  Tensor labels({count}, DType::i64);
  auto* const at = reinterpret_cast<std::int64_t*>(labels.bytes());
  for (std::int64_t k = 0; k < count; ++k) at[k] = 10 * i + k;
  return labels;
}

auto pipeline_of(int samples, int batch, int threads) {
  return make_pipeline(
      {.batch_size = batch, .seed = kSeed, .threads = threads}, [samples](Graph& g) {
        auto [image, boxes, labels] = g.source(samples, [](const SampleInfo& info) {
          return std::tuple{image_of(info.index), boxes_of(info.index), labels_of(info.index)};
        });
        return std::tuple{image, boxes, labels};
      });
}

// A quarter of the mosaic of sample `i` of `count`: the sample seen there, and its shift.
struct Quarter {
  std::size_t from = 0;
  int dx = 0, dy = 0;
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // the rectangle of the quarter
};
std::array<Quarter, 4> quarters(const Mosaic& m, std::size_t i, std::size_t count) {
  std::array<Quarter, 4> all;
  for (std::size_t k = 0; k < all.size(); ++k) {
    Quarter& quarter = all[k];
    const std::size_t q = (static_cast<std::size_t>(m.place) + k) % all.size();
    quarter.from = (i + 3 * count - k) % count;
    const bool left = q % 2 == 0, upper = q < 2;
    quarter.dx = left ? m.x - kWidth : m.x;
    quarter.dy = upper ? m.y - kHeight : m.y;
    quarter.x0 = left ? 0 : m.x, quarter.x1 = left ? m.x : kWidth;
    quarter.y0 = upper ? 0 : m.y, quarter.y1 = upper ? m.y : kHeight;
  }
  return all;
}

using Boxes = std::vector<std::array<float, 5>>;  // and the label
Boxes read(const Tensor& boxes, const Tensor& labels) {
  Boxes all;
  for (std::int64_t k = 0; k < boxes.shape()[0]; ++k) {
    const auto* const box = reinterpret_cast<const float*>(boxes.bytes()) + 4 * k;
    const auto label = reinterpret_cast<const std::int64_t*>(labels.bytes())[k];
    all.push_back({box[0], box[1], box[2], box[3], static_cast<float>(label)});
  }
  return all;
}

TEST(Mosaics, AreWhatTheDefinitionSays) {
  const struct {
    int samples, batch;
    MosaicOptions options;
  } cases[] = {
      {12, 4, {}},
      {12, 6, {.min_center = 0, .max_center = 1}},
      {9, 3, {.min_center = 0.5f, .max_center = 0.5f}},
      {8, 2, {.probability = 0.5f}},
      {12, 6, {.min_area = 2, .min_visibility = 0.5f}},
      {5, 4, {}},
      {3, 1, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.batch);
    auto pipeline = pipeline_of(c.samples, c.batch, 2);
    std::int64_t joined = 0, seen = 0, number = 0;
    for (auto& batch : pipeline.epoch()) {
      auto& [images, boxes, labels] = batch;
      const BatchKey key{kSeed, 0, number++};
      const std::vector<Mosaic> done = mosaic(images, boxes, labels, key, c.options);
      const std::size_t count = images.size();
      ASSERT_EQ(done.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto own = batch.ids()[i];
        const Mosaic& m = done[i];
        joined += m.joined ? 1 : 0;
        if (!m.joined) {
          EXPECT_TRUE(images[i] == image_of(own));
          EXPECT_EQ(read(boxes.tensor(i), labels.tensor(i)), read(boxes_of(own), labels_of(own)));
          continue;
        }
        EXPECT_GE(m.x, static_cast<int>(c.options.min_center * kWidth));
        EXPECT_LE(m.x, std::lround(c.options.max_center * kWidth));
        Image expected(kHeight, kWidth, 3);
        Boxes expected_boxes;
        for (const Quarter& q : quarters(m, i, count)) {
          const std::int64_t id = batch.ids()[q.from];
          const Image from = image_of(id);
          for (int y = q.y0; y < q.y1; ++y)
            for (int x = q.x0; x < q.x1; ++x)
              std::memcpy(expected.row(y) + 3 * x, from.row(y - q.dy) + 3 * (x - q.dx), 3);
          for (const auto& box : read(boxes_of(id), labels_of(id))) {
            const auto x0 = static_cast<float>(q.x0), x1 = static_cast<float>(q.x1);
            const auto y0 = static_cast<float>(q.y0), y1 = static_cast<float>(q.y1);
            const auto dx = static_cast<float>(q.dx), dy = static_cast<float>(q.dy);
            const std::array<float, 5> part{
                std::clamp(box[0] + dx, x0, x1), std::clamp(box[1] + dy, y0, y1),
                std::clamp(box[2] + dx, x0, x1), std::clamp(box[3] + dy, y0, y1), box[4]};
            const float area = (part[2] - part[0]) * (part[3] - part[1]);
            const float whole = (box[2] - box[0]) * (box[3] - box[1]);
            if (area > 0 && area >= c.options.min_area && area >= c.options.min_visibility * whole)
              expected_boxes.push_back(part);
          }
        }
        EXPECT_TRUE(images[i] == expected) << "sample " << own;
        EXPECT_EQ(read(boxes.tensor(i), labels.tensor(i)), expected_boxes) << "sample " << own;
        seen += static_cast<std::int64_t>(expected_boxes.size());
      }
    }
    if (c.batch == 1) {
      EXPECT_EQ(joined, 0);
    } else {
      EXPECT_GT(joined, 0);
      EXPECT_GT(seen, 0);
    }
    EXPECT_EQ(joined < c.samples, c.options.probability < 1 || c.batch == 1 || c.samples == 5);
  }
}

TEST(Mosaics, AreTheSameForAllThreadsAndTypes) {
  const auto run = [](int threads) {
    auto pipeline =
        make_pipeline({.batch_size = 4, .seed = kSeed, .threads = threads}, [](Graph& g) {
          auto image = g.source(8, [](const SampleInfo& info) { return image_of(info.index); });
          return std::tuple{
              image, crop_mirror_normalize(image, {.mean = {0, 0, 0}, .std = {1, 1, 1}}),
              crop_mirror_normalize(image, {.dtype = DType::f16, .layout = Layout::hwc})};
        });
    pipeline.batch_step([](auto& batch, const BatchKey& key) {
      auto& [images, planes, halves] = batch;
      mosaic(images, key);
      mosaic(planes, key);
      mosaic(halves, key);
    });
    std::vector<std::vector<std::byte>> all;
    for (const auto& batch : pipeline.epoch()) {
      const Tensor u8 = batch.template get<0>().tensor(), f32 = batch.template get<1>().tensor();
      const Tensor f16 = batch.template get<2>().tensor();
      for (const Tensor* const tensor : {&u8, &f32, &f16})
        all.emplace_back(tensor->bytes(), tensor->bytes() + tensor->nbytes());
      // Planes are the images' pixel values: both were joined alike.
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto* const plane =
            reinterpret_cast<const float*>(f32.bytes()) + i * kHeight * kWidth * 3;
        const Image image = batch.template get<0>()[i];
        for (int c = 0; c < 3; ++c)
          for (int y = 0; y < kHeight; ++y)
            for (int x = 0; x < kWidth; ++x)
              EXPECT_NEAR(255 * plane[(c * kHeight + y) * kWidth + x], image.row(y)[3 * x + c],
                          1e-3);
      }
    }
    return all;
  };
  EXPECT_EQ(run(1), run(3));
}

TEST(Mosaics, WrongOnesAreRefusedAndNothingIsChanged) {
  const auto refusal = [](const MosaicOptions& options, bool other_boxes) {
    auto pipeline = pipeline_of(4, 2, 1);
    std::string what;
    for (auto& batch : pipeline.epoch()) {
      auto& [images, boxes, labels] = batch;
      const Image before = images[0].clone();
      try {
        TensorBatch none;
        mosaic(images, other_boxes ? none : boxes, labels, {kSeed, 0, 0}, options);
      } catch (const Error& error) {
        what = error.what();
      }
      EXPECT_TRUE(images[0] == before);
      break;
    }
    return what;
  };
  EXPECT_EQ(refusal({.min_center = 0.6f, .max_center = 0.4f}, false),
            "mosaic: min_center is 0.6 and max_center 0.4; they must lie between 0 and 1, and the "
            "first must not be above the second");
  EXPECT_EQ(refusal({.probability = 2}, false),
            "mosaic: probability is 2; it must lie between 0 and 1");
  EXPECT_EQ(refusal({.min_visibility = -1}, false),
            "mosaic: min_area is 0 and min_visibility -1; the first must be at least 0, the second "
            "lie between 0 and 1");
  EXPECT_EQ(
      refusal({}, true),
      "mosaic: there are 2 images, 0 tensors of boxes and 2 of labels; give those of one batch");
}

}  // namespace mosaic_test
}  // namespace sluice
