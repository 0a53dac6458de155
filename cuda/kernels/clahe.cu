#include <sluice/cuda/kernels/clahe_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

CudaLaunch clahe_tables_on_cuda(const void* batch) {
  return tiles_on_cuda<ClaheTablesJob, std::uint32_t, 256, clahe_table_tile>(batch);
}

CudaLaunch clahe_on_cuda(const void* batch) { return tiles_on_cuda<ClaheJob, clahe_tile>(batch); }

}  // namespace sluice::device
