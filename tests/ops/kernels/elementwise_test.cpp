#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/runtime/compute.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_elementwise_test {

using kernels::Elementwise;

template <class T>
Tensor tensor_of(const Shape& shape, std::initializer_list<T> elements) {
  Tensor made(shape, dtype_of<T>::value);
  std::copy(elements.begin(), elements.end(), made.data<T>());
  return made;
}

template <class T>
std::vector<T> elements_of(const Tensor& tensor) {
  const T* const first = tensor.data<T>();
  return std::vector<T>(first, first + tensor.elements());
}

Tensor result(Elementwise what, const Tensor& a, const Tensor& b) {
  Tensor out;
  kernels::elementwise(what, a, b, out);
  return out;
}

TEST(Elementwise, FollowsTheFormula) {
  const Tensor a = tensor_of<float>({4}, {1.5f, -2.f, 3.f, 0.f});
  const Tensor b = tensor_of<float>({4}, {0.5f, -2.f, 4.f, -1.f});
  const std::vector<std::tuple<Elementwise, std::function<float(float, float)>>> arithmetic{
      {Elementwise::add, [](float x, float y) { return x + y; }},
      {Elementwise::subtract, [](float x, float y) { return x - y; }},
      {Elementwise::multiply, [](float x, float y) { return x * y; }},
      {Elementwise::divide, [](float x, float y) { return x / y; }},
      {Elementwise::minimum, [](float x, float y) { return std::min(x, y); }},
      {Elementwise::maximum, [](float x, float y) { return std::max(x, y); }}};
  for (const auto& [what, f] : arithmetic) {
    SCOPED_TRACE(name_of(what));
    const Tensor out = result(what, a, b);
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out.data<float>()[i], f(a.data<float>()[i], b.data<float>()[i]));
  }
  using Bools = std::vector<bool>;
  EXPECT_EQ(elements_of<bool>(result(Elementwise::less, a, b)), (Bools{0, 0, 1, 0}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::less_equal, a, b)), (Bools{0, 1, 1, 0}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::greater, a, b)), (Bools{1, 0, 0, 1}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::greater_equal, a, b)), (Bools{1, 1, 0, 1}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::equal, a, b)), (Bools{0, 1, 0, 0}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::not_equal, a, b)), (Bools{1, 0, 1, 1}));
  const Tensor none = tensor_of<float>({}, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(*result(Elementwise::minimum, a, none).data<float>()));
  EXPECT_TRUE(std::isnan(*result(Elementwise::maximum, none, a).data<float>()));
}

TEST(Elementwise, TypesArePromoted) {
  const std::vector<std::tuple<DType, DType, DType>> sums{
      {DType::u8, DType::u8, DType::u8},
      {DType::u8, DType::i8, DType::i16},
      {DType::i8, DType::u8, DType::i16},
      {DType::u8, DType::i32, DType::i32},
      {DType::i16, DType::i64, DType::i64},
      {DType::u8, DType::u16, DType::u16},
      {DType::i16, DType::u16, DType::i32},
      {DType::boolean, DType::i8, DType::i8},
      {DType::boolean, DType::boolean, DType::i64},
      {DType::i64, DType::f16, DType::f16},
      {DType::f16, DType::f32, DType::f32},
      {DType::bf16, DType::bf16, DType::f32},
      {DType::bf16, DType::f16, DType::f32},
      {DType::f64, DType::u8, DType::f64}};
  for (const auto& [a, b, both] : sums) {
    EXPECT_EQ(kernels::elementwise_type(Elementwise::add, a, b), both) << name_of(a) << name_of(b);
    EXPECT_EQ(kernels::elementwise_type(Elementwise::add, b, a), both) << name_of(a) << name_of(b);
    EXPECT_EQ(kernels::elementwise_type(Elementwise::equal, a, b), DType::boolean);
  }
  EXPECT_EQ(kernels::elementwise_type(Elementwise::divide, DType::u8, DType::i64), DType::f32);
  EXPECT_EQ(kernels::elementwise_type(Elementwise::divide, DType::f16, DType::u8), DType::f16);
}

