#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/draws.h>
#include <sluice/ops/random.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

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

ParameterOptions<float> alpha_option(const char* help) {
  return {.low = static_cast<double>(kernels::kSmallestAlpha),
          .high = static_cast<double>(kernels::kLargestAlpha),
          .help = help};
}

}  // namespace

namespace detail {

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

Value<float> beta(Graph& g, Param<float> alpha, Param<float> other_alpha) {
  return detail::apply_operator<float>(g.builder(), detail::beta_operator(), alpha, other_alpha);
}

}  // namespace sluice
