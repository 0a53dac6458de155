#include <sluice/cuda/kernels/color.h>
#include <sluice/cuda/kernels/on_cuda.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kColors{"colors", tiles_on_host<ColorJob, std::uint8_t, kLuts, colors_tile>,
                     SLUICE_ON_CUDA(colors_on_cuda)};

void require(bool possible, const char* what) {
  if (!possible) throw std::invalid_argument(what);
}
void require_colors(const ColorJob& job) {
  require(job.in.channels >= 3, "colors: the image must have 3 or 4 channels");
}

}  // namespace

ColorJob color_job(const ImageIn& in, const ImageOut& out) {
  require(in.height == out.height && in.width == out.width,
          "colors: the images differ in their sizes");
  require(in.channels >= 1 && in.channels <= 4 && out.channels >= 1 && out.channels <= 4,
          "colors: 1 to 4 channels are possible");
  ColorJob job;
  job.in = in;
  job.out = out;
  job.tiles = image_tiles(out.height, out.width, kColorPixels);
  return job;
}

void change_by_matrix(ColorJob& job, const kernels::FloatMatrix& matrix,
                      const std::uint8_t* fourth) {
  require(job.in.channels != 2 && job.out.channels != 2 &&
              (job.out.channels != 4 || job.in.channels == 4),
          "colors: a matrix makes 1 or 3 channels of 1, 3 or 4, and 4 of 4");
  job.tables = fourth;
  job.change = ColorChange::matrix;
  for (std::size_t row = 0; row < 3; ++row)
    std::copy(matrix[row].begin(), matrix[row].end(), job.matrix[row]);
}

void change_by_hue(ColorJob& job, float degrees) {
  require_colors(job);
  require(std::isfinite(degrees), "hue: degrees must be a finite number");
  const double turn = std::fmod(static_cast<double>(degrees), 360.0);
  job.change = ColorChange::hue;
  job.sixths = static_cast<float>((turn < 0 ? turn + 360 : turn) / 60);
}

void change_to_gray(ColorJob& job) {
  require(job.in.channels != 2, "gray: 1, 3 or 4 channels are possible");
  job.change = ColorChange::gray;
}

void change_by_tables(ColorJob& job, const std::uint8_t* tables) {
  job.change = ColorChange::tables;
  job.tables = tables;
}

void launch_colors(DeviceStream& stream, const Batch<ColorJob>& batch) {
  launch_batch(stream, kColors, batch);
}

namespace {

void luts_on_host(const void* arguments) {
  const auto& batch = *static_cast<const Batch<HistogramJob>*>(arguments);
  const HistogramJob* const jobs = device_view(batch.jobs, static_cast<std::size_t>(batch.count));
  TablesMemory memory;
  for (int i = 0; i < batch.count; ++i) make_luts(jobs[i], ThreadBlock(), memory);
}

const Kernel kHistograms{"histogram",
                         tiles_on_host<HistogramJob, std::uint32_t, kHistogram, histogram_tile>,
                         SLUICE_ON_CUDA(histograms_on_cuda)};
const Kernel kHistogramTables{"level_tables", luts_on_host, SLUICE_ON_CUDA(luts_on_cuda)};

}  // namespace

HistogramJob histogram_job(const ImageIn& in, LevelsFor what, float factor) {
  if (in.channels != 1 && in.channels != 3 && in.channels != 4)
    throw std::invalid_argument("histogram: 1, 3 or 4 channels are possible");
  HistogramJob job;
  job.what = what;
  job.in = in;
  job.factor = factor;
  job.tiles = image_tiles(in.height, in.width, kHistogramPixels);
  return job;
}

void launch_luts(DeviceStream& stream, const Batch<HistogramJob>& batch) {
  launch_batch(stream, kHistograms, batch);
  launch_batch(stream, kHistogramTables, batch);
}

namespace {

const Kernel kClaheTables{"clahe_tables",
                          tiles_on_host<ClaheTablesJob, std::uint32_t, 256, clahe_table_tile>,
                          SLUICE_ON_CUDA(clahe_tables_on_cuda)};
const Kernel kClahe{"clahe", tiles_on_host<ClaheJob, clahe_tile>, SLUICE_ON_CUDA(clahe_on_cuda)};

}  // namespace

ClaheTablesJob clahe_tables_job(const ImageIn& in, const kernels::ClaheGrid& grid) {
  if (in.channels != 1 && in.channels != 3 && in.channels != 4)
    throw std::invalid_argument("clahe: 1, 3 or 4 channels are possible");
  ClaheTablesJob job;
  job.in = in;
  job.cells = {grid.across, grid.down, grid.width, grid.height};
  job.limit = grid.limit;
  job.tiles = grid.across * grid.down;
  return job;
}

ClaheJob clahe_job(const ClaheTablesJob& tables, const ImageOut& out) {
  ClaheJob job = image_job<ClaheJob>(tables.in, out, kClahePixels);
  job.cells = tables.cells;
  job.tables = tables.tables;
  return job;
}