// All pairs of 8 bits, and numbers of both signs, in two's complement.
TEST(Elementwise, BitsAreThoseOfWholeNumbers) {
  Tensor a({256, 1}, DType::u8), b({256}, DType::u8);
  for (int i = 0; i < 256; ++i)
    a.data<std::uint8_t>()[i] = b.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
  const std::vector<std::tuple<Elementwise, std::function<int(int, int)>>> operations{
      {Elementwise::bitwise_and, [](int x, int y) { return x & y; }},
      {Elementwise::bitwise_or, [](int x, int y) { return x | y; }},
      {Elementwise::bitwise_xor, [](int x, int y) { return x ^ y; }}};
  const Tensor negative = tensor_of<std::int8_t>({3}, {-1, -128, 85});
  const Tensor wide = tensor_of<std::int32_t>({3}, {0x1234, -7, -1});
  const Tensor yes = tensor_of<bool>({4}, {false, false, true, true}),
               no = tensor_of<bool>({4}, {false, true, false, true});
  for (const auto& [what, f] : operations) {
    SCOPED_TRACE(name_of(what));
    const Tensor bytes = result(what, a, b);
    for (int i = 0; i < 65536; ++i)
      ASSERT_EQ(bytes.data<std::uint8_t>()[i], f(i / 256, i % 256)) << i;
    const Tensor mixed = result(what, negative, wide);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(mixed.data<std::int32_t>()[i],
                f(negative.data<std::int8_t>()[i], wide.data<std::int32_t>()[i]));
    }
    const Tensor bools = result(what, yes, no);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(bools.data<bool>()[i], f(i / 2, i % 2) != 0);
    EXPECT_EQ(kernels::elementwise_type(what, DType::boolean, DType::boolean), DType::boolean);
    EXPECT_EQ(kernels::elementwise_type(what, DType::boolean, DType::u8), DType::u8);
    EXPECT_EQ(kernels::elementwise_type(what, DType::u8, DType::i8), DType::i16);
    EXPECT_EQ(error_of<std::invalid_argument>(
                  [&, operation = what] { (void)result(operation, a, tensor_of<float>({}, {1})); }),
              std::string(name_of(what)) +
                  ": the elements are u8 and f32; whole numbers and bool are possible");
  }
}

// All pairs of types, elements at both ends of them, against exact arithmetic.
template <class Check>
void for_each_pair_of_types(const Check& check) {
  constexpr DType kWhole[] = {DType::boolean, DType::i8,  DType::u8, DType::i16,
                              DType::u16,     DType::i32, DType::i64};
  for (const DType x : kWhole) {
    for (const DType y : kWhole) check(x, y);
  }
}
std::vector<std::int64_t> ends_of(DType type) {
  if (type == DType::boolean) return {0, 1};
  const int bits = static_cast<int>(8 * size_of(type));
  if (type == DType::u8) return {0, 1, 7, 255};
  if (type == DType::u16) return {0, 1, 7, 65535};
  const auto half = static_cast<std::int64_t>(std::uint64_t{1} << (bits - 1));
  return {half == std::numeric_limits<std::int64_t>::min() ? half : -half,    -5, -1, 0, 1, 2,
          half == std::numeric_limits<std::int64_t>::min() ? ~half : half - 1};
}
Tensor whole_of(DType type, std::int64_t number) {
  Tensor one = tensor_of<std::int64_t>({}, {number}), made;
  kernels::cast(one, type, made);
  return made;
}
std::int64_t whole_in(const Tensor& tensor) {
  Tensor made;
  kernels::cast(tensor, DType::i64, made);
  return *made.data<std::int64_t>();
}

