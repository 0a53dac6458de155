// Loops by explicit boundaries that slice inputs and collect results: T21 to T25 of
// tests/conformance.md.
#include "tests/graph/conformance/lists.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sluice::conformance {
namespace explicit_slices_test {

TEST(ExplicitSlices, T21_IteratorsOverLists) {
  for (const bool reverse : {false, true}) {
    expect_same(
        reverse ? "backwards" : "forwards",
        [reverse](Graph& g) {
          auto n = given_idx(g);
          auto loop = g.add_loop();
          auto x = loop.add_recurrence(0);
          auto element = loop.add_iterator(given_list(g), {.reverse = reverse});
          x.set_next(x.value() * 10 + element);
          loop.add_trip_limit(n % 8);
          return loop.add_output(x);
        },
        [reverse](At a) {
          const int count = a.idx % 8;
          int x = 0;
          for (int i = 0; i < count; ++i) x = x * 10 + kPi[reverse ? count - 1 - i : i];
          return x;
        });
  }
}

// A tensor of 2 x 3 x 4 whose elements are their own numbers.
Value<Tensor> given_tensor(Graph& g) {
  return g.map_into<Tensor>("tensor", [](Tensor& out) {
    out.create({2, 3, 4}, DType::f32);
    for (int k = 0; k < 24; ++k) out.data<float>()[k] = static_cast<float>(k);
  });
}
std::vector<float> floats(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.elements()};
}
Value<std::vector<float>> as_floats(Graph& g, Value<Tensor> tensor) {
  return g.map("floats", floats, tensor);
}
Value<std::vector<std::int64_t>> as_shape(Graph& g, Value<Tensor> tensor) {
  return g.map(
      "shape",
      [](const Tensor& t) {
        std::vector<std::int64_t> sizes;
        for (int d = 0; d < t.shape().rank; ++d) sizes.push_back(t.shape()[d]);
        return sizes;
      },
      tensor);
}
float number_at(int x, int y, int z) { return static_cast<float>(x * 12 + y * 4 + z); }

TEST(ExplicitSlices, T21_IteratorsOverTensors) {
  const int sizes[] = {2, 3, 4};
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool reverse : {false, true}) {
      expect_same(
          std::to_string(axis) + (reverse ? " backwards" : ""),
          [=](Graph& g) {
            (void)given_idx(g);
            auto loop = g.add_loop();
            auto slice = loop.add_iterator(given_tensor(g), {.axis = axis, .reverse = reverse});
            loop.add_trip_limit(sizes[axis]);
            return std::tuple{loop.add_output(as_floats(g, slice), 4),
                              loop.add_output(as_shape(g, slice), 1 + axis + 2)};
          },
          [=](At) {
            std::vector<std::vector<float>> slices;
            std::vector<std::vector<std::int64_t>> shapes;
            for (int k = 0; k < sizes[axis]; ++k) {
              const int i = reverse ? sizes[axis] - 1 - k : k;
              std::vector<std::int64_t> shape;
              for (int d = 0; d < 3; ++d) {
                if (d != axis) shape.push_back(sizes[d]);
              }
              shapes.push_back(shape);
              slices.emplace_back();
              for (int x = 0; x < 2; ++x)
                for (int y = 0; y < 3; ++y)
                  for (int z = 0; z < 4; ++z)
                    if ((axis == 0 ? x : axis == 1 ? y : z) == i)
                      slices.back().push_back(number_at(x, y, z));
            }
            slices.resize(4);
            shapes.resize(static_cast<std::size_t>(axis) + 3);
            return std::tuple{slices, shapes};
          });
    }
  }
}

TEST(ExplicitSlices, T21_BeyondTheEndIsTheErrorOfTheSample) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .on_error = OnError::skip}, [](Graph& g) {
    auto n = given_idx(g);
    auto loop = g.add_loop("sum");
    auto x = loop.add_recurrence(0);
    auto list = g.constant(Ints{1, 2, 3, 4, 5});
    x.set_next(x.value() + loop.add_iterator(list));
    loop.add_trip_limit(n);
    return loop.add_output(x);
  });
  auto run = pipeline.epoch();
  const auto batch = run.next();
  ASSERT_EQ(batch->errors().size(), 4u);  // 6 to 9
  EXPECT_EQ(batch->errors()[0].id, 6);
  EXPECT_EQ(batch->errors()[0].step, "sum's iterator");
  EXPECT_EQ(batch->errors()[0].what, "there is no element 5 in a list that has 5");
}

