#include <sluice/ops/kernels/normal_quantiles.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

namespace sluice::kernels {
namespace {

using Table = std::array<float, kQuantiles>;

// Goes upwards from the middle; each value follows from the previous one by Newton's method.
std::unique_ptr<const Table> make_table() {
  auto table = std::make_unique<Table>();
  constexpr std::size_t kMiddle = kQuantiles / 2;
  double z = 0;
  for (std::size_t i = kMiddle; i < table->size(); ++i) {
    const double above = 1.0 - (static_cast<double>(i) + 0.5) / kQuantiles;
    for (int step = 0; step < 4; ++step) {
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
      z += (0.5 * std::erfc(z / std::numbers::sqrt2) - above) / density;
    }
    table->at(i) = static_cast<float>(z);
    table->at(table->size() - 1 - i) = static_cast<float>(-z);
  }
  return table;
}

}  // namespace

const Table& normal_quantiles() {
  static const std::unique_ptr<const Table> table = make_table();
  return *table;
}

}  // namespace sluice::kernels
