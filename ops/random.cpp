#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/draws.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace sluice {
namespace {

using Numbers = std::array<float, kernels::kMostChoices>;

ParameterOptions<std::int32_t> count_option() {
  return {.low = 1, .high = kernels::kMostChoices, .help = "number of choices"};
}
ParameterOptions<Numbers> weights_option() {
  return {.low = 0, .help = "probability of each, relative to the sum; the first `count` are used"};
}

std::span<const float> first(const Numbers& numbers, std::int32_t count) {
  return std::span<const float>(numbers).first(static_cast<std::size_t>(count));
}

// count is the first argument, the weights are the last.
void check_weights(const detail::Arguments& arguments) {
  const auto* count = detail::constant_of<std::int32_t>(arguments.front());
  const auto* weights = detail::constant_of<std::vector<double>>(arguments.back());
  if (count == nullptr || weights == nullptr) return;
  Numbers numbers{};
  std::transform(weights->begin(), weights->end(), numbers.begin(),
                 [](double weight) { return static_cast<float>(weight); });
  kernels::check_choice(first(numbers, *count));
}

Numbers padded(const char* name, const std::vector<float>& numbers) {
  Numbers all{};
  if (numbers.empty() || numbers.size() > all.size()) {
    throw BuildError(std::string(name) + ": there are " + std::to_string(numbers.size()) +
                     " choices; 1 to " + std::to_string(all.size()) + " are possible");
  }
  std::copy(numbers.begin(), numbers.end(), all.begin());
  return all;
}

std::string empty_range(std::int32_t low, std::int32_t high) {
  return fmt::format("randint: high must be above low, but low is {} and high is {}", low, high);
}
void check_range(const detail::Arguments& arguments) {
  const auto* low = detail::constant_of<std::int32_t>(arguments.front());
  const auto* high = detail::constant_of<std::int32_t>(arguments.back());
  if (low != nullptr && high != nullptr && *low >= *high)
    throw BuildError(empty_range(*low, *high));
}

OperatorDeclaration& add_margins(OperatorDeclaration& declaration) {
  return declaration.parameter("top", detail::margin_option("pixels added at the top"))
      .parameter("left", detail::margin_option("pixels added on the left"))
      .parameter("bottom", detail::margin_option("pixels added at the bottom"))
      .parameter("right", detail::margin_option("pixels added on the right"))
      .constant<bool>(
          "pad_if_needed",
          {.value = false, .help = "adds the pixels that a side lacks at both of its ends"});
}

// The positions of a window along one side of an image.
struct WindowPlaces {
  std::int32_t first;   // may be negative
  std::uint32_t count;  // 0: the window does not fit
};
WindowPlaces places_of(std::int32_t side, std::int32_t window, std::int32_t before,
                       std::int32_t after, bool pad_if_needed) {
  const std::int32_t free = side + before + after - window;
  if (free >= 0) return {-before, static_cast<std::uint32_t>(free) + 1};
  if (!pad_if_needed) return {0, 0};
  // -free pixels are added at both ends.
  return {free - before, static_cast<std::uint32_t>(-free) + 1};
}

ParameterOptions<float> alpha_option(const char* help) {
  return {.low = static_cast<double>(kernels::kSmallestAlpha),
          .high = static_cast<double>(kernels::kLargestAlpha),
          .help = help};
}

}  // namespace

namespace detail {

const OperatorPtr& randint_operator() {
  static const OperatorPtr op =
      declare_operator("randint")
          .family("random")
          .summary("Draws a whole number uniformly from low to high - 1.")
          .in_cpp("randint(g, 0, 10)")
          .parameter<std::int32_t>("low", {.help = "smallest number"})
          .parameter<std::int32_t>("high", {.help = "one more than the largest number"})
          .output<std::int32_t>("number")
          .checks(check_range)
          .runs([](Random& random, std::int32_t low, std::int32_t high) -> std::int32_t {
            if (low >= high) throw std::invalid_argument(empty_range(low, high));
            const std::uint32_t count =
                static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low);
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + random.below(count));
          });
  return op;
}

