// Random programs on pictures, with .gpu() and .cpu() at random places, and choices by numbers that
// are computed where a picture lies: the same pixels, and the same errors, as the same program
// without moves gives.
#include "tests/cuda/test_device.h"
#include "tests/io/pictures.h"
#include <sluice/graph/plan/visit.h>
#include <sluice/sluice.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace {

constexpr std::int64_t kSamples = 23;
constexpr int kDepth = 3;

// A picture of the program, and where it lies.
struct Held {
  Value<Image> image;
  bool there = false;
};

// Describes the program of a seed. The choices that make it are drawn whether or not steps move to
// the device, so that both descriptions are of the same program.
class Describer {
 public:
  // `stays`: pictures seldom leave the device, and the host decides.
  Describer(Graph& g, std::uint64_t seed, bool moves, bool stays)
      : g_(g), random_({.seed = seed}), moves_(moves), stays_(stays) {}

  std::tuple<Value<Image>, Value<Image>> describe() {
    Value<Image> first = g_.map(
        "draw",
        [](std::int64_t i) {
          const int n = static_cast<int>(i);
          return draw_picture(9 + n % 7 * 4, 11 + n % 5 * 6, 1 + n % 4,
                              static_cast<std::uint64_t>(i));
        },
        g_.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; }));
    std::vector<Held> held{stays_ ? there({first, false}) : Held{first, false}};
    add_steps(held, 3 + below(8), 0);
    return {here(held.back()).image, here(held[below(held.size())]).image};
  }

 private:
  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  Held there(const Held& from) {
    return {moves_ && !from.there ? from.image.gpu() : from.image, true};
  }
  Held here(const Held& from) {
    return {moves_ && from.there ? from.image.cpu() : from.image, false};
  }
  Held at(const Held& from, bool there_) { return there_ ? there(from) : here(from); }

  // Most steps go on with the last picture; some take an older one.
  void add_steps(std::vector<Held>& held, std::size_t steps, int depth) {
    for (std::size_t i = 0; i < steps; ++i) {
      Held from = held[one_in(4) ? below(held.size()) : held.size() - 1];
      if (one_in(stays_ ? 20 : 3)) from = at(from, !from.there);
      held.push_back(add_step(from, held, depth));
    }
  }

  // A block within: it sees what is there so far, and gives a picture that lies `there`.
  Value<Image> add_block(std::vector<Held> held, bool there_, int depth) {
    add_steps(held, below(4), depth + 1);
    return at(held.back(), there_).image;
  }

  // A number of a picture, wherever it lies.
  Value<float> number_of(const Value<Image>& image) {
    switch (below(4)) {
      case 0:
        return min(image);
      case 1:
        return max(image);
      case 2:
        return standard_deviation(image);
      default:
        return mean(image);
    }
  }
  // Drawn, or asked of the picture.
  Value<bool> predicate(const Value<Image>& image) {
    if (one_in(2) || stays_) return g_.coin_flip(0.5f);
    const float limit = static_cast<float>(20 + below(160));
    if (one_in(4)) {
      return g_.all_of(number_of(image) < limit + 40, [&] { return number_of(image) > limit / 2; });
    }
    return number_of(image) < limit;
  }

  Held add_step(const Held& from, const std::vector<Held>& held, int depth) {
    const Value<Image>& image = from.image;
    switch (below(depth < kDepth ? 16 : 11)) {
      case 0:
        return {flip(image, {.horizontal = g_.coin_flip(0.5f), .vertical = one_in(2)}), from.there};
      case 1:
        return {resize(image, {.shorter = static_cast<std::int32_t>(5 + below(30))}), from.there};
      case 2:
        return {resize(image, {.width = static_cast<std::int32_t>(5 + below(30)),
                               .height = static_cast<std::int32_t>(5 + below(30))}),
                from.there};
      case 3:
        return {rotate(image, g_.uniform(-90.f, 90.f), {.keep_size = true, .fill = 7}), from.there};
      case 4:
        return {rotate(image, 90.f), from.there};
      case 5:
        return {brightness_contrast(image, {.brightness = g_.uniform(0.5f, 1.5f)}), from.there};
      case 6:
        return {invert(image), from.there};
      case 7:  // some pictures are too small for it
        return {center_crop(image, {.width = static_cast<std::int32_t>(3 + below(6)),
                                    .height = static_cast<std::int32_t>(3 + below(6))}),
                from.there};
      case 8:  // a function of the host's
        if (stays_) return from;
        return {g_.map(
                    "darker",
                    [](const Image& in) {
                      Image out = in.clone();
                      for (int y = 0; y < out.height(); ++y) out.row(y)[0] /= 2;
                      return out;
                    },
                    here(from).image),
                false};
      case 9:  // by a number of another picture, perhaps one of the same gather
        return {brightness_contrast(image,
                                    {.contrast = 0.75f,
                                     .contrast_center = number_of(held[below(held.size())].image)}),
                from.there};
      case 10:
        if (one_in(2)) g_.filter(number_of(image) >= static_cast<float>(below(60)));
        return from;
      case 11:
      case 12: {
        const bool end = one_in(2) || stays_;
        auto chosen = predicate(image);
        return {g_.if_else(
                    chosen, [&] { return add_block(held, end, depth); },
                    [&] { return add_block(held, end, depth); }),
                end};
      }
      case 13: {
        const bool end = one_in(2) || stays_;
        auto drawn = stays_ ? cast<std::uint32_t>(g_.uniform(0.f, 3.f))
                            : g_.random("arm", [](Random& r) { return r.below(3); });
        auto arm = one_in(stays_ ? 8 : 2) ? cast<std::uint32_t>(mean(image) / 90.f) : drawn;
        return {g_.select(
                    arm, [&] { return add_block(held, end, depth); },
                    [&] { return add_block(held, end, depth); },
                    [&] { return add_block(held, end, depth); }),
                end};
      }
      case 14: {  // some would go on for ever
        const auto limit = static_cast<float>(30 + below(100));
        return {g_.while_loop(
                    image, [&](Value<Image> state) { return mean(state) < limit; },
                    [&](Value<Image> state) {
                      std::vector<Held> inside = held;
                      inside.push_back({state, from.there});
                      auto next = add_block(std::move(inside), from.there, depth);
                      return brightness_contrast(next, {.brightness = 1.6f});
                    },
                    {.max_iterations = 5}),
                from.there};
      }
      default: {
        auto turns = g_.random("turns", [](Random& r) { return r.below(3); });
        return {g_.for_loop(turns, image,
                            [&](Value<std::int64_t>, Value<Image> state) {
                              std::vector<Held> inside = held;
                              inside.push_back({state, from.there});
                              return add_block(std::move(inside), from.there, depth);
                            }),
                from.there};
      }
    }
  }

  Graph& g_;
  Random random_;
  const bool moves_, stays_;
};

