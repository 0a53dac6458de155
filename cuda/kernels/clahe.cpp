#include <sluice/cuda/kernels/clahe.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kClaheTables{"clahe_tables",
                          tiles_on_host<ClaheTablesJob, std::uint32_t, 256, clahe_table_tile>,
                          SLUICE_ON_CUDA(clahe_tables_on_cuda)};
const Kernel kClahe{"clahe", tiles_on_host<ClaheJob, clahe_tile>, SLUICE_ON_CUDA(clahe_on_cuda)};

}  // namespace

ClaheTablesJob clahe_tables_job(const PictureIn& in, const kernels::ClaheGrid& grid) {
  if (in.channels != 1 && in.channels != 3 && in.channels != 4)
    throw std::invalid_argument("clahe: 1, 3 or 4 channels are possible");
  ClaheTablesJob job;
  job.in = in;
  job.cells = {grid.across, grid.down, grid.width, grid.height};
  job.limit = grid.limit;
  job.tiles = grid.across * grid.down;
  return job;
}

ClaheJob clahe_job(const ClaheTablesJob& tables, const PictureOut& out) {
  ClaheJob job = picture_job<ClaheJob>(tables.in, out, kClahePixels);
  job.cells = tables.cells;
  job.tables = tables.tables;
  return job;
}

void launch_clahe_tables(DeviceStream& stream, const Batch<ClaheTablesJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kClaheTables, batch);
}

void launch_clahe(DeviceStream& stream, const Batch<ClaheJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kClahe, batch);
}

}  // namespace sluice::device
