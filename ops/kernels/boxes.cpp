#include <sluice/ops/kernels/boxes.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

ImagePlace moved(const AffineMap& map, double x, double y) {
  return {map.xx * x + map.xy * y + map.x0, map.yx * x + map.yy * y + map.y0};
}

double divisor(const PerspectiveMap& map, double x, double y) {
  return map[6] * x + map[7] * y + map[8];
}
ImagePlace moved(const PerspectiveMap& map, double x, double y) {
  const double w = divisor(map, x, y);
  return {(map[0] * x + map[1] * y + map[2]) / w, (map[3] * x + map[4] * y + map[5]) / w};
}

BoxEdges bounds_of_corners(const BoxEdges& box, const auto& place) {
  const ImagePlace corners[] = {place(box.x0, box.y0), place(box.x1, box.y0), place(box.x0, box.y1),
                                place(box.x1, box.y1)};
  BoxEdges bounds{corners[0].x, corners[0].y, corners[0].x, corners[0].y};
  for (const ImagePlace& corner : corners) {
    bounds = {std::min(bounds.x0, corner.x), std::min(bounds.y0, corner.y),
              std::max(bounds.x1, corner.x), std::max(bounds.y1, corner.y)};
  }
  return bounds;
}

// Replaces each box by bounds_of(box, number of the box).
void replace_boxes(const char* op, const Tensor& boxes, const auto& bounds_of, Tensor& out) {
  std::vector<BoxEdges> all = read_boxes(op, boxes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i);
    BoxEdges& box = all[i];
    box = bounds_of(box, row);
    for (const double number : {box.x0, box.y0, box.x1, box.y1})
      check_in_range(op, "box", row, number);
  }
  write_boxes(all, out);
}

// Replaces each point by place_of(x, y, number of the point).
void replace_points(const char* op, const Tensor& points, const auto& place_of, Tensor& out) {
  const std::int64_t count = check_rows(op, "points", points, 2);
  for (std::int64_t i = 0; i < count; ++i) check_finite_row(op, "points", points, i, 2);
  out.create({count, 2}, DType::f32);
  auto* numbers = out.data<float>();
  for (std::int64_t i = 0; i < count; ++i) {
    const ImagePlace place = place_of(element(points, i, 0), element(points, i, 1), i);
    for (const double number : {place.x, place.y}) check_in_range(op, "point", i, number);
    *numbers++ = static_cast<float>(place.x);
    *numbers++ = static_cast<float>(place.y);
  }
}

}  // namespace

BoxEdges box_of(const Rectangle& region) {
  return {static_cast<double>(region.x), static_cast<double>(region.y),
          static_cast<double>(region.x) + region.width,
          static_cast<double>(region.y) + region.height};
}

BoxEdges intersection(const BoxEdges& a, const BoxEdges& b) {
  BoxEdges both{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1),
                std::min(a.y1, b.y1)};
  both.x1 = std::max(both.x0, both.x1);
  both.y1 = std::max(both.y0, both.y1);
  return both;
}

double iou(const BoxEdges& a, const BoxEdges& b) {
  const double shared = intersection(a, b).area();
  return shared > 0 ? shared / (a.area() + b.area() - shared) : 0;
}

std::int64_t check_rows(const char* op, const char* what, const Tensor& tensor, int columns) {
  const Shape& shape = tensor.shape();
  if (tensor.elements() == 0) return 0;
  if (shape.rank != 2 || shape[1] != columns || tensor.dtype() != DType::f32) {
    throw std::invalid_argument(
        fmt::format("{}: {} are a tensor of f32 and the shape (n, {}), not "
                    "of {} and {}",
                    op, what, columns, name_of(tensor.dtype()), to_string(shape)));
  }
  return shape[0];
}

void check_in_range(const char* op, const char* what, std::int64_t row, double number) {
  if (std::abs(number) <= std::numeric_limits<float>::max()) return;
  throw std::invalid_argument(fmt::format("{}: {} {} overflows a float", op, what, row));
}

void check_finite_row(const char* op, const char* what, const Tensor& tensor, std::int64_t row,
                      int columns) {
  for (int k = 0; k < columns; ++k) {
    const double number = element(tensor, row, k);
    if (std::isfinite(number)) continue;
    throw std::invalid_argument(fmt::format(
        "{}: number {} of the {} in row {} is {}, which is not finite", op, k, what, row, number));
  }
}

