#include <sluice/graph/batch.h>
#include <sluice/ops/batch.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/draws.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sluice {
namespace {

// Numbers of the generators that draw for batches. A pipeline's own generators count from 0, so the
// two never collide.
enum BatchGenerator : std::uint32_t { kMixUp = 0xfffffff0, kCutMix, kElse, kMosaic };

Random draw_for(const BatchKey& key, BatchGenerator generator) {
  return Random({.seed = key.seed,
                 .epoch = static_cast<std::uint64_t>(key.epoch),
                 .sample = static_cast<std::uint64_t>(key.batch),
                 .generator = generator});
}

template <class Column>
void require_host(const char* op, const char* what, const Column& column) {
  if (column.place().on_host()) return;
  throw Error(fmt::format("{}: the {} lie in {}; mix the result of to_host()", op, what,
                          to_string(column.place())));
}

// Returns the samples of a non-empty column. Throws Error if they have no common shape.
template <class Column>
kernels::SampleBlock block_of(const char* op, const char* what, const Column& column) {
  require_host(op, what, column);
  if (!column.dense()) {
    for (std::size_t i = 1; i < column.size(); ++i) {
      const Shape first = column.tensor(0).shape(), other = column.tensor(i).shape();
      if (first == other) continue;
      throw Error(fmt::format(
          "{}: the {} of a batch must have one shape to be mixed, but sample 0 has {} and sample "
          "{} {}; resize or crop them in the pipeline",
          op, what, to_string(first), i, to_string(other)));
    }
    throw Error(fmt::format(
        "{}: the {} of a batch must have one type and layout of elements to be mixed", op, what));
  }
  column.wait();
  return {column.tensor().bytes(), column.size(), column.tensor(0).spec()};
}

// Calls f and turns its kernels' errors into an Error of this operator.
template <class F>
void mixing(const char* op, const F& f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    throw Error(std::string(op) + ": " + error.what());
  }
}

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
    throw Error(fmt::format("{}: got {} and {}; give those of one batch", op,
                            counted(images.size(), "image"), counted(labels.size(), "label")));
  }
  if (images.empty()) return {};
  const Blocks blocks = {block_of(op, "images", images), block_of(op, "labels", labels)};
  if (blocks.labels.sample.dtype != DType::f32) {
    throw Error(fmt::format("{}: labels are {}, not f32; make them with one_hot()", op,
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
  Random random = draw_for(key, kMixUp);
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
    Random random = draw_for(key, kCutMix);
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

Random random_of(const MixKey& key) { return draw_for(key, kElse); }

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

namespace {

constexpr const char* kName = "mosaic";

void check(const MosaicOptions& o) {
  const auto is_share = [](float x) { return x >= 0 && x <= 1; };
  if (!is_share(o.min_center) || !is_share(o.max_center) || o.min_center > o.max_center) {
    throw Error(
        fmt::format("mosaic: min_center is {} and max_center {}; they must lie between 0 and 1, "
                    "and the first must not be above the second",
                    o.min_center, o.max_center));
  }
  if (!is_share(o.probability)) {
    throw Error(
        fmt::format("mosaic: probability is {}; it must lie between 0 and 1", o.probability));
  }
  if (!is_share(o.min_visibility) || !(o.min_area >= 0)) {
    throw Error(
        fmt::format("mosaic: min_area is {} and min_visibility {}; the first must be at least 0, "
                    "the second lie between 0 and 1",
                    o.min_area, o.min_visibility));
  }
}

struct Plan {
  kernels::SampleBlock block;
  kernels::ImageSide side;
  std::vector<kernels::Join> joins;
};

// Draws as often for an unchanged sample as for a mosaic.
template <class Images>
Plan draw(const Images& images, const BatchKey& key, const MosaicOptions& options) {
  check(options);
  Plan plan;
  plan.joins.resize(images.size());
  if (images.empty()) return plan;
  plan.block = block_of(kName, "images", images);
  mixing(kName, [&] { plan.side = kernels::image_side(plan.block.sample); });
  Random random = draw_for(key, kMosaic);
  const auto point = [&](int side) {
    return static_cast<int>(std::lround(random.uniform(options.min_center, options.max_center) *
                                        static_cast<float>(side)));
  };
  for (kernels::Join& join : plan.joins) {
    join.joined = random.unit() < options.probability && images.size() > 1;
    join.x = point(plan.side.width);
    join.y = point(plan.side.height);
    join.first = static_cast<int>(random.below(4));
    if (!join.joined) join = {};
  }
  return plan;
}

std::vector<Mosaic> apply(const Plan& plan) {
  if (plan.block.count > 0) mixing(kName, [&] { kernels::join_samples(plan.block, plan.joins); });
  std::vector<Mosaic> done;
  for (const kernels::Join& join : plan.joins)
    done.push_back({.joined = join.joined, .x = join.x, .y = join.y, .place = join.first});
  return done;
}

TensorBatch batch_of(const std::vector<Tensor>& values) {
  BatchHistory history;
  auto memory = std::make_shared<BatchMemory>(values.size(), BufferPool::current(), history);
  for (std::size_t i = 0; i < values.size(); ++i)
    copy_elements(values[i], memory->place(i, values[i].spec()));
  std::vector<std::uint32_t> all(values.size());
  std::iota(all.begin(), all.end(), 0U);
  memory->finish(all, 0);
  return TensorBatch(std::move(memory));
}

// Concatenates the rows of several tensors. Parts without rows may have any shape and type.
Tensor joined_rows(const std::vector<Tensor>& parts, const Tensor& like) {
  const Tensor* first = nullptr;
  std::int64_t rows = 0;
  for (const Tensor& part : parts) {
    if (part.elements() == 0) continue;
    const auto alike = [&] {
      Shape a = first->shape(), b = part.shape();
      a.dims[0] = b.dims[0] = 0;
      return a == b && first->dtype() == part.dtype();
    };
    if (first == nullptr) first = &part;
    if (!alike()) {
      throw Error(
          fmt::format("mosaic: labels of one batch are {} of {} and {} of {}; they must "
                      "have rows of one shape and type to be joined",
                      to_string(first->shape()), name_of(first->dtype()), to_string(part.shape()),
                      name_of(part.dtype())));
    }
    rows += part.shape()[0];
  }
  Shape shape = first == nullptr ? like.shape() : first->shape();
  if (shape.rank > 0) shape.dims[0] = rows;
  const Tensor& model = first == nullptr ? like : *first;
  Tensor out(shape, model.dtype(), model.layout());
  std::byte* at = out.bytes();
  for (const Tensor& part : parts) {
    if (part.elements() == 0) continue;
    copy_elements(part, at);
    at += part.nbytes();
  }
  return out;
}

// Appends the visible part of a sample's boxes, and their labels.
void add_tile(const kernels::Tile& tile, const Tensor& boxes, const Tensor& labels,
              const MosaicOptions& options, std::vector<kernels::BoxEdges>& seen,
              std::vector<Tensor>& rows) {
  const std::vector<kernels::BoxEdges> all = kernels::read_boxes(kName, boxes);
  const kernels::BoxEdges region = kernels::box_of(tile.region);
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const kernels::BoxEdges box{all[i].x0 + tile.x, all[i].y0 + tile.y, all[i].x1 + tile.x,
                                all[i].y1 + tile.y};
    const kernels::BoxEdges part = kernels::intersection(box, region);
    const double area = part.area();
    if (!(area > 0) || area < static_cast<double>(options.min_area) ||
        area < static_cast<double>(options.min_visibility) * box.area())
      continue;
    seen.push_back(part);
    kept.push_back(static_cast<std::int64_t>(i));
  }
  rows.emplace_back();
  kernels::take_rows(kName, labels, static_cast<std::int64_t>(all.size()), kept, rows.back());
}

struct Columns {
  TensorBatch boxes, labels;
};

Columns move_boxes(const Plan& plan, const TensorBatch& boxes, const TensorBatch& labels,
                   const MosaicOptions& options) {
  const std::size_t count = plan.joins.size();
  if (boxes.size() != count || labels.size() != count) {
    throw Error(
        fmt::format("mosaic: there are {} images, {} tensors of boxes and {} of labels; give those "
                    "of one batch",
                    count, boxes.size(), labels.size()));
  }
  require_host(kName, "boxes", boxes);
  require_host(kName, "labels", labels);
  std::vector<Tensor> all_boxes(count), all_labels(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!plan.joins[i].joined) {
      all_boxes[i] = boxes.tensor(i);
      all_labels[i] = labels.tensor(i);
      continue;
    }
    std::vector<kernels::BoxEdges> seen;
    std::vector<Tensor> rows;
    for (const kernels::Tile& tile :
         kernels::tiles_of(plan.joins[i], i, count, plan.side.height, plan.side.width)) {
      try {
        add_tile(tile, boxes[tile.from], labels[tile.from], options, seen, rows);
      } catch (const std::invalid_argument& error) {
        throw Error(fmt::format("{}, in sample {} of the batch", error.what(), tile.from));
      }
    }
    kernels::write_boxes(seen, all_boxes[i]);
    all_labels[i] = joined_rows(rows, labels[i]);
  }
  return {batch_of(all_boxes), batch_of(all_labels)};
}

template <class Images>
std::vector<Mosaic> with_boxes(const Images& images, TensorBatch& boxes, TensorBatch& labels,
                               const BatchKey& key, const MosaicOptions& options) {
  const Plan plan = draw(images, key, options);
  Columns moved = move_boxes(plan, boxes, labels, options);
  std::vector<Mosaic> done = apply(plan);
  boxes = std::move(moved.boxes);
  labels = std::move(moved.labels);
  return done;
}

}  // namespace

std::vector<Mosaic> mosaic(const ImageBatch& images, const BatchKey& key,
                           const MosaicOptions& options) {
  return apply(draw(images, key, options));
}
std::vector<Mosaic> mosaic(const TensorBatch& images, const BatchKey& key,
                           const MosaicOptions& options) {
  return apply(draw(images, key, options));
}
std::vector<Mosaic> mosaic(const ImageBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options) {
  return with_boxes(images, boxes, labels, key, options);
}
std::vector<Mosaic> mosaic(const TensorBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options) {
  return with_boxes(images, boxes, labels, key, options);
}

}  // namespace sluice
