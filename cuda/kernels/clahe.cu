#include <sluice/cuda/kernels/clahe_tile.h>
#include <sluice/cuda/kernels/launch_blocks.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {

int clahe_tables_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ClaheTablesJob, std::uint32_t, 256, clahe_table_tile>(batch, stream);
}

int clahe_on_cuda(const void* batch, void* stream) {
  return launch_tiles<ClaheJob, clahe_tile>(batch, stream);
}

}  // namespace sluice::device
