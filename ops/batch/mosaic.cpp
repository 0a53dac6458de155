#include <sluice/ops/batch.h>
#include <sluice/ops/batch/block_of.h>
#include <sluice/ops/kernels/boxes.h>
#include <sluice/ops/kernels/join_samples.h>
#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

namespace sluice {
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
  kernels::PictureSide side;
  std::vector<kernels::Join> joins;
};

// Draws as often for an unchanged sample as for a mosaic.
template <class Images>
Plan draw(const Images& images, const BatchKey& key, const MosaicOptions& options) {
  check(options);
  Plan plan;
  plan.joins.resize(images.size());
  if (images.empty()) return plan;
  plan.block = detail::block_of(kName, "pictures", images);
  detail::mixing(kName, [&] { plan.side = kernels::picture_side(plan.block.sample); });
  Random random = detail::draw_for(key, detail::kMosaic);
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
  if (plan.block.count > 0)
    detail::mixing(kName, [&] { kernels::join_samples(plan.block, plan.joins); });
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
    throw Error(fmt::format(
        "mosaic: there are {} pictures, {} tensors of boxes and {} of labels; give those of one "
        "batch",
        count, boxes.size(), labels.size()));
  }
  detail::require_host(kName, "boxes", boxes);
  detail::require_host(kName, "labels", labels);
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
