// Images that several operators make at once: DeferredImage and ComposedWarp.
#include "tests/error_of.h"
#include "tests/every_target.h"
#include "tests/ops/kernels/small_images.h"
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/kernels/moves.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/random.h>

#include <cstdint>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace deferred_test {

using kernels::Box;
using kernels::ComposedWarp;
using kernels::DeferredImage;
using kernels::Lut;

constexpr Interpolation kInterpolations[] = {Interpolation::nearest,  Interpolation::box,
                                             Interpolation::bilinear, Interpolation::hamming,
                                             Interpolation::bicubic,  Interpolation::lanczos};

// An image made at once and step by step, and a text that lists the steps.
struct Both {
  explicit Both(const Image& in) : Both(in, in) {}
  // `seen` is the image, or only its size.
  Both(const Image& in, const Image& seen) : deferred(seen), made(in.clone()) {}

  void crop(const Rectangle& region) {
    deferred.crop("crop", region);
    Image out;
    kernels::crop(made, region, out);
    made = std::move(out);
    said += " crop " + std::to_string(region.y) + " " + std::to_string(region.x) + " " +
            std::to_string(region.height) + " " + std::to_string(region.width);
  }
  void resize(const Box& box, int height, int width, const kernels::ResizeFilter& filter) {
    deferred.resize("resize", box, height, width, filter);
    Image out;
    kernels::resize(made, box, height, width, filter, out);
    made = std::move(out);
    said += " resize " + std::to_string(box.y) + " " + std::to_string(box.x) + " " +
            std::to_string(box.height) + " " + std::to_string(box.width) + " to " +
            std::to_string(height) + " " + std::to_string(width) + " " +
            name_of(filter.interpolation) + (filter.antialias ? "" : " not antialiased");
  }
  void flip(bool horizontal, bool vertical) {
    deferred.flip(horizontal, vertical);
    Image out;
    kernels::flip(made, horizontal, vertical, out);
    made = std::move(out);
    said += std::string(" flip") + (horizontal ? " h" : "") + (vertical ? " v" : "");
  }
  void map_levels(const Lut& table) {
    deferred.map_levels(table);
    Image out;
    kernels::map_levels(made, table, out);
    made = std::move(out);
    said += " map";
  }

  DeferredImage deferred;
  Image made;
  std::string said;
};

int draw(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
}
Rectangle draw_region(Random& random, const Image& in) {
  const int height = draw(random, 1, in.height()), width = draw(random, 1, in.width());
  return {draw(random, 0, in.height() - height), draw(random, 0, in.width() - width), height,
          width};
}
// The whole image, or a part that may begin and end within pixels.
Box draw_box(Random& random, const Image& in) {
  const Rectangle r =
      random.below(2) == 0 ? draw_region(random, in) : Rectangle{0, 0, in.height(), in.width()};
  const double less = random.below(2) == 0 ? 0.3 : 0;
  return {r.y + less, r.x + less, r.height - 1.5 * less, r.width - 1.5 * less};
}
Lut draw_table(Random& random) {
  Lut table{};
  for (std::uint8_t& level : table) level = static_cast<std::uint8_t>(random.below(256));
  return table;
}

// Up to seven steps of any kind.
Both draw_both(Random& random, const Image& in, const Image& seen) {
  Both both(in, seen);
  if (random.below(2) == 0) both.crop(draw_region(random, both.made));
  if (random.below(4) != 0) {
    // Some sides keep their length.
    const int height = random.below(4) == 0 ? both.made.height() : draw(random, 1, 40);
    const int width = random.below(4) == 0 ? both.made.width() : draw(random, 1, 40);
    both.resize(draw_box(random, both.made), height, width, kInterpolations[random.below(6)]);
  }
  for (std::uint32_t more = random.below(6); more > 0; --more) {
    switch (random.below(3)) {
      case 0:
        both.crop(draw_region(random, both.made));
        break;
      case 1:
        both.flip(random.below(2) == 0, random.below(2) == 0);
        break;
      default:
        both.map_levels(draw_table(random));
    }
  }
  return both;
}
Both draw_both(Random& random, const Image& in) { return draw_both(random, in, in); }

