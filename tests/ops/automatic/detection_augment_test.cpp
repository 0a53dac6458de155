// detection_augment and segmentation_augment: squares of one pixel value are found in the results
// where boxes and masks say.
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/automatic.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace detection_augment_test {

struct Scene {
  Image image, mask;
  Tensor boxes, labels;
};

// A gray image of dark noise with two bright squares, of pixel values 160 and 240.
Scene draw(std::int64_t i) {
  const int height = 60 + static_cast<int>(i % 9) * 5, width = 120 - static_cast<int>(i % 4) * 7;
  Scene scene{Image(height, width, 3), Image(height, width, 1), Tensor({2, 4}, DType::f32),
              Tensor({2}, DType::i64)};
  for (int y = 0; y < height; ++y) {
    std::fill_n(scene.image.row(y), scene.image.row_bytes(), std::uint8_t{40});
    std::fill_n(scene.mask.row(y), static_cast<std::size_t>(width), std::uint8_t{0});
  }
  Random random({.seed = 1, .sample = static_cast<std::uint64_t>(i)});
  for (int k = 0; k < 2; ++k) {
    const int size = 20 + static_cast<int>(random.below(10));
    const int x = k * width / 2 + static_cast<int>(random.below(10));
    const int y = static_cast<int>(random.below(static_cast<std::uint32_t>(height - size)));
    for (int row = y; row < y + size; ++row) {
      std::fill_n(scene.image.row(row) + 3 * x, 3 * static_cast<std::size_t>(size),
                  static_cast<std::uint8_t>(160 + 80 * k));
      std::fill_n(scene.mask.row(row) + x, static_cast<std::size_t>(size),
                  static_cast<std::uint8_t>(k + 1));
    }
    const float box[] = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(x + size),
                         static_cast<float>(y + size)};
    std::copy(box, box + 4, scene.boxes.data<float>() + 4 * k);
    scene.labels.data<std::int64_t>()[k] = k + 1;
  }
  return scene;
}
Bytes file_of(const Image& image) {
  return encode_jpeg(image, {.quality = 98, .subsampling = Subsampling::s444});
}
bool is_near(int level, int wanted) { return std::abs(level - wanted) < 25; }

auto detection_pipeline(int samples, int threads, int batch_size, const DetectionOptions& options) {
  return make_pipeline({.batch_size = batch_size, .seed = 5, .threads = threads}, [&](Graph& g) {
    auto [jpeg, boxes, labels] = g.source(samples, [](const SampleInfo& info) {
      Scene scene = draw(info.index);
      return std::tuple{file_of(scene.image), std::move(scene.boxes), std::move(scene.labels)};
    });
    const DetectionSample made = detection_augment(g, jpeg, boxes, labels, options);
    return std::tuple{made.image, made.boxes, made.labels};
  });
}

TEST(DetectionAugment, BoxesAreWhereTheirSquaresAre) {
  auto pipeline =
      detection_pipeline(200, 2, 16, {.height = 100, .width = 120, .color_probability = 0.f});
  int seen = 0, mirrored = 0;
  std::set<std::int64_t> counts;
  for (const auto& [images, boxes, labels] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const Image image = images[i];
      ASSERT_EQ(image.width(), 120);
      ASSERT_EQ(image.height(), 100);
      const std::int64_t count = labels[i].elements();
      counts.insert(count);
      ASSERT_EQ(boxes[i].elements(), 4 * count);
      std::vector<float> middles;
      for (std::int64_t k = 0; k < count; ++k) {
        const float* const box = boxes[i].data<float>() + 4 * k;
        EXPECT_TRUE(box[0] >= 0 && box[1] >= 0 && box[2] <= 120 && box[3] <= 100);
        EXPECT_TRUE(box[2] - box[0] >= 1 && box[3] - box[1] >= 1);
        const auto x = static_cast<int>((box[0] + box[2]) / 2);
        const auto y = static_cast<int>((box[1] + box[3]) / 2);
        const int level = 80 + 80 * static_cast<int>(labels[i].data<std::int64_t>()[k]);
        EXPECT_TRUE(is_near(image.row(y)[3 * x], level))
            << int{image.row(y)[3 * x]} << " " << level;
        // The pixels just outside of the box do not belong to the square.
        const auto left = static_cast<int>(std::floor(box[0])) - 4;
        if (left >= 0) {
          EXPECT_FALSE(is_near(image.row(y)[3 * left], level));
        }
        middles.push_back(box[0]);
        ++seen;
      }
      mirrored += middles.size() == 2 && middles[0] > middles[1] ? 1 : 0;
    }
  }
  EXPECT_GT(seen, 200);
  EXPECT_GT(mirrored, 20);
  EXPECT_TRUE(counts.contains(1) && counts.contains(2));
}

TEST(DetectionAugment, IsTheSameForAllThreads) {
  const auto all = [](int threads, int batch_size) {
    auto pipeline = detection_pipeline(30, threads, batch_size, {});
    std::vector<Tensor> values;
    for (const auto& [images, boxes, labels] : pipeline.epoch()) {
      for (std::size_t i = 0; i < images.size(); ++i) {
        values.push_back(images.tensor(i).clone());
        values.push_back(boxes[i].clone());
        values.push_back(labels[i].clone());
      }
    }
    return values;
  };
  const auto expected = all(1, 1);
  EXPECT_EQ(expected.size(), 90u);
  EXPECT_TRUE(all(3, 16) == expected);
}

