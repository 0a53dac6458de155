// Knowledge of tensors: how it is expressed, compared and declared, and checked when it was not
// known before.
#include "tests/graph/sources.h"
#include "tests/graph/tensors.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/slot.h>

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace tensor_spec_test {

using detail::agree;
using detail::common;
using detail::spec_of;

const TensorSpec kFloats{DType::f32, Layout::chw, 3};
const TensorSpec kHalves{DType::f16, Layout::chw, 3};

TEST(TensorSpec, AreSaidInOrderAndLeaveOutWhatIsNotKnown) {
  EXPECT_EQ(to_string(kHalves), "f16, CHW, 3 dimensions");
  EXPECT_EQ(to_string({DType::u8, Layout::none, 1}), "u8, no layout, 1 dimension");
  EXPECT_EQ(to_string({.layout = Layout::hwc}), "HWC");
  EXPECT_EQ(to_string({.dtype = DType::f32, .rank = 0}), "f32, 0 dimensions");
  EXPECT_EQ(to_string(TensorSpec{}), "");
  EXPECT_EQ(spec_of({{4, 5}, DType::f16, Layout::none}),
            (TensorSpec{DType::f16, Layout::none, 2, MemoryPlace{}}));
  const MemoryPlace device{MemoryKind::device, 1};
  EXPECT_EQ(to_string(spec_of({{4}, DType::i64, Layout::none}, device)),
            "i64, no layout, 1 dimension, device memory of device 1");
  EXPECT_EQ(to_string({.dtype = DType::boolean, .place = MemoryPlace{}}), "bool");
}

constexpr MemoryPlace kHost{};
constexpr MemoryPlace kPinned{MemoryKind::pinned, 0};
constexpr MemoryPlace kOther{MemoryKind::pinned, 1};

TEST(TensorSpec, AgreeUnlessBothSidesKnowBetter) {
  struct Case {
    TensorSpec a, b;
    bool agree;
    TensorSpec common;
  };
  for (const Case& c : {
           Case{kFloats, kFloats, true, kFloats},
           Case{kFloats, {}, true, {}},
           Case{{}, {}, true, {}},
           Case{kFloats, {.rank = 3}, true, {.rank = 3}},
           Case{kFloats, {.rank = 2}, false, {}},
           Case{kFloats, kHalves, false, {.layout = Layout::chw, .rank = 3}},
           Case{{.dtype = DType::u8}, {.layout = Layout::hwc}, true, {}},
           Case{{.layout = Layout::none}, {.layout = Layout::hwc}, false, {}},
           Case{{.rank = 2, .place = kHost}, {.rank = 2, .place = kPinned}, false, {.rank = 2}},
           Case{{.rank = 2, .place = kHost}, {.rank = 2}, true, {.rank = 2}},
           Case{{.place = kPinned}, {.place = kPinned}, true, {.place = kPinned}},
           Case{{.place = kPinned}, {.place = kOther}, false, {}},
       }) {
    EXPECT_EQ(agree(c.a, c.b), c.agree) << to_string(c.a) << " against " << to_string(c.b);
    EXPECT_EQ(agree(c.b, c.a), c.agree);
    EXPECT_EQ(common(c.a, c.b), c.common);
    EXPECT_EQ(common(c.b, c.a), c.common);
  }
}

std::string told(const std::function<Value<Tensor>(Graph&, Value<std::int64_t>)>& describe) {
  try {
    (void)make_pipeline({}, [&](Graph& g) { return describe(g, indices(g, 8)); });
  } catch (const BuildError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Declare, RefusesWhatCannotBe) {
  EXPECT_EQ(told([](Graph& g, auto n) { return g.declare(secret_tensor(g, n, {}), {.rank = 7}); }),
            "'secret' is declared to have 7 dimensions; a tensor has 0 to 6");
  EXPECT_EQ(told([](Graph& g, auto n) {
              return g.if_else(
                  n > 3, [&] { return known_tensor(g, n, {.rank = 2, .place = kPinned}); },
                  [&] { return known_tensor(g, n, {.rank = 2, .place = kHost}); });
            }),
            "'if_else': the result lies in host memory in the branch 'otherwise', but in pinned "
            "memory of device 0 in the branch 'then'; make both agree, by .gpu() of one, or .cpu() "
            "of an image or tensor");
  EXPECT_EQ(told([](Graph& g, auto n) {
              return g.declare(known_tensor(g, n, kFloats), {.dtype = DType::f16});
            }),
            "'known' is declared as a tensor (f16), but is known to be (f32, CHW, 3 dimensions) "
            "already; fix or remove one of the two");
  EXPECT_EQ(told([](Graph& g, auto n) {
              const auto tensor = secret_tensor(g, n, kFloats);
              return g.if_else(
                  n > 3, [&] { return g.declare(tensor, kFloats); }, [&] { return tensor; });
            }),
            "'secret' is declared, but no step in the branch 'then' of 'if_else' makes it; declare "
            "a value where a step has made it");
  EXPECT_EQ(told([](Graph& g, auto n) {
              return g.declare(g.if_else(
                                   n > 3, [&] { return secret_tensor(g, n, {}); },
                                   [&] { return secret_tensor(g, n, {}); }),
                               kFloats);
            }),
            "'if_else' is declared, but no step in the top of the pipeline makes it; declare a "
            "value where a step has made it");
  EXPECT_EQ(told([](Graph& g, auto) { return g.declare({}, kFloats); }),
            "'declare' is given a default-constructed Value; use one that a Graph or an operator "
            "has made");
}

TEST(Declare, MayComeInPartsAndLater) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    const auto n = indices(g, 8);
    const auto tensor = g.declare(secret_tensor(g, n, kFloats), {.rank = 3});
    (void)g.if_else(n > 3, n, n);
    (void)g.declare(tensor, {.dtype = DType::f32});
    EXPECT_EQ(g.builder().plan().slots[tensor.slot()].spec,
              (TensorSpec{.dtype = DType::f32, .rank = 3}));
    return tensor;
  });
  for (const auto& [tensors] : pipeline.epoch()) EXPECT_TRUE(tensors.dense());
}

