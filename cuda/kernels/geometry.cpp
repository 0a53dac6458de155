#include <sluice/cuda/kernels/geometry.h>
#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/ops/kernels/blend_rows.h>
#include <sluice/ops/kernels/normalize.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice::device {
namespace {

const Kernel kCopyPixels{"pixels",
                         tiles_on_host<CopyPixelsJob, std::uint8_t, 256, copy_pixels_tile>,
                         SLUICE_ON_CUDA(copy_pixels_on_cuda)};

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

CopyPixelsJob copy_pixels_job(const PixelsIn& in, const PixelsOut& out) {
  if (in.dtype != DType::u8 && in.dtype != DType::f16 && in.dtype != DType::f32)
    throw std::invalid_argument("pixels: u8, f16 and f32 can be read");
  if (in.dtype != DType::u8 && out.lut != nullptr)
    throw std::invalid_argument("pixels: lookup tables are for u8");
  CopyPixelsJob job;
  job.in = in;
  job.out = out;
  const std::int64_t tiles =
      (std::int64_t{out.height} * out.width + kPixelsInTile - 1) / kPixelsInTile;
  job.tiles = static_cast<std::int32_t>(tiles);
  return job;
}

CopyPixelsJob copy_job(int rows, int bytes, std::int64_t in_stride, std::int64_t out_stride) {
  if (rows < 1 || bytes < 1) throw std::invalid_argument("a copy of nothing");
  PixelsOut out;
  out.height = rows;
  out.width = bytes;
  out.channels = 1;
  out.row = out_stride;
  out.pixel = out.channel = 1;
  return copy_pixels_job(hwc_pixels(1, in_stride), out);
}

void place_pixels(CopyPixelsJob& job, const void* in, void* out) {
  job.in.data = in;
  job.out.data = out;
}

void launch_copy_pixels(DeviceStream& stream, const Batch<CopyPixelsJob>& batch) {
  launch_batch(stream, kCopyPixels, batch);
}

namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

}  // namespace

PixelsOut pixels_out(int height, int width, int channels, DType dtype, Layout layout) {
  constexpr int kLargest = 65535;
  if (height < 1 || width < 1 || height > kLargest || width > kLargest) {
    refuse("a size of " + std::to_string(height) + " x " + std::to_string(width) +
           " (height x width) is not possible; each must lie in 1 .. 65535");
  }
  if (channels < 1 || channels > 4)
    refuse(std::to_string(channels) + " channels; 1 to 4 are possible");
  if (dtype != DType::u8 && dtype != DType::i8 && dtype != DType::f16 && dtype != DType::bf16 &&
      dtype != DType::f32) {
    refuse(std::string("pixels of type ") + name_of(dtype) +
           "; u8, i8, f16, bf16 and f32 are possible");
  }
  if (layout == Layout::none) refuse("the layout must be CHW or HWC");
  PixelsOut out;
  out.height = height;
  out.width = width;
  out.channels = channels;
  out.dtype = dtype;
  const bool planes = layout == Layout::chw;
  out.row = std::int64_t{width} * (planes ? 1 : channels);
  out.pixel = planes ? 1 : channels;
  out.channel = planes ? std::int64_t{height} * width : 1;
  return out;
}

PixelsOut normalized_out(int height, int width, int channels,
                         const kernels::NormalizeParams& params) {
  const int channels_made = kernels::output_channels(params, channels);
  PixelsOut out = pixels_out(height, width, channels_made, params.dtype, params.layout);
  out.channels = channels;
  out.padded = channels_made != channels;
  out.scales = true;
  const kernels::ChannelScale scale = kernels::channel_scale("normalize", params, channels);
  std::copy(scale.offset.begin(), scale.offset.end(), out.offset);
  std::copy(scale.factor.begin(), scale.factor.end(), out.factor);
  out.shift = scale.shift;
  return out;
}

