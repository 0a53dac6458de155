// clahe kernels, for many samples by two launches: lookup tables for the tiles of each image, and
// then its pixels.
//
//   ClaheTablesJob tables = clahe_tables_job(in, kernels::clahe_grid(image, params));
//   tables.tables = ...;                         // device memory, table_bytes(tables.cells)
//   block.add(tables);                           // see tiles.h
//   ClaheJob job = clahe_job(tables, out);
//   launch_clahe_tables(stream, ...);
//   launch_clahe(stream, ...);
//
// The result equals that of the operator in ops/, if the host rounds products and sums one by one.
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

// The image has 1, 3 or 4 channels.
ClaheTablesJob clahe_tables_job(const PictureIn& in, const kernels::ClaheGrid& grid);
// Uses the input image of `tables`; the output has the same shape.
ClaheJob clahe_job(const ClaheTablesJob& tables, const PictureOut& out);
void launch_clahe_tables(DeviceStream& stream, const Batch<ClaheTablesJob>& batch);
void launch_clahe(DeviceStream& stream, const Batch<ClaheJob>& batch);

}  // namespace sluice::device
