// Choices inside choices: a branch is a program like any other, and each image takes its own path
// through it.
//
//   image ----> wide? --yes--> dark? --yes--> lighter ------+
//                 |              \-----no---> as it is -----+--> 96 x 96, and what was done
//                 no                                        |
//                 \--> tall? --yes--> a quarter turn -------+
//                         \----no---> left and right -------+
//
// The darkness is computed only for wide images.
#include <sluice/sluice.h>

#include <cstdio>
#include <string>
using namespace sluice;

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  const auto shape_of = [](const Image& i) { return 1.0 * i.width() / i.height(); };
  const auto level_of = [](const Image& i) {
    double sum = 0;
    for (int y = 0; y < i.height(); ++y) {
      for (std::size_t x = 0; x < i.row_bytes(); ++x) sum += i.row(y)[x];
    }
    return sum / static_cast<double>(i.row_bytes()) / i.height();
  };
  auto pipeline = make_pipeline({.batch_size = 8, .on_error = OnError::skip}, [&](Graph& g) {
    auto image = decode_jpeg(std::get<0>(g.read(files_in(folder))));
    auto shape = g.map("shape", shape_of, image);
    auto gives = [&](Value<Image> result, const char* what) {
      return std::tuple{result, g.constant(std::string(what))};
    };
    auto wide = [&] {
      return g.if_else(
          g.map("level", level_of, image) < 140,
          [&] { return gives(brightness_contrast(image, {.brightness = 1.5f}), "made lighter"); },
          [&] { return gives(image, "left as it is"); });
    };
    auto not_wide = [&] {
      return g.if_else(
          shape < 1, [&] { return gives(rotate(image, 90.f), "turned by a quarter"); },
          [&] { return gives(flip(image), "mirrored"); });
    };
    auto [result, what] = g.if_else(shape > 1, wide, not_wide);
    return std::tuple{resize(result, {.height = 96, .width = 96}), shape, what};
  });
  for (const auto& [images, shapes, what] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i)
      std::printf("%.2f times as wide as high: %s\n", shapes[i], what[i].c_str());
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "nested_choices: %s\n", error.what());
  return 1;
}