const OperatorPtr& random_crop_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("random_crop_region");
    declaration.family("boxes")
        .summary("Draws the region that random_crop cuts from an image of this size.")
        .in_cpp("random_crop(image, {.height = 32, .width = 32, .top = 4, .bottom = 4})");
    add_size(declaration)
        .parameter<std::int32_t>("crop_height",
                                 {.low = 1, .high = 65535, .help = "height of the window"})
        .parameter<std::int32_t>("crop_width",
                                 {.low = 1, .high = 65535, .help = "width of the window"});
    return add_margins(declaration)
        .output<Rectangle>("region")
        .runs([](Random& random, std::int32_t height, std::int32_t width, std::int32_t crop_height,
                 std::int32_t crop_width, std::int32_t top, std::int32_t left, std::int32_t bottom,
                 std::int32_t right, bool pad_if_needed) {
          const WindowPlaces rows = places_of(height, crop_height, top, bottom, pad_if_needed);
          const WindowPlaces columns = places_of(width, crop_width, left, right, pad_if_needed);
          if (rows.count == 0 || columns.count == 0) {
            throw std::invalid_argument(fmt::format(
                "random_crop: a window of {} x {} (height x width) does not fit into an image of "
                "{} x {} ({} x {} after padding); pass pad_if_needed or more padding",
                crop_height, crop_width, height, width, height + top + bottom,
                width + left + right));
          }
          const auto y = static_cast<std::int32_t>(random.below(rows.count));
          const auto x = static_cast<std::int32_t>(random.below(columns.count));
          return Rectangle{.y = rows.first + y,
                           .x = columns.first + x,
                           .height = crop_height,
                           .width = crop_width};
        });
  }();
  return op;
}

OperatorSchema random_crop_schema() {
  OperatorDeclaration declaration("random_crop");
  declaration.family("geometry")
      .summary("Cuts out a window of a fixed size at a random position.")
      .in_cpp("random_crop(image, {.height = 32, .width = 32})")
      .in_cpp("random_crop(image, {.height = 32, .width = 32, .top = 4, .bottom = 4})")
      .in_cpp("random_crop(image, {.left = 8, .right = 8, .border = Border::reflect})")
      .input<Image>("image");
  declaration
      .parameter<std::int32_t>(
          "height", {.value = 224, .low = 1, .high = 65535, .help = "height of the window"})
      .parameter<std::int32_t>(
          "width", {.value = 224, .low = 1, .high = 65535, .help = "width of the window"})
      .constant<std::int32_t>(
          "padding", {.value = 0, .low = 0, .high = 65535, .help = "pixels added on all sides"});
  return add_margins(declaration)
      .choice("border", Border::constant, {Border::constant, Border::edge, Border::reflect},
              "the content of the padding")
      .parameter("fill", fill_option("color of constant padding, for each channel"))
      .output<Image>("image")
      .made_of({"canvas_size", "crop", "crop_padded", "pad_image", "random_crop_region"});
}

const OperatorPtr& choice_operator() {
  static const OperatorPtr op =
      declare_operator("choice")
          .family("random")
          .summary("Draws one of several numbers.")
          .in_cpp("choice(g, {0.5f, 1.f, 2.f})")
          .constant<std::int32_t>("count", count_option())
          .constant<Numbers>("numbers",
                             {.help = "numbers to choose from; the first `count` are used"})
          .constant<Numbers>("weights", weights_option())
          .output<float>("number")
          .checks(check_weights)
          .runs([](Random& random, std::int32_t count, const Numbers& numbers,
                   const Numbers& weights) {
            return numbers[static_cast<std::size_t>(
                kernels::choice(random, first(weights, count)))];
          });
  return op;
}

const OperatorPtr& choice_index_operator() {
  static const OperatorPtr op =
      declare_operator("choice_index")
          .family("random")
          .summary("Draws an index, from 0 on, with probabilities given by weights.")
          .in_cpp("choice_index(g, {3.f, 1.f})")
          .constant<std::int32_t>("count", count_option())
          .constant<Numbers>("weights", weights_option())
          .output<std::int32_t>("index")
          .checks(check_weights)
          .runs([](Random& random, std::int32_t count, const Numbers& weights) -> std::int32_t {
            return kernels::choice(random, first(weights, count));
          });
  return op;
}

