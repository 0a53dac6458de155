#include <sluice/ops/automatic.h>
#include <sluice/ops/colour.h>

namespace sluice {

Value<Image> photometric_distort(Graph& g, Value<Image> image, float probability) {
  const auto by_chance = [&](const char* name, float low, float high, float otherwise) {
    return g.if_else(
        g.coin_flip(probability), [&] { return g.uniform(low, high); },
        [&] { return g.constant(otherwise); }, {.name = name});
  };
  const auto brightness = by_chance("brightness", 0.875f, 1.125f, 1.f);
  const auto contrast = by_chance("contrast", 0.5f, 1.5f, 1.f);
  const auto saturation = by_chance("saturation", 0.5f, 1.5f, 1.f);
  const auto hue = by_chance("hue", -18.f, 18.f, 0.f);
  return color_twist(
      image,
      {.brightness = brightness, .contrast = contrast, .saturation = saturation, .hue = hue});
}

}  // namespace sluice
