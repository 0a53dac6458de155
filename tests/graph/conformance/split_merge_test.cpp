// Split and merge, and the rules of one sample at a time: C38, C40 and C51 to C58 of
// tests/conformance.md.
#include "tests/graph/conformance/setup.h"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::conformance {
namespace split_merge_test {

constexpr std::array<Predicate<bool>, 4> kMasks{{
    {"i % 2", [](At a) { return a.i % 2 == 1; }},
    {"all false", [](At) { return false; }},
    {"all true", [](At) { return true; }},
    {"i < 4", [](At a) { return a.i < 4; }},
}};

// A tensor of shape {1, 1, 3} with the number of its sample.
Value<Tensor> tensors(Graph& g) {
  auto n = given(g, [](At a) { return a.it * 10 + a.i; });
  return g.map_into<Tensor>(
      "fill",
      [](int x, Tensor& out) {
        out.create({1, 1, 3}, DType::f32);
        for (int c = 0; c < 3; ++c) out.data<float>()[c] = static_cast<float>(x);
      },
      n);
}
Value<Tensor> copy(Graph& g, Value<Tensor> tensor) {
  return g.map(
      "copy", [](const Tensor& t) { return t.clone(); }, tensor);
}
void expect_sample(const Tensor& tensor, std::int64_t id) {
  EXPECT_EQ(tensor.shape(), Shape({1, 1, 3}));
  ASSERT_EQ(tensor.elements(), 3);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(tensor.data<float>()[c], static_cast<float>(id));
}

TEST(SplitMerge, C38_SplitCopyMergeIsIdentity) {
  for (const auto& mask : kMasks) {
    for (const int threads : {1, 2, 8}) {
      auto pipeline = make_pipeline({.batch_size = kBatch, .threads = threads}, [&](Graph& g) {
        auto all = tensors(g);
        return g.if_else(
            given(g, mask), [&] { return copy(g, all); }, [&] { return copy(g, all); });
      });
      int idx = 0;
      for (const auto& batch : pipeline.epoch()) {
        EXPECT_TRUE(batch.get<0>().dense());
        for (std::size_t k = 0; k < batch.size(); ++k) expect_sample(batch.get<0>()[k], idx++);
      }
      EXPECT_EQ(idx, kSamples) << mask.name;
    }
  }
}

// A part of a batch on its own is a filter: order and shapes are kept, and it may be empty.
TEST(SplitMerge, C40_EachPartKeepsItsOrder) {
  for (const auto& mask : kMasks) {
    for (const bool side : {true, false}) {
      auto pipeline = make_pipeline({.batch_size = kBatch, .threads = 8}, [&](Graph& g) {
        auto all = tensors(g);
        g.filter(given(g, mask) == side);
        return copy(g, all);
      });
      int batches = 0;
      for (const auto& batch : pipeline.epoch()) {
        std::vector<std::int64_t> wanted;
        for (int i = 0; i < kBatch; ++i) {
          if (mask.of(at(batches * kBatch + i)) == side) wanted.push_back(batches * kBatch + i);
        }
        EXPECT_EQ(batch.ids(), wanted) << mask.name;
        ASSERT_EQ(batch.size(), wanted.size());
        for (std::size_t k = 0; k < batch.size(); ++k) expect_sample(batch.get<0>()[k], wanted[k]);
        ++batches;
      }
      EXPECT_EQ(batches, kIterations) << mask.name;
    }
  }
}

TEST(PerSample, C51_TheMergeRestoresTheOrder) {
  for (const auto& predicate : kBools) {
    expect_same(
        predicate.name,
        [&](Graph& g) {
          auto n = given_idx(g);
          return g.if_else(
              given(g, predicate),
              [&] {
                return std::tuple{n, 1};
              },
              [&] {
                auto late = g.for_loop(200, n, [](auto, auto x) { return x + 1; });
                return std::tuple{late - 200, 2};
              });
        },
        [&](At a) {
          return std::tuple{a.idx, predicate.of(a) ? 1 : 2};
        });
  }
}

TEST(PerSample, C52_ABranchThatNobodyTakesRunsNothing) {
  std::atomic<int> ran{0}, others{0};
  auto count = [](std::atomic<int>& counter) {
    return [&counter](int x) {
      ++counter;
      return x;
    };
  };
  auto pipeline = make_pipeline({.batch_size = kBatch, .threads = 2}, [&](Graph& g) {
    auto n = given_idx(g);
    return g.if_else(
        given(g, kBools[4]),
        [&] {
          return g.for_loop(3, g.map("first", count(ran), n),
                            [&](auto, auto x) { return g.map("second", count(ran), x); });
        },
        [&] { return g.map("other", count(others), n); });
  });
  for (const auto& batch : pipeline.epoch()) EXPECT_EQ(batch.size(), 10u);
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(others, kSamples);
}

TEST(PerSample, C53_ConstantsOfAnyTypeAreMerged) {
  for_each_predicate(
      kBools,
      [](Graph& g, Value<bool> p) {
        return g.if_else(
            p,
            [&] {
              return std::tuple{std::string("yes"), std::vector{1, 2}, g.constant(0.5), 'y'};
            },
            [&] {
              return std::tuple{std::string("no"), std::vector<int>{}, g.constant(1.5), 'n'};
            });
      },
      [](bool p, At) {
        return p ? std::tuple{std::string("yes"), std::vector{1, 2}, 0.5, 'y'}
                 : std::tuple{std::string("no"), std::vector<int>{}, 1.5, 'n'};
      });
}

TEST(PerSample, C54_ShapesMayDifferFromSampleToSample) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    auto n = given_idx(g);
    auto sized = [&](std::int64_t rows) {
      return g.map_into<Tensor>(
          "sized",
          [](int x, std::int64_t r, Tensor& out) {
            out.create({r + x % 3, 2}, DType::u8);
            for (std::int64_t e = 0; e < out.elements(); ++e)
              out.data<std::uint8_t>()[e] = static_cast<std::uint8_t>(x);
          },
          n, rows);
    };
    return g.if_else(
        given(g, kBools[1]), [&] { return sized(1); }, [&] { return sized(5); });
  });
  int idx = 0;
  for (const auto& [merged] : pipeline.epoch()) {
    EXPECT_FALSE(merged.dense());
    for (std::size_t k = 0; k < merged.size(); ++k, ++idx) {
      const Tensor& tensor = merged[k];
      EXPECT_EQ(tensor.shape(), Shape({(idx % 2 == 0 ? 1 : 5) + idx % 3, 2}));
      EXPECT_EQ(tensor.data<std::uint8_t>()[0], idx);
    }
  }
  EXPECT_EQ(idx, kSamples);
}

