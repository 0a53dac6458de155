#include <sluice/graph/order/weights.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/numbers.h>

#include <algorithm>
#include <cmath>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
namespace {

__extension__ using Wide = unsigned __int128;

double checked_largest(const std::vector<double>& weights) {
  if (weights.empty()) throw BuildError("there are no weights; give one for each sample");
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) {
      throw BuildError("weight " + std::to_string(i) + " of " + std::to_string(weights.size()) +
                       " is " + detail::number_text(weights[i]) +
                       "; weights are finite numbers from 0 on");
    }
    largest = std::max(largest, weights[i]);
  }
  if (largest == 0) {
    throw BuildError("all " + std::to_string(weights.size()) +
                     " weights are 0, so there is nothing to draw; one must be above 0");
  }
  return largest;
}

// Each one's part of 2^62. Only steps that every machine rounds in the same way.
std::vector<std::uint64_t> shares_of(const std::vector<double>& weights) {
  const double largest = checked_largest(weights);
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;
  std::vector<std::uint64_t> shares;
  shares.reserve(weights.size());
  for (const double weight : weights) {
    const double part = weight / largest / sum;
    shares.push_back(static_cast<std::uint64_t>(std::ldexp(part, 62)));
  }
  return shares;
}

}  // namespace

struct Weights::Table {
  // A column is as high as the sum of all shares. Below `own` it is its own sample's, above it the
  // other one's.
  struct Column {
    std::uint64_t own = 0;
    std::int64_t other = 0;
    friend bool operator==(const Column&, const Column&) = default;
  };
  explicit Table(const std::vector<double>& given) : columns(given.size()) {
    const std::vector<std::uint64_t> shares = shares_of(given);
    for (const std::uint64_t share : shares) sum += share;
    // What a sample has, times the number of columns; a column is full with `sum`.
    std::vector<Wide> left(shares.size());
    std::vector<std::size_t> low, high;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      left[i] = Wide{shares[i]} * shares.size();
      (left[i] < sum ? low : high).push_back(i);
    }
    while (!low.empty() && !high.empty()) {
      const std::size_t small = low.back();
      const std::size_t large = high.back();
      low.pop_back();
      columns[small] = {static_cast<std::uint64_t>(left[small]), static_cast<std::int64_t>(large)};
      left[large] -= sum - left[small];
      if (left[large] >= sum) continue;
      high.pop_back();
      low.push_back(large);
    }
    // As the numbers are whole, all that are left fill their columns to the top.
    for (const std::size_t i : high) columns[i] = {sum, static_cast<std::int64_t>(i)};
  }

  std::vector<Column> columns;
  std::uint64_t sum = 0;
};

Weights::Weights(const std::vector<double>& weights)
    : table_(std::make_shared<const Table>(weights)) {}
Weights::Weights(std::initializer_list<double> weights) : Weights(std::vector<double>(weights)) {}

std::int64_t Weights::size() const {
  return empty() ? 0 : static_cast<std::int64_t>(table_->columns.size());
}

std::int64_t Weights::draw(Random& random) const {
  const auto i = random.below64(table_->columns.size());
  const Table::Column& column = table_->columns[i];
  return random.below64(table_->sum) < column.own ? static_cast<std::int64_t>(i) : column.other;
}

std::uint64_t Weights::hash() const {
  if (empty()) return 0;
  return XXH3_64bits(table_->columns.data(), table_->columns.size() * sizeof(Table::Column));
}

bool operator==(const Weights& a, const Weights& b) {
  if (a.table_ == b.table_) return true;
  return a.table_ != nullptr && b.table_ != nullptr && a.table_->columns == b.table_->columns;
}

}  // namespace sluice