// T22: add_output takes a recurrence, and for other values a length: compile_fail/boundaries.cxx.
TEST(ExplicitSlices, T22_TheLastValueIsOfARecurrence) {
  expect_same(
      "last values, one of them twice",
      [](Graph& g) {
        auto n = given_idx(g);
        auto loop = g.add_loop();
        auto x = loop.add_recurrence(n);
        x.set_next(x.value() + 2);
        loop.add_trip_limit(4);
        return std::tuple{loop.add_output(x), loop.add_output(x)};
      },
      [](At a) {
        return std::tuple{a.idx + 8, a.idx + 8};
      });
}

TEST(ExplicitSlices, T23_T24_OutputsOfAllIterations) {
  for (const bool reverse : {false, true}) {
    for (const int spare : {0, 3}) {
      expect_same(
          std::string(reverse ? "reverse" : "in order") + ", " + std::to_string(spare) + " spare",
          [=](Graph& g) {
            auto n = given_idx(g);
            auto loop = g.add_loop();
            auto x = loop.add_recurrence(n);
            auto count = n % 6;
            x.set_next(x.value() + 7);
            loop.add_trip_limit(count);
            return std::tuple{loop.add_output(x.value(), count + spare, {.reverse = reverse}),
                              loop.add_output(x.value() > 20, count + spare, {.reverse = reverse}),
                              loop.add_output(g.constant(std::string("outer")), 9)};
          },
          [=](At a) {
            const auto count = static_cast<std::size_t>(a.idx % 6);
            Ints values;
            for (std::size_t i = 0; i < count; ++i)
              values.push_back(a.idx + 7 * static_cast<int>(i));
            std::vector<bool> large;
            for (const int x : values) large.push_back(x > 20);
            if (reverse) std::reverse(large.begin(), large.end());
            large.resize(count + static_cast<std::size_t>(spare));
            std::vector<std::string> outer(count, "outer");
            outer.resize(9);
            return std::tuple{filled(values, count + static_cast<std::size_t>(spare), reverse),
                              large, outer};
          });
    }
  }
}

TEST(ExplicitSlices, T23_MoreIterationsThanTheLengthAreTheErrorOfTheSample) {
  auto pipeline = make_pipeline({.batch_size = kBatch, .on_error = OnError::skip}, [](Graph& g) {
    auto n = given_idx(g);
    auto loop = g.add_loop("loop");
    auto x = loop.add_recurrence(n);
    x.set_next(x.value() + 1);
    loop.add_trip_limit(n % 5);
    return loop.add_output(x.value(), 4 - n / 5 * 5);  // 4, and -1 for the second half of a batch
  });
  auto run = pipeline.epoch();
  const auto batch = run.next();
  ASSERT_EQ(batch->errors().size(), 5u);
  EXPECT_EQ(batch->get<0>()[4], (Ints{4, 5, 6, 7}));
  EXPECT_EQ(batch->errors()[0].id, 5);  // no iteration, and still no length
  EXPECT_EQ(batch->errors()[0].what, "'loop's output' has the length -1; it must not be negative");
  EXPECT_EQ(batch->errors()[1].step, "loop's output");
  EXPECT_EQ(batch->errors()[1].what,
            "'loop's output' has the length -1, but there are more iterations; make it longer, or "
            "limit the loop");
}

TEST(ExplicitSlices, T25_TheNewDimensionStandsAtTheAxis) {
  for (int axis = 0; axis <= 2; ++axis) {
    for (const bool reverse : {false, true}) {
      expect_same(
          std::to_string(axis) + (reverse ? " reverse" : ""),
          [=](Graph& g) {
            auto n = given_idx(g);
            auto loop = g.add_loop();
            auto slice = loop.add_iterator(given_tensor(g), {.axis = 1});
            loop.add_trip_limit(n % 4);
            auto all = loop.add_output(slice, 4, {.axis = axis, .reverse = reverse});
            static_assert(std::is_same_v<decltype(all), Value<Tensor>>);
            return std::tuple{
                g.map(
                    "numbers",
                    [](const Tensor& t) { return t.empty() ? std::vector<float>{} : floats(t); },
                    all),
                as_shape(g, all)};
          },
          [=](At a) {
            using Shape = std::vector<std::int64_t>;
            const int count = a.idx % 4;
            if (count == 0) return std::tuple{std::vector<float>{}, Shape{}};
            Shape shape{2, 4};
            shape.insert(shape.begin() + axis, 4);
            std::vector<float> numbers;
            for (int p = 0; p < shape[0]; ++p)
              for (int q = 0; q < shape[1]; ++q)
                for (int r = 0; r < shape[2]; ++r) {
                  const int k = axis == 0 ? p : axis == 1 ? q : r;
                  const int x = axis == 0 ? q : p;
                  const int z = axis == 2 ? q : r;
                  const int y = reverse ? count - 1 - k : k;
                  numbers.push_back(k < count ? number_at(x, y, z) : 0);
                }
            return std::tuple{numbers, shape};
          });
    }
  }
}

}  // namespace explicit_slices_test
}  // namespace sluice::conformance
