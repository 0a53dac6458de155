// Crops reach into the decoder: programs that cut decoded pictures give what the same programs give
// with a decoder that always makes the whole picture, and make no more of each picture than they
// look at.
#include "tests/io/pictures.h"
#include <sluice/sluice.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

constexpr std::int64_t kSamples = 24;
using File = std::vector<std::uint8_t>;
using Jpeg = Value<ByteSpan>;
using Digest = std::uint64_t;

const std::vector<File>& files() {
  static const std::vector<File> all = [] {
    std::vector<File> made;
    for (int i = 0; i < kSamples; ++i) {
      const Bytes jpeg =
          encode_jpeg(draw_picture(60 + i * 7 % 41, 64 + i * 13 % 37, i % 5 == 4 ? 1 : 3,
                                   static_cast<std::uint64_t>(i)),
                      {.subsampling = i % 2 == 0 ? Subsampling::s420 : Subsampling::s444,
                       .progressive = i % 7 == 6,
                       .orientation = 1 + i % 8});
      made.emplace_back(jpeg.begin(), jpeg.end());
    }
    return made;
  }();
  return all;
}

// The decoder of the library, or one of which no pass knows anything.
class Decode {
 public:
  explicit Decode(bool opaque) : opaque_(opaque) {}
  Value<Image> operator()(Graph& g, Jpeg jpeg, const JpegOptions& options = {}) const {
    if (!opaque_) return decode_jpeg(jpeg, options);
    return g.map_into<Image>(
        "decode_jpeg",
        [options](ByteSpan file, Image& out) { decode_jpeg_image(file, options, out); }, jpeg);
  }

 private:
  bool opaque_;
};

// Depends on the size and on every byte.
Value<Digest> digest(Graph& g, Value<Image> image) {
  return g.map(
      "digest",
      [](const Image& in) {
        Digest sum = static_cast<Digest>(in.width()) * 1000 + static_cast<Digest>(in.height());
        for (int y = 0; y < in.height(); ++y) {
          for (std::size_t k = 0; k < in.row_bytes(); ++k) sum = sum * 31 + in.row(y)[k];
        }
        return sum;
      },
      image);
}

constexpr Window kCorner{3, 5, 30, 20};

struct Case {
  const char* name;
  std::function<Value<Digest>(Graph&, Jpeg, const Decode&)> describe;
  // How many samples had their picture decoded whole, and how many a window; -1: some, not all.
  std::int64_t whole, windows;
};

const Case kCases[] = {
    {"a constant window",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, crop(decode(g, jpeg), kCorner));
     },
     0, kSamples},
    {"a random window",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, random_resized_crop(decode(g, jpeg), {.width = 16, .height = 24}));
     },
     0, kSamples},
    {"the middle",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, center_crop(decode(g, jpeg), {.width = 33, .height = 20}));
     },
     0, kSamples},
    {"a window by the header",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto window = g.map(
           "lower half",
           [](const JpegHeader& h) {
             const int half = h.oriented_height() / 2;
             return Window{half, 0, h.oriented_height() - half, h.oriented_width()};
           },
           peek_jpeg(jpeg));
       return digest(g, crop(decode(g, jpeg), window));
     },
     0, kSamples},
    {"gray, as stored",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       const JpegOptions options{.color = ColorSpace::gray, .apply_orientation = false};
       return digest(g, center_crop(decode(g, jpeg, options), {.width = 21, .height = 50}));
     },
     0, kSamples},
    {"every arm cuts",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto window = random_window(image);
       return digest(
           g, g.select(
                  g.map(
                      "arm", [](float x) { return static_cast<int>(x); }, g.uniform(0.f, 3.f)),
                  [&] { return crop(image, window); }, [&] { return crop(image, kCorner); },
                  [&] { return center_crop(image, {.width = 30, .height = 30}); }));
     },
     0, kSamples},
    {"one arm cuts, another needs all",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return crop(image, kCorner); },
                            [&] { return flip(image); }));
     },
     -1, -1},
    {"arms in an arm",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto inner = g.coin_flip(0.5f);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f),
                            [&] {
                              return g.if_else(
                                  inner, [&] { return crop(image, random_window(image)); },
                                  [&] { return image; });
                            },
                            [&] { return center_crop(image, {.width = 9, .height = 9}); }));
     },
     -1, -1},
    {"two windows of one sample",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto a = digest(g, crop(image, kCorner));
       auto b = digest(g, center_crop(image, {.width = 30, .height = 30}));
       return a + b;
     },
     kSamples, 0},
    {"a window, and all in an arm as well",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto part = crop(image, kCorner);
       return digest(g, g.if_else(
                            g.coin_flip(0.5f), [&] { return part; }, [&] { return flip(image); }));
     },
     -1, -1},  // the crop sinks into its arm first
    {"a window, and all behind it",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto seen = g.tap(
           "look", [](const Image& in) { ASSERT_FALSE(in.empty()); }, image);
       return digest(g, crop(seen, kCorner));
     },
     kSamples, 0},
    {"again and again",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       return g.for_loop(3, g.constant(Digest{7}), [&](Value<std::int64_t>, Value<Digest> sum) {
         return sum * Digest{5} + digest(g, crop(image, kCorner));
       });
     },
     kSamples, 0},
    {"decoded again and again",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return g.for_loop(3, g.constant(Digest{7}), [&](Value<std::int64_t> i, Value<Digest> sum) {
         auto image = decode(g, jpeg);
         auto window = g.map(
             "window",
             [](std::int64_t k) {
               return Window{static_cast<int>(k), 2, 20, 20};
             },
             i);
         return sum * Digest{5} + digest(g, crop(image, window));
       });
     },
     0, 3 * kSamples},
    {"the size alone",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       return digest(g, decode_jpeg(jpeg, random_window(decode(g, jpeg))));
     },
     0, 0},
    {"explicit boundaries that compute both",
     [](Graph& g, Jpeg jpeg, const Decode& decode) {
       auto image = decode(g, jpeg);
       auto either = g.add_conditional("either");
       either.set_condition(g.coin_flip(0.5f));
       return digest(g, either.add_output(crop(image, kCorner), flip(image)));
     },
     kSamples, 0},
};