namespace {

constexpr std::size_t kAligned = 16;

std::size_t aligned(std::size_t bytes) { return (bytes + kAligned - 1) / kAligned * kAligned; }

ResizeAxis axis_of(int in_length, double start, double length, int out_length,
                   const kernels::ResizeFilter& filter, bool reversed) {
  ResizeAxis axis;
  axis.start = start;
  axis.length = length;
  axis.in_length = in_length;
  axis.out_length = out_length;
  axis.reversed = reversed;
  axis.same = start == 0 && length == in_length && in_length == out_length;
  const double support = kernels::resize_half_width(filter.interpolation) *
                         kernels::resize_widening(filter, length / out_length);
  axis.taps = axis.same ? 1 : std::min(in_length, static_cast<int>(std::ceil(support)) * 2 + 1);
  return axis;
}

std::size_t bytes_of(const ResizeAxis& axis) {
  return kAligned + aligned(static_cast<std::size_t>(axis.out_length) * sizeof(ResizeWindow)) +
         aligned(axis.weight_count() * sizeof(std::int16_t));
}

std::byte* place_axis(ResizeAxis& axis, std::byte* at) {
  axis.shift = reinterpret_cast<std::int32_t*>(at);
  at += kAligned;
  axis.windows = reinterpret_cast<ResizeWindow*>(at);
  at += aligned(static_cast<std::size_t>(axis.out_length) * sizeof(ResizeWindow));
  axis.weights = reinterpret_cast<std::int16_t*>(at);
  return at + aligned(axis.weight_count() * sizeof(std::int16_t));
}

void resize_tables_on_host(const void* arguments) {
  const auto& batch = *static_cast<const Batch<ResizeJob>*>(arguments);
  const ResizeJob* const jobs = device_view(batch.jobs, static_cast<std::size_t>(batch.count));
  double largest[kThreadBlockSize];
  for (int i = 0; i < batch.count; ++i) {
    make_resize_table(jobs[i].columns, jobs[i].filter, ThreadBlock(), largest);
    make_resize_table(jobs[i].rows, jobs[i].filter, ThreadBlock(), largest);
  }
}

void resize_on_host(const void* arguments) {
  ResizeMemory memory;
  for_each_tile(
      *static_cast<const Batch<ResizeJob>*>(arguments),
      [&](const ResizeJob& job, int tile) { resize_tile(job, tile, ThreadBlock(), memory); });
}

const Kernel kResizeTables{"resize_tables", resize_tables_on_host,
                           SLUICE_ON_CUDA(resize_tables_on_cuda)};
const Kernel kResize{"resize", resize_on_host, SLUICE_ON_CUDA(resize_tiles_on_cuda)};

}  // namespace

ResizeJob resize_job(int in_height, int in_width, const kernels::Box& box,
                     const kernels::ResizeFilter& filter, bool mirror, const PixelsOut& out) {
  if (in_height < 1 || in_width < 1) throw std::invalid_argument("resize: the image is empty");
  const bool inside = box.y >= 0 && box.x >= 0 && box.height > 0 && box.width > 0 &&
                      box.y + box.height <= in_height && box.x + box.width <= in_width;
  if (!inside) throw std::invalid_argument("resize: the box does not lie inside the image");
  ResizeJob job;
  job.channels = out.channels;
  job.filter = filter;
  job.out = out;
  job.columns = axis_of(in_width, box.x, box.width, out.width, filter, mirror);
  job.rows = axis_of(in_height, box.y, box.height, out.height, filter, false);
  job.tiles =
      resize_tiles_across(out.width) * ((out.height + kResizeTileHeight - 1) / kResizeTileHeight);
  return job;
}

std::size_t resize_scratch(const ResizeJob& job) {
  return bytes_of(job.columns) + bytes_of(job.rows);
}

void place_resize(ResizeJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out,
                  void* scratch) {
  job.in = in;
  job.in_stride = in_stride;
  job.out.data = out;
  place_axis(job.rows, place_axis(job.columns, static_cast<std::byte*>(scratch)));
}

void launch_resize(DeviceStream& stream, const Batch<ResizeJob>& batch) {
  launch_batch(stream, kResizeTables, batch);
  launch_batch(stream, kResize, batch);
}

namespace {

const Kernel kWarp{"warp", tiles_on_host<WarpJob, std::uint8_t, 256, warp_tile>,
                   SLUICE_ON_CUDA(warp_on_cuda)};

Affine affine_of(const kernels::AffineMap& map) {
  return {map.xx, map.xy, map.x0, map.yx, map.yy, map.y0};
}

}  // namespace

Rotation rotation_of(int in_height, int in_width, float degrees, bool keep_size) {
  if (in_height < 1 || in_width < 1) throw std::invalid_argument("rotate: the image is empty");
  if (!std::isfinite(degrees))
    throw std::invalid_argument("rotate: the angle must be a finite number");
  double angle = std::fmod(static_cast<double>(degrees), 360.0);
  if (angle < 0.0) angle += 360.0;
  const double h = in_height, w = in_width;
  if (angle == 0.0 || angle == 360.0) return {{}, in_height, in_width, true};
  if (angle == 180.0) return {{-1, 0, w, 0, -1, h}, in_height, in_width, true};
  if (!keep_size || in_height == in_width) {
    if (angle == 90.0) return {{0, -1, w, 1, 0, 0}, in_width, in_height, true};
    if (angle == 270.0) return {{0, 1, 0, -1, 0, h}, in_width, in_height, true};
  }

  const kernels::RotationGeometry rotation =
      kernels::rotation_geometry_of(in_height, in_width, degrees, keep_size);
  return {affine_of(rotation.from_canvas), rotation.height, rotation.width, false};
}