// A tensor of one kind for even samples, of another for odd ones.
Value<Tensor> mixed(Graph& g, Value<std::int64_t> n, const TensorSpec& even,
                    const TensorSpec& odd) {
  return g.if_else(
      n % 2 == 0, [&] { return secret_tensor(g, n, even); },
      [&] { return secret_tensor(g, n, odd); });
}

TEST(Declare, ASampleWhoseTensorIsNotSoFailsInItsStep) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 2, .on_error = OnError::skip}, [](Graph& g) {
        const auto made = g.map_into<Tensor>(
            "detect",
            [](std::int64_t x, Tensor& out) {
              if (x != 1) out.create({2, 3}, x == 2 ? DType::u8 : DType::f32);
            },
            indices(g, 4));
        return g.declare(made, {.dtype = DType::f32, .rank = 2});
      });
  for (const auto& batch : pipeline.epoch()) {
    EXPECT_EQ(batch.ids(), (std::vector<std::int64_t>{0, 3}));
    ASSERT_EQ(batch.errors().size(), 2u);
    EXPECT_EQ(batch.errors()[0].step, "detect");
    EXPECT_EQ(batch.errors()[0].what,
              "returned a tensor (empty), but is declared as (f32, 2 dimensions); fix the step or "
              "the declaration");
    EXPECT_EQ(batch.errors()[1].what,
              "returned a tensor (u8, no layout, 2 dimensions), but is declared as (f32, 2 "
              "dimensions); fix the step or the declaration");
  }
}