double element(const Tensor& tensor, std::int64_t row, int column) {
  const Strides& strides = tensor.strides();
  return static_cast<double>(tensor.data<float>()[row * strides[0] + column * strides[1]]);
}

std::vector<BoxEdges> read_boxes(const char* op, const Tensor& boxes) {
  const std::int64_t count = check_rows(op, "boxes", boxes, 4);
  std::vector<BoxEdges> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    check_finite_row(op, "boxes", boxes, i, 4);
    const BoxEdges box{element(boxes, i, 0), element(boxes, i, 1), element(boxes, i, 2),
                       element(boxes, i, 3)};
    if (box.x1 < box.x0 || box.y1 < box.y0) {
      throw std::invalid_argument(
          fmt::format("{}: box {} is ({}, {}, {}, {}), which ends before it begins; boxes are (x0, "
                      "y0, x1, y1): convert others with convert_boxes()",
                      op, i, box.x0, box.y0, box.x1, box.y1));
    }
    all.push_back(box);
  }
  return all;
}

void write_boxes(std::span<const BoxEdges> boxes, Tensor& out) {
  out.create({static_cast<std::int64_t>(boxes.size()), 4}, DType::f32);
  auto* numbers = out.data<float>();
  for (const BoxEdges& box : boxes) {
    for (const double number : {box.x0, box.y0, box.x1, box.y1})
      *numbers++ = static_cast<float>(number);
  }
}

void move_boxes(const char* op, const Tensor& boxes, const AffineMap& map, Tensor& out) {
  replace_boxes(
      op, boxes,
      [&](const BoxEdges& box, std::int64_t) {
        return bounds_of_corners(box, [&](double x, double y) { return moved(map, x, y); });
      },
      out);
}

void move_points(const char* op, const Tensor& points, const AffineMap& map, Tensor& out) {
  replace_points(
      op, points, [&](double x, double y, std::int64_t) { return moved(map, x, y); }, out);
}

void move_boxes_in_perspective(const char* op, const Tensor& boxes, const PerspectiveMap& map,
                               Tensor& out) {
  replace_boxes(
      op, boxes,
      [&](const BoxEdges& box, std::int64_t row) {
        const double divisors[] = {divisor(map, box.x0, box.y0), divisor(map, box.x1, box.y0),
                                   divisor(map, box.x0, box.y1), divisor(map, box.x1, box.y1)};
        const auto [least, most] = std::minmax_element(std::begin(divisors), std::end(divisors));
        if (*least <= 0 && *most >= 0) {
          throw std::invalid_argument(fmt::format(
              "{}: box {} is ({}, {}, {}, {}), which crosses the horizon of the map, so "
              "no box bounds what the image shows of it; clip or drop it before",
              op, row, box.x0, box.y0, box.x1, box.y1));
        }
        return bounds_of_corners(box, [&](double x, double y) { return moved(map, x, y); });
      },
      out);
}

void move_points_in_perspective(const char* op, const Tensor& points, const PerspectiveMap& map,
                                Tensor& out) {
  replace_points(
      op, points,
      [&](double x, double y, std::int64_t row) {
        if (divisor(map, x, y) == 0) {
          throw std::invalid_argument(
              fmt::format("{}: point {} is ({}, {}), which lies on the horizon of the map and has "
                          "no place; drop it before",
                          op, row, x, y));
        }
        return moved(map, x, y);
      },
      out);
}

void move_boxes_along_curves(const char* op, const Tensor& boxes, const PlaceFunction& place,
                             Tensor& out) {
  const auto steps = [](double length) {
    return static_cast<int>(std::clamp(std::ceil(length), 1.0, double{kMostEdgeSteps}));
  };
  replace_boxes(
      op, boxes,
      [&](const BoxEdges& box, std::int64_t) {
        BoxEdges bounds = bounds_of_corners(box, place);
        const auto include = [&](double x, double y) {
          const ImagePlace to = place(x, y);
          bounds = {std::min(bounds.x0, to.x), std::min(bounds.y0, to.y), std::max(bounds.x1, to.x),
                    std::max(bounds.y1, to.y)};
        };
        const int across = steps(box.width()), down = steps(box.height());
        for (int i = 1; i < across; ++i) {
          const double x = box.x0 + box.width() * i / across;
          include(x, box.y0);
          include(x, box.y1);
        }
        for (int i = 1; i < down; ++i) {
          const double y = box.y0 + box.height() * i / down;
          include(box.x0, y);
          include(box.x1, y);
        }
        return bounds;
      },
      out);
}

