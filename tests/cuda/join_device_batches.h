// Programs with conditionals between steps on a device, and the observable results of a run. For
// the tests of conditionals inside of device batches.
#pragma once

#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/reductions.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device::joins {

inline constexpr std::int64_t kSamples = 60;

// The results of a run and its counts, by name.
struct Seen {
  std::vector<std::pair<std::int64_t, Image>> images;
  std::vector<std::string> errors;
  std::map<std::string, std::int64_t> counts;
};
inline bool operator==(const Seen& a, const Seen& b) {
  return a.errors == b.errors && a.counts == b.counts &&
         std::equal(a.images.begin(), a.images.end(), b.images.begin(), b.images.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && x.second == y.second;
                    });
}

// Returns the most device batches of a sample in the plan, without loops: the device's stages,
// without those that join the one before.
inline std::int64_t batches_in(const detail::Block& block) {
  std::int64_t count = 0;
  for (const detail::Node& node : block.nodes) {
    if (detail::joins(node)) continue;
    const auto* stage = std::get_if<detail::Stage>(&node);
    if (stage != nullptr && stage->kind() == detail::StepKind::stream) ++count;
    for (const detail::Block* inner : detail::blocks_in(node)) count += batches_in(*inner);
  }
  return count;
}

// Counts whatever does not depend on where steps run: branches, loops, and steps. Leaves out
// copies, steps that prepare them, and the remarks of passes.
inline void count(Seen& seen, const Stats& stats) {
  for (const ChoiceStats& choice : stats.choices) {
    for (const BranchStats& branch : choice.branches)
      seen.counts[choice.path + " " + choice.name + ":" + branch.name] = branch.taken;
  }
  for (const LoopStats& loop : stats.loops) seen.counts[loop.name] = loop.iterations;
  for (const StepStats& step : stats.steps) {
    if (step.name.rfind("gpu", 0) == 0 || step.name.rfind("cpu", 0) == 0) continue;
    std::int64_t& runs = seen.counts[step.path + " " + step.name.substr(0, step.name.find(" ("))];
    runs = std::max(runs, step.runs);
  }
}

template <class P>
Seen see(P& pipeline) {
  Seen seen;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i)
      seen.images.emplace_back(batch.ids()[i], batch.template get<0>()[i].clone());
    for (const SampleError& error : batch.errors())
      seen.errors.push_back(std::to_string(error.id) + ": " + error.step + " in '" + error.path +
                            "': " + error.what);
  }
  EXPECT_TRUE(pipeline.stats().epoch.balanced());
  count(seen, pipeline.stats());
  return seen;
}

// A program on images; `moves` is false if all of it runs on the host.
struct Here {
  Graph& g;
  bool moves;
  Value<Image> there(Value<Image> image) const { return moves ? image.gpu() : image; }
  Value<Image> back(Value<Image> image) const { return moves ? image.cpu() : image; }
};
using Program = std::function<Value<Image>(const Here&, Value<Image>)>;
struct Row {
  std::string name;
  std::int64_t batches;  // of the plan
  Program program;
  bool ends_here = false;  // on the host
};

