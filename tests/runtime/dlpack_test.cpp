// Tensors that are exchanged with others by DLPack: what the consumers see, who frees what, when.
#include "tests/runtime/published_dlpack.h"
#include <sluice/runtime/dlpack.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace dlpack_test {

struct Type {
  DType dtype;
  DLDataType theirs;
};
constexpr std::array<Type, 11> kTypes{{{DType::u8, {kDLUInt, 8, 1}},
                                       {DType::i8, {kDLInt, 8, 1}},
                                       {DType::i16, {kDLInt, 16, 1}},
                                       {DType::u16, {kDLUInt, 16, 1}},
                                       {DType::i32, {kDLInt, 32, 1}},
                                       {DType::i64, {kDLInt, 64, 1}},
                                       {DType::f16, {kDLFloat, 16, 1}},
                                       {DType::bf16, {kDLBfloat, 16, 1}},
                                       {DType::f32, {kDLFloat, 32, 1}},
                                       {DType::f64, {kDLFloat, 64, 1}},
                                       {DType::boolean, {kDLBool, 8, 1}}}};

Shape shape_of_rank(int rank) {
  Shape shape;
  shape.rank = rank;
  for (int axis = 0; axis < rank; ++axis) shape.dims[static_cast<std::size_t>(axis)] = axis + 1;
  return shape;
}

void expect_shows(const DLTensor& shown, const Type& type, const Tensor& tensor,
                  const std::byte* at) {
  EXPECT_EQ(shown.data, at);
  EXPECT_EQ(shown.byte_offset, 0u);
  EXPECT_EQ(shown.device.device_type, kDLCPU);
  EXPECT_EQ(shown.device.device_id, 0);
  EXPECT_EQ(shown.dtype.code, type.theirs.code);
  EXPECT_EQ(shown.dtype.bits, type.theirs.bits);
  EXPECT_EQ(shown.dtype.lanes, 1);
  ASSERT_EQ(shown.ndim, tensor.shape().rank);
  for (int axis = 0; axis < shown.ndim; ++axis) {
    EXPECT_EQ(shown.shape[axis], tensor.shape()[axis]);
    EXPECT_EQ(shown.strides[axis], tensor.strides()[static_cast<std::size_t>(axis)]);
  }
}

TEST(Dlpack, GoesOutAndComesBackInBothForms) {
  for (const Type& type : kTypes) {
    for (int rank = 0; rank <= Shape::kMaxRank; ++rank) {
      BufferPool pool;
      {
        const BufferPoolScope scope(pool);
        Tensor tensor(shape_of_rank(rank), type.dtype, Layout::none);
        std::memset(tensor.bytes(), rank + 1, tensor.nbytes());
        const std::byte* const at = tensor.bytes();
        const Tensor copy = tensor.clone();
        DLManagedTensor* const first = to_dlpack(std::move(tensor));
        EXPECT_TRUE(tensor.empty());  // NOLINT(bugprone-use-after-move)
        expect_shows(first->dl_tensor, type, copy, at);
        Tensor between = from_dlpack(first);
        EXPECT_EQ(between.bytes(), at);
        EXPECT_TRUE(between == copy);
        DLManagedTensorVersioned* const second = to_dlpack_versioned(std::move(between));
        expect_shows(second->dl_tensor, type, copy, at);
        EXPECT_EQ(second->version.major, 1u);
        EXPECT_EQ(second->flags, 0u);
        const Tensor back = from_dlpack(second);
        EXPECT_EQ(back.bytes(), at);
        EXPECT_TRUE(back == copy);
      }
      EXPECT_EQ(pool.stats().bytes_in_use, 0u) << rank;
    }
  }
}

