#include <sluice/graph/exec/sample.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace sampler_settings_test {

const UserOrder kByLength{"by length", 10, [](auto, auto place) { return place; }};

std::string error_of(const Sampler& sampler, std::int64_t dataset_size = 10,
                     std::int64_t position = 0) {
  try {
    (void)EpochOrder(sampler, dataset_size, 0)[position];
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// {true, false} would be the samples 1 and 0.
template <class List, class T>
concept ListOf = requires(T first, T second) {
  List{first, second};
};
static_assert(ListOf<Indices, std::int64_t> && ListOf<Indices, int>);
static_assert(!ListOf<Indices, bool>);

TEST(SamplerSettings, ThatCannotBeAreRefused) {
  struct Case {
    Sampler sampler;
    std::int64_t dataset_size;
    const char* what;
  };
  const Case cases[] = {
      {{.shuffle = true, .window = -1},
       10,
       "a window of -1; it is 1 or more, or 0 for a shuffle of the whole epoch"},
      {{.window = 5}, 10, "a `window` shuffles; set `shuffle`, too"},
      {{.shuffle = true, .replacement = true},
       10,
       "`shuffle` that draws with replacement, which is in random order already; leave one out"},
      {{.shuffle = true, .weights = {1, 2}},
       2,
       "`shuffle` that draws with replacement, which is in random order already; leave one out"},
      {{.replacement = true, .stick_to_shard = true},
       10,
       "`stick_to_shard` that draws with replacement, from the whole dataset; leave one out"},
      {{.draws = 5}, 10, "`draws` draws with replacement; set `replacement` or `weights`, too"},
      {{.replacement = true, .draws = -1},
       10,
       "-1 draws; there are 1 or more, or 0 for as many as there are samples"},
      {{.replacement = true, .draws = 5}, 0, "5 draws has no samples to draw from"},
      {{.weights = {1, 2}}, 3, "2 weights for 3 samples; give one for each"},
      {{.weights = {1, 2}, .subset = {1}}, 2, "2 weights for 1 sample; give one for each"},
      {{.subset = {0, 3, 1, -2}},
       10,
       "a subset whose entry 3 is -2; the dataset has 10 samples, counted from 0"},
      {{.subset = {0, 3, 10}},
       10,
       "a subset whose entry 2 is 10; the dataset has 10 samples, counted from 0"},
      {{.subset = {-1}},
       kUntilEnd,
       "a subset whose entry 0 is -1; samples of the dataset are counted from 0"},
      {{.shuffle = true},
       kUntilEnd,
       "a random order needs the number of samples, which this dataset does not know; read it in "
       "order, or give a `subset`"},
      {{.replacement = true, .draws = 5},
       kUntilEnd,
       "a random order needs the number of samples, which this dataset does not know; read it in "
       "order, or give a `subset`"},
      {{.shuffle = true, .order = kByLength},
       10,
       "a custom order defines its samples; of the other settings it takes only `shard` and "
       "`uneven`"},
      {{.subset = {1}, .order = kByLength},
       10,
       "a custom order defines its samples; of the other settings it takes only `shard` and "
       "`uneven`"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of(c.sampler, c.dataset_size), std::string("a sampler with ") + c.what);
  EXPECT_EQ(error_of({.shard = {3, 3}}),
            "shard 3 of 3; shards are counted from 0, and there is at least 1");
  EXPECT_EQ(error_of({.shard = {5, 2}, .stick_to_shard = true}),
            "shard 5 of 2; shards are counted from 0, and there is at least 1");
  EXPECT_EQ(error_of({.shard = {0, 2}}, kUntilEnd).substr(0, 45),
            "an epoch whose length is not known cannot be ");
  EXPECT_EQ(error_of({.order = {"o", kUntilEnd, [](auto, auto) { return std::int64_t{0}; }},
                      .shard = {0, 2}})
                .substr(0, 45),
            "an epoch whose length is not known cannot be ");
  EXPECT_THROW(EpochOrder({.stick_to_shard = true}, 10, 0, 0, {{2, 1}}), BuildError);
  EXPECT_THROW(UserOrder("o", 5, nullptr), BuildError);
  EXPECT_THROW(UserOrder("o", nullptr, [](auto, auto place) { return place; }), BuildError);
}

TEST(SamplerSettings, WhatIsAskedForOrGivenBeyondTheEndIsAnError) {
  EXPECT_EQ(error_of({.shuffle = true}, 10, 10),
            "samples of this process: there is no place 10 among 10; they are counted from 0");
  EXPECT_EQ(error_of({}, 10, -1),
            "samples of this process: there is no place -1 among 10; they are counted from 0");
  const UserOrder beyond{"a\nb", 20, [](auto, auto place) { return place - 5; }};
  EXPECT_EQ(error_of({.order = beyond}, 10, 15),
            "the order 'a\\nb' gives index 10 for place 15 of epoch 0; the dataset has 10 samples, "
            "counted from 0");
  EXPECT_EQ(error_of({.order = beyond}, kUntilEnd, 4),
            "the order 'a\\nb' gives index -1 for place 4 of epoch 0; samples of the dataset are "
            "counted from 0");
  EXPECT_EQ(error_of({.order = beyond}, 10, 14), "no error");
}

// The text of each sampler, which must be unique: checkpoints recognize samplers by it.
TEST(SamplerSettings, AreToldInOneLine) {
  struct Case {
    Sampler sampler;
    std::string text;
  };
  const Case cases[] = {
      {{}, "in order"},
      {{.shuffle = true}, "shuffle"},
      {{.shuffle = true, .seed = 42}, "shuffle, seed 42"},
      {{.shuffle = true, .seed = 42, .window = 9, .shard = {2, 8}},
       "shuffle, seed 42, window 9; shard 2 of 8"},
      {{.shuffle = true, .shard = {2, 8}, .stick_to_shard = true}, "shuffle; shard 2 of 8, sticks"},
      {{.shard = {0, 8}, .uneven = UnevenShards::repeat_last},
       "in order; shard 0 of 8, short ones repeat their last sample"},
      {{.shard = {0, 8}, .uneven = UnevenShards::wrap},
       "in order; shard 0 of 8, short ones repeat their first sample"},
      {{.shard = {0, 8}, .uneven = UnevenShards::drop},
       "in order; shard 0 of 8, long ones drop their last sample"},
      {{.replacement = true}, "replacement"},
      {{.replacement = true, .draws = 7}, "replacement, draws 7"},
      {{.weights = {1, 2}}, "weights 2 (hash ba46173cc10a01fb)"},
      {{.weights = {1, 3}}, "weights 2 (hash 4bd657453c59de5d)"},
      {{.subset = {1, 2}}, "in order, subset 2 (hash 07ee86c281446bef)"},
      {{.subset = {2, 1}}, "in order, subset 2 (hash fb54cb6322be3888)"},
      {{.subset = std::vector<std::int64_t>{}}, "in order, subset 0 (hash 2d06800538d394c2)"},
      {{.order = kByLength}, "order 'by length'"},
  };
  for (const Case& a : cases) {
    EXPECT_EQ(to_string(a.sampler), a.text);
    for (const Case& b : cases) EXPECT_EQ(a.sampler == b.sampler, &a == &b) << a.text << b.text;
  }
}

TEST(SamplerSettings, AreEqualWhereTheListsAre) {
  const std::vector<std::int64_t> indices = {3, 1};
  EXPECT_EQ((Sampler{.subset = indices}), (Sampler{.subset = indices}));
  EXPECT_EQ((Sampler{.order = kByLength}),
            (Sampler{.order = {"by length", 3, [](auto, auto) { return std::int64_t{0}; }}}));
}

}  // namespace sampler_settings_test
}  // namespace sluice