WarpJob warp_job(int in_height, int in_width, const Affine& from, Interpolation interpolation,
                 const Fill& fill, const PixelsOut& out) {
  constexpr int kLargest = 65535;
  if (in_height < 1 || in_width < 1 || in_height > kLargest || in_width > kLargest)
    throw std::invalid_argument("warp: the image must have 1 .. 65535 rows and columns");
  if (interpolation != Interpolation::nearest && interpolation != Interpolation::bilinear) {
    throw std::invalid_argument(std::string("warp: interpolation ") + name_of(interpolation) +
                                " is not possible; take nearest or bilinear");
  }
  WarpJob job;
  job.in_height = in_height;
  job.in_width = in_width;
  job.nearest = interpolation == Interpolation::nearest;
  for (int c = 0; c < 4; ++c) job.fill[c] = fill[c];
  job.from = from;
  job.out = out;
  job.tiles = warp_tiles_across(out.width) * ((out.height + kWarpTileHeight - 1) / kWarpTileHeight);
  return job;
}

WarpJob warp_job(int in_height, int in_width, const kernels::AffineMap& from,
                 const kernels::WarpOptions& options, const PixelsOut& out) {
  WarpJob job =
      warp_job(in_height, in_width, affine_of(from), options.interpolation, options.fill, out);
  job.edge = options.border == Border::edge;
  return job;
}

WarpJob rotate_job(int in_height, int in_width, int channels, float degrees,
                   const kernels::RotateOptions& options) {
  const Rotation rotation = rotation_of(in_height, in_width, degrees, options.keep_size);
  WarpJob job = warp_job(in_height, in_width, rotation.from, options.interpolation, options.fill,
                         pixels_out(rotation.height, rotation.width, channels));
  job.edge = options.border == Border::edge;
  if (rotation.whole_pixels) job.nearest = true;
  return job;
}

void place_warp(WarpJob& job, const std::uint8_t* in, std::int64_t in_stride, void* out) {
  job.in = in;
  job.in_stride = in_stride;
  job.out.data = out;
}

void launch_warp(DeviceStream& stream, const Batch<WarpJob>& batch) {
  launch_batch(stream, kWarp, batch);
}

namespace {

const Kernel kZoomBlur{"zoom_blur", tiles_on_host<ZoomBlurJob, zoom_blur_tile>,
                       SLUICE_ON_CUDA(zoom_blur_on_cuda)};

}  // namespace

ZoomBlurJob zoom_blur_job(const ImageIn& in, const ImageOut& out, const ZoomedCopy* copies,
                          int count) {
  ZoomBlurJob job = image_job<ZoomBlurJob>(in, out, kZoomBlurPixels);
  job.copies = copies;
  job.count = count;
  return job;
}

void launch_zoom_blur(DeviceStream& stream, const Batch<ZoomBlurJob>& batch) {
  launch_batch(stream, kZoomBlur, batch);
}

namespace {

const Kernel kRemap{"places", tiles_on_host<RemapJob, remap_tile>, SLUICE_ON_CUDA(remap_on_cuda)};

}  // namespace

RemapJob remap_job(const ImageIn& in, const ImageOut& out, const kernels::WarpOptions& options) {
  if (in.channels != out.channels || in.channels < 1 || in.channels > 4)
    throw std::invalid_argument("places: images of as many channels, 1 to 4, are possible");
  RemapJob job;
  job.in = in;
  job.out = out;
  job.interpolation = options.interpolation;
  job.border = options.border;
  for (int c = 0; c < 4; ++c) job.fill[c] = options.fill[c];
  job.tiles = image_tiles(out.height, out.width, kRemapPixels);
  return job;
}

void from_matrix(RemapJob& job, const kernels::PerspectiveMap& map) {
  job.by = RemapBy::matrix;
  std::copy(map.begin(), map.end(), std::begin(job.numbers));
}

void from_lens(RemapJob& job, const kernels::Lens& lens) {
  job.by = RemapBy::lens;
  const double numbers[] = {lens.middle_x, lens.middle_y, lens.corner, lens.k1, lens.k2};
  std::copy(std::begin(numbers), std::end(numbers), std::begin(job.numbers));
}

void from_displacement(RemapJob& job, const float* shifts, double pixels) {
  job.by = RemapBy::shifts;
  job.shifts = shifts;
  job.numbers[0] = pixels;
}

void from_field(RemapJob& job, const float* field) {
  job.by = RemapBy::field;
  job.shifts = field;
}

void launch_remap(DeviceStream& stream, const Batch<RemapJob>& batch) {
  launch_batch(stream, kRemap, batch);
}

