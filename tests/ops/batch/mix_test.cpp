// mix_up and cut_mix on the batches of pipelines.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/batch.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/tensors.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <tests/ops/kernels/reference.h>

namespace sluice {
namespace mix_test {

constexpr int kClasses = 5;
constexpr std::uint64_t kSeed = 11;

struct Setup {
  int samples = 10;
  int batch = 4;
  int threads = 2;
  bool ragged = false;
  std::int64_t failing = -1;
};

auto pipeline_of(const Setup& setup) {
  return make_pipeline(
      {.batch_size = setup.batch,
       .seed = kSeed,
       .threads = setup.threads,
       .on_error = OnError::skip},
      [setup](Graph& g) {
        auto [image, label] = g.source(setup.samples, [setup](const SampleInfo& info) {
          if (info.index == setup.failing) throw std::runtime_error("no such file");
          const int height = setup.ragged ? 6 + static_cast<int>(info.index) : 6;
          return std::tuple{
              testing::make_image(height, 9, 3, static_cast<std::uint32_t>(info.index) + 1),
              info.index % kClasses};
        });
        return std::tuple{image, one_hot(label, {.classes = kClasses, .smoothing = 0.1f})};
      });
}
auto tensors_of(const Setup& setup) {
  return make_pipeline(
      {.batch_size = setup.batch, .seed = kSeed, .threads = setup.threads}, [setup](Graph& g) {
        auto [image, label] = g.source(setup.samples, [](const SampleInfo& info) {
          return std::tuple{
              testing::make_image(6, 9, 3, static_cast<std::uint32_t>(info.index) + 1),
              info.index % kClasses};
        });
        return std::tuple{crop_mirror_normalize(image, {}), one_hot(label, {.classes = kClasses})};
      });
}

template <class Column>
std::vector<std::byte> bytes_of(const Column& column) {
  const Tensor all = column.tensor();
  return {all.bytes(), all.bytes() + all.nbytes()};
}

// Compares a batch before and after mixing with the definition, for u8 and f32 alike.
template <class T>
void expect_mix(const std::vector<std::byte>& before, const std::vector<std::byte>& after,
                std::size_t count, double weight, const std::vector<bool>& cut, double tolerance) {
  const std::size_t each = before.size() / sizeof(T) / std::max<std::size_t>(count, 1);
  const auto at = [each](const std::vector<std::byte>& all, std::size_t i, std::size_t k) {
    T number;
    std::memcpy(&number, &all[(i * each + k) * sizeof(T)], sizeof(T));
    return static_cast<double>(number);
  };
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t other = (i + count - 1) % count;
    for (std::size_t k = 0; k < each; ++k) {
      const double own = at(before, i, k), from = at(before, other, k);
      const double expected = cut.empty() ? weight * own + (1 - weight) * from
                              : cut[k]    ? from
                                          : own;
      ASSERT_NEAR(at(after, i, k), expected, tolerance) << i << ", " << k;
    }
  }
}

// Returns which elements of an image of 6 x 9 with 3 channels lie in the region.
std::vector<bool> inside(const Rectangle& r, bool chw) {
  std::vector<bool> all(6 * 9 * 3);
  for (int y = r.y; y < r.y + r.height; ++y) {
    for (int x = r.x; x < r.x + r.width; ++x) {
      for (int c = 0; c < 3; ++c)
        all[static_cast<std::size_t>(chw ? (c * 6 + y) * 9 + x : (y * 9 + x) * 3 + c)] = true;
    }
  }
  return all;
}

template <class T, class Pipeline>
void expect_batches_mixed(Pipeline pipeline, bool chw, double tolerance) {
  int mixed_batches = 0;
  for (auto& batch : pipeline.epoch()) {
    auto& [images, labels] = batch;
    for (const bool cut : {false, true}) {
      const auto images_before = bytes_of(images), labels_before = bytes_of(labels);
      const MixKey key = mix_key(batch, kSeed);
      const Mixed mixed =
          cut ? cut_mix(images, labels, key) : mix_up(images, labels, key, {.alpha = 1.f});
      const auto weight = static_cast<double>(mixed.weight);
      EXPECT_TRUE(weight >= 0 && weight <= 1);
      if (cut) {
        EXPECT_NEAR(weight, 1 - mixed.region.width * mixed.region.height / 54.0, 1e-6);
      } else {
        EXPECT_EQ(mixed.region, Rectangle{});
      }
      expect_mix<T>(images_before, bytes_of(images), batch.size(), weight,
                    cut ? inside(mixed.region, chw) : std::vector<bool>(), tolerance);
      expect_mix<float>(labels_before, bytes_of(labels), batch.size(), weight, {}, 1e-6);
      for (const Tensor& label : labels) {
        double sum = 0;
        for (int k = 0; k < kClasses; ++k) sum += static_cast<double>(label.data<float>()[k]);
        EXPECT_NEAR(sum, 1, 1e-5);
      }
      mixed_batches += weight > 0 && weight < 1 ? 1 : 0;
    }
  }
  EXPECT_GT(mixed_batches, 2);
}

TEST(Mix, MixesImagesAndLabelsByTheSameWeight) {
  expect_batches_mixed<std::uint8_t>(pipeline_of({}), false, 0.516);
  expect_batches_mixed<float>(tensors_of({}), true, 1e-5);
}

// The last batch of 10 by 4 has two samples. The last of 9 has one, which stays as it is.
TEST(Mix, APartOfABatchAndOneSample) {
  auto pipeline = pipeline_of({.samples = 9});
  int batches = 0;
  for (auto& batch : pipeline.epoch()) {
    auto& [images, labels] = batch;
    const auto before = bytes_of(images), labels_before = bytes_of(labels);
    const Mixed up = mix_up(images, labels, mix_key(batch, kSeed), {.alpha = 5.f});
    const Mixed cut = cut_mix(images, labels, mix_key(batch, kSeed));
    const bool alone = ++batches == 3;
    EXPECT_EQ(images.size(), alone ? 1u : 4u);
    EXPECT_EQ(bytes_of(images) == before, alone);
    EXPECT_EQ(bytes_of(labels) == labels_before, alone);
    EXPECT_EQ(up.weight == 1.f, alone);
    EXPECT_EQ(alone && cut.weight != 1.f, false);
  }
  EXPECT_EQ(batches, 3);
}

TEST(Mix, ASampleThatFailedIsNotInIt) {
  auto pipeline = pipeline_of({.samples = 4, .failing = 2});
  auto epoch = pipeline.epoch();
  auto batch = epoch.next();
  ASSERT_EQ(batch->ids(), (std::vector<std::int64_t>{0, 1, 3}));
  const auto before = bytes_of(batch->get<0>());
  const Mixed mixed = mix_up(batch->get<0>(), batch->get<1>(), mix_key(*batch, kSeed));
  expect_mix<std::uint8_t>(before, bytes_of(batch->get<0>()), 3, static_cast<double>(mixed.weight),
                           {}, 0.516);
}

TEST(Mix, AnEmptyBatchStaysEmpty) {
  const Mixed up = mix_up(ImageBatch(), TensorBatch(), {}),
              cut = cut_mix(ImageBatch(), TensorBatch(), {});
  EXPECT_EQ(up.weight, 1.f);
  EXPECT_EQ(cut.weight, 1.f);
}

TEST(Mix, IsTheSameForAllThreadsAndDiffersByKey) {
  const auto run = [](int threads, std::uint64_t seed) {
    auto pipeline = pipeline_of({.samples = 40, .threads = threads});
    std::vector<std::vector<std::byte>> all;
    std::vector<float> weights;
    for (int epochs = 0; epochs < 2; ++epochs) {
      for (auto& batch : pipeline.epoch()) {
        auto& [images, labels] = batch;
        weights.push_back(mix_up(images, labels, mix_key(batch, seed), {.alpha = 1.f}).weight);
        weights.push_back(cut_mix(images, labels, mix_key(batch, seed)).weight);
        all.push_back(bytes_of(images));
        all.push_back(bytes_of(labels));
      }
    }
    return std::pair{all, weights};
  };
  const auto one = run(1, kSeed), four = run(4, kSeed), other = run(1, kSeed + 1);
  EXPECT_TRUE(one == four);
  // Each batch of each epoch has its own draws, and another seed has others.
  std::vector<float> weights = one.second;
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NE(weights[i], other.second[i]);
  std::vector<float> ups;
  for (std::size_t i = 0; i < weights.size(); i += 2) ups.push_back(weights[i]);
  std::sort(ups.begin(), ups.end());
  EXPECT_EQ(std::adjacent_find(ups.begin(), ups.end()), ups.end());
}

// With alpha 1, weights are uniform; so are the centers of regions.
TEST(Mix, WeightsAndRegionsAreDrawnAsTheySay) {
  constexpr int kBatches = 4000;
  auto pipeline = pipeline_of({.samples = 2, .batch = 2});
  auto epoch = pipeline.epoch();
  auto batch = epoch.next();
  auto& [images, labels] = *batch;
  double low = 0, left = 0, weights = 0;
  for (int i = 0; i < kBatches; ++i) {
    const MixKey key{kSeed, 0, i};
    low += mix_up(images, labels, key, {.alpha = 1.f}).weight < 0.25f ? 1 : 0;
    const Mixed cut = cut_mix(images, labels, key);
    weights += static_cast<double>(cut.weight);
    left += 2 * cut.region.x + cut.region.width;
    EXPECT_TRUE(cut.region.x >= 0 && cut.region.x + cut.region.width <= 9);
    EXPECT_TRUE(cut.region.y >= 0 && cut.region.y + cut.region.height <= 6);
  }
  EXPECT_NEAR(low, kBatches / 4.0, 3.3 * std::sqrt(kBatches * 3 / 16.0));
  EXPECT_NEAR(left / kBatches, 8, 0.4);  // the middle is 0 to 8
  // Half is left over on average, and more if the rectangle is cut to the image.
  EXPECT_GT(weights / kBatches, 0.6);
  EXPECT_LT(weights / kBatches, 0.8);
}

// Each batch equals the one mixed by hand, in any epoch. An exception of a step costs its batch.
TEST(Mix, AsAStepOfThePipeline) {
  for (const int threads : {1, 2}) {
    auto by_hand = pipeline_of({.threads = threads}), by_step = pipeline_of({.threads = threads});
    std::vector<std::int64_t> seen;
    by_step
        .batch_step([](Batch<Image, Tensor>& batch, const BatchKey& key) {
          mix_up(batch.get<0>(), batch.get<1>(), key);
        })
        .batch_step([&seen](Batch<Image, Tensor>& batch, const BatchKey& key) {
          seen.push_back(key.epoch * 100 + key.batch);
          if (key.epoch == 1 && key.batch == 1) throw std::runtime_error("not this one");
          cut_mix(batch.get<0>(), batch.get<1>(), key);
        });
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto hand = by_hand.epoch(), step = by_step.epoch();
      while (auto expected = hand.next()) {
        if (epoch == 1 && expected->index() == 1) {
          EXPECT_THROW((void)step.next(), std::runtime_error);
          continue;
        }
        const auto& [images, labels] = *expected;
        mix_up(images, labels, mix_key(*expected, kSeed));
        cut_mix(images, labels, mix_key(*expected, kSeed));
        const auto batch = step.next();
        ASSERT_TRUE(batch.has_value());
        EXPECT_EQ(bytes_of(batch->get<0>()), bytes_of(images));
        EXPECT_EQ(bytes_of(batch->get<1>()), bytes_of(labels));
      }
      EXPECT_FALSE(step.next().has_value());
    }
    EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 100, 101, 102}));
  }
}

