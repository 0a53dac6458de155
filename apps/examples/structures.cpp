// Branches may return plain structs, without any registration: related values stay together.
//
//   image --> turn it? --yes--> Sample{rotated image, its angle}
//                \--------no--> Sample{image, 0}
#include <sluice/sluice.h>

#include <cstdio>
using namespace sluice;

struct Sample {
  Value<Image> image;
  Value<float> angle;
};

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  const PipelineOptions options{.batch_size = 8, .seed = 7, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = decode_jpeg(jpeg);
    auto angle = g.uniform(-20.f, 20.f);
    const Sample sample = g.if_else(
        g.coin_flip(0.5f),
        [&] {
          return Sample{rotate(image, angle), angle};
        },
        [&] {
          return Sample{image, g.constant(0.f)};
        });
    return std::tuple{resize(sample.image, {.height = 64, .width = 64}), sample.angle};
  });
  for (const auto& [images, angles] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (angles[i] == 0) {
        std::printf("left as it is\n");
      } else {
        std::printf("turned by %5.1f degrees\n", static_cast<double>(angles[i]));
      }
    }
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "structures: %s\n", error.what());
  return 1;
}
