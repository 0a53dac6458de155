// select: one of several branches for each sample, chosen by a number. A list of branches may be
// made at run time.
//
//                            +-- 0 --> as it is ------------+
//   source --> below(3) -----+-- 1 --> flip ----------------+--> batch
//                            +-- 2 --> brightness_contrast -+
#include <sluice/sluice.h>

#include <cstdio>
#include <functional>
#include <vector>

using namespace sluice;

int main() {
  auto pipeline = make_pipeline({.batch_size = 6, .seed = 7}, [](Graph& g) {
    auto image = g.source(12, [](const SampleInfo& info) {
      Image ramp(1, 4, 1);
      for (int x = 0; x < 4; ++x) ramp.row(0)[x] = static_cast<std::uint8_t>(10 * info.index + x);
      return ramp;
    });
    auto which =
        g.random("which", [](Random& draw) { return static_cast<std::int64_t>(draw.below(3)); });
    const std::vector<std::function<Value<Image>()>> branches = {
        [=] { return image; },
        [=] { return flip(image); },
        [=] { return brightness_contrast(image, {.brightness = 1.5f}); },
    };
    return std::tuple{g.select(which, branches), which};
  });

  for (const auto& [images, branches] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      const Image image = images[i];
      std::printf("branch %d:", static_cast<int>(branches[i]));
      for (int x = 0; x < image.width(); ++x) std::printf(" %3d", image.at(0, x, 0));
      std::printf("\n");
    }
  }
}
