// Arithmetic, comparisons, functions and casts of tensors on a device, against the host's: all
// operations, all types, the same bits. A sample fails there if it fails on the host.
#include "tests/cuda/test_device.h"
#include "tests/one_in.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/tensor.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace elementwise_operators_test {

using kernels::Elementwise;

constexpr std::int64_t kTensors = 6;

// Small numbers for even samples, from the whole range of the type for odd ones.
Tensor numbers(const Shape& shape, DType type, std::int64_t i, std::uint32_t seed) {
  Tensor words(shape, DType::i64), made, scaled;
  std::uint32_t state = (static_cast<std::uint32_t>(i) * 31 + seed) * 2654435761u + 1;
  std::int64_t least = -4, most = 7;
  if (type == DType::u8 || type == DType::u16) least = 0;
  if (type == DType::boolean) least = 0, most = 1;
  if (i % 2 == 1) {
    if (type == DType::u8) most = 255;
    if (type == DType::i8) least = -128, most = 127;
    if (type == DType::u16) most = 65535;
    if (type == DType::i16) least = -32768, most = 32767;
    if (type == DType::i32) least = INT32_MIN, most = INT32_MAX;
    if (type == DType::i64) least = -(std::int64_t{1} << 40), most = std::int64_t{1} << 40;
  }
  for (std::int64_t n = 0; n < words.elements(); ++n) {
    state = state * 1664525u + 1013904223u;
    const std::uint64_t drawn = std::uint64_t{state} << 11 ^ state >> 9;
    words.data<std::int64_t>()[n] =
        least + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(most - least + 1));
  }
  kernels::cast(words, type, made);
  if (!detail::is_fraction(type)) return made;
  const double factor = i % 2 == 0 ? 0.5 : 123.456;
  kernels::elementwise(Elementwise::multiply, made,
                       kernels::number_beside(Elementwise::multiply, type, factor, false), scaled);
  kernels::cast(scaled, type, made);
  return made;
}

using Make = std::function<Tensor(std::int64_t)>;
using Change = std::function<Value<Tensor>(Value<Tensor>, Value<Tensor>)>;

struct Ended {
  std::map<std::int64_t, Tensor> tensors;
  std::vector<std::int64_t> failed;
};

Ended run(const Make& a, const Make& b, const Change& change, std::int64_t tensors, bool there) {
  const PipelineOptions options{.batch_size = 4,
                                .threads = 2,
                                .device = there ? test_device() : nullptr,
                                .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto index = g.source(tensors, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto left = g.map("left", a, index), right = g.map("right", b, index);
    if (!there) return change(left, right);
    return change(left.gpu(), right.gpu()).cpu();
  });
  Ended ended;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      ended.tensors.emplace(batch.ids()[i], batch.template get<0>()[i].clone());
    for (const SampleError& error : batch.errors()) ended.failed.push_back(error.id);
  }
  return ended;
}

// True for equal numbers with equal signs, for two NaN, and for numbers that are `steps` apart at
// most.
template <class T>
bool alike(T a, T b, int steps) {
  for (int i = 0; i < steps && a != b; ++i) a = std::nextafter(a, b);
  return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b);
}
bool alike(const Tensor& a, const Tensor& b, int steps) {
  Tensor x, y;  // f16 and bf16 as f32
  const DType type = a.dtype() == DType::f64 ? DType::f64 : DType::f32;
  if (!detail::is_fraction(a.dtype())) return std::memcmp(a.bytes(), b.bytes(), a.nbytes()) == 0;
  kernels::cast(a, type, x);
  kernels::cast(b, type, y);
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    const bool same = type == DType::f64 ? alike(x.data<double>()[i], y.data<double>()[i], steps)
                                         : alike(x.data<float>()[i], y.data<float>()[i], 0);
    if (!same) return false;
  }
  return true;
}