// C56 is L6. C57: an error that a branch would have thrown is not known to samples that did not
// take it.
TEST(PerSample, C57_AnErrorOfABranchThatIsNotTakenNeverSurfaces) {
  for (const int threads : {1, 8}) {
    auto pipeline = make_pipeline(
        {.batch_size = kBatch, .threads = threads, .on_error = OnError::skip}, [](Graph& g) {
          auto n = given_idx(g);
          auto wrong = g.map(
              "wrong", [](int) -> int { throw std::runtime_error("taken"); }, n);
          return g.if_else(
              given(g, kBools[0]), [&] { return wrong; }, [&] { return n; });
        });
    for (const auto& batch : pipeline.epoch()) {
      EXPECT_EQ(batch.size(), 7u);
      ASSERT_EQ(batch.errors().size(), 3u);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(batch.errors()[k].id, batch.index() * kBatch + static_cast<std::int64_t>(k));
        EXPECT_EQ(batch.errors()[k].path, "if_else:then");
      }
      for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(batch.get<0>()[k], batch.ids()[k]);
    }
  }
}

// The draws of a sample are the same whichever branches the other samples take.
TEST(PerSample, C58_DrawsDoNotDependOnTheBranchesOfOthers) {
  std::vector<float> first;
  for (const auto& predicate : kBools) {
    auto pipeline = make_pipeline({.batch_size = kBatch, .seed = 8, .threads = 2}, [&](Graph& g) {
      auto others = given(g, predicate);
      auto takes = g.any_of(given_idx(g) % 10 == 4, [&] { return others; });
      auto in_branch = g.if_else(
          takes, [&] { return g.uniform(0.f, 1.f) + g.uniform(0.f, 1.f); }, [&] { return -1.f; });
      return in_branch;
    });
    std::vector<float> drawn;
    for (const auto& batch : pipeline.epoch()) drawn.push_back(batch.get<0>()[4]);
    if (first.empty()) first = drawn;
    EXPECT_EQ(drawn, first) << predicate.name;
    for (const float x : drawn) EXPECT_GE(x, 0.f);
  }
}

}  // namespace split_merge_test
}  // namespace sluice::conformance
