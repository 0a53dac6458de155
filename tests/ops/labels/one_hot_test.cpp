#include <sluice/graph/pipeline.h>
#include <sluice/ops/tensors.h>

#include <functional>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace labels_one_hot_test {

TEST(OneHot, FollowsTheFormula) {
  for (const int classes : {1, 2, 5, 1000}) {
    for (const float smoothing : {0.f, 0.1f, 1.f}) {
      auto pipeline = make_pipeline({.batch_size = 4, .threads = 1}, [&](Graph& g) {
        auto label = g.source(classes, [](const SampleInfo& info) { return info.index; });
        return one_hot(label, {.classes = classes, .smoothing = smoothing});
      });
      std::int64_t next = 0;
      for (const auto& [labels] : pipeline.epoch()) {
        for (const Tensor& label : labels) {
          ASSERT_EQ(label.shape(), Shape{classes});
          const auto* numbers = label.data<float>();
          const double share = static_cast<double>(smoothing) / classes;
          for (int k = 0; k < classes; ++k) {
            const double expected = share + (k == next ? 1 - static_cast<double>(smoothing) : 0);
            ASSERT_NEAR(static_cast<double>(numbers[k]), expected, 1e-7) << k << " of " << classes;
          }
          ++next;
        }
      }
      EXPECT_EQ(next, classes);
    }
  }
}

TEST(OneHot, ALabelOutsideIsItsSamplesError) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
        auto label = g.source(4, [](const SampleInfo& info) { return info.index - 1; });
        return one_hot(label, {.classes = 2});
      });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->ids(), (std::vector<std::int64_t>{1, 2}));
  ASSERT_EQ(batch->errors().size(), 2u);
  EXPECT_NE(batch->errors()[0].what.find("one_hot: label is -1; it must lie between 0 and 1"),
            std::string::npos)
      << batch->errors()[0].what;
  EXPECT_NE(batch->errors()[1].what.find("label is 2"), std::string::npos);
}

TEST(OneHot, RefusesWhatCannotBe) {
  const auto error_of = [](const OneHotOptions& options) {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        return one_hot(g.source(1, [](const SampleInfo& info) { return info.index; }), options);
      });
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error_of({}).find("one_hot: classes"), std::string::npos) << error_of({});
  EXPECT_NE(error_of({.classes = 2, .smoothing = 1.5f}).find("one_hot: smoothing"),
            std::string::npos);
}

}  // namespace labels_one_hot_test
}  // namespace sluice