// Nothing was known while the graph was built. Samples are compared in order, so the same ones fail
// on any number of threads.
TEST(Batches, TensorsThatDifferInMoreThanSizeAreErrorsOfTheirSamples) {
  for (const int threads : {1, 8}) {
    auto pipeline = make_pipeline({.batch_size = 4, .threads = threads, .on_error = OnError::skip},
                                  [](Graph& g) {
                                    const auto n = indices(g, 40);
                                    return std::tuple{n, mixed(g, n, kFloats, kHalves)};
                                  });
    for (const auto& batch : pipeline.epoch()) {
      const std::int64_t first = 4 * batch.index();
      EXPECT_EQ(batch.ids(), (std::vector<std::int64_t>{first, first + 2}));
      EXPECT_TRUE(batch.get<1>().dense());
      ASSERT_EQ(batch.errors().size(), 2u);
      EXPECT_EQ(to_string(batch.errors()[1]),
                "sample " + std::to_string(first + 3) +
                    " failed in step 'output 1' on the path if_else:otherwise: returned a tensor "
                    "(f16, CHW, 3 dimensions), but that of sample 0, the epoch's first, is (f32, "
                    "CHW, 3 dimensions); make all agree in type, layout and number of dimensions "
                    "[seed 0, epoch 0]");
    }
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
    EXPECT_EQ(pipeline.stats().epoch.skipped, 20);
  }
}

// The first remaining sample of an epoch decides the spec of the others, also across batches.
TEST(Batches, TensorsAreComparedAcrossBatchesAndAnewInEachEpoch) {
  auto pipeline =
      make_pipeline({.batch_size = 2, .compact = true, .on_error = OnError::skip}, [](Graph& g) {
        const auto n = indices(g, 8);
        g.filter(n > 0);
        return g.if_else(
            n < 4, [&] { return secret_tensor(g, n, kHalves); },
            [&] { return secret_tensor(g, n, kFloats); });
      });
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<std::int64_t> ids;
    for (const auto& batch : pipeline.epoch()) {
      ids.insert(ids.end(), batch.ids().begin(), batch.ids().end());
      for (const SampleError& error : batch.errors())
        EXPECT_NE(error.what.find("that of sample 1, the epoch's first,"), std::string::npos);
    }
    EXPECT_EQ(ids, (std::vector<std::int64_t>{1, 2, 3}));
  }
}

TEST(Batches, ABatchWithTensorsThatDifferIsThrownOnceUnlessTheyAreSkipped) {
  for (const OnError& policy : {OnError::fail, OnError::replace}) {
    auto pipeline = make_pipeline({.batch_size = 4, .on_error = policy}, [](Graph& g) {
      return mixed(g, indices(g, 4), {DType::f32, Layout::none, 2}, {DType::f32, Layout::none, 1});
    });
    auto run = pipeline.epoch();
    try {
      (void)run.next();
      ADD_FAILURE() << "no error";
    } catch (const BatchError& error) {
      ASSERT_EQ(error.errors().size(), 2u);
      EXPECT_EQ(error.errors()[0].id, 1);
      EXPECT_EQ(error.errors()[1].id, 3);
    }
    const auto batch = run.next();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->ids(), (std::vector<std::int64_t>{0, 2}));
    EXPECT_FALSE(run.next());
    EXPECT_TRUE(pipeline.stats().epoch.balanced());
  }
}

// Sizes are not part of it.
TEST(Batches, TensorsOfDifferentSizeAreRagged) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    return g.declare(g.map_into<Tensor>(
                         "sized",
                         [](std::int64_t x, Tensor& out) {
                           out.create({x + 1, 2}, DType::u8);
                         },
                         indices(g, 8)),
                     {DType::u8, Layout::none, 2});
  });
  std::int64_t rows = 0;
  for (const auto& [tensors] : pipeline.epoch()) {
    EXPECT_FALSE(tensors.dense());
    for (const Tensor& tensor : tensors) EXPECT_EQ(tensor.shape(), Shape({++rows, 2}));
  }
  EXPECT_EQ(rows, 8);
}

}  // namespace tensor_spec_test
}  // namespace sluice
