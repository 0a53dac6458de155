// Plans that are saved and loaded again deliver the same, byte for byte.
#include "programs.h"
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/readers/files.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace saved_plan_test {

namespace fs = std::filesystem;

// Returns the values that two epochs deliver, batch by batch.
template <class P>
std::vector<std::vector<std::vector<std::uint8_t>>> delivered(P pipeline) {
  std::vector<std::vector<std::vector<std::uint8_t>>> batches;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      auto& all = batches.emplace_back();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Image& image = batch.template get<0>()[i];
        auto& bytes = all.emplace_back();
        bytes.push_back(static_cast<std::uint8_t>(batch.template get<1>()[i]));
        bytes.push_back(static_cast<std::uint8_t>(image.width()));
        for (int y = 0; y < image.height(); ++y)
          bytes.insert(bytes.end(), image.row(y), image.row(y) + image.row_bytes());
      }
    }
  }
  return batches;
}

template <class F>
std::string build_error(F f) {
  try {
    f();
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

class Saved : public ::testing::TestWithParam<Program> {};

TEST_P(Saved, LoadsAsTheSamePlan) {
  auto pipeline = pipeline_of(2, GetParam().describe);
  const std::string text = json_of(pipeline.recorded_plan());
  auto again = loaded(2, text);
  EXPECT_EQ(json_of(again.recorded_plan()), text);
  // Slots of boundaries are numbered before the slots within.
  if (GetParam().name == "boundary") return;
  EXPECT_EQ(to_string(again.recorded_plan()), to_string(pipeline.recorded_plan()));
  EXPECT_EQ(to_string(again.plan()), to_string(pipeline.plan()));
}

TEST_P(Saved, DeliversTheSame) {
  auto pipeline = pipeline_of(2, GetParam().describe);
  const std::string text = json_of(pipeline.recorded_plan());
  const auto expected = delivered(std::move(pipeline));
  ASSERT_EQ(expected.size(), 12u);
  for (const int threads : {1, 3}) EXPECT_EQ(delivered(loaded(threads, text)), expected) << threads;
}

// Nodes that no output needs may be removed before saving.
TEST_P(Saved, DeliversTheSameWithoutWhatNobodyNeeds) {
  auto pipeline = pipeline_of(2, [&](Graph& g, Value<Bytes> jpeg, Value<std::int64_t> i) {
    g.map(
        "unused", [](std::int64_t x) { return x; }, i);
    (void)g.uniform(0.f, 1.f);
    return GetParam().describe(g, jpeg, i);
  });
  const std::string text = json_of(detail::prune(pipeline.recorded_plan()));
  EXPECT_EQ(delivered(loaded(2, text)), delivered(std::move(pipeline)));
}

INSTANTIATE_TEST_SUITE_P(Programs, Saved, ::testing::ValuesIn(programs()),
                         [](const auto& one) { return one.param.name; });

class SavedFile : public ::testing::Test {
 protected:
  SavedFile() : folder_(fs::path(::testing::TempDir()) / ("plans_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~SavedFile() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(SavedFile, IsReadBack) {
  const std::string file = (folder_ / "plan.json").string();
  std::ofstream(file) << "what was there before";
  auto pipeline = pipeline_of(1, train);
  pipeline.save(file);
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), json_of(pipeline.recorded_plan()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  const SavedPlan plan = load_plan(file);
  EXPECT_EQ(plan.file(), file);
  EXPECT_EQ(plan.source_types().size(), 2u);
  EXPECT_EQ(plan.output_types().at(0), detail::slot_type<Image>());
}

// Arguments that equal the operator's default are left out, and no others. Files that contain them
// are read as well.
TEST(SavedPlan, LeavesOutDefaults) {
  const std::string text = json_of(
      pipeline_of(1, [](Graph&, Value<Bytes> jpeg, Value<std::int64_t>) {
        return brightness_contrast(decode_jpeg(jpeg),
                                   {.brightness = 1.5f, .contrast = 1.f, .brightness_shift = -0.f});
      }).recorded_plan());
  const std::string few = R"({"jpeg":{"slot":0}})";
  EXPECT_NE(text.find(few), std::string::npos) << text;
  EXPECT_NE(text.find(R"({"image":{"slot":2},"brightness":1.5,"brightness_shift":-0.0})"),
            std::string::npos)
      << text;
  std::string old = text;
  old.replace(old.find(few), few.size(),
              R"({"jpeg":{"slot":0},"color":"rgb","apply_orientation":true,"damage":"strict"})");
  EXPECT_EQ(json_of(loaded(1, old).recorded_plan()), text);
}

TEST_F(SavedFile, ErrorsNameTheFile) {
  const std::string missing = (folder_ / "missing" / "plan.json").string();
  auto pipeline = pipeline_of(1, train);
  for (const auto& act : {std::function<void()>([&] { pipeline.save(missing); }),
                          std::function<void()>([&] { (void)load_plan(missing); })}) {
    try {
      act();
      FAIL() << "nothing was thrown";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find(missing), std::string::npos) << error.what();
    }
  }
}

// All parameters and types of constants that a file can hold.
TEST(SavedPlan, KeepsEveryConstant) {
  const float inf = std::numeric_limits<float>::infinity();
  auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    auto image = decode_jpeg(jpeg);
    auto all = std::tuple{
        g.constant(true),
        g.constant(INT32_MIN),
        g.constant(INT64_MAX),
        g.constant(0.1f),
        g.constant(-inf),
        g.constant(0.1),
        g.constant(std::numeric_limits<double>::quiet_NaN()),
        g.constant(std::string("a \"text\"\nä/~")),
        g.constant(Rectangle{1, 2, 3, 4}),
        label + std::int64_t{1} < std::int64_t{1} << 60,
        cast<double>(label),
        resize_mirror_normalize(image, {.height = 8, .width = 8, .mean = kImageNetMean})};
    g.filter(label >= std::int64_t{2});
    return std::tuple_cat(all, std::tuple{label});
  });
  const std::string text = json_of(pipeline.recorded_plan());
  for (const char* part : {R"({"f32":0.1})", R"({"f32":"-inf"})", R"({"f64":"nan"})",
                           R"({"i32":-2147483648})", "0.485", R"("x":2)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
  auto again = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    return plan.apply<bool, std::int32_t, std::int64_t, float, float, double, double, std::string,
                      Rectangle, bool, double, Tensor, std::int64_t>(jpeg, label);
  });
  EXPECT_EQ(json_of(again.recorded_plan()), text);
  const Inspection one = pipeline.inspect(5), other = again.inspect(5);
  ASSERT_EQ(one.error(), nullptr);
  ASSERT_EQ(other.error(), nullptr);
  EXPECT_EQ(other.values().size(), one.values().size());
  EXPECT_EQ(other.get<std::string>("constant#8"), "a \"text\"\nä/~");
  EXPECT_EQ(other.get<float>("constant#4"), 0.1f);
  EXPECT_EQ(other.get<Rectangle>("constant#9").height, 3);
}

// A program that a file cannot hold, and the advice in the error.
TEST(SavedPlan, RefusesWhatAFileCannotHold) {
  static const OperatorPtr own = declare_operator("own_operator_of_a_test")
                                     .family("test")
                                     .summary("The same.")
                                     .input<std::int64_t>("x")
                                     .output<std::int64_t>("x")
                                     .runs([](std::int64_t x) { return x; });
  struct Own {
    int x = 0;
  };
  static const OperatorPtr typed = [] {
    OperatorPtr op = declare_operator("typed_operator_of_a_test")
                         .family("test")
                         .summary("Of an own type.")
                         .input<std::int64_t>("x")
                         .output<Own>("x")
                         .runs([](std::int64_t) { return Own(); });
    register_operator(op);
    return op;
  }();
  const struct {
    std::function<void(Graph&, Value<std::int64_t>)> describe;
    std::vector<std::string> says;
  } cases[] = {
      {[](Graph& g, Value<std::int64_t> i) {
         g.map(
             "mine", [](std::int64_t x) { return x; }, i);
       },
       {"the step 'mine' is a function", "declare an operator", "docs/your-own-operator.md"}},
      {[](Graph&, Value<std::int64_t> i) { (void)apply_operator<std::int64_t>(own, i); },
       {"'own_operator_of_a_test'", "register_operator"}},
      {[](Graph&, Value<std::int64_t> i) { (void)apply_operator<Own>(typed, i); },
       {"Own", "register_value_type"}},
      {[](Graph& g, Value<std::int64_t>) { g.source(21, [](const SampleInfo&) { return 1; }); },
       {"'source#2' is a second source"}},
      {[](Graph& g, Value<std::int64_t>) {
         g.constant(std::vector<int>{1, 2});
       },
       {"the step 'constant' is a function"}},
      {[](Graph& g, Value<std::int64_t> i) {
         (void)g.if_else(
             i > std::int64_t{1}, [&] { return i; }, [&] { return i + 1; }, {.name = "a\tb"});
       },
       {R"(the name 'a\tb' has characters that cannot be printed)", "cannot be saved"}},
  };
  for (const auto& c : cases) {
    auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
      auto [jpeg, label] = labeled_files(g);
      c.describe(g, label);
      return label;
    });
    const std::string error = build_error([&] { (void)json_of(pipeline.recorded_plan()); });
    for (const std::string& part : c.says)
      EXPECT_NE(error.find(part), std::string::npos) << part << "\n" << error;
  }
}

