// Batches that are handed over: handles that outlive batch and pipeline, and consumers that know
// only DLPack.
#include "tests/failing_allocations.h"
#include "tests/graph/sources.h"
#include "tests/runtime/published_dlpack.h"
#include <sluice/graph/pipeline.h>
#include <sluice/runtime/dlpack.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace hand_over_test {

// Consumes a tensor as foreign C code does: reads it by the interface alone, and frees it.
extern "C" std::int64_t sum_and_free(DLManagedTensor* managed) {
  const DLTensor& t = managed->dl_tensor;
  std::int64_t sum = 0;
  std::vector<std::int64_t> at(static_cast<std::size_t>(t.ndim), 0);
  for (bool more = true; more;) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < t.ndim; ++axis) {
      offset += at[static_cast<std::size_t>(axis)] * t.strides[axis];
    }
    const auto* const data = static_cast<const char*>(t.data) + t.byte_offset;
    if (t.dtype.code == kDLUInt && t.dtype.bits == 8)
      sum += reinterpret_cast<const std::uint8_t*>(data)[offset];
    if (t.dtype.code == kDLInt && t.dtype.bits == 64)
      sum += reinterpret_cast<const std::int64_t*>(data)[offset];
    int axis = t.ndim - 1;
    while (axis >= 0 && ++at[static_cast<std::size_t>(axis)] == t.shape[axis])
      at[static_cast<std::size_t>(axis--)] = 0;
    more = axis >= 0;
  }
  managed->deleter(managed);
  return sum;
}

// Images filled with their index, of one size or not; and tensors of three such numbers.
auto image_pipeline(bool ragged, std::int64_t samples = 8) {
  return make_pipeline({.batch_size = 4, .threads = 2}, [=](Graph& g) {
    auto i = indices(g, samples);
    auto image = g.map_into<Image>(
        "image",
        [ragged](std::int64_t x, Image& out) {
          out.create(2, ragged ? 3 + static_cast<int>(x % 2) : 3, 1);
          std::memset(out.data(), static_cast<int>(x), 2 * out.row_bytes());
        },
        i);
    auto tensor = g.map_into<Tensor>(
        "tensor",
        [](std::int64_t x, Tensor& out) {
          out.create({3}, DType::i64);
          for (int k = 0; k < 3; ++k) out.data<std::int64_t>()[k] = x;
        },
        i);
    return std::tuple{image, tensor};
  });
}

TEST(HandOver, BatchesTellWhatTheyAre) {
  auto pipeline = image_pipeline(false);
  for (const auto& [images, tensors] : pipeline.epoch()) {
    EXPECT_EQ(images.dtype(), DType::u8);
    EXPECT_EQ(images.shape(), (Shape{4, 2, 3, 1}));
    EXPECT_EQ(images.strides(), (Strides{6, 3, 1, 1}));
    EXPECT_EQ(images.nbytes(), 24u);
    EXPECT_EQ(images.place(), MemoryPlace{});
    EXPECT_EQ(tensors.dtype(), DType::i64);
    EXPECT_EQ(tensors.shape(), (Shape{4, 3}));
    EXPECT_EQ(tensors.strides(), (Strides{3, 1}));
    EXPECT_EQ(tensors.nbytes(), 96u);
    EXPECT_EQ(tensors.data(), tensors.data<std::int64_t>());
    EXPECT_EQ(tensors.tensor().bytes(), tensors.data());
    EXPECT_EQ(images.tensor(2).layout(), Layout::hwc);
    EXPECT_EQ(images.image(2).data(), images.data() + 12);
    EXPECT_THROW((void)images.tensor(4), std::out_of_range);
    EXPECT_THROW((void)images.image(4), std::out_of_range);
  }
  auto ragged = image_pipeline(true);
  for (const auto& [images, tensors] : ragged.epoch()) {
    EXPECT_EQ(images.dtype(), DType::u8);
    EXPECT_EQ(images.tensor(1).shape(), (Shape{2, 4, 1}));
    EXPECT_THROW((void)images.tensor(), std::logic_error);
    EXPECT_THROW((void)images.strides(), std::logic_error);
    EXPECT_THROW((void)images.nbytes(), std::logic_error);
  }
  const ImageBatch none;
  EXPECT_THROW((void)none.dtype(), std::logic_error);
  EXPECT_THROW((void)none.tensor(), std::logic_error);
  EXPECT_THROW((void)none.tensor(0), std::out_of_range);
  EXPECT_THROW((void)TensorBatch().data(), std::logic_error);
}

// Columns, tensors of them and of single samples, and copies of these, in all orders of going.
TEST(HandOver, WhatIsHeldOutlivesBatchAndPipeline) {
  for (const bool ragged : {false, true}) {
    ImageBatch images;
    Tensor one, all;
    Image image;
    {
      auto pipeline = image_pipeline(ragged);
      auto epoch = pipeline.epoch();
      (void)epoch.next();
      auto batch = epoch.next();
      images = batch->get<0>();
      all = batch->get<1>().tensor();
      one = batch->get<1>().tensor(3);
      image = batch->get<0>().image(1);
    }
    const ImageBatch copy = images;
    EXPECT_EQ(copy[2].data(), images[2].data());
    images = ImageBatch();
    EXPECT_EQ(copy.at(3).at(1, 2, 0), 7);
    EXPECT_EQ(image.at(1, 2, 0), 5);
    EXPECT_EQ(all.data<std::int64_t>()[11], 7);
    all.release();
    EXPECT_EQ(one.data<std::int64_t>()[2], 7);
    Image moved = std::move(image);
    moved.own();  // shares them, so that nothing is copied
    EXPECT_EQ(moved.data(), copy[1].data());
  }
}