TEST(Elementwise, WholeNumbersAreExactOrAnError) {
  using Wide = detail::Wide;
  const std::vector<std::tuple<Elementwise, std::function<Wide(Wide, Wide)>>> operations{
      {Elementwise::add, [](Wide x, Wide y) { return x + y; }},
      {Elementwise::subtract, [](Wide x, Wide y) { return x - y; }},
      {Elementwise::multiply, [](Wide x, Wide y) { return x * y; }},
      {Elementwise::floor_divide,
       [](Wide x, Wide y) { return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0); }},
      {Elementwise::modulo,
       [](Wide x, Wide y) { return x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0); }},
      {Elementwise::remainder, [](Wide x, Wide y) { return x % y; }}};
  for_each_pair_of_types([&](DType a, DType b) {
    for (const auto& [what, f] : operations) {
      for (const std::int64_t x : ends_of(a)) {
        for (const std::int64_t y : ends_of(b)) {
          SCOPED_TRACE(std::string(name_of(what)) + " " + name_of(a) + " " + std::to_string(x) +
                       ", " + name_of(b) + " " + std::to_string(y));
          std::string error;
          Tensor out;
          try {
            out = result(what, whole_of(a, x), whole_of(b, y));
          } catch (const std::exception& thrown) {
            error = thrown.what();
          }
          if (what >= Elementwise::remainder && y == 0) {
            EXPECT_EQ(error, "integer division by zero");
            continue;
          }
          const Wide expected = f(x, y);
          const DType type = kernels::elementwise_type(what, a, b);
          const std::int64_t high = ends_of(type).back(), low = ends_of(type).front();
          if (expected > high || expected < low) {
            EXPECT_NE(error.find("does not fit into " + std::string(name_of(type))),
                      std::string::npos)
                << error;
          } else {
            EXPECT_EQ(error, "");
            EXPECT_TRUE(whole_in(out) == expected);
          }
        }
      }
    }
  });
}

TEST(Elementwise, ComparisonsAreExact) {
  for_each_pair_of_types([&](DType a, DType b) {
    for (const std::int64_t x : ends_of(a)) {
      for (const std::int64_t y : ends_of(b)) {
        EXPECT_EQ(*result(Elementwise::less, whole_of(a, x), whole_of(b, y)).data<bool>(), x < y);
        EXPECT_EQ(*result(Elementwise::equal, whole_of(a, x), whole_of(b, y)).data<bool>(), x == y);
      }
    }
  });
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  const Tensor whole = tensor_of<std::int64_t>({2}, {odd, 3});
  const Tensor fraction =
      tensor_of<double>({2}, {0x1p53, std::numeric_limits<double>::quiet_NaN()});
  using Bools = std::vector<bool>;
  EXPECT_EQ(elements_of<bool>(result(Elementwise::greater, whole, fraction)), (Bools{true, false}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::less, fraction, whole)), (Bools{true, false}));
  EXPECT_EQ(elements_of<bool>(result(Elementwise::not_equal, whole, fraction)),
            (Bools{true, true}));
  EXPECT_FALSE(*result(Elementwise::equal, tensor_of<std::int32_t>({}, {16777217}),
                       tensor_of<float>({}, {16777216.f}))
                    .data<bool>());
  // A number that the tensor's type does not hold compares all the same.
  const Tensor bytes = tensor_of<std::uint8_t>({2}, {0, 255});
  const auto beside = [&](double number, bool is_whole) {
    return result(Elementwise::less, bytes,
                  kernels::number_beside(Elementwise::less, DType::u8, number, is_whole));
  };
  EXPECT_EQ(elements_of<bool>(beside(1000, true)), (Bools{true, true}));
  EXPECT_EQ(elements_of<bool>(beside(-1, true)), (Bools{false, false}));
  EXPECT_EQ(elements_of<bool>(beside(0.1, false)), (Bools{true, false}));
}

