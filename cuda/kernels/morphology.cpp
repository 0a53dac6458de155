#include <sluice/cuda/kernels/morphology.h>
#include <sluice/cuda/kernels/on_cuda.h>

namespace sluice::device {
namespace {

const Kernel kMorphologyAcross{"morphology_across",
                               tiles_on_host<MorphologyJob, morphology_across_tile>,
                               SLUICE_ON_CUDA(morphology_across_on_cuda)};
const Kernel kMorphologyDown{"morphology_down", tiles_on_host<MorphologyJob, morphology_down_tile>,
                             SLUICE_ON_CUDA(morphology_down_on_cuda)};

}  // namespace

MorphologyJob morphology_job(const PictureIn& in, const PictureOut& out,
                             const kernels::MorphologyWindow& window, bool largest) {
  MorphologyJob job = picture_job<MorphologyJob>(in, out, kMorphologyPixels);
  job.height = window.height;
  job.width = window.width;
  job.largest = largest ? 1 : 0;
  return job;
}

void launch_morphology(DeviceStream& stream, const Batch<MorphologyJob>& batch) {
  if (batch.tiles == 0) return;
  launch_batch(stream, kMorphologyAcross, batch);
  launch_batch(stream, kMorphologyDown, batch);
}

}  // namespace sluice::device
