#include <sluice/graph/arithmetic.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/composition.h>
#include <sluice/ops/kernels/blend.h>
#include <sluice/ops/kernels/dirichlet.h>
#include <sluice/runtime/error.h>

#include <cstddef>
#include <cstdint>
#include <tuple>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr int kMagnitudes = 10;
constexpr int kMostDrawn = 3;  // maximum length of a chain if it is drawn
constexpr int kLongest = 1000;
constexpr int kWidest = static_cast<int>(kernels::kMostPictures) - 1;  // besides the image

void check(const AugMixOptions& options) {
  const auto require = [](bool good, const std::string& what) {
    if (!good) throw BuildError("aug_mix: " + what);
  };
  require(
      options.severity >= 1 && options.severity <= kMagnitudes,
      fmt::format("severity must lie between 1 and {}, but is {}", kMagnitudes, options.severity));
  require(options.mixture_width >= 1 && options.mixture_width <= kWidest,
          fmt::format("mixture_width must lie between 1 and {}, but is {}", kWidest,
                      options.mixture_width));
  require(options.chain_depth >= 0 && options.chain_depth <= kLongest,
          fmt::format("chain_depth must lie between 0 and {}, but is {}; 0 draws 1 to {}", kLongest,
                      options.chain_depth, kMostDrawn));
  require(!options.augmentations.empty(), "the list of operators is empty; give at least one");
}

// Draws a whole number of 0 to count - 1.
Value<std::int32_t> below(Graph& g, int count) {
  return cast<std::int32_t>(g.uniform(0.f, static_cast<float>(count)));
}

}  // namespace

const detail::OperatorPtr& detail::aug_mix_weights_operator() {
  static const OperatorPtr op =
      declare_operator("aug_mix_weights")
          .family("random")
          .summary("What aug_mix draws: the weights of a picture and of `width` chains.")
          .in_cpp("aug_mix(g, image, {.severity = 3})")
          .constant<std::int32_t>("width", {.low = 1, .high = kWidest, .help = "how many chains"})
          .parameter<float>("alpha", {.value = 1.f,
                                      .low = kernels::kSmallestAlpha,
                                      .high = kernels::kLargestAlpha,
                                      .help = "of the Beta and the Dirichlet distribution"})
          .output<std::vector<float>>("weights")
          .runs([](Random& random, std::int32_t width, float alpha) {
            const double itself = kernels::beta(random, alpha, alpha);
            std::vector<double> chains(static_cast<std::size_t>(width));
            kernels::dirichlet(random, alpha, chains);
            std::vector<float> weights = {static_cast<float>(itself)};
            for (const double share : chains)
              weights.push_back(static_cast<float>((1 - itself) * share));
            return weights;
          });
  return op;
}

Value<Image> aug_mix(Graph& g, Value<Image> image, const AugMixOptions& options) {
  check(options);
  const auto weights = detail::apply_operator<std::vector<float>>(
      g.recorder(), detail::aug_mix_weights_operator(), options.mixture_width, options.alpha);
  const auto chain = [&](Value<std::int64_t> steps) {
    return g.for_loop(steps, image,
                      [&](Value<std::int64_t>, Value<Image> changed) {
                        return apply_random(
                            g, changed, options.augmentations,
                            {.n = 1, .magnitude = below(g, options.severity), .bins = kMagnitudes});
                      },
                      {.name = "chain"});
  };
  // Chain 0 has no steps: it is the image itself. The collected list is on the host.
  const auto collected = g.for_loop_collect(
      options.mixture_width + 1, std::int64_t{0},
      [&](Value<std::int64_t> i, Value<std::int64_t> state) {
        const Value<std::int32_t> drawn = options.chain_depth > 0
                                              ? g.constant(std::int32_t{options.chain_depth})
                                              : below(g, kMostDrawn) + 1;
        return std::tuple{state, chain(cast<std::int64_t>(i > 0) * drawn).cpu()};
      },
      {.name = "aug_mix"});
  return weighted_sum(std::get<1>(collected), weights);
}

}  // namespace sluice
