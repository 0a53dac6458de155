// Random programs on images, with .gpu() and .cpu() at random places, and conditionals on numbers
// that are computed where an image lies. Pixels, errors and counts equal those of the same program
// without moves.
#include "tests/cuda/join_device_batches.h"
#include "tests/cuda/one_change.h"
#include "tests/cuda/shaded.h"
#include "tests/cuda/test_device.h"
#include "tests/in_child.h"
#include "tests/io/images.h"
#include "tests/one_in.h"
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
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace pipeline_property_test {

constexpr std::int64_t kSamples = 23;
constexpr int kDepth = 3;
const std::uint64_t kManyPrograms = 40u / std::uint64_t(testing::one_in(3, 6));

enum class Kind {
  moves,  // images move between host and device, both decide
  stays,  // images seldom leave the device, and the host decides
  asks    // images seldom leave the device, which decides: nothing is drawn that chooses
};

// An image of the program, and whether it lies on the device.
struct Held {
  Value<Image> image;
  bool there = false;
};

// Describes the program of a seed. Its random numbers are drawn whether or not steps move to the
// device, so both descriptions are of the same program.
class Describer {
 public:
  Describer(Graph& g, std::uint64_t seed, bool moves, Kind kind)
      : g_(g),
        random_({.seed = seed}),
        moves_(moves),
        stays_(kind != Kind::moves),
        asks_(kind == Kind::asks) {}

  std::tuple<Value<Image>, Value<Image>> describe() {
    Value<Image> first =
        asks_
            ? shaded(g_, kSamples)
            : g_.map(
                  "draw",
                  [](std::int64_t i) {
                    const int n = static_cast<int>(i);
                    return draw_image(9 + n % 7 * 4, 11 + n % 5 * 6, n % 4 == 1 ? 3 : 1 + n % 4,
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

  // Most steps continue with the last image; some take an older one.
  void add_steps(std::vector<Held>& held, std::size_t steps, int depth) {
    for (std::size_t i = 0; i < steps; ++i) {
      Held from = held[one_in(4) ? below(held.size()) : held.size() - 1];
      if (one_in(asks_ ? 8 : stays_ ? 20 : 3)) from = at(from, !from.there);
      held.push_back(add_step(from, held, depth));
    }
  }

  // Adds an inner block: it sees all images so far, and returns one that lies on the device if
  // `there_`.
  Value<Image> add_block(std::vector<Held> held, bool there_, int depth) {
    add_steps(held, below(4), depth + 1);
    return at(held.back(), there_).image;
  }

  // Returns whether the branches of a conditional end on the device, at random.
  bool ends_there() { return one_in(2) || (asks_ ? !one_in(4) : stays_); }

  // Returns a number of an image, wherever it lies.
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
  // A random predicate of the images' numbers and of values that the host knows.
  Value<bool> asked(const Value<Image>& image, const std::vector<Held>& held, int depth) {
    const auto limit = static_cast<float>(10 + below(150));
    switch (below(depth < 2 ? 8 : 4)) {
      case 0:
        return number_of(image) < limit;
      case 1:
        return number_of(image) >= g_.uniform(5.f, 200.f);
      case 2:
        return number_of(image) > number_of(held[below(held.size())].image);
      case 3:  // none do, or nearly all
        return one_in(2) ? number_of(image) < 0.f : number_of(image) != 0.f;
      case 4:
        return !asked(image, held, depth + 1);
      case 5:
        return g_.all_of(asked(image, held, depth + 1),
                         [&] { return asked(image, held, depth + 1); });
      case 6:
        return g_.any_of(asked(image, held, depth + 1),
                         [&] { return asked(image, held, depth + 1); });
      default:
        return g_.if_else(
            asked(image, held, depth + 1), [&] { return number_of(image) < limit; },
            [&] { return number_of(image) < limit / 2; });
    }
  }
  // Returns a predicate, drawn or computed from the image.
  Value<bool> predicate(const Value<Image>& image, const std::vector<Held>& held) {
    if (asks_) return asked(image, held, 0);
    if (one_in(2) || stays_) return g_.coin_flip(0.5f);
    const float limit = static_cast<float>(20 + below(160));
    if (one_in(4)) {
      return g_.all_of(number_of(image) < limit + 40, [&] { return number_of(image) > limit / 2; });
    }
    return number_of(image) < limit;
  }

  // Returns 0 to 2, drawn or computed from the image.
  Value<std::uint32_t> branch_of(const Value<Image>& image) {
    auto drawn = stays_ ? cast<std::uint32_t>(g_.uniform(0.f, 3.f))
                        : g_.random("branch", [](Random& r) { return r.below(3); });
    if (!one_in(asks_ ? 1 : stays_ ? 8 : 2)) return drawn;
    return cast<std::uint32_t>(mean(image) / 90.f);
  }

  Held add_step(const Held& from, const std::vector<Held>& held, int depth) {
    const Value<Image>& image = from.image;
    switch (below(depth < kDepth ? 16 : 11)) {
      case 0:
        return {flip(image, {.horizontal = g_.coin_flip(0.5f), .vertical = one_in(2)}), from.there};
      case 1:
        return {resize(image, {.shorter = static_cast<std::int32_t>(5 + below(30))}), from.there};
      case 2:
        return {resize(image, {.height = static_cast<std::int32_t>(5 + below(30)),
                               .width = static_cast<std::int32_t>(5 + below(30))}),
                from.there};
      case 3:
        return {rotate(image, g_.uniform(-90.f, 90.f), {.keep_size = true, .fill = 7}), from.there};
      case 4:
        return {rotate(image, 90.f), from.there};
      case 5:
        return {brightness_contrast(image, {.brightness = g_.uniform(0.5f, 1.5f)}), from.there};
      case 6:
        return {one_change(g_, image, below(kChanges)), from.there};
      case 7:  // some images are too small for it
        return {center_crop(image, {.height = static_cast<std::int32_t>(3 + below(6)),
                                    .width = static_cast<std::int32_t>(3 + below(6))}),
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
      case 9:  // by a number of another image, perhaps one of the same GPU batch
        return {brightness_contrast(image,
                                    {.contrast = 0.75f,
                                     .contrast_center = number_of(held[below(held.size())].image)}),
                from.there};
      case 10:
        if (one_in(2)) g_.filter(number_of(image) >= static_cast<float>(below(60)));
        return from;
      case 11:
      case 12: {
        const bool end = ends_there();
        auto chosen = predicate(image, held);
        return {g_.if_else(
                    chosen, [&] { return add_block(held, end, depth); },
                    [&] { return add_block(held, end, depth); }),
                end};
      }
      case 13: {
        const bool end = ends_there();
        auto branch = branch_of(image);
        return {g_.select(
                    branch, [&] { return add_block(held, end, depth); },
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
        auto turns = asks_ ? cast<std::uint32_t>(mean(image) / 80.f)
                           : g_.random("turns", [](Random& r) { return r.below(3); });
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
  const bool moves_, stays_, asks_;
};

struct Ended {
  std::vector<std::int64_t> ids;
  std::vector<Image> first, second;
  std::vector<std::string> errors;
  joins::Seen counted;
  bool joins = false;          // a conditional is part of a device batch
  int split = 0, unsplit = 0;  // conditionals with all branches taken, and others
};

Ended run(std::uint64_t seed, Kind kind, const std::shared_ptr<Device>& device, int threads,
          int batch_size) {
  const PipelineOptions options{.batch_size = batch_size,
                                .seed = seed,
                                .threads = threads,
                                .device = device,
                                .on_error = OnError::skip,
                                .profile = true};
  auto pipeline = make_pipeline(
      options, [&](Graph& g) { return Describer(g, seed, device != nullptr, kind).describe(); });
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
  detail::for_each<detail::Choice>(pipeline.plan().top, [&](const detail::Choice& choice) {
    ended.joins = ended.joins || choice.joins;
  });
  const Stats stats = pipeline.stats();
  EXPECT_TRUE(stats.epoch.balanced()) << to_string(stats.epoch);
  joins::count(ended.counted, stats);
  // Numbers are made before a device batch, even for samples that fail in the batch before they
  // need them.
  if (!ended.errors.empty()) {
    std::erase_if(ended.counted.counts, [](const auto& count) {
      return count.first.find(" uniform") != std::string::npos ||
             count.first.find(" coin_flip") != std::string::npos ||
             count.first.find(" min") != std::string::npos;
    });
  }
  for (const ChoiceStats& choice : stats.choices) {
    const bool all = std::all_of(choice.branches.begin(), choice.branches.end(),
                                 [](const BranchStats& branch) { return branch.taken > 0; });
    ++(all ? ended.split : ended.unsplit);
  }
  return ended;
}

// Each delivered image must be as expected; some may be missing.
void expect_same_images(const Ended& actual, const Ended& expected) {
  for (std::size_t i = 0, j = 0; i < actual.ids.size(); ++i) {
    while (j < expected.ids.size() && expected.ids[j] != actual.ids[i]) ++j;
    ASSERT_LT(j, expected.ids.size()) << "sample " << actual.ids[i] << " is not to be delivered";
    EXPECT_TRUE(actual.first[i] == expected.first[j]) << "sample " << actual.ids[i];
    EXPECT_TRUE(actual.second[i] == expected.second[j]) << "sample " << actual.ids[i];
  }
}

// Returns all wrong counts, each as "step: 3, not 4; ".
std::string differing(const joins::Seen& actual, const joins::Seen& expected) {
  auto ours = actual.counts, theirs = expected.counts;
  for (const auto& [name, count] : ours) (void)theirs.try_emplace(name, -1);
  std::ostringstream text;
  for (const auto& [name, count] : theirs) {
    const std::int64_t here = ours.try_emplace(name, -1).first->second;
    if (here != count) text << name << ": " << here << ", not " << count << "; ";
  }
  return text.str();
}

struct Compared {
  int joined = 0;              // runs with conditionals inside of device batches
  int split = 0, unsplit = 0;  // of the host's runs
};

// Runs programs on both.
Compared compare(Kind kind, std::uint64_t programs) {
  const char* const wish = std::getenv("SLUICE_DEVICE_PROGRAMS");
  if (wish != nullptr) programs = std::strtoull(wish, nullptr, 10);
  std::size_t delivered = 0, failed = 0;
  Compared compared;
  for (std::uint64_t seed = 0; seed < programs && !::testing::Test::HasFailure(); ++seed) {
    const Ended expected = run(seed, kind, nullptr, 1, 7);
    delivered += expected.ids.size();
    failed += expected.errors.size();
    compared.split += expected.split;
    compared.unsplit += expected.unsplit;
    for (const auto& [threads, batch_size] : {std::pair{1, 1}, {4, 7}, {4, 1}, {1, 7}}) {
      if (programs <= 40 && (seed + static_cast<std::uint64_t>(threads)) % 2 == 0) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(threads) +
                   " threads, batches of " + std::to_string(batch_size));
      const Ended actual = run(seed, kind, test_device(), threads, batch_size);
      compared.joined += actual.joins ? 1 : 0;
      EXPECT_EQ(actual.errors, expected.errors);
      EXPECT_EQ(actual.ids, expected.ids);
      EXPECT_EQ(differing(actual.counted, expected.counted), "");
      if (::testing::Test::HasFailure()) break;
      expect_same_images(actual, expected);
    }
  }
  EXPECT_GT(delivered, failed);
  return compared;
}

TEST(DeviceProgram, GivesWhatTheHostGives) { compare(Kind::moves, kManyPrograms); }

TEST(DeviceProgram, ThatStaysThereGivesTheSame) {
  const Compared compared = compare(Kind::stays, kManyPrograms);
  EXPECT_GT(compared.joined, 5);
}

TEST(DeviceProgram, WhoseChoicesTheDevicesNumbersMakeGivesTheSame) {
  const Compared compared = compare(Kind::asks, 16);
  EXPECT_GT(compared.split, 3);
  EXPECT_GT(compared.unsplit, 3);
}

// Faults cost samples but do not change the others' images and paths.
TEST(DeviceProgram, WhoseDeviceFailsGivesTheRestAsItIs) {
  if (on_gpu()) GTEST_SKIP() << "a GPU does not fail when it is told to";
  std::size_t delivered = 0, all = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Ended expected = run(seed, Kind::asks, nullptr, 1, 7);
    for (const auto fault : {HostDevice::Fault::refused, HostDevice::Fault::failed}) {
      std::atomic<std::uint64_t> calls{seed};
      const auto device = std::make_shared<HostDevice>(
          HostDevice::Options{.fault = [&](const HostDevice::Call& call) {
            return call.stream >= 0 && ++calls % 41 == 0 ? fault : HostDevice::Fault::none;
          }});
      const Ended actual = run(seed, Kind::asks, device, 3, 5);
      expect_same_images(actual, expected);
      EXPECT_TRUE(device->violations().empty());
      delivered += actual.ids.size();
      all += expected.ids.size();
    }
  }
  EXPECT_GT(delivered, 0u);
  EXPECT_LT(delivered, all);
}

}  // namespace pipeline_property_test
}  // namespace sluice::device
