#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/contrast.h>
#include <sluice/ops/kernels/level_table.h>
#include <sluice/ops/kernels/luma.h>

namespace sluice::kernels {

void contrast(const Image& in, float factor, Image& out) {
  check_colours("contrast", in);
  check_not_negative("contrast", "factor", factor);
  const double f = factor;
  const double rest = (1 - f) * mean_luma(in);
  map_colours(in, level_table_of([&](double x) { return f * x + rest; }), out);
}

}  // namespace sluice::kernels