TEST(Dlpack, RefusesToHandOverWhatItCannot) {
  const auto refusal = [](const auto& hand_over, Tensor&& tensor) -> std::string {
    const bool empty = tensor.empty();
    try {
      auto* managed = hand_over(std::move(tensor));
      managed->deleter(managed);
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(tensor.empty(), empty);  // NOLINT(bugprone-use-after-move): it keeps what it has
      return error.what();
    }
    return "";
  };
  const auto unversioned = [](Tensor&& t) { return to_dlpack(std::move(t)); };
  const auto versioned = [](Tensor&& t) { return to_dlpack_versioned(std::move(t)); };
  const auto contains = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  Tensor tensor({4}, DType::f32);
  std::memset(tensor.bytes(), 0, 16);
  EXPECT_TRUE(contains(refusal(unversioned, Tensor()), "an empty tensor"));
  EXPECT_TRUE(contains(refusal(versioned, Tensor()), "an empty tensor"));
  EXPECT_TRUE(contains(refusal(unversioned, Tensor::view(tensor.bytes(), tensor.spec())),
                       "a view cannot be exported"));
  Tensor constant = tensor.share();
  constant.make_read_only();
  EXPECT_TRUE(contains(refusal(unversioned, constant.share()), "to_dlpack_versioned()"));
  DLManagedTensorVersioned* const flagged = to_dlpack_versioned(std::move(constant));
  EXPECT_EQ(flagged->flags, DLPACK_FLAG_BITMASK_READ_ONLY);
  EXPECT_TRUE(from_dlpack(flagged).read_only());
}

TEST(Dlpack, RefusesStreamsThatAreNone) {
  for (const std::intptr_t stream :
       {std::intptr_t{0}, std::intptr_t{-2}, std::intptr_t{-3},
        std::numeric_limits<std::intptr_t>::min(), std::numeric_limits<std::intptr_t>::min() + 1}) {
    SCOPED_TRACE(stream);
    Tensor tensor({4}, DType::f32);
    for (const bool versioned : {false, true}) {
      std::string why;
      try {
        if (versioned) {
          (void)to_dlpack_versioned(std::move(tensor), stream);
        } else {
          (void)to_dlpack(std::move(tensor), stream);
        }
      } catch (const std::invalid_argument& error) {
        why = error.what();
      }
      EXPECT_EQ(why.rfind("DLPack: " + std::to_string(stream) + " is not a stream; pass 1 for", 0),
                0u)
          << why;
      EXPECT_FALSE(tensor.empty());  // NOLINT(bugprone-use-after-move): it keeps what it has
    }
  }
}

TEST(Dlpack, TellsStridesMemoryAndThatThereAreNoElements) {
  auto memory = std::make_shared<std::array<std::int16_t, 12>>();
  auto* const at = reinterpret_cast<std::byte*>(memory->data());
  DLManagedTensor* managed =
      to_dlpack(Tensor::shared(memory, at, {{4, 3}, DType::i16}, {1, 4}, {MemoryKind::pinned, 3}));
  EXPECT_EQ(managed->dl_tensor.strides[0], 1);
  EXPECT_EQ(managed->dl_tensor.strides[1], 4);
  EXPECT_EQ(managed->dl_tensor.device.device_type, kDLCUDAHost);
  EXPECT_EQ(managed->dl_tensor.device.device_id, 3);
  EXPECT_EQ(from_dlpack(managed).place(), (MemoryPlace{MemoryKind::pinned, 3}));
  managed = to_dlpack(Tensor({3, 0, 2}, DType::f32));
  EXPECT_EQ(managed->dl_tensor.data, nullptr);
  EXPECT_EQ(managed->dl_tensor.shape[1], 0);
  const Tensor nothing = from_dlpack(managed);
  EXPECT_FALSE(nothing.empty());
  EXPECT_EQ(nothing.elements(), 0);
  EXPECT_TRUE(nothing == nothing.clone());
}

