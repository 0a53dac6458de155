// Types, shapes, strides, and the ownership of elements.
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace tensor_test {

struct Type {
  DType dtype;
  std::size_t size;
  const char* name;
};
constexpr std::array<Type, 11> kTypes{{{DType::u8, 1, "u8"},
                                       {DType::i8, 1, "i8"},
                                       {DType::i16, 2, "i16"},
                                       {DType::u16, 2, "u16"},
                                       {DType::i32, 4, "i32"},
                                       {DType::i64, 8, "i64"},
                                       {DType::f16, 2, "f16"},
                                       {DType::bf16, 2, "bf16"},
                                       {DType::f32, 4, "f32"},
                                       {DType::f64, 8, "f64"},
                                       {DType::boolean, 1, "bool"}}};

Shape shape_of_rank(int rank) {
  Shape shape;
  shape.rank = rank;
  for (int axis = 0; axis < rank; ++axis) shape.dims[static_cast<std::size_t>(axis)] = axis + 2;
  return shape;
}

// Numbers each byte differently, as far as bytes can.
void number(Tensor& tensor) {
  for (std::size_t i = 0; i < tensor.nbytes(); ++i)
    tensor.bytes()[i] = static_cast<std::byte>(i + 1);
}

TEST(Tensor, HasAnyTypeAndUpToSixDimensions) {
  for (const Type& type : kTypes) {
    EXPECT_EQ(size_of(type.dtype), type.size);
    EXPECT_STREQ(name_of(type.dtype), type.name);
    for (int rank = 0; rank <= Shape::kMaxRank; ++rank) {
      const Shape shape = shape_of_rank(rank);
      Tensor tensor(shape, type.dtype);
      number(tensor);
      EXPECT_TRUE(tensor.contiguous());
      EXPECT_EQ(tensor.nbytes(), static_cast<std::size_t>(tensor.elements()) * type.size);
      EXPECT_EQ(tensor.place(), MemoryPlace{});
      EXPECT_EQ(tensor.resource(), host_memory().get());
      for (int axis = 0; axis < rank; ++axis) {
        const std::int64_t next = axis + 1 < rank ? tensor.strides()[axis + 1] : 1;
        EXPECT_EQ(tensor.strides()[static_cast<std::size_t>(axis)],
                  axis + 1 < rank ? next * shape[axis + 1] : 1);
      }
      const Tensor copy = tensor.clone();
      EXPECT_NE(copy.bytes(), std::as_const(tensor).bytes());
      EXPECT_TRUE(copy == tensor) << type.name << ", " << rank;
      const Tensor moved = std::move(tensor);
      EXPECT_TRUE(tensor.empty());  // NOLINT(bugprone-use-after-move)
      EXPECT_EQ(tensor.shape(), Shape());
      EXPECT_TRUE(copy == moved);
    }
  }
  EXPECT_THROW(Shape({1, 2, 3, 4, 5, 6, 7}), std::invalid_argument);
}

template <class T>
void expect_typed(DType dtype) {
  Tensor tensor({3}, dtype);
  tensor.data<T>()[2] = T{};
  EXPECT_EQ(static_cast<void*>(tensor.data<T>()), tensor.bytes());
  for (const Type& type : kTypes) {
    if (type.dtype == dtype) continue;
    EXPECT_THROW((void)Tensor({1}, type.dtype).data<T>(), std::invalid_argument) << type.name;
  }
}
TEST(Tensor, GivesItsElementsAsTheirTypeOnly) {
  expect_typed<std::uint8_t>(DType::u8);
  expect_typed<std::int8_t>(DType::i8);
  expect_typed<std::int16_t>(DType::i16);
  expect_typed<std::uint16_t>(DType::u16);
  expect_typed<std::int32_t>(DType::i32);
  expect_typed<std::int64_t>(DType::i64);
  expect_typed<Half>(DType::f16);
  expect_typed<BFloat16>(DType::bf16);
  expect_typed<float>(DType::f32);
  expect_typed<double>(DType::f64);
  expect_typed<bool>(DType::boolean);
}

TEST(Tensor, HonorsStrides) {
  std::vector<std::int32_t> all(24);
  std::iota(all.begin(), all.end(), 0);
  struct Case {
    const char* name;
    std::ptrdiff_t first;
    Shape shape;
    Strides strides;
    bool contiguous;
    std::vector<std::int32_t> elements;
  };
  for (const Case& c : {
           Case{"as they lie", 0, {2, 3}, {3, 1}, true, {0, 1, 2, 3, 4, 5}},
           Case{"transposed", 0, {3, 2}, {1, 3}, false, {0, 3, 1, 4, 2, 5}},
           Case{"gaps between rows", 1, {2, 2}, {4, 1}, false, {1, 2, 5, 6}},
           Case{"every other one", 0, {3}, {2}, false, {0, 2, 4}},
           Case{"backwards", 5, {3}, {-1}, false, {5, 4, 3}},
           Case{"one for all", 7, {3}, {0}, false, {7, 7, 7}},
           Case{"one element has no neighbor", 4, {1, 2, 1}, {99, 1, 77}, true, {4, 5}},
           Case{"scalar", 9, {}, {}, true, {9}},
           Case{"nothing", 0, {2, 0}, {17, 5}, true, {}},
           Case{"three in turn", 0, {2, 2, 2}, {1, 12, 6}, false, {0, 6, 12, 18, 1, 7, 13, 19}},
       }) {
    const ValueSpec spec{c.shape, DType::i32, Layout::none};
    Tensor tensor =
        Tensor::view(reinterpret_cast<std::byte*>(all.data() + c.first), spec, c.strides);
    EXPECT_EQ(tensor.contiguous(), c.contiguous) << c.name;
    const Tensor copy = tensor.clone();
    EXPECT_TRUE(copy.contiguous());
    const auto* const elements = copy.data<std::int32_t>();
    EXPECT_EQ(std::vector<std::int32_t>(elements, elements + copy.elements()), c.elements)
        << c.name;
    EXPECT_TRUE(copy == tensor) << c.name;
    EXPECT_TRUE(tensor == copy) << c.name;
    EXPECT_TRUE(tensor == tensor.share()) << c.name;
    tensor.own();
    EXPECT_TRUE(tensor.contiguous());
    EXPECT_FALSE(tensor.is_view());
    EXPECT_TRUE(copy == tensor) << c.name;
  }
}

TEST(Tensor, SlicesOfStridedTensorsAreThoseOfTheirCopies) {
  std::vector<std::int16_t> all(60);
  std::iota(all.begin(), all.end(), std::int16_t{0});
  const Tensor strided = Tensor::view(reinterpret_cast<std::byte*>(all.data() + 2),
                                      {{3, 2, 4}, DType::i16, Layout::none}, {1, 30, 5});
  const Tensor dense = strided.clone();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Tensor> slices;
    for (std::int64_t i = 0; i < strided.shape()[axis]; ++i) {
      Tensor slice, expected;
      take_slice(strided, axis, i, slice);
      take_slice(dense, axis, i, expected);
      EXPECT_TRUE(slice == expected) << axis << ", " << i;
      slices.push_back(std::move(slice));
    }
    Tensor stacked;
    stack_slices(slices, axis, stacked);
    EXPECT_TRUE(stacked == dense) << axis;
  }
  std::vector<Tensor> two;
  for (int i = 0; i < 2; ++i) {
    two.push_back(
        Tensor::view(const_cast<std::byte*>(strided.bytes()), strided.spec(), strided.strides()));
  }
  Tensor stacked, first;
  stack_slices(two, 3, stacked);
  take_slice(stacked, 3, 1, first);
  EXPECT_TRUE(first == dense);
}

