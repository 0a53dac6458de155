// Layers kernel: paste and blend, for many samples by one launch.
//
//   LayersJob job = layers_job(in, patch, out);
//   paste_layer(job, {y, x, alpha});             // or blend_layers(job, weight)
//   block.add(job);                              // see tiles.h
//   launch_layers(stream, block.on_device(address));
//
// The result equals that of the operators in ops/, bit for bit.
//
// Ownership: none; images and jobs belong to the caller and live until the launch is over. Inputs
// and output do not overlap. Threads: any. Errors: std::invalid_argument, and what DeviceStream
// throws.
#pragma once

#include <sluice/cuda/kernels/layers_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/paste.h>
#include <sluice/runtime/device.h>

namespace sluice::device {

// All images have the same 1 to 4 channels; `in` and `out` have the same size.
LayersJob layers_job(const PictureIn& in, const PictureIn& patch, const PictureOut& out);
void paste_layer(LayersJob& job, const kernels::PastePlace& place);
// `mask`: one channel, the size of the patch.
void paste_layer(LayersJob& job, const kernels::PastePlace& place, const PictureIn& mask);
// All images must have the same size.
void blend_layers(LayersJob& job, float weight);
void launch_layers(DeviceStream& stream, const Batch<LayersJob>& batch);

}  // namespace sluice::device