// A foreign tensor, which counts how often it is freed, and where.
template <class Managed>
struct Foreign {
  Foreign() {
    std::iota(elements.begin(), elements.end(), 0.f);
    managed.dl_tensor.data = elements.data();
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = 2;
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.shape = shape.data();
    managed.manager_ctx = this;
    managed.deleter = [](Managed* self) {
      auto* const foreign = static_cast<Foreign*>(self->manager_ctx);
      EXPECT_EQ(self, &foreign->managed);
      ++foreign->freed;
      foreign->on = std::this_thread::get_id();
    };
    if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
      managed.version = {1, 1};
      managed.flags = 0;
    }
  }
  std::array<float, 24> elements{};
  std::array<std::int64_t, 8> shape{2, 3, 1, 1, 1, 1, 1, 1};
  std::array<std::int64_t, 8> strides{3, 1, 1, 1, 1, 1, 1, 1};
  Managed managed{};
  int freed = 0;
  std::thread::id on;
};

template <class Managed>
void expect_taken_and_freed_once() {
  struct Case {
    const char* name;
    std::function<void(Foreign<Managed>&)> change;
    Shape shape;
    std::vector<float> elements;
  };
  for (const Case& c : {
           Case{"no strides: contiguous", [](auto&) {}, {2, 3}, {0, 1, 2, 3, 4, 5}},
           Case{"strides",
                [](auto& f) {
                  f.strides = {1, 2};
                  f.managed.dl_tensor.strides = f.strides.data();
                },
                {2, 3},
                {0, 2, 4, 1, 3, 5}},
           Case{"backwards",
                [](auto& f) {
                  f.strides = {-3, -1};
                  f.managed.dl_tensor.strides = f.strides.data();
                  f.managed.dl_tensor.byte_offset = 20;
                },
                {2, 3},
                {5, 4, 3, 2, 1, 0}},
           Case{"an offset",
                [](auto& f) { f.managed.dl_tensor.byte_offset = 8; },
                {2, 3},
                {2, 3, 4, 5, 6, 7}},
           Case{"a scalar without a shape",
                [](auto& f) {
                  f.managed.dl_tensor.ndim = 0;
                  f.managed.dl_tensor.shape = nullptr;
                },
                {},
                {0}},
           Case{"six dimensions",
                [](auto& f) { f.managed.dl_tensor.ndim = 6; },
                {2, 3, 1, 1, 1, 1},
                {0, 1, 2, 3, 4, 5}},
           Case{"nothing, nowhere",
                [](auto& f) {
                  f.shape[1] = 0;
                  f.managed.dl_tensor.data = nullptr;
                },
                {2, 0},
                {}},
       }) {
    Foreign<Managed> foreign;
    c.change(foreign);
    {
      Tensor tensor = from_dlpack(&foreign.managed, Layout::none);
      EXPECT_EQ(tensor.shape(), c.shape) << c.name;
      EXPECT_FALSE(tensor.is_view());
      const Tensor copy = tensor.clone();
      const auto* const elements = copy.data<float>();
      EXPECT_EQ(std::vector<float>(elements, elements + copy.elements()), c.elements) << c.name;
      Tensor other = tensor.share();
      tensor = Tensor();
      EXPECT_EQ(foreign.freed, 0) << c.name;
      std::thread([&] { other.release(); }).join();
      EXPECT_NE(foreign.on, std::this_thread::get_id());
    }
    EXPECT_EQ(foreign.freed, 1) << c.name;
  }
  Foreign<Managed> immortal;
  immortal.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&immortal.managed).elements(), 6);
}
TEST(Dlpack, TakesOverAndFreesOnce) {
  expect_taken_and_freed_once<DLManagedTensor>();
  expect_taken_and_freed_once<DLManagedTensorVersioned>();
}