// `steps`: how far f64 may differ.
void expect_same(const Make& a, const Make& b, const Change& change, int steps = 0,
                 std::int64_t tensors = kTensors) {
  const Ended host = run(a, b, change, tensors, false), there = run(a, b, change, tensors, true);
  EXPECT_EQ(there.failed, host.failed);
  ASSERT_EQ(there.tensors.size(), host.tensors.size());
  EXPECT_EQ(host.tensors.size() + host.failed.size(), static_cast<std::size_t>(tensors));
  for (const auto& [id, tensor] : host.tensors) {
    const Tensor& made = there.tensors.at(id);
    ASSERT_EQ(made.shape(), tensor.shape()) << "sample " << id;
    ASSERT_EQ(made.dtype(), tensor.dtype());
    EXPECT_EQ(made.layout(), tensor.layout());
    EXPECT_TRUE(alike(made, tensor, steps)) << "sample " << id;
  }
}

Make of_type(DType type, std::uint32_t seed, const Shape& shape = {5, 7, 3}) {
  return [=](std::int64_t i) { return numbers(shape, type, i, seed); };
}

constexpr std::pair<DType, DType> kTypes[] = {
    {DType::u8, DType::u8},      {DType::i8, DType::i8},           {DType::u16, DType::u16},
    {DType::i16, DType::i16},    {DType::i32, DType::i32},         {DType::i64, DType::i64},
    {DType::f16, DType::f16},    {DType::bf16, DType::bf16},       {DType::f32, DType::f32},
    {DType::f64, DType::f64},    {DType::boolean, DType::boolean}, {DType::u8, DType::f32},
    {DType::f64, DType::i64},    {DType::i64, DType::f32},         {DType::i8, DType::u16},
    {DType::boolean, DType::u8}, {DType::f16, DType::bf16},        {DType::i32, DType::f64}};
constexpr DType kAll[] = {DType::u8,  DType::i8,  DType::i16,    DType::u16,
                          DType::i32, DType::i64, DType::f16,    DType::bf16,
                          DType::f32, DType::f64, DType::boolean};

class DeviceArithmetic : public ::testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(DeviceArithmetic, OfTwoTensorsIsTheHosts) {
  const auto [a, b] = GetParam();
  for (int i = 0; i <= static_cast<int>(Elementwise::not_equal); i += testing::one_in(1, 3)) {
    const auto what = static_cast<Elementwise>(i);
    SCOPED_TRACE(name_of(what));
    if (detail::is_bitwise(what) && (detail::is_fraction(a) || detail::is_fraction(b))) continue;
    expect_same(
        of_type(a, 1), of_type(b, 2),
        [what](Value<Tensor> x, Value<Tensor> y) { return detail::elementwise(what, x, y); },
        what == Elementwise::power ? 2 : 0);
  }
}
INSTANTIATE_TEST_SUITE_P(Types, DeviceArithmetic, ::testing::ValuesIn(kTypes),
                         [](const auto& given) {
                           return std::string(name_of(given.param.first)) + "_" +
                                  name_of(given.param.second);
                         });

class DeviceArithmeticWithANumber : public ::testing::TestWithParam<DType> {};

