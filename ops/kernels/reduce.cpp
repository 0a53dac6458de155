#include <sluice/ops/kernels/reduce.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// So many levels at once that 32 bits hold the sum of their squares.
constexpr std::int64_t kPiece = 65536;

void add_sum(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += levels[i];
  sums.sum += sum;
}

void add_squares(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint32_t squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t level = levels[i];
    squares += level * level;
  }
  sums.squares += squares;
}

void add_lowest(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint8_t lowest = 255;
  for (std::int64_t i = 0; i < count; ++i) lowest = std::min(lowest, levels[i]);
  sums.lowest = std::min<std::uint32_t>(sums.lowest, lowest);
}

void add_highest(const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  std::uint8_t highest = 0;
  for (std::int64_t i = 0; i < count; ++i) highest = std::max(highest, levels[i]);
  sums.highest = std::max<std::uint32_t>(sums.highest, highest);
}

void add_piece(Reduction what, const std::uint8_t* levels, std::int64_t count, LevelSums& sums) {
  switch (what) {
    case Reduction::mean:
      add_sum(levels, count, sums);
      break;
    case Reduction::min:
      add_lowest(levels, count, sums);
      break;
    case Reduction::max:
      add_highest(levels, count, sums);
      break;
    case Reduction::standard_deviation:
      add_sum(levels, count, sums);
      add_squares(levels, count, sums);
      break;
  }
}

// The squares of the distances from the whole number below the mean, and what those lack.
float deviation(const LevelSums& sums, std::int64_t count) {
  const auto n = static_cast<std::uint64_t>(count);
  const std::uint64_t whole = sums.sum / n;
  const std::uint64_t squares = sums.squares + whole * whole * n - 2 * whole * sums.sum;
  const double rest = static_cast<double>(sums.sum - whole * n) / static_cast<double>(n);
  const double variance = static_cast<double>(squares) / static_cast<double>(n) - rest * rest;
  return static_cast<float>(std::sqrt(std::max(variance, 0.0)));
}

}  // namespace

const char* name_of(Reduction what) {
  switch (what) {
    case Reduction::mean:
      return "mean";
    case Reduction::min:
      return "min";
    case Reduction::max:
      return "max";
    case Reduction::standard_deviation:
      return "standard_deviation";
  }
  return "?";
}

float reduced(Reduction what, const LevelSums& sums, std::int64_t count) {
  switch (what) {
    case Reduction::mean:
      return static_cast<float>(static_cast<double>(sums.sum) / static_cast<double>(count));
    case Reduction::min:
      return static_cast<float>(sums.lowest);
    case Reduction::max:
      return static_cast<float>(sums.highest);
    case Reduction::standard_deviation:
      return deviation(sums, count);
  }
  return 0;
}

bool lies_in_rows(const Tensor& in, LevelRows& rows) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(in.bytes());
  const std::int64_t count = in.elements();
  if (in.contiguous()) {
    rows = {data, 1, count, count};
    return true;
  }
  const std::int64_t height = in.shape()[0];
  const Strides dense = contiguous_strides(in.shape());
  for (std::size_t axis = 1; axis < static_cast<std::size_t>(in.shape().rank); ++axis) {
    if (in.shape().dims[axis] != 1 && in.strides()[axis] != dense[axis]) return false;
  }
  rows = {data, height, count / height, in.strides()[0]};
  return true;
}

void check_levels(Reduction what, const Tensor& in) {
  if (in.empty() || in.elements() == 0)
    throw std::invalid_argument(fmt::format("{}: the value is empty", name_of(what)));
  if (in.dtype() != DType::u8) {
    throw std::invalid_argument(fmt::format("{}: the tensor's elements are {}; u8 is possible",
                                            name_of(what), sluice::name_of(in.dtype())));
  }
}

float reduce(Reduction what, const Tensor& in) {
  check_levels(what, in);
  LevelRows rows;
  Tensor dense;
  if (!lies_in_rows(in, rows)) {
    dense = in.clone();
    (void)lies_in_rows(dense, rows);
  }
  LevelSums sums;
  sums.lowest = 255;
  for (std::int64_t y = 0; y < rows.rows; ++y) {
    const std::uint8_t* const row = rows.data + y * rows.stride;
    for (std::int64_t at = 0; at < rows.bytes; at += kPiece)
      add_piece(what, row + at, std::min(kPiece, rows.bytes - at), sums);
  }
  return reduced(what, sums, rows.rows * rows.bytes);
}

}  // namespace sluice::kernels
