// The fragments of docs/your-own-operator.md.
#include "setup.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace your_own_operator_test {

Value<Image> darken(Value<Image> image) {
  return lookup_table(image, [](int x) { return x * x / 255; });
}

TEST(YourOwnOperator, MayBeATable) {
  const auto levels = results_of(
      [](Graph&, Value<Image> image, Value<std::int64_t>) { return mean(darken(image)); });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::size_t expected = 100 * i * i / 255;
    EXPECT_EQ(levels[i], static_cast<float>(expected));
  }
}

const OperatorPtr& gamma_operator() {
  static const OperatorPtr op =
      declare_operator("gamma")
          .family("color")
          .summary("Raises pixel values, as fractions of 255, to the power gamma.")
          .input<Image>("image")
          .parameter<float>("gamma", {.value = 1.f,
                                      .low = 0,
                                      .low_open = true,
                                      .help = "below 1 makes brighter; 1 changes nothing"})
          .output<Image>("image")
          .runs([](const Image& in, float gamma, Image& out) {
            out.create(in.height(), in.width(), in.channels());
            for (int y = 0; y < in.height(); ++y) {
              for (std::size_t i = 0; i < in.row_bytes(); ++i)
                out.row(y)[i] = static_cast<std::uint8_t>(
                    std::lround(255.f * std::pow(in.row(y)[i] / 255.f, gamma)));
            }
          });
  return op;
}

Value<Image> gamma(Value<Image> image, Param<float> gamma) {
  return apply_operator<Image>(gamma_operator(), image, gamma);
}

TEST(YourOwnOperator, RunsAndChecksItsParameter) {
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    auto image = g.map("image", image_of, indices(g));
    auto darker = gamma(image, 2.f);
    auto varied = gamma(image, g.uniform(0.5f, 2.f));
    return std::tuple{darker, varied};
  });
  for (const auto& [darker, varied] : pipeline.epoch()) {
    EXPECT_NEAR(mean_level(darker[10]), 255.f * std::pow(100.f / 255.f, 2.f), 0.51f);
    EXPECT_NE(mean_level(varied[10]), mean_level(varied[11]));
  }
  try {
    (void)results_of([](Graph&, Value<Image> image, auto) { return gamma(image, 0.f); });
    ADD_FAILURE();
  } catch (const BuildError& error) {
    EXPECT_EQ(std::string(error.what()), "gamma: gamma must be above 0, not 0");
  }
}

TEST(YourOwnOperator, IsRegisteredOnce) {
  register_operator(gamma_operator());
  for (const OperatorPtr& op : operators()) EXPECT_FALSE(op->schema().summary.empty());
  EXPECT_EQ(find_operator("gamma"), gamma_operator());
  EXPECT_THROW(register_operator(gamma_operator()), BuildError);
}

const OperatorPtr& upper_half_operator() {
  static const OperatorPtr op = declare_operator("upper_half")
                                    .family("geometry")
                                    .summary("Crops the upper half of the image.")
                                    .input<Image>("image")
                                    .output<Image>("image")
                                    .sees_rectangle(
                                        [](const Image& in) {
                                          return Rectangle{0, 0, (in.height() + 1) / 2, in.width()};
                                        },
                                        true)
                                    .runs([](const Image& in, Image& out) {
                                      const Image half =
                                          in.crop_view(0, 0, (in.height() + 1) / 2, in.width());
                                      out.create(half.height(), half.width(), half.channels());
                                      for (int y = 0; y < half.height(); ++y)
                                        std::copy_n(half.row(y), half.row_bytes(), out.row(y));
                                    });
  return op;
}

TEST(YourOwnOperator, HasNoMoreDecodedThanItSees) {
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    auto jpeg = g.map("file", jpeg_file, indices(g));
    return apply_operator<Image>(upper_half_operator(), decode_jpeg(jpeg));
  });
  EXPECT_NE(to_string(pipeline.plan()).find("decode_jpeg(%1 file, "), std::string::npos);
  for (const auto& [halves] : pipeline.epoch()) {
    EXPECT_EQ(halves[1].height(), 30);
    EXPECT_EQ(halves[1].width(), 40);
  }
}

}  // namespace your_own_operator_test
}  // namespace sluice::docs