void launch_clahe_tables(DeviceStream& stream, const Batch<ClaheTablesJob>& batch) {
  launch_batch(stream, kClaheTables, batch);
}

void launch_clahe(DeviceStream& stream, const Batch<ClaheJob>& batch) {
  launch_batch(stream, kClahe, batch);
}

namespace {

const Kernel kDistortBlocks{"jpeg_distortion_blocks",
                            tiles_on_host<JpegBlocksJob, jpeg_blocks_tile>,
                            SLUICE_ON_CUDA(jpeg_distortion_blocks_on_cuda)};
const Kernel kDistortPixels{"jpeg_distortion_pixels",
                            tiles_on_host<JpegPixelsJob, jpeg_pixels_tile>,
                            SLUICE_ON_CUDA(jpeg_distortion_pixels_on_cuda)};

// The example tables of the standard (ITU-T T.81, annex K.1), row by row: for luma, and for chroma,
// whose numbers are 99 outside of the upper left corner.
constexpr std::uint16_t kLumaQuantizers[64] = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
    14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
    18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr std::uint16_t kColorQuantizers[4][4] = {
    {17, 18, 24, 47}, {18, 21, 26, 66}, {24, 26, 56, 99}, {47, 66, 99, 99}};

// Scales like libjpeg: in percent, rounded, and limited to one byte.
std::uint16_t scaled_quantizer(int quantizer, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return static_cast<std::uint16_t>(std::clamp((quantizer * percent + 50) / 100, 1, 255));
}

}  // namespace

JpegBlocksJob jpeg_blocks_job(const ImageIn& in, int quality) {
  if (in.channels != 1 && in.channels != 3)
    throw std::invalid_argument("jpeg_distortion: 1 channel or 3 are possible");
  if (quality < 1 || quality > 100)
    throw std::invalid_argument("jpeg_distortion: the quality must lie between 1 and 100");
  JpegBlocksJob job;
  job.in = in;
  job.planes.height = in.height;
  job.planes.width = in.width;
  job.planes.components = in.channels;
  for (int i = 0; i < 64; ++i) {
    const int row = i / 8, column = i % 8;
    job.quantizers[0][i] = scaled_quantizer(kLumaQuantizers[i], quality);
    job.quantizers[1][i] =
        scaled_quantizer(row < 4 && column < 4 ? kColorQuantizers[row][column] : 99, quality);
  }
  job.tiles =
      static_cast<std::int32_t>((job.planes.blocks() + kDistortedBlocks - 1) / kDistortedBlocks);
  return job;
}

JpegPixelsJob jpeg_pixels_job(const JpegBlocksJob& blocks, const ImageOut& out) {
  require_same_shape(blocks.in, out);
  JpegPixelsJob job;
  job.out = out;
  job.planes = blocks.planes;
  job.tiles = image_tiles(out.height, out.width, kDistortedPixels);
  return job;
}

void launch_jpeg_blocks(DeviceStream& stream, const Batch<JpegBlocksJob>& batch) {
  launch_batch(stream, kDistortBlocks, batch);
}

void launch_jpeg_pixels(DeviceStream& stream, const Batch<JpegPixelsJob>& batch) {
  launch_batch(stream, kDistortPixels, batch);
}

namespace {

void reduce_on_host(const void* arguments) {
  ReducePart part;
  for_each_tile(
      *static_cast<const Batch<ReduceJob>*>(arguments),
      [&](const ReduceJob& job, int tile) { reduce_tile(job, tile, ThreadBlock(), &part); });
}

const Kernel kReduce{"reduce", reduce_on_host, SLUICE_ON_CUDA(reduce_on_cuda)};

}  // namespace

ReduceJob reduce_job(const kernels::LevelRows& rows) {
  ReduceJob job;
  job.in = rows.data;
  job.rows = rows.rows;
  job.bytes = rows.bytes;
  job.stride = rows.stride;
  const std::int64_t tiles = (rows.rows * rows.bytes + kReduceTile - 1) / kReduceTile;
  if (rows.rows < 1 || rows.bytes < 1 || rows.stride < 0 || tiles > INT32_MAX)
    throw std::invalid_argument("reduce: there must be 1 to 2^46 levels, in rows downwards");
  job.tiles = static_cast<std::int32_t>(tiles);
  return job;
}

void launch_reduce(DeviceStream& stream, const Batch<ReduceJob>& batch) {
  launch_batch(stream, kReduce, batch);
}

kernels::LevelSums sums_of(const ReduceResult& result) {
  return {result.sum, result.squares, 255 - result.below_white, result.highest};
}

namespace {

const Kernel kChoose{"choose", tiles_on_host<ChooseJob, choose_tile>,
                     SLUICE_ON_CUDA(choose_on_cuda)};

}  // namespace

void launch_choose(DeviceStream& stream, const Batch<ChooseJob>& batch) {
  launch_batch(stream, kChoose, batch);
}

}  // namespace sluice::device
