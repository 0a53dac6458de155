#include <sluice/ops/automatic/view.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/geometry.h>

#include <cstddef>

namespace sluice::detail {

Value<Image> view_of(Graph& g, Value<Image> image, Value<Rectangle> region,
                     const ViewOptions& options) {
  const auto factor = [&](float most) { return g.uniform(1 - most, 1 + most); };
  Value<Image> view = resize(
      crop(image, region),
      {.width = options.width, .height = options.height, .interpolation = options.interpolation});
  view = flip(view, {.horizontal = g.coin_flip(0.5f)});
  view = g.apply_if(g.coin_flip(options.colour_probability), view,
                    [&](Value<Image> x) {
                      return color_twist(x, {.brightness = factor(options.brightness),
                                             .contrast = factor(options.contrast),
                                             .saturation = factor(options.saturation),
                                             .hue = g.uniform(-options.hue, options.hue)});
                    },
                    {.name = "colour"});
  view = g.apply_if(g.coin_flip(options.gray_probability), view,
                    [](Value<Image> x) { return grayscale(x, {.channels = 3}); }, {.name = "gray"});
  view =
      g.apply_if(g.coin_flip(options.blur_probability), view,
                 [&](Value<Image> x) { return gaussian_blur(x, {.sigma = g.uniform(0.1f, 2.f)}); },
                 {.name = "blur"});
  if (options.solarize_probability == 0) return view;
  return g.apply_if(g.coin_flip(options.solarize_probability), view,
                    [](Value<Image> x) { return solarize(x); }, {.name = "solarize"});
}

OneDecode decode_around(Value<Bytes> jpeg, const std::vector<Value<Rectangle>>& regions,
                        const JpegOptions& options) {
  if (regions.size() == 2) {
    const JoinedRegions both = join_regions(regions[0], regions[1]);
    return {decode_jpeg(jpeg, both.around, options), {both.first, both.second}};
  }
  Value<Rectangle> around = regions.front();
  for (std::size_t i = 1; i < regions.size(); ++i) around = join_regions(around, regions[i]).around;
  OneDecode one{decode_jpeg(jpeg, around, options), {}};
  for (const Value<Rectangle> region : regions)
    one.inside.push_back(join_regions(around, region).second);
  return one;
}

}  // namespace sluice::detail
