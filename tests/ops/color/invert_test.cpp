// invert; and the operators that use a lookup table apply the right one.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>
#include <sluice/ops/kernels/levels.h>

#include <cstddef>
#include <functional>

#include <gtest/gtest.h>

namespace sluice {
namespace invert_test {

Image result_of(int channels, const std::function<Value<Image>(Value<Image>)>& describe) {
  auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    return describe(g.source(1, [=](const SampleInfo&) { return draw_image(9, 7, channels, 5); }));
  });
  return pipeline.epoch().next()->get<0>()[0].clone();
}

TEST(Invert, EachLevelIsTakenFrom255) {
  for (const int channels : {1, 3, 4}) {
    const Image in = draw_image(9, 7, channels, 5);
    const Image out = result_of(channels, invert);
    ASSERT_EQ(out.channels(), channels);
    for (int y = 0; y < in.height(); ++y) {
      for (std::size_t i = 0; i < in.row_bytes(); ++i) EXPECT_EQ(out.row(y)[i], 255 - in.row(y)[i]);
    }
    EXPECT_EQ(result_of(channels, [](Value<Image> x) { return invert(invert(x)); }), in);
  }
}

TEST(Invert, NoImageIsAnError) {
  auto pipeline = make_pipeline({.batch_size = 1, .on_error = OnError::skip}, [](Graph& g) {
    return invert(g.source(1, [](const SampleInfo&) { return Image(); }));
  });
  EXPECT_EQ(pipeline.epoch().next()->errors().at(0).what, "invert: the image is empty");
}

TEST(Luts, AreWhatTheOperatorsDo) {
  struct Case {
    const char* name;
    kernels::Lut table;
    std::function<Value<Image>(Value<Image>)> describe;
  };
  const Case cases[] = {
      {"brightness_contrast", kernels::brightness_contrast_table(1.25f, 0.5f, 100.f, 0.f),
       [](Value<Image> x) {
         return brightness_contrast(
             x, {.brightness = 1.25f, .contrast = 0.5f, .contrast_center = 100.f});
       }},
      {"gamma_correction", kernels::gamma_correction_table(0.5f, 0.75f),
       [](Value<Image> x) { return gamma_correction(x, 0.5f, 0.75f); }},
      {"posterize", kernels::posterize_table(3), [](Value<Image> x) { return posterize(x, 3); }},
      {"solarize", kernels::solarize_table(100.f),
       [](Value<Image> x) { return solarize(x, 100.f); }}};
  const Image in = draw_image(9, 7, 3, 5);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Image out = result_of(3, c.describe);
    for (int y = 0; y < in.height(); ++y) {
      for (std::size_t i = 0; i < in.row_bytes(); ++i)
        EXPECT_EQ(out.row(y)[i], c.table[in.row(y)[i]]);
    }
  }
}

}  // namespace invert_test
}  // namespace sluice
