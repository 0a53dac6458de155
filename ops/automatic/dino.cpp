#include <sluice/ops/automatic.h>
#include <sluice/ops/automatic/view.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <cstddef>

#include <fmt/format.h>

namespace sluice {
namespace {

void check(const DinoOptions& options) {
  constexpr int kMostLocals = 64;
  if (options.global_size < 1 || options.local_size < 1) {
    throw BuildError(
        fmt::format("dino: global_size and local_size must be at least 1, but are {} and {}",
                    options.global_size, options.local_size));
  }
  if (options.locals < 0 || options.locals > kMostLocals) {
    throw BuildError(fmt::format("dino: locals must lie between 0 and {}, but is {}", kMostLocals,
                                 options.locals));
  }
}

detail::ViewOptions view_options(int size, float blur, float solarize) {
  return {.width = size,
          .height = size,
          .interpolation = Interpolation::bicubic,
          .brightness = 0.4f,
          .contrast = 0.4f,
          .saturation = 0.2f,
          .hue = 36.f,
          .blur_probability = blur,
          .solarize_probability = solarize};
}

}  // namespace

DinoViews dino(Graph& g, Value<Bytes> jpeg, const DinoOptions& options) {
  check(options);
  std::vector<Value<Rectangle>> regions;
  const auto draw_region = [&](float min_area, float max_area) {
    regions.push_back(random_region(jpeg, {.min_area = min_area, .max_area = max_area},
                                    options.jpeg.apply_orientation));
  };
  for (int i = 0; i < 2; ++i) draw_region(options.min_global_area, 1.f);
  for (int i = 0; i < options.locals; ++i)
    draw_region(options.min_local_area, options.max_local_area);
  const detail::OneDecode one = detail::decode_around(jpeg, regions, options.jpeg);

  DinoViews views;
  const auto global = [&](std::size_t i, float blur, float solarize) {
    views.global.push_back(detail::view_of(g, one.image, one.inside[i],
                                           view_options(options.global_size, blur, solarize)));
  };
  global(0, 1.f, 0.f);
  global(1, 0.1f, 0.2f);
  for (std::size_t i = 2; i < one.inside.size(); ++i) {
    views.local.push_back(
        detail::view_of(g, one.image, one.inside[i], view_options(options.local_size, 0.5f, 0.f)));
  }
  return views;
}

}  // namespace sluice
