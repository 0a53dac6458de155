// The fragments of docs/saved-plans.md.
#include "setup.h"

#include <cstdint>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace saved_plans_test {

TEST(SavedPlansChapter, AreLoadedAgain) {
  const PhotosFolder folder;
  const PipelineOptions options{.batch_size = 5, .seed = 4, .threads = 2};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto small = resize(decode_jpeg(jpeg), {.height = 48, .width = 64});
    auto image = g.if_else(
        g.coin_flip(0.25f), [&] { return invert(small); }, [&] { return small; });
    return std::tuple{image, label};
  });
  pipeline.save("plan.json");
  const SavedPlan plan = load_plan("plan.json");
  auto again = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    return plan.apply<Image, std::int64_t>(jpeg, label);
  });
  auto ours = pipeline.epoch();
  for (const auto& [images, labels] : again.epoch()) {
    const auto batch = ours.next();
    ASSERT_TRUE(batch);
    ASSERT_EQ(images.size(), batch->size());
    for (std::size_t i = 0; i < images.size(); ++i)
      EXPECT_EQ(mean_level(images[i]), mean_level(batch->get<0>()[i]));
  }
}

}  // namespace saved_plans_test
}  // namespace sluice::docs
