#include "tests/io/readers/scratch.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/memory.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace memory_test {

Bytes bytes_of(const std::string& text) {
  return Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::vector<Bytes> three_files() {
  std::vector<Bytes> files;
  for (const char* text : {"one", "", "three"}) files.push_back(bytes_of(text));
  return files;
}

TEST(MemoryTest, SamplesAreCopiesOfWhatWasGiven) {
  const auto memory = memory_in(three_files(), std::vector<std::int64_t>{1, 2, 3},
                                std::vector<std::string>{"a", "b", "c"});
  ASSERT_EQ(memory.size(), 3);
  EXPECT_EQ(memory.name(2), "item 2");
  {
    auto [file, label, text] = memory.read(2);
    EXPECT_EQ(text_of(file) + std::to_string(label) + text, "three3c");
    file.data()[0] = 'T';
  }
  EXPECT_EQ(text_of(std::get<0>(memory.read(2))), "three");
}

TEST(MemoryTest, ImagesAndTensorsAreItemsToo) {
  std::vector<Image> images(1);
  images[0].create(1, 2, 3);
  images[0].row(0)[5] = 77;
  std::vector<Tensor> tensors(1);
  tensors[0].create({2}, DType::f32);
  tensors[0].data<float>()[1] = 0.5f;
  const auto [image] = memory_in(std::move(images)).read(0);
  EXPECT_EQ(image.at(0, 1, 2), 77);
  const auto [tensor, flag] = memory_in(std::move(tensors), std::vector<bool>{true}).read(0);
  EXPECT_EQ(tensor.data<float>()[1], 0.5f);
  EXPECT_TRUE(flag);
}

// Batches keep their content when pipeline and dataset are gone.
TEST(MemoryTest, ABatchOutlivesThePipeline) {
  const auto batch = [] {
    auto pipeline = make_pipeline({.batch_size = 3}, [&](Graph& g) {
      return g.read(memory_in(three_files(), std::vector<std::int64_t>{1, 2, 3}));
    });
    return pipeline.epoch().next();
  }();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(text_of(batch->get<0>()[2]), "three");
}

TEST(MemoryTest, VectorsAreEquallyLong) {
  const auto error = [](std::vector<Bytes> items, std::vector<int> labels) -> std::string {
    try {
      memory_in(std::move(items), std::move(labels));
    } catch (const BuildError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error({}, {}), "memory_in: there are no items");
  EXPECT_EQ(
      error(three_files(), {1, 2}),
      "memory_in: all vectors must have the same size (got 2, expected 3); pass one value for "
      "each item");
}

}  // namespace memory_test
}  // namespace sluice
