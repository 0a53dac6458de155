#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/places.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kPlaces{"places", tiles_on_host<PlacesJob, places_tile>,
                     SLUICE_ON_CUDA(places_on_cuda)};

}  // namespace

PlacesJob places_job(const PictureIn& in, const PictureOut& out,
                     const kernels::WarpOptions& options) {
  if (in.channels != out.channels || in.channels < 1 || in.channels > 4)
    throw std::invalid_argument("places: pictures of as many channels, 1 to 4, are possible");
  PlacesJob job;
  job.in = in;
  job.out = out;
  job.interpolation = options.interpolation;
  job.border = options.border;
  for (int c = 0; c < 4; ++c) job.fill[c] = options.fill[c];
  job.tiles = picture_tiles(out.height, out.width, kPlacesPixels);
  return job;
}

void from_matrix(PlacesJob& job, const kernels::PerspectiveMap& map) {
  job.by = PlacesBy::matrix;
  std::copy(map.begin(), map.end(), std::begin(job.numbers));
}

void from_lens(PlacesJob& job, const kernels::Lens& lens) {
  job.by = PlacesBy::lens;
  const double numbers[] = {lens.middle_x, lens.middle_y, lens.corner, lens.k1, lens.k2};
  std::copy(std::begin(numbers), std::end(numbers), std::begin(job.numbers));
}

void from_shifts(PlacesJob& job, const float* shifts, double pixels) {
  job.by = PlacesBy::shifts;
  job.shifts = shifts;
  job.numbers[0] = pixels;
}

void launch_places(DeviceStream& stream, const Batch<PlacesJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kPlaces, batch);
}

}  // namespace sluice::device
