// The fragments of docs/epochs.md.
#include "setup.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace epochs_test {

TEST(Epochs, ShuffledAndShared) {
  const PhotosFolder photos;
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42}, [](Graph& g) {
    auto [jpeg, label] =
        g.read(files_in("photos"), {.shuffle = true, .shard = shard_of_environment()});
    return std::tuple{resize(decode_jpeg(jpeg), {.height = 32, .width = 32}), label};
  });
  std::vector<std::int64_t> first, second;
  for (auto* epoch : {&first, &second}) {
    for (const auto& batch : pipeline.epoch()) {
      for (const SampleKey& key : batch.keys()) epoch->push_back(key.index);
    }
  }
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), first.size());
  EXPECT_FALSE(first.empty());
  EXPECT_NE(first, second);
}

TEST(Epochs, Resumed) {
  const PhotosFolder photos;
  std::vector<std::int64_t> seen;
  const auto train = [&seen](const auto& batch) { seen.push_back(batch.index()); };
  const auto pipeline_from = [](const std::optional<Checkpoint>& from) {
    return make_pipeline({.batch_size = 8, .seed = 42, .resume = from}, [](Graph& g) {
      auto [jpeg, label] = g.read(files_in("photos"), {.shuffle = true});
      return std::tuple{resize(decode_jpeg(jpeg), {.height = 32, .width = 32}), label};
    });
  };
  auto first = pipeline_from({});
  for (const auto& batch : first.epoch()) {
    if (batch.index() == 1) break;  // the power fails, say
  }
  first.checkpoint().save("run.json");

  auto second = pipeline_from(Checkpoint::load("run.json"));
  for (const auto& batch : second.epoch()) train(batch);  // batches 2, 3, ... of epoch 0
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front(), 2);
}

TEST(Epochs, ALoaderForTraining) {
  const PhotosFolder photos;
  const char* folder = "photos";
  std::vector<std::int64_t> seen;
  bool stops = true;
  const auto train = [&](const auto& batch) {
    if (stops && batch.epoch() == 1) throw std::runtime_error("the power fails");
    for (const SampleKey& key : batch.keys()) seen.push_back(key.epoch * kSamples + key.index);
  };
  const auto run = [&](std::int64_t epochs) {
    const Rank rank = rank_of_environment();
    const std::string saved = "run.json";  // of the first process, for all
    PipelineOptions options{.batch_size = 8, .seed = 42, .on_error = OnError::replace};
    if (std::filesystem::exists(saved)) options.resume = Checkpoint::load(saved);

    auto pipeline = make_pipeline(options, [&](Graph& g) {
      auto [jpeg, label] = g.read(
          files_in(folder),
          {.shuffle = true, .shard = {rank.index, rank.count}, .uneven = UnevenShards::wrap});
      auto image = random_resized_crop(jpeg, {.height = 224, .width = 224});
      auto input = crop_mirror_normalize(image, {.mirror = g.coin_flip(),
                                                 .mean = kImageNetMean,
                                                 .std = kImageNetStd,
                                                 .dtype = DType::f16});
      return std::tuple{input, label};
    });
    while (pipeline.next_epoch() < epochs) {
      for (const auto& batch : pipeline.epoch()) {
        train(batch);
        if (rank.index == 0 && batch.index() % 100 == 99) pipeline.checkpoint().save(saved);
      }
      if (rank.index == 0) pipeline.checkpoint().save(saved);  // the next epoch
    }
  };
  EXPECT_THROW(run(3), std::runtime_error);
  stops = false;
  run(3);
  std::sort(seen.begin(), seen.end());
  std::vector<std::int64_t> all(3 * kSamples);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

}  // namespace epochs_test
}  // namespace sluice::docs