TEST(DetectionAugment, AnImageWithoutBoxesKeepsThem) {
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [](Graph& g) {
    auto [jpeg, boxes, labels] = g.source(8, [](const SampleInfo& info) {
      return std::tuple{file_of(info.index == 0 ? Image(1, 1, 3) : draw(info.index).image),
                        Tensor({0, 4}, DType::f32), Tensor({0}, DType::i64)};
    });
    const DetectionSample made = detection_augment(g, jpeg, boxes, labels);
    return std::tuple{made.image, made.boxes, made.labels};
  });
  for (const auto& [images, boxes, labels] : pipeline.epoch()) {
    ASSERT_EQ(images.size(), 4u);
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_EQ(images[i].width(), 300);
      EXPECT_EQ(boxes[i].elements(), 0);
      EXPECT_EQ(labels[i].elements(), 0);
    }
  }
}

// Each pixel of the result lies on the square that its mask says, or on none. The mask has only the
// ids that were in it, and the one to be ignored, which lies outside of the image.
TEST(SegmentationAugment, MasksLieOnTheirImages) {
  auto pipeline = make_pipeline({.batch_size = 16, .seed = 5, .threads = 2}, [](Graph& g) {
    auto [jpeg, mask] = g.source(60, [](const SampleInfo& info) {
      Scene scene = draw(info.index);
      return std::tuple{file_of(scene.image), std::move(scene.mask)};
    });
    const SegmentationSample made = segmentation_augment(
        g, jpeg, mask,
        {.height = 110, .width = 96, .fill = {255, 0, 255}, .color_probability = 0.f});
    return std::tuple{made.image, made.mask};
  });
  std::set<int> ids;
  int samples = 0;
  for (const auto& [images, masks] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i, ++samples) {
      const Image image = images[i], mask = masks[i];
      ASSERT_EQ(image.width(), 96);
      ASSERT_EQ(mask.height(), 110);
      ASSERT_EQ(mask.channels(), 1);
      int wrong = 0;
      for (int y = 0; y < 110; ++y) {
        for (int x = 0; x < 96; ++x) {
          const int id = mask.row(y)[x];
          const std::uint8_t* const pixel = image.row(y) + 3 * x;
          ids.insert(id);
          const bool outside = pixel[0] == 255 && pixel[1] == 0 && pixel[2] == 255;
          ASSERT_EQ(outside, id == 255) << x << ", " << y;
          wrong += outside || is_near(pixel[1], id == 0 ? 40 : 80 + 80 * id) ? 0 : 1;
        }
      }
      EXPECT_LT(wrong, 96 * 110 / 10);  // at the edges of squares, which the filter smooths
    }
  }
  EXPECT_EQ(samples, 60);
  EXPECT_EQ(ids, (std::set<int>{0, 1, 2, 255}));
}

template <class F>
std::string error_of(const F& describe) {
  try {
    (void)make_pipeline({}, [&](Graph& g) {
      auto [jpeg, mask, boxes] = g.source(1, [](const SampleInfo&) {
        Scene scene = draw(0);
        return std::tuple{file_of(scene.image), std::move(scene.mask), std::move(scene.boxes)};
      });
      return describe(g, jpeg, mask, boxes);
    });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "no error";
}

TEST(DetectionAugment, RefusesWhatCannotBe) {
  const struct {
    DetectionOptions options;
    const char* says;
  } cases[] = {
      {{.width = 0}, "detection_augment: height and width must be at least 1, but are 300 and 0"},
      {{.zoom_probability = 2.f}, "coin_flip: probability"},
      {{.max_zoom = 0.9f}, "detection_augment: max_zoom must be at least 1, but is 0.9"},
      {{.mirror_probability = -1.f}, "coin_flip: probability"},
      {{.color_probability = std::numeric_limits<float>::quiet_NaN()}, "coin_flip: probability"},
  };
  for (const auto& c : cases) {
    const std::string says = error_of([&](Graph& g, auto jpeg, auto, auto boxes) {
      return detection_augment(g, jpeg, boxes, boxes, c.options).image;
    });
    EXPECT_NE(says.find(c.says), std::string::npos) << says;
  }
}

TEST(SegmentationAugment, RefusesWhatCannotBe) {
  const struct {
    SegmentationOptions options;
    const char* says;
  } cases[] = {
      {{.height = -1}, "segmentation_augment: height and width must be at least 1"},
      {{.min_scale = 0.f}, "segmentation_augment: min_scale is 0 and max_scale 2"},
      {{.max_scale = 0.4f}, "min_scale is 0.5 and max_scale 0.4"},
      {{.ignored = 256}, "ignored must lie between 0 and 255, but is 256"},
  };
  for (const auto& c : cases) {
    const std::string says = error_of([&](Graph& g, auto jpeg, auto mask, auto) {
      return segmentation_augment(g, jpeg, mask, c.options).mask;
    });
    EXPECT_NE(says.find(c.says), std::string::npos) << says;
  }
}

}  // namespace detection_augment_test
}  // namespace sluice