TEST(HandOver, HandlesAllocateNothing) {
  std::optional<Batch<Image, Tensor>> batch;
  {
    auto pipeline = image_pipeline(false);
    batch = pipeline.epoch().next();
  }
  const auto& [images, tensors] = *batch;
  const std::uint64_t before = testing::allocations();
  {
    Tensor all = images.tensor();
    const Tensor one = tensors.tensor(1);
    const Tensor other = all.share();
    const Image image = images.image(2);
    const ImageBatch copy = images;
    Image back(std::move(Image(images.tensor(3))).tensor());
    back.own();
  }
  EXPECT_EQ(testing::allocations(), before);
}

// The same values as each type of number, column by column.
template <class... Ts>
auto numbers_of_types() {
  return make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    const auto i = indices(g, 6);
    return std::tuple{g.map(
        "number", [](std::int64_t x) { return Ts(static_cast<float>(x % 2)); }, i)...};
  });
}

template <class T>
void expect_alternates(Tensor&& tensor, std::int64_t size) {
  EXPECT_EQ(tensor.dtype(), dtype_of<T>::value);
  EXPECT_EQ(tensor.shape(), (Shape{size}));
  EXPECT_TRUE(tensor.contiguous());
  EXPECT_FALSE(tensor.is_view());
  const Tensor& elements = tensor;
  for (std::int64_t i = 0; i < size; ++i)
    EXPECT_EQ(static_cast<float>(elements.data<T>()[i]), static_cast<float>(i % 2));
  DLManagedTensor* const managed = to_dlpack(std::move(tensor));
  EXPECT_EQ(managed->dl_tensor.ndim, 1);
  EXPECT_EQ(managed->dl_tensor.shape[0], size);
  EXPECT_EQ(managed->dl_tensor.dtype.bits, 8 * sizeof(T));
  managed->deleter(managed);
}

template <class... Ts>
void expect_columns_are_tensors() {
  std::vector<Batch<Ts...>> batches;
  {
    auto pipeline = numbers_of_types<Ts...>();
    for (auto& batch : pipeline.epoch()) batches.push_back(std::move(batch));
  }
  ASSERT_EQ(batches.size(), 2u);
  const std::uint64_t before = testing::allocations();
  std::array<Tensor, sizeof...(Ts)> tensors;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((tensors[I] = batches[0].template get<I>().tensor()), ...);
    EXPECT_EQ(testing::allocations(), before);
    const auto expect_same = [](const void* at, const void* wanted) { EXPECT_EQ(at, wanted); };
    (expect_same(tensors[I].bytes(), batches[0].template get<I>().data()), ...);
    batches.erase(batches.begin());
    (expect_alternates<Ts>(std::move(tensors[I]), 4), ...);
    (expect_alternates<Ts>(batches[0].template get<I>().tensor(), 2), ...);
  }
  (std::index_sequence_for<Ts...>());
}

TEST(HandOver, ColumnsOfNumbersAreTensorsThatOutliveThem) {
  expect_columns_are_tensors<std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::int64_t,
                             Half, float, double, bool>();
  EXPECT_THROW((void)Items<float>().tensor(), std::logic_error);
}

template <class T>
constexpr bool kBecomesTensor = requires(const Items<T>& items) {
  items.tensor();
};
static_assert(kBecomesTensor<float> && !kBecomesTensor<std::string> &&
              !kBecomesTensor<std::uint32_t>);

TEST(HandOver, AColumnWithoutValuesIsATensorWithoutElements) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    const auto i = indices(g, 4);
    g.filter(g.map(
        "none", [](std::int64_t x) { return x < 0; }, i));
    return i;
  });
  for (const auto& [numbers] : pipeline.epoch()) {
    const Tensor none = numbers.tensor();
    EXPECT_EQ(none.shape(), (Shape{0}));
    EXPECT_EQ(none.elements(), 0);
  }
}

struct alignas(64) Wide {
  std::int64_t number = 0;
};

TEST(HandOver, ColumnsAreAlignedAsTheirTypeSays) {
  auto pipeline = make_pipeline({.batch_size = 3}, [](Graph& g) {
    return g.map(
        "wide", [](std::int64_t x) { return Wide{x}; }, indices(g, 9));
  });
  for (const auto& [wide] : pipeline.epoch())
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide.data()) % alignof(Wide), 0u);
}

TEST(HandOver, AnotherConsumerFreesItOnAnotherThread) {
  for (const bool ragged : {false, true}) {
    std::vector<DLManagedTensor*> handed;
    {
      auto pipeline = image_pipeline(ragged);
      for (const auto& [images, tensors] : pipeline.epoch()) {
        handed.push_back(to_dlpack(tensors.tensor()));
        if (images.dense()) handed.push_back(to_dlpack(images.tensor()));
        for (std::size_t i = 0; i < images.size(); ++i)
          handed.push_back(to_dlpack(images.tensor(i)));
      }
    }
    std::int64_t sum = 0;
    std::thread([&] {
      for (DLManagedTensor* const managed : handed) sum += sum_and_free(managed);
    }).join();
    // 0 + ... + 7 three times, and each image's six pixels, or eight, once or twice.
    EXPECT_EQ(sum, ragged ? 3 * 28 + 6 * 12 + 8 * 16 : 3 * 28 + 2 * 6 * 28);
  }
}

}  // namespace hand_over_test
}  // namespace sluice
