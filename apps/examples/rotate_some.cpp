#include <sluice/sluice.h>

#include <cstdio>
using namespace sluice;

int main(int argc, char** argv) {
  const char* folder = argc > 1 ? argv[1] : "out/pictures";
  auto pipeline =
      make_pipeline({.batch_size = 32, .seed = 42, .on_error = OnError::skip}, [&](Graph& g) {
        auto [jpeg, label] = g.read(files_in(folder));
        auto image = decode_jpeg(jpeg);
        auto angle = g.uniform(10.f, 30.f);
        auto turned = g.if_else(
            g.coin_flip(0.25f),  //
            [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
        return std::tuple{resize(turned, {.width = 400, .height = 400}), label};
      });

  for (const auto& [images, labels] : pipeline.epoch()) {
    std::printf("%zu images of 400 x 400 in one block at %p\n", images.size(), images.data());
  }
}
