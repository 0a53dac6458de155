// A value that no longer has the spec of its place in the batch.
#include <sluice/graph/exec/column.h>
#include <sluice/runtime/batch_memory.h>

#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace column_test {

TEST(ImageColumn, CopiesAPartOfWhatTheCellHolds) {
  BufferPool pool;
  BatchHistory history;
  history.last_dense = true;
  history.largest_dense = 1000;
  // Cell 0 lies in the block, cell 1 in memory of its own. Of cell 1, a part as large as a cell of
  // the block, and a smaller one.
  for (const int side : {4, 2}) {
    ImageColumn column(2, {.pool = &pool}, history);
    std::vector<Image> images;
    for (const int size : {4, 8}) {
      std::byte* const at = column.place(images.size(), {{size, size, 1}, DType::u8, Layout::hwc});
      images.push_back(
          Image::view(reinterpret_cast<std::uint8_t*>(at), size, size, 1, std::ptrdiff_t{size}));
      std::iota(images.back().data(), images.back().data() + size * size, std::uint8_t{0});
    }
    images[1].narrow(8 - side, 8 - side, side, side);
    for (std::size_t cell = 0; cell < 2; ++cell) column.emit(cell, &images[cell], true);
    const std::vector<std::uint32_t> all{0, 1};
    column.finish(all, 0);
    const ImageBatch batch(column.take());
    EXPECT_EQ(batch.dense(), side == 4);
    EXPECT_EQ(batch[0].at(3, 3, 0), 15);
    ASSERT_EQ(batch[1].height(), side);
    ASSERT_EQ(batch[1].width(), side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x)
        EXPECT_EQ(batch[1].at(y, x, 0), (8 - side + y) * 8 + 8 - side + x);
    }
  }
}

TEST(TensorColumn, TellsALayoutFromAnother) {
  BufferPool pool;
  BatchHistory history;
  TensorColumn column(1, {.pool = &pool}, history);
  std::byte* const at = column.place(0, {{2, 3, 1}, DType::u8, Layout::hwc});
  Tensor tensor = Tensor::view(at, {{2, 3, 1}, DType::u8, Layout::chw});
  std::iota(tensor.data<std::uint8_t>(), tensor.data<std::uint8_t>() + 6, std::uint8_t{0});
  column.emit(0, &tensor, true);
  const std::vector<std::uint32_t> all{0};
  column.finish(all, 0);
  const TensorBatch batch(column.take());
  EXPECT_EQ(batch[0].layout(), Layout::chw);
  EXPECT_EQ(batch[0].data<std::uint8_t>()[5], 5);
}

}  // namespace column_test
}  // namespace sluice::detail
