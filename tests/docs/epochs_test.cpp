// The fragments of docs/epochs.md.
#include "setup.h"

#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace {

TEST(Epochs, ShuffledAndShared) {
  const PhotosFolder photos;
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42}, [](Graph& g) {
    auto [jpeg, label] =
        g.read(files_in("photos"), {.shuffle = true, .shard = shard_of_environment()});
    return std::tuple{resize(decode_jpeg(jpeg), {.width = 32, .height = 32}), label};
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
      return std::tuple{resize(decode_jpeg(jpeg), {.width = 32, .height = 32}), label};
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

}  // namespace
}  // namespace sluice::docs