namespace {

const Kernel kDraw{"draw_shifts", tiles_on_host<DisplacementJob, draw_displacement_tile>,
                   SLUICE_ON_CUDA(draw_displacement_on_cuda)};
const Kernel kAcross{"blur_shifts_across",
                     tiles_on_host<DisplacementJob, blur_displacement_across_tile>,
                     SLUICE_ON_CUDA(blur_displacement_across_on_cuda)};
const Kernel kDown{"blur_shifts_down", tiles_on_host<DisplacementJob, blur_displacement_down_tile>,
                   SLUICE_ON_CUDA(blur_displacement_down_on_cuda)};

}  // namespace

DisplacementJob displacement_job(int height, int width, const RandomWords& words) {
  DisplacementJob job;
  job.height = height;
  job.width = width;
  job.words = words;
  job.tiles = image_tiles(height, width, kDisplacementPixels);
  return job;
}

void launch_displacement(DeviceStream& stream, const Batch<DisplacementJob>& batch) {
  launch_batch(stream, kDraw, batch);
  launch_batch(stream, kAcross, batch);
  launch_batch(stream, kDown, batch);
}

namespace {

const Kernel kFillRects{"cover", tiles_on_host<FillRectsJob, fill_rects_tile>,
                        SLUICE_ON_CUDA(fill_rects_on_cuda)};

std::int32_t end_of(std::int32_t start, std::int32_t length, std::int32_t whole) {
  const std::int64_t end = std::int64_t{start} + std::max(0, length);
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(end, 0, whole));
}

}  // namespace

FillRectsJob fill_rects_job(const ImageIn& in, const ImageOut& out, const Fill& fill) {
  if (in.channels != out.channels || in.channels < 1 || in.channels > 4)
    throw std::invalid_argument("cover: images of as many channels, 1 to 4, are possible");
  FillRectsJob job;
  job.in = in;
  job.out = out;
  for (int c = 0; c < 4; ++c) job.fill[c] = fill[c];
  job.tiles = image_tiles(out.height, out.width, kFillRectsPixels);
  return job;
}

void fill_margins(FillRectsJob& job, int top, int left, Border border) {
  job.top = top;
  job.left = left;
  job.border = border;
}

void fill_rectangle(FillRectsJob& job, const Rectangle& region) {
  job.filled = Filled::rectangle;
  job.rectangle = {region.y, end_of(region.y, region.height, job.out.height), region.x,
                   end_of(region.x, region.width, job.out.width)};
}

void fill_rectangles(FillRectsJob& job, const FillRect* rectangles, int count) {
  job.filled = Filled::rectangles;
  job.rectangles = rectangles;
  job.count = count;
}

void fill_grid(FillRectsJob& job, const kernels::GridMask& mask) {
  const kernels::GridSteps steps = kernels::grid_steps(mask);
  job.filled = Filled::grid;
  job.grid = {mask.shift_x, mask.shift_y, steps.cosine, steps.sine,
              steps.step_u, steps.step_v, steps.tile,   steps.side};
}

void fill_with_noise(FillRectsJob& job, const RandomWords& words, float noise) {
  job.needs_quantiles = noise == 0 ? 0 : 1;
  job.noise = static_cast<double>(noise);
  job.words = words;
}

void launch_fill_rects(DeviceStream& stream, const Batch<FillRectsJob>& batch) {
  launch_batch(stream, kFillRects, batch);
}

namespace {

const Kernel kBlend{"layers", tiles_on_host<BlendJob, blend_tile>, SLUICE_ON_CUDA(blend_on_cuda)};

}  // namespace

BlendJob blend_job(const ImageIn& in, const ImageIn& patch, const ImageOut& out) {
  if (patch.channels != in.channels)
    throw std::invalid_argument("layers: the images differ in their channels");
  BlendJob job = image_job<BlendJob>(in, out, kBlendPixels);
  job.patch = patch;
  return job;
}

void paste_layer(BlendJob& job, const kernels::PastePlace& place) {
  job.y = place.y;
  job.x = place.x;
  job.alpha = static_cast<double>(place.alpha);
  job.share = static_cast<std::int32_t>(std::lround(255.0 * job.alpha));
}

void paste_layer(BlendJob& job, const kernels::PastePlace& place, const ImageIn& mask) {
  if (mask.height != job.patch.height || mask.width != job.patch.width || mask.channels != 1)
    throw std::invalid_argument("layers: a mask must be as large as the patch, with one channel");
  paste_layer(job, place);
  job.by = BlendBy::mask;
  job.mask = mask;
}

void blend_layers(BlendJob& job, float weight) {
  if (job.patch.height != job.in.height || job.patch.width != job.in.width)
    throw std::invalid_argument("layers: the images differ in their sizes");
  job.by = BlendBy::weights;
  job.weights[0] = kernels::fixed_weight(1 - static_cast<double>(weight));
  job.weights[1] = kernels::fixed_weight(static_cast<double>(weight));
}

void launch_blend(DeviceStream& stream, const Batch<BlendJob>& batch) {
  launch_batch(stream, kBlend, batch);
}

}  // namespace sluice::device
