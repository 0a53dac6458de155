#include <sluice/cuda/kernels/colours.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kColours{"colours", tiles_on_host<ColourJob, std::uint8_t, kLevelTables, colours_tile>,
                      SLUICE_ON_CUDA(colours_on_cuda)};

void require(bool possible, const char* what) {
  if (!possible) throw std::invalid_argument(what);
}
void require_colours(const ColourJob& job) {
  require(job.in.channels >= 3, "colours: the picture must have 3 or 4 channels");
}

}  // namespace

ColourJob colour_job(const PictureIn& in, const PictureOut& out) {
  require(in.height == out.height && in.width == out.width,
          "colours: the pictures differ in their sizes");
  require(in.channels >= 1 && in.channels <= 4 && out.channels >= 1 && out.channels <= 4,
          "colours: 1 to 4 channels are possible");
  ColourJob job;
  job.in = in;
  job.out = out;
  job.tiles = picture_tiles(out.height, out.width, kColourPixels);
  return job;
}

void change_by_matrix(ColourJob& job, const kernels::FloatMatrix& matrix,
                      const std::uint8_t* fourth) {
  require(job.in.channels != 2 && job.out.channels != 2 &&
              (job.out.channels != 4 || job.in.channels == 4),
          "colours: a matrix makes 1 or 3 channels of 1, 3 or 4, and 4 of 4");
  job.tables = fourth;
  job.change = ColourChange::matrix;
  for (std::size_t row = 0; row < 3; ++row)
    std::copy(matrix[row].begin(), matrix[row].end(), job.matrix[row]);
}

void change_by_hue(ColourJob& job, float degrees) {
  require_colours(job);
  require(std::isfinite(degrees), "hue: degrees must be a finite number");
  const double turn = std::fmod(static_cast<double>(degrees), 360.0);
  job.change = ColourChange::hue;
  job.sixths = static_cast<float>((turn < 0 ? turn + 360 : turn) / 60);
}

void change_to_gray(ColourJob& job) {
  require(job.in.channels != 2, "gray: 1, 3 or 4 channels are possible");
  job.change = ColourChange::gray;
}

void change_by_tables(ColourJob& job, const std::uint8_t* tables) {
  job.change = ColourChange::tables;
  job.tables = tables;
}

void launch_colours(DeviceStream& stream, const Batch<ColourJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kColours, batch);
}

}  // namespace sluice::device