TEST(DeferredImage, IsWhatTheKernelsMakeStepByStep) {
  Random random({.seed = 5});
  for (int i = 0; i < 4000; ++i) {
    const Image whole = make_image(draw(random, 1, 50), draw(random, 1, 50), 1 + i % 4);
    // A view, so that there may be gaps between the rows.
    const Rectangle r = draw_region(random, whole);
    const Image in = whole.crop_view(r.y, r.x, r.height, r.width);
    const Both both = draw_both(random, in);
    EXPECT_EQ(both.deferred.height(), both.made.height());
    EXPECT_EQ(both.deferred.width(), both.made.width());
    Image out;
    both.deferred.write_to(out);
    ASSERT_TRUE(out == both.made) << i << ": " << in.height() << "x" << in.width() << both.said;
  }
}

// The size is known first. Then the needed part alone gives the same image.
TEST(DeferredImage, NeedsOnlyThePartThatItSays) {
  Random random({.seed = 7});
  for (int i = 0; i < 4000; ++i) {
    const Image in = make_image(draw(random, 1, 90), draw(random, 1, 90), 1 + i % 4);
    const Image size = Image::size_only(in.height(), in.width(), in.channels());
    const Both both = draw_both(random, in, size);
    const Rectangle needed = both.deferred.needed();
    Image part, out;
    kernels::crop(in, needed, part);
    DeferredImage deferred = both.deferred;
    deferred.take_part(part, needed);
    deferred.write_to(out);
    ASSERT_TRUE(out == both.made) << i << ": " << in.height() << "x" << in.width() << both.said;
  }
  // Rows 0 .. 8 and columns 5 .. 14 of 40 x 40, and one more in each direction.
  const Image size = Image::size_only(40, 40, 3);
  DeferredImage image(size);
  image.resize("resize", 20, 20, Interpolation::bilinear);
  image.crop("crop", {0, 3, 4, 4});
  EXPECT_EQ(image.needed(), (Rectangle{0, 4, 10, 12}));
}

TEST(DeferredImage, IsNormalizedAsTheImageIs) {
  Random random({.seed = 6});
  for (int i = 0; i < 1000; ++i) {
    const Image in = make_image(draw(random, 1, 50), draw(random, 1, 50), 1 + i % 4);
    const Both both = draw_both(random, in);
    kernels::NormalizeParams params{.mirror = random.below(2) == 0,
                                    .mean = {0.485f, 0.456f, 0.406f, 0.5f},
                                    .std = {0.229f, 0.224f, 0.225f, 0.25f},
                                    .dtype = random.below(2) == 0 ? DType::f32 : DType::f16,
                                    .layout = random.below(2) == 0 ? Layout::chw : Layout::hwc};
    if (in.channels() == 1) {
      params.mean.fill(0.485f);
      params.std.fill(0.229f);
    }
    Tensor at_once, steps;
    kernels::normalize("normalize", both.deferred, params, at_once);
    kernels::crop_mirror_normalize(both.made, {0, 0, both.made.height(), both.made.width()}, params,
                                   steps);
    ASSERT_EQ(at_once, steps) << i << ": " << in.height() << "x" << in.width() << both.said;
  }
}

// The middle of an image that shrinks, so that each output pixel has many weights.
TEST(DeferredImage, ShowsAPartOfALargeImageOnEveryInstructionSet) {
  const Image in = make_image(301, 407, 3);
  std::vector<kernels::ResizeFilter> filters(std::begin(kInterpolations),
                                             std::end(kInterpolations));
  filters.push_back({Interpolation::bicubic, false});
  for (const kernels::ResizeFilter& filter : filters) {
    for (const bool mirror : {false, true}) {
      Both both(in);
      both.resize({0, 0, double(both.made.height()), double(both.made.width())}, 61, 83, filter);
      both.crop({9, 11, 40, 50});
      both.flip(mirror, false);
      on_every_target([&] {
        Image out;
        both.deferred.write_to(out);
        EXPECT_TRUE(out == both.made) << both.said << mirror;
      });
    }
  }
}