TEST(Elementwise, FractionsDivideWithARest) {
  const Tensor a = tensor_of<float>({4}, {-7.5f, 7.5f, -7.5f, 6.f});
  const Tensor b = tensor_of<float>({4}, {2.f, -2.f, -2.f, 3.f});
  using Floats = std::vector<float>;
  EXPECT_EQ(elements_of<float>(result(Elementwise::floor_divide, a, b)), (Floats{-4, -4, 3, 2}));
  EXPECT_EQ(elements_of<float>(result(Elementwise::modulo, a, b)), (Floats{0.5f, -0.5f, -1.5f, 0}));
  EXPECT_EQ(elements_of<float>(result(Elementwise::remainder, a, b)),
            (Floats{-1.5f, 1.5f, -1.5f, 0}));
  EXPECT_EQ(elements_of<float>(result(Elementwise::power, b, b)), (Floats{4, 0.25f, 0.25f, 27}));
  Tensor out;
  kernels::elementwise(Elementwise::absolute, a, out);
  EXPECT_EQ(elements_of<float>(out), (Floats{7.5f, 7.5f, 7.5f, 6}));
}

// Against the C library, in double.
TEST(Elementwise, FunctionsAreThoseOfTheCLibrary) {
  const struct {
    Elementwise what;
    double (*expected)(double);
  } all[] = {{Elementwise::square_root, std::sqrt},
             {Elementwise::exponential, std::exp},
             {Elementwise::logarithm, std::log}};
  for (const auto& one : all) {
    SCOPED_TRACE(detail::name_of(one.what));
    Tensor in, out, wide, result;
    for (const DType type : {DType::u8, DType::i64, DType::boolean}) {
      kernels::cast(tensor_of<float>({5}, {0, 1, 2, 88, 80}), type, in);
      kernels::elementwise(one.what, in, out);
      EXPECT_EQ(out.dtype(), DType::f32);
      kernels::cast(in, DType::f64, wide);
      for (std::int64_t i = 0; i < 5; ++i)
        EXPECT_EQ(out.data<float>()[i], static_cast<float>(one.expected(wide.data<double>()[i])));
    }
    for (const DType type : {DType::f16, DType::f32, DType::f64}) {
      kernels::cast(tensor_of<float>({4}, {0.25f, 3.f, 0.f, 10.f}), type, in);
      kernels::elementwise(one.what, in, out);
      EXPECT_EQ(out.dtype(), type);
      kernels::cast(in, DType::f64, wide);
      kernels::cast(out, DType::f64, result);
      const double share = type == DType::f64 ? 1e-15 : type == DType::f32 ? 6e-8 : 5e-4;
      for (std::int64_t i = 0; i < 4; ++i) {
        const double right = one.expected(wide.data<double>()[i]);
        if (std::isinf(right)) {
          EXPECT_EQ(result.data<double>()[i], right);
        } else {
          EXPECT_NEAR(result.data<double>()[i], right, share * std::abs(right));
        }
      }
    }
  }
  Tensor out;
  kernels::elementwise(Elementwise::square_root, tensor_of<float>({1}, {-1}), out);
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
}

