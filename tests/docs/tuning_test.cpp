// The programs of docs/tuning.md.
#include "setup.h"

#include <cstdio>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace tuning_test {

void train(const ImageBatch& images, const Items<std::int64_t>&) {
  EXPECT_EQ(images.size(), static_cast<std::size_t>(kSamples));
}

TEST(Tuning, WhereTheTimeGoes) {
  const auto describe = [](Graph& g) {
    auto i = indices(g);
    auto image = g.map("image", image_of, i);
    auto turned = g.if_else(
        i % 4 == 0, [&] { return rotate(image, 15.f); }, [&] { return image; });
    return std::tuple{resize(turned, {.height = 16, .width = 16}), i};
  };
  auto pipeline = make_pipeline({.batch_size = 64, .profile = true}, describe);
  for (const auto& [images, labels] : pipeline.epoch()) train(images, labels);
  std::puts(to_string(pipeline.stats()).c_str());

  const std::string text = to_string(pipeline.stats());
  for (const char* part : {"samples: ", "memory: ", "\nstep ", "\nrotate  ", "\nif_else:then "})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  const std::string drawing = to_dot(pipeline.plan(), pipeline.stats());
  EXPECT_NE(drawing.find("24 runs"), std::string::npos) << drawing;

  const PhotosFolder here;
  {
    auto traced = make_pipeline({.batch_size = 64, .trace = {"trace.json"}}, describe);
    for (const auto& [images, labels] : traced.epoch()) train(images, labels);
  }
  EXPECT_GT(std::filesystem::file_size("trace.json"), 0u);

  const auto threads = std::make_shared<ThreadPool>(8);
  auto training = make_pipeline({.batch_size = 64, .thread_pool = threads}, describe);
  auto validation = make_pipeline({.batch_size = 64, .thread_pool = threads}, describe);
  for (const auto& [images, labels] : training.epoch()) train(images, labels);
  for (const auto& [images, labels] : validation.epoch()) train(images, labels);
}

TEST(Tuning, WhatIsFused) {
  const auto describe = [](Graph& g) {
    auto image = g.map("image", image_of, indices(g));
    auto small = resize(image, {.shorter = 256});
    auto middle = center_crop(small, {.height = 224, .width = 224});
    auto turned = flip(middle, {.horizontal = g.coin_flip(0.5f)});
    return crop_mirror_normalize(turned, {.mean = kImageNetMean, .std = kImageNetStd});
  };
  auto pipeline = make_pipeline({.batch_size = 8}, describe);
  std::int64_t i = 0;
  for (const auto& [tensors] : pipeline.epoch()) {
    for (const Tensor& tensor : tensors)
      EXPECT_EQ(tensor, pipeline.inspect(i++).get<Tensor>("crop_mirror_normalize"));
  }
  EXPECT_EQ(i, kSamples);
  const std::string plan = to_string(pipeline.plan());
  for (const char* part :
       {" resize   [fused into crop_mirror_normalize", " flip   [fused into crop_mirror_normalize",
        "[fused with resize + center_crop + flip; output 0 in place"})
    EXPECT_NE(plan.find(part), std::string::npos) << part << "\n" << plan;
}

TEST(Tuning, WhatIsComposed) {
  const PhotosFolder here;
  const PipelineOptions options{.batch_size = 8, .compose = true};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto sheared = shear(decode_jpeg(jpeg), {.x = g.uniform(-0.3f, 0.3f)});
    auto turned = rotate(sheared, g.uniform(-30.f, 30.f), {.keep_size = true});
    return translate(turned, {.x = g.uniform(-20.f, 20.f)});
  });
  std::int64_t samples = 0;
  for (const auto& [images] : pipeline.epoch()) samples += static_cast<std::int64_t>(images.size());
  EXPECT_EQ(samples, pipeline.samples());
  const std::string plan = pipeline.explain();
  for (const char* part : {" shear   [composed into translate]", " -> %9 translate's map   [",
                           " translate   [composed of shear + rotate + translate"})
    EXPECT_NE(plan.find(part), std::string::npos) << part << "\n" << plan;
}

}  // namespace tuning_test
}  // namespace sluice::docs
