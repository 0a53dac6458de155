#include <sluice/graph/plan/device_choice.h>

#include <array>
#include <utility>

namespace sluice::detail {
namespace {

std::optional<DeviceChooser> kept;

}  // namespace

std::optional<Comparison> comparison_of(std::string_view op) {
  static constexpr std::array<std::pair<std::string_view, Comparison>, 6> kAll{{
      {"less", Comparison::less},
      {"greater", Comparison::greater},
      {"less_equal", Comparison::less_equal},
      {"greater_equal", Comparison::greater_equal},
      {"equal", Comparison::equal},
      {"not_equal", Comparison::not_equal},
  }};
  for (const auto& [name, comparison] : kAll) {
    if (name == op) return comparison;
  }
  return std::nullopt;
}

void keep_device_chooser(const DeviceChooser& chooser) { kept = chooser; }

const DeviceChooser* device_chooser() { return kept ? &*kept : nullptr; }

}  // namespace sluice::detail