template <class F>
std::string refusal_of(const F& f) {
  return error_of<std::invalid_argument>(f);
}

TEST(DeferredImage, RefusesInTheWordsOfTheKernels) {
  const Image in = make_image(8, 9, 3), five(4, 4, 5), empty;
  Image out;
  const auto small = [&] {
    DeferredImage image(in);
    image.crop("crop", {2, 2, 3, 4});
    return image;
  };
  Image part;
  kernels::crop(in, {2, 2, 3, 4}, part);
  for (const Rectangle& region :
       {Rectangle{0, 0, 4, 4}, Rectangle{0, 1, 3, 4}, Rectangle{-1, 0, 1, 1}, Rectangle{}}) {
    EXPECT_EQ(refusal_of([&] { small().crop("crop", region); }),
              refusal_of([&] { kernels::crop(part, region, out); }));
  }
  for (const int size : {0, -1, 65536}) {
    EXPECT_EQ(refusal_of([&] { small().resize("resize", size, 5, Interpolation::box); }),
              refusal_of([&] { kernels::resize(part, size, 5, Interpolation::box, out); }));
  }
  for (const Image* image : {&five, &empty}) {
    EXPECT_EQ(refusal_of([&] {
                DeferredImage(*image).crop("crop", {0, 0, 1, 1});
              }),
              refusal_of([&] {
                kernels::crop(*image, {0, 0, 1, 1}, out);
              }));
    EXPECT_EQ(refusal_of([&] { DeferredImage(*image).check("flip"); }),
              refusal_of([&] { kernels::flip(*image, true, false, out); }));
  }
}

TEST(ComposedWarp, OneMapIsTheOperator) {
  const Image in = make_image(31, 47, 3);
  for (const float degrees : {0.f, 13.f, 90.f, -45.f, 180.f, 270.f, 1000.f}) {
    for (const bool keep_size : {false, true}) {
      ComposedWarp warp(in);
      warp.rotate(degrees, {.keep_size = keep_size, .fill = 9});
      Image out, expected;
      warp.write_to(out);
      kernels::rotate(in, degrees, {.keep_size = keep_size, .fill = 9}, expected);
      EXPECT_EQ(largest_difference(out, expected), 0) << degrees << " " << keep_size;
    }
  }
}

TEST(ComposedWarp, MovingBackRestoresTheImage) {
  const Image in = make_image(20, 33, 4);
  ComposedWarp warp(in);
  warp.rotate(90, {});
  warp.flip(true, false);
  warp.flip(true, false);
  warp.warp("translate", kernels::translate_map(warp.height(), warp.width(), 50, 7, false),
            warp.height(), warp.width(), {});
  warp.warp("translate", kernels::translate_map(warp.height(), warp.width(), -50, -7, false),
            warp.height(), warp.width(), {});
  warp.rotate(-90, {});
  Image out;
  warp.write_to(out);
  EXPECT_EQ(largest_difference(out, in), 0);
}

TEST(ComposedWarp, RefusesInTheWordsOfTheOperators) {
  const Image in = make_image(4, 4, 1);
  ComposedWarp warp(in);
  EXPECT_EQ(refusal([&] { warp.rotate(std::numeric_limits<float>::infinity(), {}); }),
            "rotate: the angle is inf; a finite number is needed");
  EXPECT_EQ(refusal([&] { warp.warp("it", {}, 0, 4, {}); }),
            "it: a size of 0 x 4 (height x width) is not possible; each must lie in 1 .. 65535");
  EXPECT_EQ(refusal([&] { warp.warp("it", {}, 4, 4, {.border = Border::reflect}); }),
            "it: border reflect is not possible; take constant or edge");
  EXPECT_EQ(refusal([] { ComposedWarp(Image()).flip(true, true); }), "flip: the image is empty");
}

}  // namespace deferred_test
}  // namespace sluice::testing