// Memory that records when it is released, and where.
struct Lender {
  std::vector<std::byte> memory = std::vector<std::byte>(64);
  int returned = 0;
  std::thread::id on;
  std::shared_ptr<void> lend() {
    return std::shared_ptr<void>(memory.data(), [this](void*) {
      ++returned;
      on = std::this_thread::get_id();
    });
  }
  Tensor tensor() { return Tensor::shared(lend(), memory.data(), {{4}, DType::f32}); }
};

TEST(Tensor, SharesWhatIsSomebodyElses) {
  Lender lender;
  Tensor tensor = lender.tensor();
  EXPECT_FALSE(tensor.is_view());
  EXPECT_EQ(tensor.resource(), nullptr);
  tensor.own();  // shared elements stay where they are
  EXPECT_EQ(tensor.bytes(), lender.memory.data());
  Tensor other = tensor.share();
  tensor.data<float>()[3] = 2.f;
  EXPECT_EQ(other.data<float>()[3], 2.f);
  tensor.release();
  EXPECT_EQ(lender.returned, 0);
  Tensor third = std::move(other);
  std::thread::id last;
  std::thread([&, t = std::move(third)]() mutable {
    last = std::this_thread::get_id();
    t = Tensor({2}, DType::u8);
  }).join();
  EXPECT_EQ(lender.returned, 1);
  EXPECT_EQ(lender.on, last);
  EXPECT_THROW(Tensor::shared(nullptr, lender.memory.data(), {{4}, DType::f32}),
               std::invalid_argument);
  EXPECT_EQ(lender.returned, 1);
  EXPECT_THROW(Tensor::shared(lender.lend(), nullptr, {{4}, DType::f32}), std::invalid_argument);
  EXPECT_EQ(lender.returned, 2);
}

