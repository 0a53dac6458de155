// Operators with random parameters, legal and illegal, constant and of the sample, on random
// images, up to four in a row. Each produces an image, or an error that names it, and the same the
// second time. It leaves its inputs as they were. The sanitizers check the rest.
// SLUICE_RANDOM_OPERATORS is the number of such programs.
#include "tests/io/images.h"
#include "tests/ops/tensor_of.h"
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/plan_builder.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/operators.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace random_operators_test {

using detail::Argument;
using detail::Arguments;
using detail::Constant;
using detail::Parameter;
using detail::ParameterType;
using detail::SlotArgument;
using detail::SlotId;
using detail::SlotType;

constexpr int kMostPixels = 400;  // of a side, so that memory does not run out

const std::string kNoMemory = "no memory";

bool is_any_of(const SlotType* type, const std::vector<const SlotType*>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// Returns the operators that work on images, files, regions, tensors and numbers.
std::vector<OperatorPtr> operators_to_try() {
  const std::vector<const SlotType*> known = {
      detail::slot_type<Image>(),    detail::slot_type<Bytes>(),
      detail::slot_type<ByteSpan>(), detail::slot_type<Rectangle>(),
      detail::slot_type<Tensor>(),   detail::slot_type<std::int64_t>(),
      detail::slot_type<bool>()};
  std::vector<OperatorPtr> found;
  for (const OperatorPtr& op : operators()) {
    const detail::OperatorSchema& schema = op->schema();
    const auto can_be_made = [&](const detail::Input& input) {
      return !input.types.empty() && is_any_of(input.types[0], known);
    };
    if (std::set<std::string>{"control", "devices", "loops"}.contains(schema.family)) continue;
    if (schema.name.ends_with("_size")) continue;  // an image without pixels, for passes
    if (std::all_of(schema.inputs.begin(), schema.inputs.end(), can_be_made)) found.push_back(op);
  }
  return found;
}

// A number that a user may choose, inside of the parameter's range or not.
double any_number(const Parameter& p, Random& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double extremes[] = {0,     1,         -1,         0.5,          1e-30,      1e30,
                             -1e30, kInfinity, -kInfinity, std::nan(""), 2147483647, -2147483648.0};
  const double low = std::max(p.low, -1e3);
  const double high = std::min(p.high, p.high == 65535 ? double{kMostPixels} : 1e3);
  switch (random.below(8)) {
    case 0:
      return extremes[random.below(std::size(extremes))];
    case 1:
      return std::abs(p.low) < 1e9 ? p.low : low;
    case 2:
      return std::abs(p.high) < 1e4 ? p.high : high;
    case 3:
      return std::abs(p.high) < 1e9 ? p.high + 1 : -1;
    case 4:
      return random.below(10);
    default:
      return low + (high - low) * double{random.uniform(0, 1)};
  }
}

bool is_number(const Parameter& p) {
  return p.type == ParameterType::integer || p.type == ParameterType::wide_integer ||
         p.type == ParameterType::number || p.type == ParameterType::wide_number;
}

// Returns a constant of the parameter's type. Rounds numbers if it must be a whole number.
Constant any_constant(const Parameter& p, Random& random) {
  const bool by_default = p.default_value && random.below(2) == 0;
  if (by_default) return *p.default_value;
  const auto whole = [&](double least, double most) {
    const double number = any_number(p, random);
    return std::isnan(number) ? 0 : std::clamp(std::round(number), least, most);
  };
  const auto place = [&] { return static_cast<int>(random.below(90)) - 10; };
  switch (p.type) {
    case ParameterType::boolean:
      return random.below(2) == 0;
    case ParameterType::integer:
      return static_cast<std::int32_t>(whole(-2147483648.0, 2147483647));
    case ParameterType::wide_integer: {
      // Much, but not so much that it is refused, would be a question of memory.
      const double number = whole(-1e15, 1e15);
      return static_cast<std::int64_t>(number > 1e6 ? 1e15 : number);
    }
    case ParameterType::number:
      return static_cast<float>(any_number(p, random));
    case ParameterType::wide_number:
      return any_number(p, random);
    case ParameterType::choice:
      return p.choices[random.below(static_cast<std::uint32_t>(p.choices.size()))].name;
    case ParameterType::rectangle:
      return Rectangle{place(), place(), place(), place()};
    case ParameterType::numbers: {
      std::vector<double> numbers(random.below(10) == 0 ? p.count + 1 : p.count);
      for (double& number : numbers) number = any_number(p, random);
      return numbers;
    }
    case ParameterType::text:
      return std::string("text");
    default:
      return std::int32_t{1};
  }
}

void put(detail::Sample& sample, SlotId slot, const Constant& value) {
  if (const auto* number = std::get_if<detail::Number>(&value)) {
    number->visit([&]<class T>(T x) { sample.get<T>(slot) = x; });
  } else if (const auto* area = std::get_if<Rectangle>(&value)) {
    sample.get<Rectangle>(slot) = *area;
  } else if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
    sample.get<Tensor>(slot) = testing::tensor_of(*numbers);
  }
}

Image any_image(Random& random) {
  static constexpr int kSides[] = {1, 2, 3, 7, 8, 16, 17, 31, 64, 97};
  const auto side = [&] { return kSides[random.below(std::size(kSides))]; };
  const int channels = static_cast<int>(random.below(5));  // none: most want 3
  return draw_image(side(), side(), channels == 0 ? 3 : channels, random.below(1000));
}

// Sound, or cut short.
Bytes any_file(Random& random) {
  const Bytes whole =
      encode_jpeg(draw_image(24, 40, random.below(4) == 0 ? 1 : 3, random.below(9)));
  const auto all = static_cast<std::uint32_t>(whole.size());
  Bytes file(random.below(4) == 0 ? random.below(all) : all);
  std::copy_n(whole.data(), file.size(), file.data());
  return file;
}

// Three boxes, or numbers in their shape.
Tensor any_boxes(Random& random) {
  Tensor boxes({3, 4}, DType::f32);
  auto* const numbers = boxes.data<float>();
  for (int i = 0; i < 12; ++i)
    numbers[i] = (i % 4 < 2 ? 0.f : 40.f) + random.uniform(0, random.below(9) == 0 ? 90.f : 30.f);
  return boxes;
}

// A program of a few consecutive steps, and the inputs of its only sample.
struct Program {
  explicit Program(std::uint64_t number)
      : seed(number), random({.seed = number}), original(any_image(random)) {
    static const std::vector<OperatorPtr> all = operators_to_try();
    image = builder.add_slot(detail::slot_type<Image>(), "image");
    given_image = image;
    for (auto steps = random.below(4) + 1; steps > 0; --steps) {
      const OperatorPtr& op = all[random.below(static_cast<std::uint32_t>(all.size()))];
      try {
        add(op);
      } catch (const BuildError& error) {
        refused = error.what();
        named = op->name();
        return;
      }
    }
  }

  void add(const OperatorPtr& op) {
    Arguments arguments;
    for (const detail::Input& input : op->schema().inputs) arguments.emplace_back(input_of(input));
    for (const Parameter& p : op->schema().parameters) {
      const Constant constant = any_constant(p, random);
      const auto types = p.per_sample ? p.slot_types() : std::vector<const SlotType*>();
      const bool can = types.size() == 1 &&
                       (is_number(p) || p.type == ParameterType::rectangle ||
                        p.type == ParameterType::boolean || p.type == ParameterType::numbers);
      if (can && random.below(2) == 0) {
        const SlotId slot = builder.add_slot(types[0], p.name);
        values.emplace_back(slot, constant);
        arguments.emplace_back(SlotArgument{slot, types[0]});
      } else {
        arguments.emplace_back(constant);
      }
    }
    const std::vector<SlotId> made = builder.add(op, std::move(arguments));
    names.push_back(op->name());
    if (!made.empty() && op->schema().outputs[0].type == detail::slot_type<Image>())
      image = made[0];
  }

  SlotArgument input_of(const detail::Input& input) {
    const SlotType* const type = input.types[0];
    if (is_any_of(detail::slot_type<Image>(), input.types) && random.below(8) > 0)
      return {image, detail::slot_type<Image>()};
    const SlotId slot = builder.add_slot(type, input.name);
    inputs.emplace_back(slot, type);
    return {slot, type};
  }

  // Runs all of it; returns the error, or "".
  std::string run(detail::Sample& sample, const detail::Plan& plan) {
    Random chance({.seed = seed, .generator = 1});
    sample.count(false);
    sample.begin({}, 0, 42, 1);
    sample.get<Image>(given_image) = original.clone();
    for (const auto& [slot, value] : values) put(sample, slot, value);
    for (const auto& [slot, type] : inputs) {
      if (type == detail::slot_type<Image>()) sample.get<Image>(slot) = any_image(chance);
      if (type == detail::slot_type<Bytes>()) sample.get<Bytes>(slot) = any_file(chance);
      if (type == detail::slot_type<Rectangle>()) sample.get<Rectangle>(slot) = {1, 2, 3, 4};
      if (type == detail::slot_type<Tensor>()) sample.get<Tensor>(slot) = any_boxes(chance);
      if (type == detail::slot_type<std::int64_t>()) sample.get<std::int64_t>(slot) = 2;
      if (type == detail::slot_type<bool>()) sample.get<bool>(slot) = true;
    }
    for (const auto& node : plan.top.nodes) {
      for (const auto& step : std::get<detail::Stage>(node).steps) {
        sample.enter(&step);
        try {
          step.run(sample);
        } catch (const std::bad_alloc&) {
          return kNoMemory;
        } catch (const std::exception& error) {
          return error.what();
        }
      }
    }
    return "";
  }

  std::uint64_t seed;
  Random random;
  Image original;
  detail::PlanBuilder builder;
  SlotId image = 0, given_image = 0;
  std::vector<std::pair<SlotId, Constant>> values;
  std::vector<std::pair<SlotId, const SlotType*>> inputs;
  std::vector<std::string> names;
  std::string refused, named;  // an error, and whose
};

int programs() {
  const char* wish = std::getenv("SLUICE_RANDOM_OPERATORS");
  return wish == nullptr ? 2000 : std::atoi(wish);
}

TEST(RandomOperators, GiveImagesOrErrorsThatNameThem) {
  int refused = 0, failed = 0, ran = 0;
  for (int number = 0; number < programs(); ++number) {
    Program program(static_cast<std::uint64_t>(number));
    std::string names;
    for (const std::string& name : program.names) names += name + " ";
    SCOPED_TRACE("program " + std::to_string(number) + ": " + names + program.named);
    if (!program.refused.empty()) {
      ++refused;
      // The form of an operator for tensors may name the function that programs call: resize.
      const std::string& named = program.named;
      const std::string called = named.substr(0, named.rfind("_tensor"));
      EXPECT_TRUE(program.refused.starts_with(named + ":") ||
                  program.refused.starts_with(called + ":"))
          << program.refused;
    }
    if (program.names.empty()) continue;
    const detail::Plan plan = program.builder.take();
    detail::Sample first(plan), second(plan);
    const std::string error = program.run(first, plan);
    EXPECT_EQ(error, program.run(second, plan));
    EXPECT_EQ(first.get<Image>(program.given_image), program.original);
    if (!error.empty()) {
      ++failed;
      EXPECT_NE(error, kNoMemory);
      continue;
    }
    ++ran;
    EXPECT_EQ(first.get<Image>(program.image), second.get<Image>(program.image));
  }
  EXPECT_GT(ran, programs() / 10);
  EXPECT_GT(refused, programs() / 10);
  EXPECT_GT(failed, programs() / 10);
  RecordProperty("ran", ran);
}

}  // namespace random_operators_test
}  // namespace sluice
