// The fragments of docs/side-by-side.md.
#include "setup.h"

#include <string>
#include <tuple>

namespace sluice::docs {
namespace side_by_side_test {

TEST(SideBySide, AChoice) {
  const auto widths = results_of([](Graph& g, Value<Image> image, auto) {
    auto angle = g.uniform(10.f, 30.f);
    auto coin = g.coin_flip(0.25f);
    auto result = g.if_else(
        coin, [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
    return g.map(
        "same", [](bool turned, const Image& a, const Image& b) { return turned != (a == b); },
        coin, image, result);
  });
  for (const bool right : widths) EXPECT_TRUE(right);
}

TEST(SideBySide, ChoicesInChoices) {
  const auto sizes = results_of([](Graph& g, Value<Image> image, auto) {
    auto width = g.map(
        "width", [](const Image& i) { return i.width(); }, image);
    auto height = g.map(
        "height", [](const Image& i) { return i.height(); }, image);
    auto small = g.if_else(
        width > height, [&] { return resize(image, {.height = 20}); },
        [&] {
          return g.if_else(
              width < height, [&] { return resize(image, {.width = 20}); },
              [&] { return center_crop(image, {.height = 20, .width = 20}); });
        });
    return g.map(
        "size",
        [](const Image& i) {
          return std::vector{i.height(), i.width()};
        },
        small);
  });
  const std::vector<int> expected[] = {{20, 30}, {30, 20}, {20, 20}};
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], expected[i % 3]);
}

TEST(SideBySide, OneOfMany) {
  const auto levels = results_of([](Graph& g, Value<Image> image, Value<std::int64_t> i) {
    auto kind = i % 3;
    auto result = g.select(
        kind, [&] { return image; }, [&] { return flip(image); },
        [&] { return brightness_contrast(image, {.brightness = 0.5f}); });
    return mean(result);
  });
  for (std::size_t i = 0; i < levels.size(); ++i)
    EXPECT_EQ(levels[i], static_cast<float>(i % 3 == 2 ? 5 * i : 10 * i));
}

struct Turned {
  Value<Image> image;
  Value<float> angle;
};

TEST(SideBySide, Structures) {
  const auto angles = results_of([](Graph& g, Value<Image> image, Value<std::int64_t> i) {
    auto pred = i % 2 == 0;
    auto angle = cast<float>(i);
    // struct Turned { Value<Image> image; Value<float> angle; };
    Turned out = g.if_else(
        pred,
        [&] {
          return Turned{rotate(image, angle), angle};
        },
        [&] {
          return Turned{image, g.constant(0.f)};
        });
    return out.angle;
  });
  for (std::size_t i = 0; i < angles.size(); ++i)
    EXPECT_EQ(angles[i], i % 2 == 0 ? static_cast<float>(i) : 0.f);
}

TEST(SideBySide, Logic) {
  const auto found = results_of([](Graph& g, auto, Value<std::int64_t> i) {
    auto jpeg = g.map("file", jpeg_file, i);
    auto header = peek_jpeg(jpeg);
    auto pixels = g.map(
        "pixels", [](const JpegHeader& h) { return h.width * h.height; }, header);
    auto large_and_dark = g.all_of(pixels >= 2500, [&] { return mean(decode_jpeg(jpeg)) < 100; });
    return large_and_dark;
  });
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i % 3 == 2 && i < 10) << i;
}

TEST(SideBySide, Loops) {
  const auto levels = results_of([](Graph& g, Value<Image> image, auto) {
    auto bright = g.while_loop(
        image, [&](auto now) { return g.all_of(mean(now) > 0, [&] { return mean(now) < 100; }); },
        [&](auto now) { return brightness_contrast(now, {.brightness = 1.5f}); });
    return mean(bright);
  });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    int expected = static_cast<int>(10 * i);
    while (expected > 0 && expected < 100) expected = (expected * 3 + 1) / 2;
    EXPECT_EQ(levels[i], static_cast<float>(expected)) << i;
  }
}

TEST(SideBySide, LoopsThatCollect) {
  const auto levels = results_of([](Graph& g, Value<Image> image, Value<std::int64_t> i) {
    auto count = i % 4;
    auto [last, each] = g.for_loop_collect(count, image, [&](auto, auto now) {
      return std::tuple{brightness_contrast(now, {.brightness = 0.5f}), mean(now)};
    });
    return each;
  });
  for (std::size_t i = 0; i < levels.size(); ++i) {
    std::vector<float> expected;
    for (std::size_t k = 0, now = 10 * i; k < i % 4; ++k, now = (now + 1) / 2)
      expected.push_back(static_cast<float>(now));
    EXPECT_EQ(levels[i], expected) << i;
  }
}

TEST(SideBySide, SamplesThatAreLeftOut) {
  const auto describe = [](Graph& g) {
    auto i = indices(g);
    auto jpeg = g.map(
        "file", [](std::int64_t x) { return x == 5 ? Bytes() : jpeg_file(x); }, i);
    auto image = decode_jpeg(jpeg);
    g.filter(mean(image) >= 100);
    return std::tuple{image, i};
  };
  auto pipeline =
      make_pipeline({.batch_size = 8, .compact = true, .on_error = OnError::skip}, describe);
  std::vector<std::int64_t> left, missing;
  for (const auto& batch : pipeline.epoch()) {
    for (const std::int64_t id : batch.get<1>()) left.push_back(id);
    for (const std::int64_t id : batch.missing()) missing.push_back(id);
    for (const SampleError& error : batch.errors()) EXPECT_EQ(error.id, 5);
  }
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(missing[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(left.size() + missing.size(), static_cast<std::size_t>(kSamples));
}

TEST(SideBySide, RandomOperators) {
  const auto describe = [](Graph& g, Value<Image> image, auto) {
    const std::vector<Augmentation<Image>> suite = {
        {"identity", [](auto x, auto) { return x; }},
        {"rotate", [](auto x, auto degrees) { return rotate(x, degrees); }, 0.f, 30.f, true},
        {"brightness",
         [](auto x, auto m) { return brightness_contrast(x, {.brightness = 1.f + m}); }, 0.f, 0.9f,
         true},
    };
    auto result = apply_random(g, image, suite, {.n = 2, .magnitude = 9});
    return mean(result);
  };
  const auto levels = results_of(describe);
  ASSERT_EQ(levels.size(), static_cast<std::size_t>(kSamples));
  int changed = 0;
  for (std::size_t i = 0; i < levels.size(); ++i)
    changed += levels[i] == static_cast<float>(10 * i) ? 0 : 1;
  EXPECT_GT(changed, 0);
  EXPECT_LT(changed, kSamples);
  EXPECT_EQ(results_of(describe), levels);
}

}  // namespace side_by_side_test
}  // namespace sluice::docs
