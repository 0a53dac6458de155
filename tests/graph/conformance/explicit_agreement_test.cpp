// Explicit boundaries also refuse tensors that are known to disagree: C43 and C54 of
// tests/conformance.md. agreement_test.cpp has the same for callables.
#include "tests/graph/conformance/setup.h"
#include "tests/graph/sources.h"
#include "tests/graph/tensors.h"
#include <sluice/graph/boundaries.h>
#include <sluice/graph/plan/plan.h>

#include <functional>
#include <vector>

namespace sluice::conformance {
namespace explicit_agreement_test {

const TensorSpec kFloats{DType::f32, Layout::chw, 3};
const TensorSpec kHalves{DType::f16, Layout::chw, 3};
const TensorSpec kRows{DType::f32, Layout::hwc, 3};
const TensorSpec kFlat{DType::f32, Layout::chw, 2};

using Number = Value<std::int64_t>;
using Describe = std::function<Value<Tensor>(Graph&, Number)>;

// A tensor whose spec is declared, or not.
struct Made {
  TensorSpec spec;
  bool known = true;
};
Value<Tensor> make(Graph& g, Number n, const Made& made) {
  return made.known ? known_tensor(g, n, made.spec) : secret_tensor(g, n, made.spec);
}

// The output of a conditional, made inside.
Value<Tensor> either(Graph& g, Number n, const Made& when_true, const Made& when_false) {
  auto cond = g.add_conditional();
  cond.set_condition(n > 3);
  const auto inside = cond.add_input(n);
  const auto yes = make(g, inside, when_true);
  return cond.add_output(yes, make(g, inside, when_false));
}

// Returns the result of a loop of two iterations.
Value<Tensor> carried(Graph& g, Number n, const Made& first, const Made& next) {
  auto loop = g.add_loop();
  auto count = loop.add_recurrence(n);
  auto tensor = loop.add_recurrence(make(g, n, first));
  loop.add_trip_limit(2);
  count.set_next(count.value() + 1);
  tensor.set_next(make(g, count.value(), next));
  return loop.add_output(tensor);
}

struct Disagreement {
  const char* name;
  Describe describe;
  const char* message;
};

const std::vector<Disagreement>& disagreements() {
  static const std::vector<Disagreement> all{
      {"type", [](Graph& g, Number n) { return either(g, n, {kFloats}, {kHalves}); },
       "'conditional': output 0 is a tensor (f16, CHW, 3 dimensions) in the branch 'false', but "
       "(f32, CHW, 3 dimensions) in the branch 'true'; make both agree in type, layout and number "
       "of dimensions"},
      {"layout", [](Graph& g, Number n) { return either(g, n, {kRows}, {kFloats}); },
       "'conditional': output 0 is a tensor (f32, CHW, 3 dimensions) in the branch 'false', but "
       "(f32, HWC, 3 dimensions) in the branch 'true'; make both agree in type, layout and number "
       "of dimensions"},
      {"only parts are known",
       [](Graph& g, Number n) { return either(g, n, {{.rank = 2}}, {kFloats}); },
       "'conditional': output 0 is a tensor (f32, CHW, 3 dimensions) in the branch 'false', but (2 "
       "dimensions) in the branch 'true'; make both agree in type, layout and number of "
       "dimensions"},
      {"the second output, of an outer value and an input",
       [](Graph& g, Number n) {
         const auto rows = known_tensor(g, n, kRows);
         auto cond = g.add_conditional("flip");
         cond.set_condition(n > 3);
         const auto inside = cond.add_input(known_tensor(g, n, kFlat));
         (void)cond.add_output(inside, inside);
         return cond.add_output(rows, inside);
       },
       "'flip': output 1 is a tensor (f32, CHW, 2 dimensions) in the branch 'false', but (f32, "
       "HWC, 3 dimensions) in the branch 'true'; make both agree in type, layout and number of "
       "dimensions"},
      {"a branch that is a conditional itself",
       [](Graph& g, Number n) {
         auto cond = g.add_conditional("outer");
         cond.set_condition(n > 3);
         const auto inside = cond.add_input(n);
         return cond.add_output(either(g, inside, {kFloats}, {kFloats}),
                                known_tensor(g, inside, kHalves));
       },
       "'outer': output 0 is a tensor (f16, CHW, 3 dimensions) in the branch 'false', but (f32, "
       "CHW, 3 dimensions) in the branch 'true'; make both agree in type, layout and number of "
       "dimensions"},
      {"an output, against a callable",
       [](Graph& g, Number n) {
         const auto made = either(g, n, {kFloats}, {kFloats});
         return g.if_else(
             n > 5, [&] { return made; }, [&] { return known_tensor(g, n, kFlat); });
       },
       "'if_else': the result is a tensor (f32, CHW, 2 dimensions) in the branch 'otherwise', but "
       "(f32, CHW, 3 dimensions) in the branch 'then'; make both agree in type, layout and number "
       "of dimensions"},
      {"a loop", [](Graph& g, Number n) { return carried(g, n, {kFloats}, {kHalves}); },
       "'loop': recurrence 1 is a tensor (f16, CHW, 3 dimensions) as the body gives it, but (f32, "
       "CHW, 3 dimensions) as it begins; make both agree in type, layout and number of "
       "dimensions"},
      {"a conditional in a loop",
       [](Graph& g, Number n) {
         auto loop = g.add_loop("again");
         auto tensor = loop.add_recurrence(known_tensor(g, n, kFloats));
         loop.add_trip_limit(2);
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         tensor.set_next(
             cond.add_output(cond.add_input(tensor.value()), known_tensor(g, n, kRows)));
         return loop.add_output(tensor);
       },
       "'conditional': output 0 is a tensor (f32, HWC, 3 dimensions) in the branch 'false', but "
       "(f32, CHW, 3 dimensions) in the branch 'true'; make both agree in type, layout and number "
       "of dimensions"},
      {"recurrences that change places",
       [](Graph& g, Number n) {
         auto loop = g.add_loop();
         auto a = loop.add_recurrence(known_tensor(g, n, kFloats));
         auto b = loop.add_recurrence(known_tensor(g, n, kRows));
         loop.add_trip_limit(2);
         a.set_next(b.value());
         b.set_next(a.value());
         return loop.add_output(a);
       },
       "'loop': recurrence 0 is a tensor (f32, HWC, 3 dimensions) as the body gives it, but (f32, "
       "CHW, 3 dimensions) as it begins; make both agree in type, layout and number of "
       "dimensions"},
      {"what a loop gives",
       [](Graph& g, Number n) {
         const auto looped = carried(g, n, {kFloats}, {kFloats});
         auto cond = g.add_conditional();
         cond.set_condition(n > 3);
         return cond.add_output(looped, known_tensor(g, n, kHalves));
       },
       "'conditional': output 0 is a tensor (f16, CHW, 3 dimensions) in the branch 'false', but "
       "(f32, CHW, 3 dimensions) in the branch 'true'; make both agree in type, layout and number "
       "of dimensions"},
  };
  return all;
}

TEST(ExplicitAgreement, C43_C54_WaysThatDisagreeAreRefusedAtTheCall) {
  for (const Disagreement& program : disagreements()) {
    auto pipeline_of = [&](Graph& g) {
      const auto n = indices(g, kSamples);
      try {
        const auto made = program.describe(g, n);
        ADD_FAILURE() << program.name << ": no error";
        return made;
      } catch (const BuildError& error) {
        EXPECT_STREQ(error.what(), program.message) << program.name;
        throw;
      }
    };
    EXPECT_THROW((void)make_pipeline({.batch_size = kBatch}, pipeline_of), BuildError);
  }
}

// The call that was refused can be made again.
TEST(ExplicitAgreement, C54_ARefusedCallLeavesNothingBehind) {
  auto pipeline = make_pipeline({.batch_size = kBatch}, [](Graph& g) {
    const auto n = indices(g, kSamples);
    const auto floats = known_tensor(g, n, kFloats), halves = known_tensor(g, n, kHalves);
    auto loop = g.add_loop();
    auto tensor = loop.add_recurrence(floats);
    loop.add_trip_limit(n % 3);
    EXPECT_THROW(tensor.set_next(halves), BuildError);
    tensor.set_next(floats);
    auto cond = g.add_conditional();
    cond.set_condition(n > 3);
    EXPECT_THROW((void)cond.add_output(floats, halves), BuildError);
    return cond.add_output(loop.add_output(tensor), floats);
  });
  std::int64_t id = 0;
  for (const auto& [tensors] : pipeline.epoch()) {
    for (const Tensor& tensor : tensors) EXPECT_EQ(tensor.bytes()[0], static_cast<std::byte>(id++));
  }
  EXPECT_EQ(id, kSamples);
}

// The spec of a result is the intersection of both branches' specs, in any order of the calls.
TEST(ExplicitAgreement, C54_OfAResultIsKnownWhatBothWaysKnow) {
  const TensorSpec all_but_layout{.dtype = DType::f32, .rank = 3};
  struct Case {
    const char* name;
    Describe describe;
    TensorSpec known;
  };
  for (const Case& c : {
           Case{"both", [](Graph&g, Number n) { return either(g, n, {kFloats}, {kFloats}); },
                kFloats},
           Case{"one",
                [](Graph&g, Number n) {
                  return either(g, n, {kFloats}, {kFloats, false});
                },
                TensorSpec{}},
           Case{"the other",
                [](Graph&g, Number n) {
                  return either(g, n, {kFloats, false}, {kFloats});
                },
                TensorSpec{}},
           Case{"a part",
                [&](Graph&g, Number n) { return either(g, n, {kFloats}, {all_but_layout}); },
                all_but_layout},
           Case{"a loop", [](Graph&g, Number n) { return carried(g, n, {kRows}, {kRows}); }, kRows},
           Case{"a loop whose body is not known",
                [](Graph&g, Number n) {
                  return carried(g, n, {kRows}, {kRows, false});
                },
                TensorSpec{}},
           Case{"a loop whose beginning is not known",
                [](Graph&g, Number n) {
                  return carried(g, n, {kRows, false}, {kRows});
                },
                TensorSpec{}},
           Case{"a loop without a next value yet",
                [](Graph&g, Number n) {
                  auto loop = g.add_loop();
                  auto tensor = loop.add_recurrence(known_tensor(g, n, kRows));
                  return loop.add_output(tensor);
                },
                TensorSpec{}},
       }) {
    detail::PlanBuilder builder;
    Graph g(builder);
    const auto made = c.describe(g, indices(g, kSamples));
    EXPECT_EQ(builder.plan().slots[made.slot()].spec, c.known) << c.name;
  }
}

}  // namespace explicit_agreement_test
}  // namespace sluice::conformance