const OperatorPtr& beta_operator() {
  static const OperatorPtr op =
      declare_operator("beta")
          .family("random")
          .summary("Draws a number between 0 and 1 from a Beta distribution.")
          .in_cpp("beta(g, 0.4f, 0.4f)")
          .parameter("alpha", alpha_option("larger values draw nearer to 1"))
          .parameter("other_alpha", alpha_option("larger values draw nearer to 0"))
          .output<float>("number")
          .runs([](Random& random, float alpha, float other_alpha) {
            return static_cast<float>(kernels::beta(random, static_cast<double>(alpha),
                                                    static_cast<double>(other_alpha)));
          });
  return op;
}

}  // namespace detail

Value<float> choice(Graph& g, const std::vector<float>& numbers,
                    const std::vector<float>& weights) {
  if (!weights.empty() && weights.size() != numbers.size()) {
    throw BuildError("choice: got " + counted(numbers.size(), "number") + " and " +
                     counted(weights.size(), "weight") + "; give one for each, or none");
  }
  const std::vector<float> alike(numbers.size(), 1.0f);
  return detail::apply_operator<float>(
      g.builder(), detail::choice_operator(), static_cast<std::int32_t>(numbers.size()),
      padded("choice", numbers), padded("choice", weights.empty() ? alike : weights));
}

Value<int> choice_index(Graph& g, const std::vector<float>& weights) {
  return detail::apply_operator<int>(g.builder(), detail::choice_index_operator(),
                                     static_cast<std::int32_t>(weights.size()),
                                     padded("choice_index", weights));
}

Value<std::int32_t> randint(Graph& g, Param<int> low, Param<int> high) {
  return detail::apply_operator<std::int32_t>(g.builder(), detail::randint_operator(), low, high);
}

Value<Image> random_crop(Value<Image> image, const RandomCropOptions& options) {
  RandomCropOptions o = options;
  if (o.padding < 0 || o.padding > 65535) {
    throw BuildError(
        fmt::format("random_crop: padding must lie between 0 and 65535 (got {})", o.padding));
  }
  for (Param<int>* side : {&o.top, &o.left, &o.bottom, &o.right}) {
    if (o.padding == 0) break;
    if (side->is_constant())
      *side = side->constant() + o.padding;
    else
      *side = side->value() + o.padding;
  }
  const auto region_in = [&](Value<Image> in, const RandomCropOptions& margins) {
    const CanvasSize size = canvas_size(in);
    return apply_operator<Rectangle>(detail::random_crop_region_operator(), size.height, size.width,
                                     o.height, o.width, margins.top, margins.left, margins.bottom,
                                     margins.right, margins.pad_if_needed);
  };
  const auto is_zero = [](const Param<int>& margin) {
    return margin.is_constant() && margin.constant() == 0;
  };
  const bool padded = o.pad_if_needed || !is_zero(o.top) || !is_zero(o.left) ||
                      !is_zero(o.bottom) || !is_zero(o.right);
  if (!padded) return crop(image, region_in(image, {}));
  if (o.border == Border::constant) {
    return crop(image, region_in(image, o), {.out_of_bounds = OutOfBounds::pad, .fill = o.fill});
  }
  if (o.pad_if_needed) {
    throw BuildError(std::string("random_crop: pad_if_needed works with the border 'constant', "
                                 "but the border is '") +
                     name_of(o.border) + "'; pass padding instead");
  }
  const Value<Image> larger = pad_image(
      image,
      {.left = o.left, .top = o.top, .right = o.right, .bottom = o.bottom, .border = o.border});
  return crop(larger, region_in(larger, {}));
}

Value<float> beta(Graph& g, Param<float> alpha, Param<float> other_alpha) {
  return detail::apply_operator<float>(g.builder(), detail::beta_operator(), alpha, other_alpha);
}

}  // namespace sluice
