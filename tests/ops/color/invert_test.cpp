// invert; and the operators that use a lookup table have the right one.
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/color.h>

#include <cstdint>
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
    detail::OperatorPtr op;
    detail::Arguments arguments;
    std::function<Value<Image>(Value<Image>)> describe;
  };
  const detail::Argument image = detail::SlotArgument{0, detail::slot_type<Image>()};
  const auto number = [](float x) { return detail::Argument(detail::Constant(x)); };
  const Case cases[] = {{detail::invert_operator(), {image}, invert},
                        {detail::brightness_contrast_operator(),
                         {image, number(1.25f), number(0.5f), number(100.f), number(0.f)},
                         [](Value<Image> x) {
                           return brightness_contrast(
                               x,
                               {.brightness = 1.25f, .contrast = 0.5f, .contrast_center = 100.f});
                         }},
                        {detail::gamma_correction_operator(),
                         {image, number(0.5f), number(0.75f)},
                         [](Value<Image> x) { return gamma_correction(x, 0.5f, 0.75f); }},
                        {detail::posterize_operator(),
                         {image, detail::Constant(std::int32_t{3})},
                         [](Value<Image> x) { return posterize(x, 3); }},
                        {detail::solarize_operator(), {image, number(100.f)}, [](Value<Image> x) {
                           return solarize(x, 100.f);
                         }}};
  const Image in = draw_image(9, 7, 3, 5);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.op->name());
    const auto table = c.op->lut(c.arguments);
    ASSERT_TRUE(table.has_value());
    const Image out = result_of(3, c.describe);
    for (int y = 0; y < in.height(); ++y) {
      for (std::size_t i = 0; i < in.row_bytes(); ++i)
        EXPECT_EQ(out.row(y)[i], (*table)[in.row(y)[i]]);
    }
  }
  // Parameters that differ from sample to sample have no lookup table.
  const detail::Argument slot = detail::SlotArgument{1, detail::slot_type<float>()};
  EXPECT_FALSE(detail::brightness_contrast_operator()
                   ->lut({image, slot, number(1.f), number(128.f), number(0.f)})
                   .has_value());
  for (const auto& op : {detail::posterize_operator(), detail::solarize_operator()})
    EXPECT_FALSE(op->lut({image, slot}).has_value());
  EXPECT_FALSE(detail::gamma_correction_operator()->lut({image, number(1.f), slot}).has_value());
}

}  // namespace invert_test
}  // namespace sluice