// An operator of the program's own, once it is registered.
TEST(SavedPlan, HoldsOperatorsOfTheProgramsOwn) {
  static const OperatorPtr op = [] {
    OperatorPtr made = declare_operator("plus_of_a_test")
                           .version(3)
                           .family("test")
                           .summary("Adds.")
                           .input<std::int64_t>("x")
                           .parameter<std::int64_t>("y", {.value = 2, .low = 0})
                           .output<std::int64_t>("sum")
                           .runs([](std::int64_t x, std::int64_t y) { return x + y; });
    register_operator(made);
    return made;
  }();
  auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    return apply_operator<std::int64_t>(op, label, std::int64_t{40});
  });
  const std::string text = json_of(pipeline.recorded_plan());
  EXPECT_NE(text.find("\"version\":3"), std::string::npos) << text;
  const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
  auto again = make_pipeline({.batch_size = 1}, [&](Graph& g) {
    auto [jpeg, label] = labeled_files(g);
    return plan.apply<std::int64_t>(jpeg, label);
  });
  EXPECT_EQ(again.inspect(2).get<std::int64_t>("plus_of_a_test"), 42);
  EXPECT_NE(build_error([&] {
              make_pipeline({.batch_size = 1}, [&](Graph& g) {
                auto [jpeg, label] = labeled_files(g);
                return plan.apply<Image>(jpeg, label);
              });
            }).find("plan.json at /outputs/0: this is a value of 'long"),
            std::string::npos);
}

TEST(SavedPlan, IsGivenValuesOfOnePipeline) {
  const std::string text = json_of(pipeline_of(1, eval).recorded_plan());
  const SavedPlan plan = SavedPlan::parse(text, "plan.json", detail::registry());
  detail::PlanBuilder one, other;
  Graph a(one), b(other);
  const auto [jpeg, label] = labeled_files(a);
  const auto [other_jpeg, other_label] = labeled_files(b);
  const auto error = [&](const auto&... values) {
    return build_error([&] { (void)plan.apply<Image, std::int64_t>(values...); });
  };
  EXPECT_NE(error(jpeg, other_label).find("several pipelines"), std::string::npos);
  EXPECT_NE(error(jpeg).find("/source/outputs"), std::string::npos);
  EXPECT_NE(error(label, jpeg).find("/source/outputs/0"), std::string::npos);
  EXPECT_EQ(error(other_jpeg, other_label), "");
}

}  // namespace saved_plan_test
}  // namespace sluice