void move_points_along_curves(const char* op, const Tensor& points, const PlaceFunction& place,
                              Tensor& out) {
  replace_points(
      op, points, [&](double x, double y, std::int64_t) { return place(x, y); }, out);
}

void take_rows(const char* op, const Tensor& in, std::int64_t rows,
               std::span<const std::int64_t> taken, Tensor& out) {
  const std::int64_t there = in.shape().rank == 0 ? 0 : in.shape()[0];
  if (there != rows) {
    throw std::invalid_argument(fmt::format(
        "{}: there are {} boxes but {} rows of what belongs to them; give one row for each box", op,
        rows, there));
  }
  Shape shape = in.shape();
  if (shape.rank == 0) shape = {0};
  shape.dims[0] = static_cast<std::int64_t>(taken.size());
  out.create(shape, in.dtype(), in.layout());
  if (in.elements() == 0 || taken.empty()) return;
  const std::size_t bytes = in.nbytes() / static_cast<std::size_t>(rows);
  const Tensor side_by_side = in.contiguous() ? Tensor() : in.clone();
  const std::byte* const from = in.contiguous() ? in.bytes() : side_by_side.bytes();
  std::byte* to = out.bytes();
  for (const std::int64_t row : taken) {
    std::memcpy(to, from + static_cast<std::size_t>(row) * bytes, bytes);
    to += bytes;
  }
}

void write_rows(std::span<const std::int64_t> rows, Tensor& out) {
  out.create({static_cast<std::int64_t>(rows.size())}, DType::i64);
  std::copy(rows.begin(), rows.end(), out.data<std::int64_t>());
}

namespace {

void check_areas(const char* what, std::span<const BoxEdges> boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].area() > 0) continue;
    throw std::invalid_argument(fmt::format(
        "encode_anchors: {} {} has no area; drop such boxes with filter_boxes()", what, i));
  }
}

struct Pair {
  double overlap = 0;
  std::size_t anchor = 0;
  std::size_t box = 0;
};

}  // namespace

std::vector<std::int64_t> match_anchors(std::span<const BoxEdges> anchors,
                                        std::span<const BoxEdges> boxes, double iou_wanted) {
  std::vector<std::int64_t> match(anchors.size(), -1);
  std::vector<double> best(anchors.size(), 0);
  std::vector<Pair> pairs;  // overlapping anchors and boxes
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    for (std::size_t a = 0; a < anchors.size(); ++a) {
      const double overlap = iou(anchors[a], boxes[b]);
      if (overlap <= 0) continue;
      pairs.push_back({overlap, a, b});
      if (overlap >= iou_wanted && overlap > best[a]) {
        best[a] = overlap;
        match[a] = static_cast<std::int64_t>(b);
      }
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& one, const Pair& other) { return one.overlap > other.overlap; });
  std::vector<char> anchor_taken(anchors.size(), 0), box_done(boxes.size(), 0);
  for (const Pair& pair : pairs) {
    if (anchor_taken[pair.anchor] != 0 || box_done[pair.box] != 0) continue;
    anchor_taken[pair.anchor] = box_done[pair.box] = 1;
    match[pair.anchor] = static_cast<std::int64_t>(pair.box);
  }
  return match;
}