auto describe(const Case& which, bool opaque, const std::vector<File>& from) {
  return [&which, opaque, &from](Graph& g) {
    auto jpeg = g.source(static_cast<std::int64_t>(from.size()), [&from](const SampleInfo& info) {
      return ByteSpan(from[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    return which.describe(g, jpeg, Decode(opaque));
  };
}

std::int64_t runs_of(const Stats& stats, const std::string& step) {
  std::int64_t runs = 0;
  for (const StepStats& s : stats.steps) runs += s.name == step ? s.runs : 0;
  return runs;
}

void expect_count(std::int64_t found, std::int64_t wanted, const char* what) {
  if (wanted >= 0) {
    EXPECT_EQ(found, wanted) << what;
  } else {
    EXPECT_GT(found, 0) << what;
    EXPECT_LT(found, kSamples) << what;
  }
}

TEST(PushCrops, GivesTheSameAndDecodesNoMoreThanIsLookedAt) {
  for (const Case& which : kCases) {
    SCOPED_TRACE(which.name);
    auto whole = make_pipeline({.batch_size = 5}, describe(which, true, files()));
    std::vector<Digest> expected;
    for (const auto& [digests] : whole.epoch())
      expected.insert(expected.end(), digests.begin(), digests.end());
    ASSERT_EQ(expected.size(), files().size());
    for (const int threads : {1, 2, 8}) {
      auto pushed = make_pipeline({.batch_size = 7, .threads = threads, .profile = true},
                                  describe(which, false, files()));
      std::vector<Digest> given;
      for (const auto& [digests] : pushed.epoch())
        given.insert(given.end(), digests.begin(), digests.end());
      EXPECT_EQ(given, expected);
      const Stats stats = pushed.stats();
      const std::string plan = to_string(pushed.plan());
      expect_count(runs_of(stats, "decode_jpeg"), which.whole, plan.c_str());
      expect_count(runs_of(stats, "decode_jpeg (window)"), which.windows, plan.c_str());
    }
  }
}

// The windows of a picture that goes into a tensor; they are written straight into the batch.
TEST(PushCrops, ReachesFromTensorsAndIntoBatches) {
  const auto program = [](bool opaque) {
    return [opaque](Graph& g) {
      auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
        return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
      });
      const Decode decode(opaque);
      auto mirror = g.coin_flip(0.5f);
      auto tensor = crop_mirror_normalize(decode(g, jpeg), {.width = 24,
                                                            .height = 32,
                                                            .mirror = mirror,
                                                            .mean = kImageNetMean,
                                                            .std = kImageNetStd});
      return std::tuple{tensor, crop(decode(g, jpeg), kCorner),
                        crop_mirror_normalize(decode(g, jpeg), {.layout = Layout::hwc})};
    };
  };
  auto pushed = make_pipeline({.batch_size = 6, .profile = true}, program(false));
  auto whole = make_pipeline({.batch_size = 6}, program(true));
  auto a = pushed.epoch(), b = whole.epoch();
  std::int64_t samples = 0;
  while (auto mine = a.next()) {
    auto other = b.next();
    ASSERT_TRUE(other.has_value());
    for (std::size_t k = 0; k < mine->size(); ++k, ++samples) {
      EXPECT_EQ(mine->get<0>()[k], other->get<0>()[k]);
      EXPECT_EQ(mine->get<1>()[k], other->get<1>()[k]);
      EXPECT_EQ(mine->get<2>()[k], other->get<2>()[k]);
    }
  }
  EXPECT_EQ(samples, kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg (window)"), kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg#2 (window)"), kSamples);
  EXPECT_EQ(runs_of(pushed.stats(), "decode_jpeg#3"), kSamples);  // all of it: no window
}

// What is wrong is said in the same words, in the name of the same step.
TEST(PushCrops, ErrorsAreTheSame) {
  struct Wrong {
    const char* name;
    std::function<Value<Digest>(Graph&, Jpeg, const Decode&)> describe;
    std::function<File()> file;
  };
  const auto good = [] { return files()[0]; };
  const auto cut = [](std::size_t bytes) {
    return [bytes] { return File(files()[0].begin(), files()[0].begin() + bytes); };
  };
  const auto corner = [](Graph& g, Jpeg jpeg, const Decode& decode) {
    return digest(g, crop(decode(g, jpeg), kCorner));
  };
  const Wrong wrong[] = {
      {"a window outside",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, crop(decode(g, jpeg), Window{50, 0, 20, 20}));
       },
       good},
      {"an empty window",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, crop(decode(g, jpeg), Window{}));
       },
       good},
      {"a middle that is too large",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, center_crop(decode(g, jpeg), {.width = 500, .height = 5}));
       },
       good},
      {"no picture", corner,
       [] {
         return File{'t', 'e', 'x', 't'};
       }},
      {"nothing", corner, [] { return File{}; }},
      {"a picture that ends in its first rows", corner, cut(700)},
  };
  for (const Wrong& which : wrong) {
    SCOPED_TRACE(which.name);
    const std::vector<File> from = {which.file()};
    std::vector<std::string> said;
    for (const bool opaque : {false, true}) {
      const Case program{which.name, which.describe, 0, 0};
      auto pipeline = make_pipeline({.batch_size = 1, .on_error = OnError::skip},
                                    describe(program, opaque, from));
      for (const auto& batch : pipeline.epoch()) {
        for (const SampleError& error : batch.errors()) said.push_back(to_string(error));
      }
    }
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[0], said[1]);
  }
}

