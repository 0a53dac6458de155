#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/filter_2d.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {
namespace {

using FilterNumbers = decltype(kernels::FilterWeights::weights);

// rows and columns come after the input.
void check_sides(const detail::Arguments& arguments) {
  const auto side = [&](std::size_t i) {
    return *detail::constant_of<std::int32_t>(arguments.at(i));
  };
  kernels::check_filter({.rows = side(1), .columns = side(2), .weights = {}});
}

ParameterOptions<std::int32_t> side_option(const char* help) {
  return {.value = 3, .low = 1, .high = kernels::kLargestFilter, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::filter_2d_operator() {
  static const OperatorPtr op =
      declare_operator("filter_2d")
          .family("filter")
          .summary("Each level becomes a weighted sum of those around it; borders are reflected.")
          .in_cpp("filter_2d(image, {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}})")
          .input<Image>("image")
          .constant("rows", side_option("odd; of the window"))
          .constant("columns", side_option("odd; of the window"))
          .constant<FilterNumbers>("weights",
                                   {.low = -double{kernels::kLargestWeight},
                                    .high = double{kernels::kLargestWeight},
                                    .help = "row by row; the first rows * columns count"})
          .output<Image>("image")
          .checks(check_sides)
          .runs([](const Image& in, std::int32_t rows, std::int32_t columns,
                   const FilterNumbers& weights, Image& out) {
            kernels::filter_2d(in, {rows, columns, weights}, out);
          });
  return op;
}

Value<Image> filter_2d(Value<Image> image, const FilterRows& weights) {
  constexpr std::size_t kMost = kernels::kLargestFilter;
  const std::size_t rows = weights.size();
  const std::size_t columns = rows == 0 ? 0 : weights[0].size();
  FilterNumbers numbers{};
  auto* next = numbers.begin();
  for (const std::vector<float>& row : weights) {
    if (row.size() != columns || rows > kMost || columns > kMost) {
      throw BuildError("filter_2d: the weights must be at most " + std::to_string(kMost) +
                       " rows of one length, at most " + std::to_string(kMost));
    }
    next = std::copy(row.begin(), row.end(), next);
  }
  return apply_operator<Image>(detail::filter_2d_operator(), image, static_cast<std::int32_t>(rows),
                               static_cast<std::int32_t>(columns), numbers);
}

}  // namespace sluice
