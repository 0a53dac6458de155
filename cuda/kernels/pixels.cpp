#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/pixels.h>

#include <stdexcept>
#include <utility>

namespace sluice::device {
namespace {

const Kernel kPixels{"pixels", tiles_on_host<PixelsJob, std::uint8_t, 256, pixels_tile>,
                     SLUICE_ON_CUDA(pixels_on_cuda)};

}  // namespace

PixelsIn hwc_pixels(int channels, std::int64_t row, DType dtype) {
  PixelsIn in;
  in.row = row;
  in.pixel = channels;
  in.channel = 1;
  in.dtype = dtype;
  return in;
}

PixelsIn chw_pixels(int height, int width, DType dtype) {
  PixelsIn in;
  in.row = width;
  in.pixel = 1;
  in.channel = std::int64_t{height} * width;
  in.dtype = dtype;
  return in;
}

PixelsIn cropped(PixelsIn in, const Rectangle& region) {
  in.first += region.y * in.row + region.x * in.pixel;
  return in;
}

PixelsIn mirrored(PixelsIn in, int width) {
  in.first += (width - 1) * in.pixel;
  in.pixel = -in.pixel;
  return in;
}

PixelsIn upside_down(PixelsIn in, int height) {
  in.first += (height - 1) * in.row;
  in.row = -in.row;
  return in;
}

PixelsIn transposed(PixelsIn in) {
  std::swap(in.row, in.pixel);
  return in;
}

PixelsIn turned_left(PixelsIn in, int width) { return upside_down(transposed(in), width); }

PixelsIn turned_right(PixelsIn in, int height) { return mirrored(transposed(in), height); }

PixelsJob pixels_job(const PixelsIn& in, const PixelsOut& out) {
  if (in.dtype != DType::u8 && in.dtype != DType::f16 && in.dtype != DType::f32)
    throw std::invalid_argument("pixels: u8, f16 and f32 can be read");
  if (in.dtype != DType::u8 && out.levels.mode != Levels::Mode::as_they_are)
    throw std::invalid_argument("pixels: tables of levels are for u8");
  PixelsJob job;
  job.in = in;
  job.out = out;
  const std::int64_t tiles =
      (std::int64_t{out.height} * out.width + kPixelsInTile - 1) / kPixelsInTile;
  job.tiles = static_cast<std::int32_t>(tiles);
  return job;
}

PixelsJob copy_job(int rows, int bytes, std::int64_t in_stride, std::int64_t out_stride) {
  if (rows < 1 || bytes < 1) throw std::invalid_argument("a copy of nothing");
  PixelsOut out;
  out.height = rows;
  out.width = bytes;
  out.channels = 1;
  out.row = out_stride;
  out.pixel = out.channel = 1;
  return pixels_job(hwc_pixels(1, in_stride), out);
}

void place_pixels(PixelsJob& job, const void* in, void* out) {
  job.in.data = in;
  job.out.data = out;
}

void launch_pixels(DeviceStream& stream, const Batch<PixelsJob>& batch) {
  if (batch.tiles != 0) launch_batch(stream, kPixels, batch);
}

}  // namespace sluice::device
