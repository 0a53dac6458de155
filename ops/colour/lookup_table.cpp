#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/colour.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/level_table.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace sluice {
namespace {

using Levels = std::array<float, 256>;

template <class Range>
kernels::LevelTable table_of(const Range& numbers) {
  kernels::LevelTable table{};
  std::transform(numbers.begin(), numbers.end(), table.begin(),
                 [](auto number) { return kernels::to_level(static_cast<double>(number)); });
  return table;
}

}  // namespace

const detail::OperatorPtr& detail::lookup_table_operator() {
  static const OperatorPtr op =
      declare_operator("lookup_table")
          .family("colour")
          .summary("Each level by a table.")
          .in_cpp("lookup_table(image, [](int level) { return level / 64 * 85; })")
          .input<Image>("image")
          .constant<Levels>(
              "levels",
              {.low = 0, .high = 255, .help = "what becomes of 0, 1, ... 255; to the nearest"})
          .output<Image>("image")
          .maps_levels([](const Arguments& arguments) -> std::optional<kernels::LevelTable> {
            const auto* levels = constant_of<std::vector<double>>(arguments[1]);
            if (levels == nullptr) return {};
            return table_of(*levels);
          })
          .defers(defers_by([](kernels::DeferredImage& picture, const Levels& levels) {
            picture.check("lookup_table");
            picture.map_levels(table_of(levels));
          }))
          .runs([](const Image& in, const Levels& levels, Image& out) {
            kernels::check_pixels("lookup_table", in);
            kernels::map_levels(in, table_of(levels), out);
          });
  return op;
}

Value<Image> lookup_table(Value<Image> image, const std::array<std::uint8_t, 256>& levels) {
  Levels numbers{};
  std::copy(levels.begin(), levels.end(), numbers.begin());
  return apply_operator<Image>(detail::lookup_table_operator(), image, numbers);
}

}  // namespace sluice
