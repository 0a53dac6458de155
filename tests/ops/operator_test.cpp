// The promises of all operators' schemas: names, defaults, ranges, words; and operators of a
// program's own.
#include "tests/io/images.h"
#include "tests/ops/tensor_of.h"
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace operator_test {

using detail::Argument;
using detail::Arguments;
using detail::Constant;
using detail::Parameter;
using detail::ParameterType;
using detail::SlotArgument;
using detail::SlotId;

template <class F>
std::string build_error(F f) {
  try {
    f();
  } catch (const BuildError& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_ranged(const Parameter& p) { return !range_text(p).empty(); }

// A number as a constant of the parameter's type.
Constant constant_of_type(const Parameter& p, double number) {
  switch (p.type) {
    case ParameterType::integer:
      return static_cast<std::int32_t>(number);
    case ParameterType::wide_integer:
      return static_cast<std::int64_t>(number);
    case ParameterType::number:
      return static_cast<float>(number);
    case ParameterType::numbers:
      return std::vector<double>(p.count, number);
    default:
      return number;
  }
}

// Some constant that is legal.
Constant legal(const Parameter& p) {
  if (p.default_value) return *p.default_value;
  switch (p.type) {
    case ParameterType::boolean:
      return true;
    case ParameterType::text:
      return std::string("text");
    case ParameterType::choice:
      return p.choices.back().name;
    case ParameterType::rectangle:
      return Rectangle{0, 0, 1, 1};
    case ParameterType::any_number:
    case ParameterType::any_whole:
    case ParameterType::any:
      return std::int32_t{1};
    case ParameterType::value_type:
      return detail::ValueType{detail::slot_type<std::vector<std::int64_t>>()};
    default:
      return constant_of_type(p, p.low > -Parameter::kMost ? p.low + 1 : 1);
  }
}

// Numbers that the parameter does not allow, of the range's two sides, and no number at all.
std::vector<double> illegal(const Parameter& p) {
  std::vector<double> numbers;
  if (!is_ranged(p)) return numbers;
  if (p.low > -Parameter::kMost) numbers.push_back(p.low_open ? p.low : p.low - 1);
  if (p.optional) numbers.back() = -1;  // the default is below the range, and a legal constant
  if (p.high < Parameter::kMost) numbers.push_back(p.high_open ? p.high : p.high + 1);
  if (p.type != ParameterType::integer && p.type != ParameterType::wide_integer)
    numbers.push_back(std::nan(""));
  return numbers;
}

// A builder with the inputs of an operator, and legal arguments for it.
struct Bench {
  explicit Bench(const OperatorPtr& op) {
    for (const detail::Input& input : op->schema().inputs)
      arguments.emplace_back(SlotArgument{slot_for(input)});
    for (const Parameter& parameter : op->schema().parameters)
      arguments.emplace_back(legal(parameter));
    if (op->name() == "cpu")
      arguments[0] = SlotArgument{builder.add(detail::gpu_operator(), {arguments[0]})[0]};
    if (op->name() == "gaussian_blur") arguments[1] = Constant(1.f);
    if (op->name() == "permute") {  // one axis, 0
      arguments[1] = Constant(std::int32_t{1});
      arguments[2] = Constant(std::vector<double>(6, 0.));
    }
    if (op->name() == "randint") arguments[0] = Constant(std::int32_t{0});
    if (is_resize(op)) give(op, 1, Constant(std::int32_t{8}));
  }
  static bool is_resize(const OperatorPtr& op) {
    return op->name() == "resize" || op->name() == "resize_tensor";
  }
  // Some arguments exclude others.
  void give(const OperatorPtr& op, std::size_t i, const Argument& argument) {
    const Constant not_given = std::int32_t{0};
    if (is_resize(op) && i <= 3) arguments[1] = arguments[2] = arguments[3] = not_given;
    arguments[i] = argument;
  }
  SlotId slot_for(const detail::Input& input) {
    const detail::SlotType* type = detail::slot_type<std::vector<std::int64_t>>();
    if (!input.types.empty()) type = input.types[0];
    if (input.name == "value") type = detail::slot_type<std::int64_t>();  // of such a list
    if (input.use == detail::InputUse::reads) return builder.add_slot(type, input.name);
    const SlotId list =
        builder.add(detail::list_operator(), {Constant(detail::ValueType{type})})[0];
    if (input.use == detail::InputUse::fills) {
      (void)builder.open_loop("loop", 1, {});
      builder.begin_condition();
      builder.end_condition(builder.add(detail::constant_operator(), {Constant(true)}).front());
      builder.begin_body();
    }
    return list;
  }
  detail::PlanBuilder builder;
  Arguments arguments;
};

TEST(Operators, SchemasSayWhatOneWantsToKnow) {
  std::set<std::string> names;
  for (const OperatorPtr& op : operators()) {
    if (op->schema().family == "test") continue;  // registered by a test of this program
    SCOPED_TRACE(op->name());
    const detail::OperatorSchema& schema = op->schema();
    EXPECT_TRUE(names.insert(op->name()).second);
    EXPECT_FALSE(schema.summary.empty());
    EXPECT_FALSE(schema.family.empty());
    EXPECT_EQ(schema.version, 1);
    EXPECT_EQ(find_operator(op->name()), op);
    EXPECT_EQ(op->pure(), !schema.draws && !schema.effect);
    for (const Parameter& p : schema.parameters) {
      EXPECT_FALSE(p.help.empty()) << p.name;
      EXPECT_LE(p.low, p.high) << p.name;
      EXPECT_EQ(detail::range_text(p).empty(), !is_ranged(p)) << p.name;
    }
    Bench bench(op);
    EXPECT_EQ(build_error([&] { bench.builder.add(op, bench.arguments); }), "");
  }
  EXPECT_GE(names.size(), 38u);
  EXPECT_EQ(find_operator("no such operator"), nullptr);
}

TEST(Operators, ConstantsOutOfRangeAreRefusedByName) {
  int refused = 0;
  for (const OperatorPtr& op : operators()) {
    const std::size_t inputs = op->schema().inputs.size();
    for (std::size_t i = 0; i < op->schema().parameters.size(); ++i) {
      const Parameter& p = op->schema().parameters[i];
      for (const double number : illegal(p)) {
        SCOPED_TRACE(op->name() + " " + p.name + " " + std::to_string(number));
        Bench bench(op);
        bench.give(op, inputs + i, constant_of_type(p, number));
        const std::string told =
            build_error([&] { bench.builder.add(op, std::move(bench.arguments)); });
        EXPECT_TRUE(contains(told, op->name() + ": " + p.name)) << told;
        EXPECT_TRUE(contains(told, " must ")) << told;
        ++refused;
      }
    }
  }
  EXPECT_GE(refused, 50);
}

TEST(Operators, ConstantsOfAnotherTypeAreRefusedByName) {
  for (const OperatorPtr& op : operators()) {
    const std::size_t inputs = op->schema().inputs.size();
    for (std::size_t i = 0; i < op->schema().parameters.size(); ++i) {
      const Parameter& p = op->schema().parameters[i];
      if (p.type == ParameterType::any) continue;
      SCOPED_TRACE(op->name() + " " + p.name);
      Bench bench(op);
      bench.arguments[inputs + i] = p.type == ParameterType::rectangle
                                        ? Constant(std::string("none of the choices"))
                                        : Constant(Rectangle{});
      EXPECT_TRUE(contains(build_error([&] { bench.builder.add(op, bench.arguments); }),
                           op->name() + ": " + p.name));
    }
    for (std::size_t i = 0; i < inputs; ++i) {
      Bench bench(op);
      bench.arguments[i] = Constant(true);
      EXPECT_TRUE(contains(build_error([&] { bench.builder.add(op, bench.arguments); }),
                           op->schema().inputs[i].name));
    }
  }
}

// Set the inputs of a sample.
void fill_input(detail::Sample& sample, SlotId slot, const detail::SlotType* type) {
  if (type == detail::slot_type<Image>()) sample.get<Image>(slot) = draw_image(8, 8, 3, 1);
  if (type == detail::slot_type<Bytes>())
    sample.get<Bytes>(slot) = encode_jpeg(draw_image(8, 8, 3, 1), {});
}
void fill_number(detail::Sample& sample, SlotId slot, const Parameter& p, double number) {
  const Constant constant = constant_of_type(p, number);
  if (const auto* one = std::get_if<detail::Number>(&constant)) {
    one->visit([&]<class T>(T value) { sample.get<T>(slot) = value; });
  } else {
    sample.get<Tensor>(slot) = testing::tensor_of(std::get<std::vector<double>>(constant));
  }
}

TEST(Operators, ValuesOutOfRangeAreTheSamplesErrorInTheSameWords) {
  int refused = 0;
  for (const OperatorPtr& op : operators()) {
    const std::size_t inputs = op->schema().inputs.size();
    for (std::size_t i = 0; i < op->schema().parameters.size(); ++i) {
      const Parameter& p = op->schema().parameters[i];
      if (!p.per_sample) continue;
      for (const double number : illegal(p)) {
        SCOPED_TRACE(op->name() + " " + p.name + " " + std::to_string(number));
        Bench bench(op);
        Arguments constant = bench.arguments;
        constant[inputs + i] = constant_of_type(p, number);
        const std::string words = build_error([&] { bench.builder.add(op, constant); });
        const SlotId slot = bench.builder.add_slot(p.slot_types().at(0), p.name);
        bench.give(op, inputs + i, SlotArgument{slot});
        bench.builder.add(op, bench.arguments);
        const detail::Plan plan = bench.builder.take();
        detail::Sample sample(plan);
        for (std::size_t k = 0; k < inputs; ++k) {
          const SlotId input = std::get<SlotArgument>(bench.arguments[k]).slot;
          fill_input(sample, input, plan.slots[input].type);
        }
        fill_number(sample, slot, p, number);
        const auto& step = std::get<detail::Stage>(plan.top.nodes.back()).steps.front();
        try {
          step.run(sample);
          ADD_FAILURE() << "it ran";
        } catch (const std::invalid_argument& error) {
          EXPECT_EQ(error.what(), words);
          ++refused;
        }
      }
    }
  }
  EXPECT_GE(refused, 20);
}

TEST(Operators, ArgumentsByName) {
  const OperatorPtr op = find_operator("rotate");
  const SlotArgument image{3, detail::slot_type<Image>()};
  const Arguments all = op->arrange({{"degrees", Constant(10.f)}, {"image", image}});
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(std::get<SlotArgument>(all[0]).slot, 3u);
  EXPECT_EQ(*detail::constant_of<float>(all[1]), 10.f);
  EXPECT_EQ(*detail::constant_of<bool>(all[2]), false);
  EXPECT_EQ(*detail::constant_of<std::string>(all[4]), "bilinear");
  EXPECT_EQ(*detail::constant_of<std::string>(all[5]), "constant");
  EXPECT_EQ(build_error([&] {
              (void)op->arrange({{"image", image}});
            }),
            "rotate: 'degrees' is missing");
  EXPECT_EQ(
      build_error([&] {
        (void)op->arrange({{"image", image}, {"degrees", Constant(1.f)}, {"angle", Constant(1.f)}});
      }),
      "rotate: there is no parameter 'angle'");
}

// As from a file, where a number is a number: 10 for 10.0, and doubles for floats.
TEST(Operators, NumbersBecomeThoseOfTheParameterWhereNothingIsLost) {
  const OperatorPtr op = find_operator("resize");
  const auto with_types = [&](const Constant& number) {
    Bench bench(op);
    bench.arguments[0] = SlotArgument{0, detail::slot_type<Image>()};
    bench.arguments[1] = number;
    return build_error([&] { op->check(bench.arguments); });
  };
  EXPECT_EQ(with_types(std::int64_t{10}), "");
  EXPECT_EQ(with_types(10.0), "");
  EXPECT_EQ(with_types(10.5), "resize: height is 10.5, but must be i32");
  EXPECT_EQ(with_types(std::string("10")), "resize: height is '10', but must be i32");
}

TEST(Operators, NamesOfTypes) {
  const detail::OperatorRegistry& all = detail::registry();
  for (const char* name : {"bool", "i32", "i64", "f32", "f64", "text", "image", "tensor", "bytes",
                           "byte_span", "rectangle", "jpeg_header"}) {
    const detail::SlotType* type = all.find_type(name);
    ASSERT_NE(type, nullptr) << name;
    EXPECT_EQ(all.name_of_type(type), name);
  }
  EXPECT_EQ(all.find_type("photo"), nullptr);
  EXPECT_EQ(all.name_of_type(detail::slot_type<std::set<int>>()), "");
  EXPECT_NE(build_error([] { register_value_type<std::set<int>>("image"); }), "");
  EXPECT_NE(build_error([] { register_value_type<Image>("photo"); }), "");
}

TEST(Operators, NamesHaveLettersDigitsAndUnderscores) {
  const struct {
    std::string name, shown;
  } cases[] = {{"test blur", "test blur"},        {"test.blur", "test.blur"},
               {"test-blur", "test-blur"},        {"test..", "test.."},
               {"test\n", R"(test\n)"},           {std::string("test\0blur", 9), R"(test\x00blur)"},
               {"test_fl\u00fc", "test_fl\u00fc"}};
  for (const auto& c : cases) {
    const OperatorPtr op = declare_operator(c.name).output<int>("one").runs([] { return 1; });
    EXPECT_EQ(build_error([&] { register_operator(op); }),
              "register_operator: '" + c.shown +
                  "' cannot be the name of an operator; use only letters (a to z, A to Z), digits "
                  "and underscores");
    EXPECT_EQ(find_operator(c.name), nullptr);
  }
}

TEST(Operators, AProgramMayRegisterItsOwn) {
  static const OperatorPtr op =
      declare_operator("test_threshold")
          .family("test")
          .summary("Whether the mean level is at least a number.")
          .input<Image>("image")
          .parameter<float>("level", {.value = 128.f, .low = 0, .high = 255, .help = "the number"})
          .output<bool>("light")
          .runs([](const Image& in, float level) { return in.row(0)[0] >= level; });
  register_operator(op);
  EXPECT_EQ(find_operator("test_threshold"), op);
  EXPECT_EQ(build_error([] { register_operator(op); }),
            "register_operator: there is an operator 'test_threshold' already; give this one "
            "another name");
  EXPECT_EQ(
      build_error([] {
        register_operator(declare_operator("flip").summary("Another one.").runs([] { return 1; }));
      }),
      "the operator 'flip': its function does not give the outputs that are declared");
  EXPECT_NE(build_error([] {
              register_operator(declare_operator("flip").output<int>("one").runs([] { return 1; }));
            }),
            "");
  auto pipeline = make_pipeline({.batch_size = 4, .on_error = OnError::skip}, [](Graph& g) {
    auto i = g.source(4, [](const SampleInfo& info) { return info.index_in_epoch; });
    auto image = g.map(
        "image",
        [](std::int64_t n) {
          Image made(1, 1, 1);
          made.data()[0] = static_cast<std::uint8_t>(n * 80);
          return made;
        },
        i);
    auto level = g.map(
        "level", [](std::int64_t n) { return n == 2 ? 300.f : 100.f; }, i);
    return apply_operator<bool>(op, image, Param<float>(level));
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 3u);
  EXPECT_FALSE(batch->get<0>()[0]);
  EXPECT_TRUE(batch->get<0>()[2]);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "test_threshold: level must lie between 0 and 255, not 300");
}

TEST(Operators, FunctionsFitTheirSchemas) {
  const auto declared = [](auto f) {
    return build_error([&] {
      (void)declare_operator("odd")
          .input<Image>("image")
          .parameter<float>("number")
          .output<Image>("image")
          .runs(f);
    });
  };
  EXPECT_EQ(declared([](const Image&, float, Image&) {}), "");
  EXPECT_EQ(
      declared([](const Image&, Image&) {}),
      "the operator 'odd': its function takes the wrong number of inputs and parameters (got 1, "
      "expected 2)");
  EXPECT_EQ(declared([](const Image&, int, Image&) {}),
            "the operator 'odd': its function takes 'number' as another type than is declared");
  EXPECT_EQ(declared([](const Image&, float) { return 1; }),
            "the operator 'odd': its function does not give the outputs that are declared");
}

TEST(Operators, AnswerTheQuestionsOfPasses) {
  using Of = detail::InputRegion::Of;
  const auto input_region = [](const char* name, std::size_t changed = 0, const Argument& to = {}) {
    const OperatorPtr op = find_operator(name);
    Bench bench(op);
    if (changed > 0) bench.arguments[changed] = to;
    return op->input_region(bench.arguments);
  };
  EXPECT_EQ(input_region("rotate").of, Of::all);
  EXPECT_EQ(input_region("random_region").of, Of::size);
  EXPECT_EQ(input_region("crop").of, Of::rectangle);
  EXPECT_TRUE(input_region("crop").is_copy);
  EXPECT_TRUE(input_region("center_crop").is_copy);
  EXPECT_EQ(input_region("crop_mirror_normalize").of, Of::all);  // all of it by default
  const detail::InputRegion middle =
      input_region("crop_mirror_normalize", 1, Constant(std::int32_t{8}));
  EXPECT_EQ(middle.of, Of::rectangle);
  EXPECT_FALSE(middle.is_copy);
  ASSERT_NE(middle.rectangle, nullptr);

  for (const OperatorPtr& op : operators()) {
    const bool decodes = op->name() == "decode_jpeg" || op->name() == "decode_image";
    EXPECT_EQ(op->decoding() != nullptr, decodes) << op->name();
  }
  const OperatorPtr decoder = find_operator("decode_jpeg");
  EXPECT_EQ(decoder->decoding()->part->schema().events, decoder->schema().events);
  EXPECT_EQ(decoder->decoding()->part->schema().parameters.size(),
            decoder->schema().parameters.size() + 1);
  EXPECT_TRUE(find_operator("coin_flip")->schema().draws);
  EXPECT_TRUE(find_operator("filter")->schema().effect);
  EXPECT_TRUE(find_operator("flip")->pure());
}

}  // namespace operator_test
}  // namespace sluice