struct Ended {
  std::vector<std::int64_t> ids;
  std::vector<Image> first, second;
  std::vector<std::string> errors;
  bool joins = false;  // a choice is part of a gather
};

Ended run(std::uint64_t seed, bool moves, bool stays, int threads, int batch_size) {
  PipelineOptions options{.batch_size = batch_size, .seed = seed, .threads = threads};
  options.on_error = OnError::skip;
  if (moves) options.device = test_device();
  auto pipeline =
      make_pipeline(options, [&](Graph& g) { return Describer(g, seed, moves, stays).describe(); });
  Ended ended;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ended.ids.push_back(batch.ids()[i]);
      ended.first.push_back(batch.template get<0>()[i].clone());
      ended.second.push_back(batch.template get<1>()[i].clone());
    }
    for (const SampleError& error : batch.errors())
      ended.errors.push_back(std::to_string(error.id) + " " + error.step + " " + error.path + " " +
                             error.what);
  }
  detail::for_each<detail::Branch>(pipeline.plan().top, [&](const detail::Branch& branch) {
    ended.joins = ended.joins || branch.joins;
  });
  EXPECT_TRUE(pipeline.stats().epoch.balanced()) << to_string(pipeline.stats().epoch);
  return ended;
}

// Runs programs on both; gives how many runs had choices inside of gathers.
int compare(bool stays) {
  const char* const wish = std::getenv("SLUICE_DEVICE_PROGRAMS");
  const std::uint64_t programs = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 40;
  std::size_t delivered = 0, failed = 0;
  int joined = 0;
  for (std::uint64_t seed = 0; seed < programs && !::testing::Test::HasFailure(); ++seed) {
    const Ended expected = run(seed, false, stays, 1, 7);
    delivered += expected.ids.size();
    failed += expected.errors.size();
    for (const auto& [threads, batch_size] : {std::pair{1, 1}, {4, 7}, {4, 1}, {1, 7}}) {
      if (programs <= 40 && (seed + static_cast<std::uint64_t>(threads)) % 2 == 0) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(threads) +
                   " threads, batches of " + std::to_string(batch_size));
      const Ended actual = run(seed, true, stays, threads, batch_size);
      joined += actual.joins ? 1 : 0;
      EXPECT_EQ(actual.errors, expected.errors);
      EXPECT_EQ(actual.ids, expected.ids);
      if (::testing::Test::HasFailure()) break;
      for (std::size_t i = 0; i < actual.ids.size(); ++i) {
        EXPECT_TRUE(actual.first[i] == expected.first[i]) << "sample " << actual.ids[i];
        EXPECT_TRUE(actual.second[i] == expected.second[i]) << "sample " << actual.ids[i];
      }
    }
  }
  EXPECT_GT(delivered, failed);
  return joined;
}

TEST(DeviceProgram, GivesWhatTheHostGives) { compare(false); }

TEST(DeviceProgram, ThatStaysThereGivesTheSame) {
  const int joined = compare(true);
  EXPECT_GT(joined, 10);
  RecordProperty("joined", joined);
}

}  // namespace
}  // namespace sluice::device