void encode_anchors(std::span<const BoxEdges> anchors, std::span<const BoxEdges> boxes,
                    std::span<const std::int64_t> labels, double iou_wanted,
                    const OffsetScale& scale, Tensor& offsets, Tensor& anchor_labels) {
  check_areas("anchor", anchors);
  check_areas("box", boxes);
  const std::vector<std::int64_t> match = match_anchors(anchors, boxes, iou_wanted);
  const auto count = static_cast<std::int64_t>(anchors.size());
  offsets.create({count, 4}, DType::f32);
  anchor_labels.create({count}, DType::i64);
  auto* numbers = offsets.data<float>();
  auto* label = anchor_labels.data<std::int64_t>();
  for (std::size_t i = 0; i < anchors.size(); ++i, numbers += 4, ++label) {
    std::fill(numbers, numbers + 4, 0.f);
    *label = 0;
    if (match[i] < 0) continue;
    const auto of = static_cast<std::size_t>(match[i]);
    const BoxEdges& a = anchors[i];
    const BoxEdges& b = boxes[of];
    const double offset[] = {(b.x0 + b.x1 - a.x0 - a.x1) / 2 / a.width(),
                             (b.y0 + b.y1 - a.y0 - a.y1) / 2 / a.height(),
                             std::log(b.width() / a.width()), std::log(b.height() / a.height())};
    for (std::size_t k = 0; k < 4; ++k) {
      const double number = (offset[k] - scale.mean[k]) / scale.std[k];
      check_in_range("encode_anchors", "the offset of anchor", static_cast<std::int64_t>(i),
                     number);
      numbers[k] = static_cast<float>(number);
    }
    *label = labels[of];
  }
}

namespace {

bool has_middle_of(const BoxEdges& region, const BoxEdges& box) {
  const double x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2;
  return region.x0 < x && x < region.x1 && region.y0 < y && y < region.y1;
}

bool will_do(const Rectangle& region, std::span<const BoxEdges> boxes, double threshold) {
  const BoxEdges edges = box_of(region);
  return std::any_of(boxes.begin(), boxes.end(), [&](const BoxEdges& box) {
    return has_middle_of(edges, box) && iou(edges, box) >= threshold;
  });
}

// Always takes four draws. Returns an empty region if its aspect ratio is not allowed.
Rectangle draw_region(Random& random, int height, int width, const RandomBboxCrop& how) {
  const auto length = [&](int of) {
    const double share = how.min_scale + (how.max_scale - how.min_scale) * random.unit_double();
    return static_cast<int>(of * share);
  };
  Rectangle region;
  region.width = length(width);
  region.height = length(height);
  region.x = static_cast<int>((width - region.width) * random.unit_double());
  region.y = static_cast<int>((height - region.height) * random.unit_double());
  if (region.width < 1 || region.height < 1) return {};
  const double ratio = static_cast<double>(region.width) / region.height;
  return ratio >= how.min_ratio && ratio <= how.max_ratio ? region : Rectangle{};
}

Rectangle find_region(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                      const RandomBboxCrop& how) {
  const Rectangle whole{0, 0, height, width};
  if (boxes.empty() || how.thresholds.empty()) return whole;
  for (int round = 0; round < how.rounds; ++round) {
    const auto number = random.below(static_cast<std::uint32_t>(how.thresholds.size()));
    const auto threshold = static_cast<double>(how.thresholds[number]);
    if (threshold >= 1) return whole;
    for (int attempt = 0; attempt < how.attempts; ++attempt) {
      const Rectangle region = draw_region(random, height, width, how);
      if (region.width > 0 && will_do(region, boxes, threshold)) return region;
    }
  }
  return whole;
}

}  // namespace

CropOfBoxes random_bbox_crop(Random& random, std::span<const BoxEdges> boxes, int height, int width,
                             const RandomBboxCrop& how) {
  CropOfBoxes crop;
  crop.region = find_region(random, boxes, height, width, how);
  const BoxEdges edges = box_of(crop.region);
  const bool whole = crop.region == Rectangle{0, 0, height, width};
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!whole && !has_middle_of(edges, boxes[i])) continue;
    const BoxEdges part = whole ? boxes[i] : intersection(boxes[i], edges);
    crop.boxes.push_back(
        {part.x0 - edges.x0, part.y0 - edges.y0, part.x1 - edges.x0, part.y1 - edges.y0});
    crop.kept.push_back(static_cast<std::int64_t>(i));
  }
  return crop;
}

void one_hot(std::int64_t label, int classes, float smoothing, Tensor& out) {
  if (label < 0 || label >= classes) {
    throw std::invalid_argument(
        fmt::format("one_hot: label is {}; it must lie between 0 and {}", label, classes - 1));
  }
  const double share = static_cast<double>(smoothing) / classes;
  out.create({classes}, DType::f32);
  auto* const numbers = out.data<float>();
  std::fill(numbers, numbers + classes, static_cast<float>(share));
  numbers[label] = static_cast<float>(1 - static_cast<double>(smoothing) + share);
}

}  // namespace sluice::kernels
