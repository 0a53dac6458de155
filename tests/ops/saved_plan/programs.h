// Programs that the tests of saved plans save and load, and the samples that they deliver.
#pragma once

#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/color.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/operators.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

struct Program {
  std::string name;
  std::function<Value<Image>(Graph&, Value<Bytes>, Value<std::int64_t>)> describe;
};

inline Value<Image> rotate_some(Graph& g, Value<Bytes> jpeg, Value<std::int64_t>) {
  auto image = decode_jpeg(jpeg);
  auto angle = g.uniform(10.f, 30.f);
  auto turned = g.if_else(
      g.coin_flip(0.25f), [&] { return rotate(image, angle, {.fill = 0}); }, [&] { return image; });
  return resize(turned, {.height = 40, .width = 40});
}

inline Value<Image> train(Graph& g, Value<Bytes> jpeg, Value<std::int64_t>) {
  auto small = resize(decode_jpeg(jpeg, random_region(jpeg)), {.height = 24, .width = 24});
  return flip(small, {.horizontal = g.coin_flip(0.5f)});
}

inline Value<Image> eval(Graph&, Value<Bytes> jpeg, Value<std::int64_t>) {
  return center_crop(resize(decode_jpeg(jpeg), {.shorter = 26}), {.height = 22, .width = 22});
}

// A select by number, nested loops with draws, and augmentations.
inline Value<Image> everything(Graph& g, Value<Bytes> jpeg, Value<std::int64_t> i) {
  auto image = resize(decode_jpeg(jpeg), {.height = 24, .width = 32});
  auto chosen = g.select(
      i % 3, [&] { return invert(image); },
      [&] {
        return g.if_else(
            i > 4, [&] { return flip(image, {}); }, [&] { return image; });
      },
      [&] { return brightness_contrast(image, {.brightness = g.uniform(0.5f, 1.5f)}); });
  auto turned = g.while_loop(
      std::tuple{chosen, 0.f}, [](auto, Value<float> sum) { return sum < 20.f; },
      [&](Value<Image> x, Value<float> sum) {
        auto degrees = g.uniform(1.f, 11.f);
        auto next = g.for_loop(i % 2, x, [&](Value<std::int64_t>, Value<Image> y) {
          return rotate(y, g.normal(0.f, 3.f), {.fill = 7});
        });
        return std::tuple{next, sum + degrees};
      },
      {.name = "turn"});
  const std::vector<Augmentation<Image>> suite = {
      {"brightness",
       [](Value<Image> x, Value<float> m) {
         return brightness_contrast(x, {.brightness = m + 1.f});
       },
       0.f, 0.9f, true},
      {"rotate", [](Value<Image> x, Value<float> m) { return rotate(x, m, {.fill = 1}); }, 0.f,
       30.f, true},
      {"identity", [](Value<Image> x, Value<float>) { return x; }},
  };
  return apply_random(g, std::get<0>(turned), suite, {.n = 2, .magnitude = 5, .bins = 31});
}

// Explicit boundaries, with inputs and an eager branch.
inline Value<Image> boundary(Graph& g, Value<Bytes> jpeg, Value<std::int64_t> i) {
  auto image = resize(decode_jpeg(jpeg), {.height = 16, .width = 16});
  auto conditional = g.add_conditional("turn it");
  conditional.set_condition(i % 2 == std::int64_t{1});
  auto inside = conditional.add_input(image);
  auto loop = g.add_loop("again");
  auto left = loop.add_recurrence(i);
  auto turned = loop.add_recurrence(conditional.add_output(invert(inside), flip(inside)));
  auto more = left.value() > std::int64_t{0};
  loop.add_while(more);
  left.set_next(left.value() - cast<std::int64_t>(more) * std::int64_t{2});
  turned.set_next(rotate(turned.value(), 5.f));
  return loop.add_output(turned);
}

// Conditions on statistics of the image.
inline Value<Image> by_levels(Graph& g, Value<Bytes> jpeg, Value<std::int64_t>) {
  auto image = resize(decode_jpeg(jpeg), {.height = 16, .width = 16});
  auto lit = g.while_loop(
      image, [](Value<Image> now) { return mean(now) < 120.f; },
      [](Value<Image> now) { return brightness_contrast(now, {.brightness = 1.25f}); });
  return g.if_else(
      max(lit) - min(lit) > standard_deviation(lit) * 4.f, [&] { return invert(lit); },
      [&] { return lit; });
}

// Policies and chains, with lists of images and of weights.
inline Value<Image> augmented(Graph& g, Value<Bytes> jpeg, Value<std::int64_t>) {
  auto image = resize(decode_jpeg(jpeg), {.height = 16, .width = 16});
  return blend(auto_augment(g, image), aug_mix(g, image), 0.25f);
}

inline const std::vector<Program>& programs() {
  static const std::vector<Program> all = {{"rotate", rotate_some}, {"train", train},
                                           {"eval", eval},          {"everything", everything},
                                           {"boundary", boundary},  {"levels", by_levels},
                                           {"augmented", augmented}};
  return all;
}

// Returns images of different sizes.
inline Bytes jpeg_of(std::int64_t i) {
  Image image;
  image.create(40 + static_cast<int>(i % 5) * 9, 50 + static_cast<int>(i % 3) * 13, 3);
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x)
      image.row(y)[x] = static_cast<std::uint8_t>(static_cast<std::size_t>(y * 3 + i * 17) + x);
  }
  return encode_jpeg(image, {});
}

inline auto labeled_files(Graph& g) {
  return g.source(21, [](const SampleInfo& info) {
    return std::tuple{jpeg_of(info.index_in_epoch), info.index_in_epoch};
  });
}

template <class Describe>
auto pipeline_of(int threads, const Describe& describe) {
  return make_pipeline({.batch_size = 4, .seed = 91, .threads = threads}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    return std::tuple{describe(g, jpeg, label), label};
  });
}

inline auto loaded(int threads, const std::string& text) {
  const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
  return make_pipeline({.batch_size = 4, .seed = 91, .threads = threads}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    return plan.apply<Image, std::int64_t>(jpeg, label);
  });
}

inline std::string json_of(const detail::Plan& plan) {
  return detail::to_json(plan, detail::registry());
}

}  // namespace sluice
