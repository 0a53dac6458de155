#include <sluice/cuda/kernels/layers.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/ops/kernels/blend_rows.h>

#include <cmath>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kLayers{"layers", tiles_on_host<LayersJob, layers_tile>,
                     SLUICE_ON_CUDA(layers_on_cuda)};

}  // namespace

LayersJob layers_job(const PictureIn& in, const PictureIn& patch, const PictureOut& out) {
  if (patch.channels != in.channels)
    throw std::invalid_argument("layers: the pictures differ in their channels");
  LayersJob job = picture_job<LayersJob>(in, out, kLayersPixels);
  job.patch = patch;
  return job;
}

void paste_layer(LayersJob& job, const kernels::PastePlace& place) {
  job.y = place.y;
  job.x = place.x;
  job.alpha = static_cast<double>(place.alpha);
  job.share = static_cast<std::int32_t>(std::lround(255.0 * job.alpha));
}

void paste_layer(LayersJob& job, const kernels::PastePlace& place, const PictureIn& mask) {
  if (mask.height != job.patch.height || mask.width != job.patch.width || mask.channels != 1)
    throw std::invalid_argument("layers: a mask is as large as what is pasted, with one channel");
  paste_layer(job, place);
  job.by = LayersBy::mask;
  job.mask = mask;
}

void blend_layers(LayersJob& job, float weight) {
  if (job.patch.height != job.in.height || job.patch.width != job.in.width)
    throw std::invalid_argument("layers: the pictures differ in their sizes");
  job.by = LayersBy::weights;
  job.weights[0] = kernels::fixed_weight(1 - static_cast<double>(weight));
  job.weights[1] = kernels::fixed_weight(static_cast<double>(weight));
}

void launch_layers(DeviceStream& stream, const Batch<LayersJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kLayers, batch);
}

}  // namespace sluice::device
