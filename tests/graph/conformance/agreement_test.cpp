// Branches and bodies agree in type, layout and number of dimensions: C43 and C54 of
// tests/conformance.md. Properties that are known are compared while the graph is described.
#include "tests/graph/conformance/setup.h"
#include "tests/graph/sources.h"
#include "tests/graph/tensors.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::conformance {
namespace agreement_test {

const TensorSpec kFloats{DType::f32, Layout::chw, 3};
const TensorSpec kHalves{DType::f16, Layout::chw, 3};
const TensorSpec kRows{DType::f32, Layout::hwc, 3};
const TensorSpec kFlat{DType::f32, Layout::chw, 2};
const TensorSpec kPlain{DType::f32, Layout::none, 1};

using Number = Value<std::int64_t>;

struct Labeled {
  Value<std::int64_t> label;
  Value<Tensor> tensor;
};

struct Disagreement {
  const char* name;
  std::function<Value<Tensor>(Graph&, Number)> describe;
  const char* message;
};

// Returns the result of a conditional between two tensors.
Value<Tensor> either(Graph& g, Number n, const TensorSpec& then, const TensorSpec& otherwise) {
  return g.if_else(
      n > 3, [&] { return known_tensor(g, n, then); },
      [&] { return known_tensor(g, n, otherwise); });
}

const std::vector<Disagreement>& disagreements() {
  static const std::vector<Disagreement> all{
      {"C43 type", [](Graph& g, Number n) { return either(g, n, kFloats, kHalves); },
       "'if_else': the result is a tensor (f16, CHW, 3 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C43 layout", [](Graph& g, Number n) { return either(g, n, kFloats, kRows); },
       "'if_else': the result is a tensor (f32, HWC, 3 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C43 number of dimensions", [](Graph& g, Number n) { return either(g, n, kFlat, kFloats); },
       "'if_else': the result is a tensor (f32, CHW, 3 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 2 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C43 none of the three", [](Graph& g, Number n) { return either(g, n, kHalves, kPlain); },
       "'if_else': the result is a tensor (f32, no layout, 1 dimension) in the branch 'otherwise', "
       "but (f16, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and "
       "number of dimensions"},
      {"C54 only the types are known",
       [](Graph& g, Number n) {
         return either(g, n, {.dtype = DType::f16}, {.dtype = DType::u8, .rank = 3});
       },
       "'if_else': the result is a tensor (u8, 3 dimensions) in the branch 'otherwise', but (f16) "
       "in the branch 'then'; make both agree in type, layout and number of dimensions"},
      {"C54 one branch of five, and of the first nothing is known",
       [](Graph& g, Number n) {
         return g.select(
             n, [&] { return secret_tensor(g, n, kHalves); },
             [&] { return known_tensor(g, n, kFloats); },
             [&] { return secret_tensor(g, n, kFloats); },
             [&] { return known_tensor(g, n, kRows); },
             [&] { return known_tensor(g, n, kFloats); });
       },
       "'select': the result is a tensor (f32, HWC, 3 dimensions) in the branch 'branch 3', but "
       "(f32, "
       "CHW, 3 dimensions) in the branch 'branch 1'; make both agree in type, layout and number of "
       "dimensions"},
      {"C54 branches in a vector, with names",
       [](Graph& g, Number n) {
         std::vector<std::function<Value<Tensor>()>> branches;
         for (const TensorSpec& spec : {kFloats, kFloats, kFloats, kHalves})
           branches.emplace_back([&g, n, spec] { return known_tensor(g, n, spec); });
         return g.select(n, branches, {.name = "suite", .branch_names = {"a", "b", "c", "d"}});
       },
       "'suite': the result is a tensor (f16, CHW, 3 dimensions) in the branch 'd', but (f32, CHW, "
       "3 dimensions) in the branch 'a'; make both agree in type, layout and number of dimensions"},
      {"C54 a branch that is a choice itself",
       [](Graph& g, Number n) {
         return g.if_else(
             n > 5, [&] { return either(g, n, kFloats, kFloats); },
             [&] { return either(g, n, kHalves, kHalves); });
       },
       "'if_else': the result is a tensor (f16, CHW, 3 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C54 deep inside",
       [](Graph& g, Number n) {
         return g.select(
             n, [&] { return known_tensor(g, n, kFloats); },
             [&] { return either(g, n, kFloats, kRows); });
       },
       "'if_else': the result is a tensor (f32, HWC, 3 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C54 without else",
       [](Graph& g, Number n) {
         return g.apply_if(n > 3, known_tensor(g, n, kFloats),
                           [&](auto) { return known_tensor(g, n, kHalves); });
       },
       "'if_else': the result is a tensor (f32, CHW, 3 dimensions) in the branch 'otherwise', but "
       "(f16, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"C54 an element of a tuple in a tuple",
       [](Graph& g, Number n) {
         const auto branch = [&](const TensorSpec& spec) {
           return [&g, n, spec] {
             return std::tuple{n,
                               std::tuple{known_tensor(g, n, kFlat), n, known_tensor(g, n, spec)}};
           };
         };
         return std::get<0>(std::get<1>(g.if_else(n > 3, branch(kFloats), branch(kHalves))));
       },
       "'if_else': element 2 of element 1 of the result is a tensor (f16, CHW, 3 dimensions) in "
       "the branch 'otherwise', but (f32, CHW, 3 dimensions) in the branch 'then'; make both agree "
       "in type, layout and number of dimensions"},
      {"C54 a field of a struct in a vector",
       [](Graph& g, Number n) {
         const auto branch = [&](const TensorSpec& spec) {
           return [&g, n, spec] {
             return std::vector{Labeled{n, known_tensor(g, n, kFloats)},
                                Labeled{n, known_tensor(g, n, spec)}};
           };
         };
         return g.if_else(n > 3, branch(kFloats), branch(kRows))[0].tensor;
       },
       "'if_else': field 1 of element 1 of the result is a tensor (f32, HWC, 3 dimensions) in the "
       "branch 'otherwise', but (f32, CHW, 3 dimensions) in the branch 'then'; make both agree in "
       "type, layout and number of dimensions"},
      {"C54 under a key, in an array",
       [](Graph& g, Number n) {
         const auto branch = [&](const TensorSpec& spec) {
           return [&g, n, spec] {
             return std::map<std::string, std::array<Value<Tensor>, 2>>{
                 {"images", {known_tensor(g, n, kFloats), known_tensor(g, n, spec)}}};
           };
         };
         return g.if_else(n > 3, branch(kFloats), branch(kFlat)).at("images")[0];
       },
       "'if_else': element 1 of the key 'images' of the result is a tensor (f32, CHW, 2 "
       "dimensions) in the branch 'otherwise', but (f32, CHW, 3 dimensions) in the branch 'then'; "
       "make both agree in type, layout and number of dimensions"},
      {"a loop's body",
       [](Graph& g, Number n) {
         return g.for_loop(3, known_tensor(g, n, kFloats),
                           [&](auto, auto) { return known_tensor(g, n, kHalves); });
       },
       "'for_loop': the state is a tensor (f16, CHW, 3 dimensions) as the body gives it, but (f32, "
       "CHW, 3 dimensions) as it begins; make both agree in type, layout and number of dimensions"},
      {"a loop's body in a branch, whose own choice does not fit the state",
       [](Graph& g, Number n) {
         const auto start = known_tensor(g, n, kFloats);
         const auto body = [&](auto state, auto count) {
           return std::tuple{
               g.apply_if(n > 3, state, [&](auto) { return known_tensor(g, n, kRows); }),
               count - 1};
         };
         return g.if_else(
             n > 3,
             [&] {
               return std::get<0>(g.while_loop(
                   std::tuple{start, n}, [](auto, auto count) { return count > 0; }, body));
             },
             [&] { return start; });
       },
       "'if_else#2': the result is a tensor (f32, CHW, 3 dimensions) in the branch 'otherwise', "
       "but (f32, HWC, 3 dimensions) in the branch 'then'; make both agree in type, layout and "
       "number of dimensions"},
      {"values of a loop that change places",
       [](Graph& g, Number n) {
         const auto begin = std::tuple{known_tensor(g, n, kFloats), known_tensor(g, n, kRows)};
         return std::get<0>(g.for_loop(n, begin, [](auto, auto a, auto b) {
           return std::tuple{b, a};
         }));
       },
       "'for_loop': element 0 of the state is a tensor (f32, HWC, 3 dimensions) as the body gives "
       "it, but (f32, CHW, 3 dimensions) as it begins; make both agree in type, layout and number "
       "of dimensions"},
      {"what a loop gives, against the other branch",
       [](Graph& g, Number n) {
         return g.if_else(
             n > 3,
             [&] {
               return g.for_loop(n, known_tensor(g, n, kFloats),
                                 [&](auto, auto) { return known_tensor(g, n, kFloats); });
             },
             [&] { return known_tensor(g, n, kFlat); });
       },
       "'if_else': the result is a tensor (f32, CHW, 2 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
  };
  return all;
}

TEST(Agreement, C43_C54_BranchesAndBodiesThatDisagreeAreRefusedWhenTheGraphIsBuilt) {
  for (const Disagreement& program : disagreements()) {
    try {
      (void)make_pipeline({.batch_size = kBatch},
                          [&](Graph& g) { return program.describe(g, indices(g, kSamples)); });
      ADD_FAILURE() << program.name << ": no error";
    } catch (const BuildError& error) {
      EXPECT_STREQ(error.what(), program.message) << program.name;
    }
  }
}

// After the error, the program can go on: nothing of the wrong conditional or loop remains.
TEST(Agreement, C54_TheGraphStaysUsable) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    const auto n = indices(g, kSamples);
    for (const Disagreement& program : disagreements())
      EXPECT_THROW((void)program.describe(g, n), BuildError) << program.name;
    return either(g, n, kFloats, kFloats);
  });
  std::int64_t id = 0;
  for (const auto& [tensors] : pipeline.epoch()) {
    EXPECT_TRUE(tensors.dense());
    for (const Tensor& tensor : tensors) EXPECT_EQ(tensor.bytes()[0], static_cast<std::byte>(id++));
  }
  EXPECT_EQ(id, kSamples);
}

