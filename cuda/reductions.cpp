#include <sluice/cuda/kernels/reduce.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/reduce_launch.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/reductions.h>
#include <sluice/ops/reductions/levels_input.h>

#include <stdexcept>

namespace sluice::device {

using detail::Gather;
using kernels::Reduction;

bool add_reductions() {
  for (const Reduction what :
       {Reduction::mean, Reduction::min, Reduction::max, Reduction::standard_deviation}) {
    detail::add_device_version(
        detail::reduction_operator(what),
        [what](Gather& gather, const detail::Levels& in, float& number) {
          kernels::check_levels(what, in.tensor);
          kernels::LevelRows rows;
          if (!kernels::lies_in_rows(in.tensor, rows))
            throw std::invalid_argument("the elements of a row must lie side by side");
          gather.launch_of_step<ReduceLaunch>().add(gather, reduce_job(rows), what, number);
        });
  }
  return true;
}

}  // namespace sluice::device