template <class Managed>
void expect_refused_and_left() {
  struct Case {
    std::function<void(DLTensor&)> change;
    const char* why;
  };
  static std::array<std::int64_t, 2> bad{-1, 3};
  static std::array<std::int64_t, 2> huge{std::int64_t{1} << 40, std::int64_t{1} << 40};
  static std::array<std::int64_t, 2> far{std::numeric_limits<std::int64_t>::max(), 1};
  static std::array<std::int64_t, 2> farther{std::numeric_limits<std::int64_t>::min(), 1};
  for (const Case& c : {
           Case{[](DLTensor& t) {
                  t.device = {static_cast<DLDeviceType>(13), 0};
                },
                "a device of type 13"},
           Case{[](DLTensor& t) { t.device.device_type = static_cast<DLDeviceType>(77); },
                "a device of type 77"},
           Case{[](DLTensor& t) {
                  t.dtype = {kDLBfloat, 8, 1};
                },
                "type bfloat, 8 bits, 1 lanes"},
           Case{[](DLTensor& t) {
                  t.dtype = {kDLComplex, 64, 1};
                },
                "type complex, 64 bits"},
           Case{[](DLTensor& t) {
                  t.dtype = {kDLInt, 4, 1};
                },
                "type int, 4 bits"},
           Case{[](DLTensor& t) {
                  t.dtype = {kDLFloat, 32, 4};
                },
                "32 bits, 4 lanes"},
           Case{[](DLTensor& t) {
                  t.dtype = {99, 32, 1};
                },
                "type code 99"},
           Case{[](DLTensor& t) { t.ndim = 7; }, "a tensor of 7 dimensions"},
           Case{[](DLTensor& t) { t.ndim = -1; }, "a tensor of -1 dimensions"},
           Case{[](DLTensor& t) { t.shape = nullptr; }, "the shape is null"},
           Case{[](DLTensor& t) { t.shape = bad.data(); }, "dimension 0 is -1"},
           Case{[](DLTensor& t) { t.shape = huge.data(); }, "larger than any memory"},
           Case{[](DLTensor& t) { t.strides = far.data(); }, "exceed the address space"},
           Case{[](DLTensor& t) { t.strides = farther.data(); }, "exceed the address space"},
           Case{[](DLTensor& t) { t.data = nullptr; }, "the data is null"},
           Case{[](DLTensor& t) { t.byte_offset = 2; }, "not aligned"},
       }) {
    Foreign<Managed> foreign;
    c.change(foreign.managed.dl_tensor);
    try {
      (void)from_dlpack(&foreign.managed);
      FAIL() << c.why;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(c.why), std::string::npos) << error.what();
    }
    EXPECT_EQ(foreign.freed, 0) << c.why;
  }
  EXPECT_THROW((void)from_dlpack(static_cast<Managed*>(nullptr)), std::invalid_argument);
}
TEST(Dlpack, LeavesWhatItRefusesWithTheCaller) {
  expect_refused_and_left<DLManagedTensor>();
  expect_refused_and_left<DLManagedTensorVersioned>();
}

TEST(Dlpack, LooksAtVersionAndFlags) {
  for (const std::uint32_t major : {0u, 2u, 99u}) {
    Foreign<DLManagedTensorVersioned> foreign;
    foreign.managed.version.major = major;
    foreign.managed.dl_tensor.ndim = -5;  // of another version nothing is looked at
    try {
      (void)from_dlpack(&foreign.managed);
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("version " + std::to_string(major) + ".1"),
                std::string::npos)
          << error.what();
    }
    EXPECT_EQ(foreign.freed, 0);
  }
  Foreign<DLManagedTensorVersioned> foreign;
  foreign.managed.version.minor = 9;                          // newer, and like this one
  foreign.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY | 6;  // others do not concern us
  {
    Tensor tensor = from_dlpack(&foreign.managed);
    EXPECT_THROW((void)tensor.data<float>(), std::logic_error);
    EXPECT_EQ(std::as_const(tensor).data<float>()[5], 5.f);
  }
  EXPECT_EQ(foreign.freed, 1);
}

TEST(Dlpack, SurvivesADeleterThatThrows) {
  Foreign<DLManagedTensor> foreign;
  foreign.managed.deleter = [](DLManagedTensor* self) {
    ++static_cast<Foreign<DLManagedTensor>*>(self->manager_ctx)->freed;
    throw std::runtime_error("no");
  };
  from_dlpack(&foreign.managed).release();
  EXPECT_EQ(foreign.freed, 1);
}

}  // namespace dlpack_test
}  // namespace sluice