inline Value<Image> drawn(Graph& g, int scale = 1) {
  return g.map(
      "draw",
      [scale](std::int64_t i) {
        const int n = static_cast<int>(i);
        return draw_image(scale * (12 + n % 7 * 5), scale * (14 + n % 5 * 7), 3,
                          static_cast<std::uint64_t>(i));
      },
      g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
}
inline Value<Image> darker(Graph& g, Value<Image> image) {
  return g.map(
      "darker",
      [](const Image& in) {
        Image out = in.clone();
        for (int y = 0; y < out.height(); ++y) out.row(y)[0] /= 2;
        return out;
      },
      image);
}
inline Value<Image> small(Value<Image> image) { return resize(image, {.height = 9, .width = 11}); }

inline const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {"a coin", 1,
       [](const Here& h, Value<Image> image) {
         auto angle = h.g.uniform(10.f, 30.f);
         auto turned = h.g.if_else(
             h.g.coin_flip(0.25f), [&] { return rotate(image, angle, {.fill = 0}); },
             [&] { return image; });
         return small(turned);
       }},
      {"one after the other", 1,
       [](const Here& h, Value<Image> image) {
         for (int i = 0; i < 4; ++i) {
           image = h.g.apply_if(h.g.coin_flip(0.5f), image,
                                [&](auto in) { return i % 2 == 0 ? invert(in) : flip(in); });
         }
         return small(image);
       }},
      {"one in the other", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto one = g.if_else(
             g.coin_flip(0.5f),
             [&] {
               auto turned = rotate(image, g.uniform(-20.f, 20.f), {.fill = 3});
               auto more = g.if_else(
                   g.coin_flip(0.5f), [&] { return invert(turned); }, [&] { return turned; });
               return g.apply_if(g.coin_flip(0.5f), more, [](auto in) { return flip(in); });
             },
             [&] {
               return g.if_else(
                   g.coin_flip(0.3f), [&] { return flip(image); }, [&] { return image; });
             });
         return small(one);
       }},
      {"select, with branches that are empty, by a function of the user's", 1,
       [](const Here& h, Value<Image> image) {
         auto inverted = invert(image);
         auto branch = h.g.random("branch", [](Random& r) { return r.below(4); });
         auto one = h.g.select(
             branch, [&] { return image; }, [&] { return rotate(inverted, 90.f); },
             [&] { return inverted; }, [&] { return flip(inverted); });
         return small(one);
       }},
      {"several values", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto [one, angle] = g.if_else(
             g.coin_flip(0.5f),
             [&] {
               return std::tuple{flip(image), g.uniform(5.f, 9.f)};
             },
             [&] {
               return std::tuple{image, g.uniform(50.f, 90.f)};
             });
         return small(rotate(one, angle * 2.f, {.fill = 1}));
       }},
      {"numbers that are chosen, and choose", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto number = g.if_else(
             g.coin_flip(0.5f), [&] { return g.uniform(0.f, 1.f); },
             [&] { return g.uniform(1.f, 2.f); });
         auto one = g.apply_if(number < 1.2f, flip(image), [](auto in) { return invert(in); });
         return rotate(one, number * 30.f, {.fill = 7});
       }},
      {"a number of another image, whose source stands between", 2,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto info = g.map(
             "width", [](const Image& in) { return in.width(); }, drawn(g));
         auto one = g.apply_if(info > 25, invert(image), [](auto in) { return flip(in); });
         return small(one);
       }},
      {"the last one is the choice, its branches come back", 1,
       [](const Here& h, Value<Image> image) {
         return darker(h.g, h.g.if_else(
                                h.g.coin_flip(0.5f), [&] { return h.back(flip(image)); },
                                [&] { return h.back(image); }));
       },
       true},
      {"in a loop", 3,
       [](const Here& h, Value<Image> image) {
         auto turns = h.g.random("turns", [](Random& r) { return r.below(4); });
         return small(h.g.for_loop(turns, image, [&](Value<std::int64_t> i, Value<Image> now) {
           auto one =
               h.g.apply_if(h.g.coin_flip(0.5f), invert(now), [](auto in) { return flip(in); });
           return rotate(one,
                         h.g.if_else(
                             i < 2, [&] { return h.g.uniform(1.f, 5.f); },
                             [&] { return h.g.uniform(8.f, 9.f); }),
                         {.keep_size = true});
         }));
       }},
      {"a branch fails, and a step after it", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto one = g.if_else(
             g.coin_flip(0.5f),
             [&] { return flip(center_crop(flip(image), {.height = 20, .width = 20})); },
             [&] {
               return g.apply_if(g.coin_flip(0.5f), image, [](auto in) {
                 return crop(in, Rectangle{2, 1, 12, 18});
               });
             },
             {.name = "some"});
         return invert(center_crop(one, {.height = 14, .width = 15}));
       }},
      {"there is no such branch", 1,
       [](const Here& h, Value<Image> image) {
         auto branch = h.g.random("branch", [](Random& r) { return r.below(3); });
         auto one = h.g.select(
             branch, SelectOptions{.name = "missing"}, [&] { return invert(image); },
             [&] { return image; });
         return small(one);
       }},
      {"not: a branch of the host's", 5,
       [](const Here& h, Value<Image> image) {
         auto one = h.g.if_else(
             h.g.coin_flip(0.5f), [&] { return h.there(darker(h.g, h.back(image))); },
             [&] { return flip(image); });
         return small(one);
       }},
      {"not: a function of the user's in a branch", 3,
       [](const Here& h, Value<Image> image) {
         auto one = h.g.if_else(
             h.g.coin_flip(0.5f),
             [&] {
               auto angle = h.g.random("angle", [](Random& r) { return r.unit() * 9; });
               return rotate(image, angle, {.fill = 2});
             },
             [&] { return image; });
         return small(one);
       }},
      {"a number of the device's chooses", 1,
       [](const Here& h, Value<Image> image) {
         auto one = h.g.apply_if(mean(image) < 127, image, [](auto in) { return invert(in); });
         return small(one);
       }},
      {"a number of the device's in a branch is a parameter", 1,
       [](const Here& h, Value<Image> image) {
         auto light = h.g.if_else(
             h.g.coin_flip(0.5f), [&] { return mean(image); }, [&] { return h.g.constant(9.f); });
         return brightness_contrast(image, {.contrast = 0.5f, .contrast_center = light});
       }},
      {"numbers of the device's choose, one after the other and one in the other", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto one = g.if_else(
             g.coin_flip(0.5f),
             [&] {
               auto turned = rotate(image, g.uniform(-20.f, 20.f), {.fill = 3});
               return g.if_else(
                   mean(turned) < 110, [&] { return invert(turned); }, [&] { return turned; });
             },
             [&] { return flip(image); });
         auto branch = cast<std::int32_t>(mean(one) / 43.f);
         auto two = g.select(
             branch, [&] { return one; }, [&] { return flip(one); },
             [&] { return brightness_contrast(one, {.contrast_center = mean(one)}); },
             [&] { return g.apply_if(max(one) > 250, one, [](auto in) { return invert(in); }); },
             [&] { return rotate(one, 90.f); }, [&] { return one; });
         return small(two);
       }},
      {"a number of the device's is asked again, and the last branches are empty", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto light = mean(image);
         auto once = g.apply_if(light < 125, image, [](auto in) { return invert(in); });
         auto twice = g.apply_if(
             g.all_of(light < 129, [&] { return g.coin_flip(0.7f); }), small(once),
             [&](auto in) { return brightness_contrast(in, {.contrast_center = light}); });
         auto back = h.back(twice);
         return darker(
             g, g.if_else(
                    max(twice) > 250, [&] { return back; }, [&] { return h.back(invert(twice)); }));
       },
       true},
      {"a branch by a number of the device's fails, and a step after it", 1,
       [](const Here& h, Value<Image> image) {
         auto& g = h.g;
         auto one = g.if_else(
             mean(image) < 127,
             [&] { return flip(center_crop(flip(image), {.height = 20, .width = 20})); },
             [&] { return brightness_contrast(image, {.brightness = mean(image) - 128.f}); },
             {.name = "some"});
         auto chosen = g.select(
             cast<std::int32_t>(mean(one) > 127) * 2, SelectOptions{.name = "missing"},
             [&] { return invert(one); }, [&] { return one; });
         return invert(center_crop(chosen, {.height = 14, .width = 15}));
       }},
      {"not: a filter stands between", 2,
       [](const Here& h, Value<Image> image) {
         auto inverted = invert(image);
         h.g.filter(h.g.coin_flip(0.7f));
         return flip(inverted);
       }},
  };
  return all;
}

inline const Row& row_of(std::string_view name) {
  for (const Row& row : rows()) {
    if (row.name == name) return row;
  }
  throw std::invalid_argument(std::string(name));
}

inline auto pipeline_of(const Row& row, PipelineOptions options, bool moves, int scale = 1) {
  if (moves && options.device == nullptr) options.device = test_device();
  options.on_error = OnError::skip;
  options.seed = 11;
  return make_pipeline(options, [&](Graph& g) {
    const Here here{g, moves};
    auto made = row.program(here, here.there(drawn(g, scale)));
    return row.ends_here ? made : here.back(made);
  });
}

}  // namespace sluice::device::joins