TEST(Mix, RefusesWhatCannotBe) {
  const auto error_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  auto good = pipeline_of({}), uneven = pipeline_of({.ragged = true}),
       short_one = pipeline_of({.samples = 2, .batch = 2});
  auto a = good.epoch(), b = uneven.epoch(), c = short_one.epoch();
  auto batch = a.next(), ragged = b.next(), two = c.next();
  // Not a structured binding: Clang before 16 cannot capture one.
  const ImageBatch& images = batch->get<0>();
  const TensorBatch& labels = batch->get<1>();
  const auto before = bytes_of(images);
  const struct {
    std::string error, says;
  } cases[] = {
      {error_of([&] { mix_up(images, two->get<1>(), {}); }),
       "mix_up: got 4 images and 2 labels; give those of one batch"},
      {error_of([&] { cut_mix(ragged->get<0>(), ragged->get<1>(), {}); }),
       "cut_mix: the images of a batch must have one shape to be mixed, but sample 0 has"},
      {error_of([&] { mix_up(images, labels, {}, {.alpha = 0.f}); }),
       "mix_up: alpha is 0; it must lie between 1e-06 and 1000"},
      {error_of([&] { cut_mix(images, labels, {}, {.alpha = std::nanf("")}); }),
       "cut_mix: alpha is nan"},
      {error_of([&] { cut_mix(labels, labels, {}); }), "images have 3 dimensions, HWC or CHW"},
  };
  for (const auto& one : cases) EXPECT_NE(one.error.find(one.says), std::string::npos) << one.error;
  EXPECT_EQ(bytes_of(images), before);
}

}  // namespace mix_test
}  // namespace sluice
