#include <sluice/ops/batch.h>
#include <sluice/ops/batch/block_of.h>
#include <sluice/ops/kernels/dirichlet.h>
#include <sluice/ops/kernels/mix_samples.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sluice {
namespace {

using detail::block_of;
using detail::draw_for;
using detail::mixing;

void check_alpha(const char* op, float alpha) {
  if (alpha >= kernels::kSmallestAlpha && alpha <= kernels::kLargestAlpha) return;
  throw Error(fmt::format("{}: alpha is {}; it must lie between {} and {}", op, alpha,
                          kernels::kSmallestAlpha, kernels::kLargestAlpha));
}

struct Blocks {
  kernels::SampleBlock images, labels;
};

template <class Images>
Blocks blocks_of(const char* op, const Images& images, const TensorBatch& labels) {
  if (images.size() != labels.size()) {
    throw Error(fmt::format("{}: there are {} pictures and {} labels; give those of one batch", op,
                            images.size(), labels.size()));
  }
  if (images.empty()) return {};
  const Blocks blocks = {block_of(op, "pictures", images), block_of(op, "labels", labels)};
  if (blocks.labels.sample.dtype != DType::f32) {
    throw Error(fmt::format("{}: labels are {}, not f32; one_hot() makes such", op,
                            name_of(blocks.labels.sample.dtype)));
  }
  return blocks;
}

template <class Images>
Mixed mix(const Images& images, const TensorBatch& labels, const MixKey& key,
          const MixUpOptions& options) {
  const char* const op = "mix_up";
  check_alpha(op, options.alpha);
  const Blocks blocks = blocks_of(op, images, labels);
  if (blocks.images.count < 2) return {};
  Random random = draw_for(key, detail::kMixUp);
  const auto alpha = static_cast<double>(options.alpha);
  const Mixed mixed = {.weight = static_cast<float>(kernels::beta(random, alpha, alpha)),
                       .region = {}};
  mixing(op, [&] {
    const auto last = kernels::last_sample(blocks.images);
    const auto last_label = kernels::last_sample(blocks.labels);
    kernels::mix_samples(blocks.images, last, static_cast<double>(mixed.weight));
    kernels::mix_samples(blocks.labels, last_label, static_cast<double>(mixed.weight));
  });
  return mixed;
}

// Draws a rectangle with the given share of the image's area, and clips it to the image.
Rectangle region_of(Random& random, double part, int height, int width) {
  const auto x = static_cast<int>(random.below(static_cast<std::uint32_t>(width)));
  const auto y = static_cast<int>(random.below(static_cast<std::uint32_t>(height)));
  const double half = 0.5 * std::sqrt(part);
  const int half_width = static_cast<int>(half * width),
            half_height = static_cast<int>(half * height);
  const int left = std::max(x - half_width, 0), top = std::max(y - half_height, 0);
  return {.y = top,
          .x = left,
          .height = std::min(y + half_height, height) - top,
          .width = std::min(x + half_width, width) - left};
}

template <class Images>
Mixed cut(const Images& images, const TensorBatch& labels, const MixKey& key,
          const CutMixOptions& options) {
  const char* const op = "cut_mix";
  check_alpha(op, options.alpha);
  const Blocks blocks = blocks_of(op, images, labels);
  Mixed mixed;
  mixing(op, [&] {
    // Checks the samples before anything is changed, even if the batch stays as it is.
    if (blocks.images.count > 0) kernels::cut_samples(blocks.images, {}, {});
    if (blocks.images.count < 2) return;
    const auto last = kernels::last_sample(blocks.images);
    const auto last_label = kernels::last_sample(blocks.labels);
    const ValueSpec& sample = blocks.images.sample;
    const bool chw = sample.layout == Layout::chw;
    const auto height = static_cast<int>(sample.shape[chw ? 1 : 0]);
    const auto width = static_cast<int>(sample.shape[chw ? 2 : 1]);
    if (height < 1 || width < 1) return;
    Random random = draw_for(key, detail::kCutMix);
    const auto alpha = static_cast<double>(options.alpha);
    mixed.region = region_of(random, 1 - kernels::beta(random, alpha, alpha), height, width);
    const double taken = static_cast<double>(mixed.region.width) * mixed.region.height;
    mixed.weight = static_cast<float>(1 - taken / (static_cast<double>(width) * height));
    kernels::cut_samples(blocks.images, last, mixed.region);
    kernels::mix_samples(blocks.labels, last_label, static_cast<double>(mixed.weight));
  });
  return mixed;
}

}  // namespace

Random random_of(const MixKey& key) { return draw_for(key, detail::kElse); }

Mixed mix_up(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options) {
  return mix(images, labels, key, options);
}
Mixed mix_up(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options) {
  return mix(images, labels, key, options);
}
Mixed cut_mix(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options) {
  return cut(images, labels, key, options);
}
Mixed cut_mix(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options) {
  return cut(images, labels, key, options);
}

}  // namespace sluice