// An unknown property on one side is no mistake: these programs are built, and run.
TEST(Agreement, C54_WhatIsNotKnownAgreesWithEverything) {
  const std::vector<std::function<Value<Tensor>(Graph&, Number)>> programs{
      [](Graph& g, Number n) {
        return g.if_else(
            n > 3, [&] { return secret_tensor(g, n, kFloats); },
            [&] { return known_tensor(g, n, kFloats); });
      },
      [](Graph& g, Number n) {
        return g.if_else(
            n > 3, [&] { return known_tensor(g, n, {.dtype = DType::f32}); },
            [&] { return known_tensor(g, n, {.layout = Layout::none, .rank = 3}); });
      },
      // Nothing is known of the first conditional's result, so the second one cannot object.
      [](Graph& g, Number n) {
        const auto mixed = g.if_else(
            n < 0, [&] { return known_tensor(g, n, kHalves); },
            [&] { return secret_tensor(g, n, kFloats); });
        return g.if_else(
            n > 3, [&] { return mixed; }, [&] { return known_tensor(g, n, kFloats); });
      },
      // Likewise, nothing is known of the result of a loop whose body is not known.
      [](Graph& g, Number n) {
        const auto looped = g.for_loop(2, known_tensor(g, n, kFloats),
                                       [&](auto, auto) { return secret_tensor(g, n, kHalves); });
        return g.if_else(
            n < 0, [&] { return known_tensor(g, n, kRows); }, [&] { return looped; });
      },
  };
  for (const auto& describe : programs) {
    auto pipeline = make_pipeline({.batch_size = kBatch},
                                  [&](Graph& g) { return describe(g, indices(g, kSamples)); });
    std::size_t samples = 0;
    for (const auto& batch : pipeline.epoch()) samples += batch.size();
    EXPECT_EQ(samples, static_cast<std::size_t>(kSamples));
  }
}

}  // namespace agreement_test
}  // namespace sluice::conformance