// Every element against the rule of NumPy: the index is 0 along sizes of 1.
TEST(Elementwise, SizesOfOneStandForAll) {
  for (const auto& [a_shape, b_shape, shape] : std::vector<std::tuple<Shape, Shape, Shape>>{
           {{2, 3}, {2, 3}, {2, 3}},
           {{2, 3}, {3}, {2, 3}},
           {{2, 1, 4}, {3, 1}, {2, 3, 4}},
           {{}, {2, 2}, {2, 2}},
           {{1, 700}, {2, 1}, {2, 700}},
           {{2, 3, 1, 2, 1, 2}, {1, 2, 2, 3, 1}, {2, 3, 2, 2, 3, 2}},
           {{0, 3}, {1, 3}, {0, 3}}}) {
    SCOPED_TRACE(to_string(a_shape) + " and " + to_string(b_shape));
    const auto counted = [](const Shape& of, std::int32_t from) {
      Tensor made(of, DType::i32);
      for (std::int64_t i = 0; i < made.elements(); ++i)
        made.data<std::int32_t>()[i] = from + static_cast<std::int32_t>(i);
      return made;
    };
    const Tensor a = counted(a_shape, 0), b = counted(b_shape, 10'000);
    const auto at = [&shape = shape](const Tensor& tensor, std::int64_t place) {
      std::int64_t index = 0, step = 1;
      for (int axis = shape.rank - 1; axis >= 0; --axis) {
        const int own = axis - shape.rank + tensor.shape().rank;
        const std::int64_t here = place % shape[axis];
        place /= shape[axis];
        if (own < 0) continue;
        index += tensor.shape()[own] == 1 ? 0 : here * step;
        step *= tensor.shape()[own];
      }
      return tensor.data<std::int32_t>()[index];
    };
    const Tensor out = result(Elementwise::subtract, a, b);
    ASSERT_EQ(out.shape(), shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
      ASSERT_EQ(out.data<std::int32_t>()[i], at(a, i) - at(b, i)) << i;
  }
}

TEST(Elementwise, ElementsWithGapsAreFound) {
  const Image whole = testing::make_image(9, 11, 3);
  const Image part = whole.crop_view(2, 3, 5, 6);
  const Tensor sum =
      result(Elementwise::bitwise_xor, part.tensor(), tensor_of<std::uint8_t>({}, {85}));
  EXPECT_EQ(sum.layout(), Layout::hwc);
  Tensor wide;
  kernels::cast(part.tensor(), DType::f16, wide);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 18; ++x) {
      const std::uint8_t level = part.row(y)[x];
      EXPECT_EQ(sum.data<std::uint8_t>()[y * 18 + x], level ^ 85);
      EXPECT_EQ(float(wide.data<Half>()[y * 18 + x]), level);
    }
  }
}

TEST(Elementwise, CastsCutOff) {
  Tensor out;
  kernels::cast(tensor_of<float>({4}, {-1.9f, 2.9f, 0.f, 127.5f}), DType::i8, out);
  EXPECT_EQ(elements_of<std::int8_t>(out), (std::vector<std::int8_t>{-1, 2, 0, 127}));
  kernels::cast(tensor_of<std::int32_t>({3}, {255, 0, 7}), DType::u8, out);
  EXPECT_EQ(elements_of<std::uint8_t>(out), (std::vector<std::uint8_t>{255, 0, 7}));
  kernels::cast(tensor_of<double>({3}, {0.5, 0, -2}), DType::boolean, out);
  EXPECT_EQ(elements_of<bool>(out), (std::vector<bool>{true, false, true}));
  for (const float no : {128.f, -129.f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THROW(kernels::cast(tensor_of<float>({1}, {no}), DType::i8, out), std::range_error);
  }
  for (const int no : {-1, 256}) {
    EXPECT_EQ(error_of<std::range_error>([&] {
                kernels::cast(tensor_of<std::int32_t>({2}, {1, no}), DType::u8, out);
              }),
              "cast: " + std::to_string(no) +
                  " does not fit into 'u8'; clamp it, or cast to a wider type");
  }
  EXPECT_THROW(kernels::cast(tensor_of<float>({1}, {70000}), DType::f16, out), std::range_error);
  EXPECT_THROW(kernels::cast(tensor_of<double>({1}, {1e300}), DType::f32, out), std::range_error);
  kernels::cast(tensor_of<double>({1}, {std::numeric_limits<double>::infinity()}), DType::f16, out);
  EXPECT_TRUE(std::isinf(float(*out.data<Half>())));
  EXPECT_THROW(kernels::cast(tensor_of<double>({1}, {3.4e38}), DType::bf16, out), std::range_error);
  kernels::cast(tensor_of<float>({3}, {1.0f, -70000, 1.00390625f}), DType::bf16, out);
  EXPECT_EQ(float(out.data<BFloat16>()[0]), 1);
  EXPECT_EQ(float(out.data<BFloat16>()[1]), -70144);  // 8 bits of precision
  EXPECT_EQ(float(out.data<BFloat16>()[2]), 1);       // half way: to even
  const Tensor sum = result(Elementwise::add, out, out);
  EXPECT_EQ(elements_of<float>(sum), (std::vector<float>{2, -140288, 2}));
}

}  // namespace kernels_elementwise_test
}  // namespace sluice
