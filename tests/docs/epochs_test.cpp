// The fragments of docs/epochs.md.
#include "setup.h"

#include <set>
#include <tuple>

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

}  // namespace
}  // namespace sluice::docs