TEST_P(DeviceArithmeticWithANumber, IsTheHosts) {
  const DType type = GetParam();
  struct Number {
    double value;
    bool first;
  };
  for (int i = 0; i <= static_cast<int>(Elementwise::not_equal); i += testing::one_in(1, 3)) {
    const auto what = static_cast<Elementwise>(i);
    SCOPED_TRACE(name_of(what));
    for (const Number number : {Number{3, false}, {3, true}, {0, false}, {2.5, true}}) {
      const bool whole = number.value != 2.5;
      if (detail::is_bitwise(what) && (detail::is_fraction(type) || !whole)) continue;
      expect_same(
          of_type(type, 3), of_type(type, 3),
          [=](Value<Tensor> x, Value<Tensor>) {
            return detail::elementwise(what, x, Param<double>(number.value), whole, number.first);
          },
          what == Elementwise::power ? 2 : 0);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Types, DeviceArithmeticWithANumber, ::testing::ValuesIn(kAll),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST(DeviceElements, OfOtherShapesAreRepeated) {
  const std::pair<Shape, Shape> shapes[] = {
      {{5, 7, 3}, {3}},       {{5, 7, 3}, {7, 1}}, {{5, 1, 1}, {5, 7, 3}}, {{1, 7, 1}, {5, 1, 3}},
      {{2, 3, 1, 2}, {4, 1}}, {{}, {4, 2}},        {{3, 0}, {1, 1}},       {{1, 1}, {1}},
      {{2, 2}, {3, 2}}};  // the last ones do not fit together
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(to_string(a) + " and " + to_string(b));
    for (const DType type : {DType::f32, DType::i16}) {
      expect_same(of_type(type, 4, a), of_type(DType::f32, 5, b),
                  [](Value<Tensor> x, Value<Tensor> y) { return x * y + x; });
    }
  }
}

TEST(DeviceElements, HaveTheHostsFunctions) {
  for (const DType type : kAll) {
    SCOPED_TRACE(name_of(type));
    const Make make = of_type(type, 6);
    expect_same(make, make, [](Value<Tensor> x, Value<Tensor>) { return abs(x); });
    expect_same(make, make, [](Value<Tensor> x, Value<Tensor>) { return sqrt(x); });
    expect_same(
        make, make, [](Value<Tensor> x, Value<Tensor>) { return exp(x); }, 1);
    expect_same(
        make, make, [](Value<Tensor> x, Value<Tensor>) { return log(x); }, 1);
  }
}

TEST(DeviceElements, AreCastAsTheHostDoes) {
  for (const DType from : kAll) {
    for (const DType to : kAll) {
      SCOPED_TRACE(std::string(name_of(from)) + " to " + name_of(to));
      const Make make = of_type(from, 7);
      expect_same(make, make,
                  [to](Value<Tensor> x, Value<Tensor>) { return detail::cast_elements(x, to); });
    }
  }
  // Some types do not hold these numbers.
  const Make odd = [](std::int64_t i) {
    Tensor made({4}, DType::f64);
    const double all[] = {0,        -0.75,     255.5, 65519,  65520,   1e39,   -1e300, NAN,
                          INFINITY, -INFINITY, 127.9, -128.9, 3.39e38, 3.4e38, 0x1p63, -0x1p63};
    for (int n = 0; n < 4; ++n) made.data<double>()[n] = n == 2 ? all[i] : n;
    return made;
  };
  for (const DType to : kAll) {
    expect_same(
        odd, odd, [to](Value<Tensor> x, Value<Tensor>) { return detail::cast_elements(x, to); }, 0,
        16);
  }
}

TEST(DeviceElements, ReadImages) {
  const auto results = [](bool there) {
    auto pipeline = make_pipeline(
        {.batch_size = 4, .threads = 2, .device = there ? test_device() : nullptr}, [&](Graph& g) {
          auto image = g.source(8, [](const SampleInfo& info) {
            Image made(5, 7, 3);
            for (int y = 0; y < 5; ++y) {
              for (int x = 0; x < 21; ++x)
                made.row(y)[x] = static_cast<std::uint8_t>(40 * y + x + info.index_in_epoch);
            }
            return made;
          });
          auto in = there ? image.gpu() : image;
          auto made = (in * 0.5f + in) - maximum(in, 99);
          return there ? made.cpu() : made;
        });
    std::vector<Tensor> all;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i) all.push_back(batch.get<0>()[i].clone());
    }
    return all;
  };
  const std::vector<Tensor> host = results(false), there = results(true);
  ASSERT_EQ(host.size(), 8u);
  ASSERT_EQ(there.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(there[i].shape(), host[i].shape());
    EXPECT_TRUE(alike(there[i], host[i], 0));
  }
}

// A sample that fails hurts no other one of its GPU batch, and its error says why.
TEST(DeviceElements, WithoutAResultFailTheirSample) {
  auto pipeline = make_pipeline(
      {.batch_size = 6, .threads = 2, .device = test_device(), .on_error = OnError::skip},
      [&](Graph& g) {
        auto tensor = g.source(6, [](const SampleInfo& info) {
          Tensor made({3}, DType::i16);
          for (int n = 0; n < 3; ++n)
            made.data<std::int16_t>()[n] = info.index_in_epoch == 4 ? 32700 : 7;
          return made;
        });
        return (cast<std::uint8_t>(tensor.gpu() + 300 - 200) * 2).cpu();
      });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(batch->get<0>()[i].data<std::uint8_t>()[2], 214);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].id, 4);
  EXPECT_EQ(batch->errors()[0].what,
            "add: a result does not fit into the type of the tensor; cast to a wider or a signed "
            "type first; on a CPU the message names the numbers");
}

}  // namespace elementwise_operators_test
}  // namespace sluice::device
