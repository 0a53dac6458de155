// clahe, for many samples by two launches: tables for each picture's tiles, and its pixels.
//
//   ClaheTablesJob tables = clahe_tables_job(in, kernels::clahe_grid(image, params));
//   tables.tables = ...;                         // device memory, table_bytes(tables.cells)
//   block.add(tables);                           // see tiles.h
//   ClaheJob job = clahe_job(tables, out);
//   launch_clahe_tables(stream, ...);
//   launch_clahe(stream, ...);
//
// Gives what the operator of ops/ gives wherever products and sums are rounded one by one.
//
// Ownership: none; input, output, tables and jobs belong to the caller and live until the launches
// are over. Input and output do not overlap. Threads: any. Errors: std::invalid_argument, and what
// DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/clahe_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/clahe.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// Of 1, 3 or 4 channels.
ClaheTablesJob clahe_tables_job(const PictureIn& in, const kernels::ClaheGrid& grid);
// The picture of the tables, and a result of its shape.
ClaheJob clahe_job(const ClaheTablesJob& tables, const PictureOut& out);
void launch_clahe_tables(DeviceStream& stream, const Batch<ClaheTablesJob>& batch);
void launch_clahe(DeviceStream& stream, const Batch<ClaheJob>& batch);

}  // namespace sluice::device
