#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blend.h>
#include <sluice/ops/kernels/blend_rows.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_weight(const char* op, float weight) {
  check_finite(op, "weight", weight);
  if (weight < 0 || weight > 1) {
    throw std::invalid_argument(
        fmt::format("{}: weight is {}; it must lie between 0 and 1", op, weight));
  }
}

void check_shapes(const char* op, const Image& a, const Image& b) {
  if (a.height() == b.height() && a.width() == b.width() && a.channels() == b.channels()) return;
  throw std::invalid_argument(fmt::format(
      "{}: one picture is {} x {} with {} channels, another one {} x {} with {}; resize or crop "
      "them to one shape first",
      op, a.height(), a.width(), a.channels(), b.height(), b.width(), b.channels()));
}

void sum(std::span<const Image* const> pictures, std::span<const std::int16_t> weights,
         Image& out) {
  const Image& first = *pictures[0];
  out.create(first.height(), first.width(), first.channels());
  std::vector<const std::uint8_t*> rows(pictures.size());
  for (int y = 0; y < first.height(); ++y) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = pictures[i]->row(y);
    sum_rows(rows, weights.data(), first.row_bytes(), out.row(y));
  }
}

}  // namespace

void check_blend(const Image& a, const Image& b, float weight) {
  check_pixels("blend", a);
  check_shapes("blend", a, b);
  check_weight("blend", weight);
}

void blend(const Image& a, const Image& b, float weight, Image& out) {
  check_blend(a, b, weight);
  const Image* const pictures[] = {&a, &b};
  const std::int16_t weights[] = {fixed_weight(1 - static_cast<double>(weight)),
                                  fixed_weight(static_cast<double>(weight))};
  sum(pictures, weights, out);
}

void weighted_sum(std::span<const Image> pictures, std::span<const float> weights, Image& out) {
  const char* const op = "weighted_sum";
  if (pictures.empty()) throw std::invalid_argument("weighted_sum: there are no pictures");
  if (pictures.size() > kMostPictures) {
    throw std::invalid_argument(
        fmt::format("weighted_sum: there are {} pictures; {} are the most, as each is rounded",
                    pictures.size(), kMostPictures));
  }
  if (pictures.size() != weights.size()) {
    throw std::invalid_argument(
        fmt::format("weighted_sum: there are {} pictures and {} weights; give one for each",
                    pictures.size(), weights.size()));
  }
  check_pixels(op, pictures[0]);
  std::vector<const Image*> all;
  std::vector<std::int16_t> fixed_weights;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    check_shapes(op, pictures[0], pictures[i]);
    check_weight(op, weights[i]);
    all.push_back(&pictures[i]);
    fixed_weights.push_back(fixed_weight(static_cast<double>(weights[i])));
  }
  sum(all, fixed_weights, out);
}

}  // namespace sluice::kernels