File half_of(const File& file) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2)};
}

// A window does not see damage below it, unless `verify` asks for that; tolerance delivers the
// picture, and says so.
TEST(PushCrops, DamageIsFoundAsFarAsOneLooks) {
  struct Policy {
    JpegOptions options;
    Window window;
    bool delivered;
    std::size_t warnings;
  };
  const Window top{0, 0, 8, 40}, all{0, 0, 60, 64};
  const Policy policies[] = {
      {{}, top, true, 0},
      {{.verify = true}, top, false, 0},
      {{}, all, false, 0},
      {{.damage = DamagePolicy::tolerant}, top, true, 0},
      {{.damage = DamagePolicy::tolerant}, all, true, 1},
      {{.damage = DamagePolicy::tolerant, .verify = true}, top, true, 1},
  };
  const File file = half_of(files()[0]);
  for (const Policy& policy : policies) {
    SCOPED_TRACE(&policy - policies);
    auto pipeline = make_pipeline({.batch_size = 1, .on_error = OnError::skip}, [&](Graph& g) {
      auto jpeg = g.source(1, [&](const SampleInfo&) { return ByteSpan(file); });
      return crop(decode_jpeg(jpeg, policy.options), policy.window);
    });
    std::size_t delivered = 0;
    std::vector<SampleError> warnings;
    for (const auto& batch : pipeline.epoch()) {
      delivered += batch.size();
      warnings = batch.warnings();
    }
    EXPECT_EQ(delivered, policy.delivered ? 1u : 0u);
    ASSERT_EQ(warnings.size(), policy.warnings);
    for (const SampleError& warning : warnings) {
      EXPECT_EQ(warning.id, 0);
      EXPECT_EQ(warning.step, "decode_jpeg");
      EXPECT_NE(warning.what, "");
    }
  }
}

TEST(PushCrops, StatsCountHowPicturesWereRead) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
      return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    return std::tuple{decode_jpeg(jpeg), crop(decode_jpeg(jpeg), kCorner),
                      decode_jpeg(jpeg, {.entropy = JpegEntropyDecoder::library})};
  });
  for (const auto& batch : pipeline.epoch()) static_cast<void>(batch);
  const std::int64_t progressive = 3;  // samples 6, 13 and 20
  std::vector<std::string> found, wanted;
  for (const EventStats& e : pipeline.stats().events)
    found.push_back(e.step + " " + e.name + " " + std::to_string(e.count));
  for (const std::string step : {"decode_jpeg", "decode_jpeg#2"}) {
    wanted.push_back(step + " fast " + std::to_string(kSamples - progressive));
    wanted.push_back(step + " fell back " + std::to_string(progressive));
  }
  wanted.push_back("decode_jpeg#3 library " + std::to_string(kSamples));
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace sluice
