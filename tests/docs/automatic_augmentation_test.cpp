// The fragments of docs/automatic-augmentation.md.
#include "setup.h"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace automatic_augmentation_test {

// The images that `change` makes of one with all levels, of 40 samples.
std::set<std::string> made_by(
    const std::function<Value<Image>(Graph& g, Value<Image> image)>& change) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 3, .threads = 2}, [&](Graph& g) {
    auto image = g.source(40, [](const SampleInfo&) {
      Image all(16, 16, 3);
      for (int y = 0; y < 16; ++y) {
        for (int x = 0; x < 48; ++x) all.row(y)[x] = static_cast<std::uint8_t>(16 * y + x / 3);
      }
      return all;
    });
    return change(g, image);
  });
  std::set<std::string> all;
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_TRUE(batch.errors().empty());
    for (const Image& image : batch.get<0>())
      all.emplace(reinterpret_cast<const char*>(image.row(0)), image.row_bytes() * 16);
  }
  return all;
}

TEST(AutomaticAugmentation, RangesAndLists) {
  EXPECT_GT(made_by([](Graph& g, Value<Image> image) {
              image = rand_augment(
                  g, image, {.n = 3, .magnitude = 12},
                  {.ranges = AugmentationRanges::dali, .fill = 0, .excluded = {"solarize"}});
              return image;
            }).size(),
            20u);
  EXPECT_GT(made_by([](Graph& g, Value<Image> image) {
              auto list = rand_augment_list({.excluded = {"posterize", "solarize"}});
              list.push_back({"blur",
                              [](Value<Image> x, Value<float> sigma) {
                                return gaussian_blur(x, {.sigma = sigma});
                              },
                              0.1f, 2.f});
              image = apply_random(g, image, list, {.n = 2, .magnitude = 9});
              return image;
            }).size(),
            20u);
}

TEST(AutomaticAugmentation, PoliciesAndChains) {
  EXPECT_GT(made_by([](Graph& g, Value<Image> image) {
              image = auto_augment(g, image, AutoAugmentPolicy::cifar10,
                                   {.ranges = AugmentationRanges::dali});
              return image;
            }).size(),
            5u);
  const auto own = made_by([](Graph& g, Value<Image> image) {
    const AugmentationPolicy policy = {.sub_policies = {{{"shear_x", 0.9f, 4}, {"invert", 0.2f}},
                                                        {{"equalize", 0.6f}, {"rotate", 0.9f, 3}},
                                                        {{"contrast", 1.f, 7}}},
                                       .bins = 10};
    image = auto_augment(g, image, policy);
    return image;
  });
  // Two signs of each parameter, with and without: the images of this policy can be counted.
  EXPECT_GT(own.size(), 6u);
  EXPECT_LE(own.size(), 6u + 6u + 2u);
  EXPECT_GT(made_by([](Graph& g, Value<Image> image) {
              image = aug_mix(g, image, {.severity = 5, .mixture_width = 4, .chain_depth = 2});
              return image;
            }).size(),
            30u);
}

TEST(AutomaticAugmentation, ViewsOfDino) {
  const PhotosFolder folder;
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 3, .threads = 2}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    const DinoViews views = dino(g, jpeg, {.locals = 4});
    return std::tuple{views.global[0], views.global[1], views.local[0], views.local[3]};
  });
  for (const auto& [global, other, local, last] : pipeline.epoch()) {
    for (std::size_t i = 0; i < global.size(); ++i) {
      EXPECT_EQ(global[i].width(), 224);
      EXPECT_EQ(other[i].height(), 224);
      EXPECT_EQ(local[i].width(), 96);
      EXPECT_EQ(last[i].height(), 96);
    }
  }
}

TEST(AutomaticAugmentation, MixesBatches) {
  const PhotosFolder photos;
  std::filesystem::create_directories("photos/odd");
  for (std::int64_t i = 1; i < kSamples; i += 2) {
    const std::string name = std::to_string(i) + ".jpg";
    std::filesystem::rename("photos/gray/" + name, "photos/odd/" + name);
  }
  std::size_t samples = 0;
  bool between = false;
  const auto train = [&](const TensorBatch& images, const TensorBatch& labels) {
    samples += images.size();
    for (const Tensor& label : labels) {
      const auto* p = label.data<float>();
      EXPECT_NEAR(p[0] + p[1], 1.f, 1e-5f);
      between = between || (p[0] > 0.06f && p[0] < 0.94f);
    }
  };
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"), {.shuffle = true});
    auto image = random_resized_crop(jpeg, {.height = 32, .width = 32});
    return std::tuple{crop_mirror_normalize(image, {}),
                      one_hot(label, {.classes = 2, .smoothing = 0.1f})};
  });
  pipeline.batch_step([](auto& batch, const BatchKey& key) {
    auto& [images, labels] = batch;
    if (random_of(key).below(2) == 0) {
      mix_up(images, labels, key, {.alpha = 0.2f});
    } else {
      cut_mix(images, labels, key, {.alpha = 1.f});
    }
  });
  for (const auto& [images, labels] : pipeline.epoch()) train(images, labels);
  EXPECT_EQ(samples, static_cast<std::size_t>(kSamples));
  EXPECT_TRUE(between);
}

}  // namespace automatic_augmentation_test
}  // namespace sluice::docs