TEST(Tensor, SharesWhatIsItsOwn) {
  BufferPool pool;
  {
    const BufferPoolScope scope(pool);
    Tensor tensor({100}, DType::u8);
    number(tensor);
    const std::byte* const at = tensor.bytes();
    Tensor other = tensor.share();
    Tensor third = other.share();
    EXPECT_EQ(other.bytes(), at);
    EXPECT_EQ(tensor.bytes(), at);
    EXPECT_FALSE(tensor.is_view());
    tensor.create({3}, DType::f64);  // releases the elements that the others hold
    EXPECT_NE(tensor.bytes(), at);
    EXPECT_EQ(third.data<std::uint8_t>()[99], 100);
    other.release();
    EXPECT_EQ(third.data<std::uint8_t>()[0], 1);
    Tensor nothing;
    EXPECT_TRUE(nothing.share().empty());
    EXPECT_TRUE(Tensor::view(third.bytes(), third.spec()).share().is_view());
  }
  EXPECT_EQ(pool.stats().bytes_in_use, 0u);
}

TEST(Tensor, MovedOntoItselfOrAViewOfItselfKeepsTheMemory) {
  for (const bool shared : {false, true}) {
    Lender lender;
    Tensor tensor = shared ? lender.tensor() : Tensor({4}, DType::f32);
    std::iota(tensor.data<float>(), tensor.data<float>() + 4, 1.f);
    Tensor& same = tensor;
    tensor = std::move(same);
    EXPECT_EQ(tensor.data<float>()[3], 4.f);
    tensor = Tensor::view(tensor.bytes() + 4, {{3}, DType::f32});
    EXPECT_FALSE(tensor.is_view());
    tensor = Tensor::view(tensor.bytes() + 4, {{2}, DType::f32});
    EXPECT_FALSE(tensor.is_view());
    EXPECT_EQ(tensor.data<float>()[1], 4.f);
    EXPECT_EQ(lender.returned, 0);
    tensor = Tensor();
    EXPECT_EQ(lender.returned, shared ? 1 : 0);
  }
}

TEST(Tensor, ThatMustNotBeWrittenIsReadAsAConst) {
  Tensor tensor({4}, DType::i32);
  tensor.data<std::int32_t>()[0] = 5;
  tensor.make_read_only();
  EXPECT_THROW((void)tensor.data<std::int32_t>(), std::logic_error);
  EXPECT_THROW((void)tensor.bytes(), std::logic_error);
  EXPECT_EQ(std::as_const(tensor).data<std::int32_t>()[0], 5);
  EXPECT_TRUE(tensor.share().read_only());
  Tensor copy = tensor.clone();
  copy.data<std::int32_t>()[0] = 6;
  Tensor moved = std::move(tensor);
  EXPECT_TRUE(moved.read_only());
  moved.create({4}, DType::i32);
  moved.data<std::int32_t>()[0] = 7;
}

TEST(Tensor, OfADeviceIsNotReadByTheProcessor) {
  auto at = std::make_shared<int>();
  const ValueSpec spec{{1}, DType::i32};
  const Tensor tensor = Tensor::shared(at, reinterpret_cast<std::byte*>(at.get()), spec,
                                       contiguous_strides(spec.shape), {MemoryKind::device, 2});
  EXPECT_EQ(to_string(tensor.place()), "device memory of device 2");
  EXPECT_EQ(to_string(MemoryPlace{}), "host memory");
  EXPECT_THROW((void)tensor.clone(), std::logic_error);
  EXPECT_THROW((void)(tensor == tensor), std::logic_error);
}

// Memory of a kind of its own, which counts.
class Counted : public MemoryResource {
 public:
  using MemoryResource::MemoryResource;
  void* allocate(std::size_t bytes, std::size_t alignment) override {
    out += static_cast<std::int64_t>(bytes);
    return host_memory()->allocate(bytes, alignment);
  }
  void deallocate(void* at, std::size_t bytes, std::size_t alignment) noexcept override {
    out -= static_cast<std::int64_t>(bytes);
    host_memory()->deallocate(at, bytes, alignment);
  }
  std::int64_t out = 0;
};

TEST(Tensor, OfAPoolKnowsWhereThePoolHasItsMemory) {
  const auto pinned = std::make_shared<Counted>(MemoryPlace{MemoryKind::pinned, 1});
  Tensor tensor;
  {
    BufferPool pool(pinned);
    const BufferPoolScope scope(pool);
    for (const std::int64_t size : {100, 5000, 64, 100000, 3}) Tensor({size}, DType::i16);
    tensor.create({50}, DType::u8);
    EXPECT_EQ(tensor.place(), (MemoryPlace{MemoryKind::pinned, 1}));
    EXPECT_EQ(tensor.resource(), pinned.get());
    pool.trim();
    EXPECT_GT(pinned->out, 0);
  }
  tensor.release();
  EXPECT_EQ(tensor.place(), MemoryPlace{});
  EXPECT_EQ(pinned->out, 0);
  EXPECT_THROW(BufferPool{nullptr}, std::invalid_argument);
}

}  // namespace tensor_test
}  // namespace sluice
