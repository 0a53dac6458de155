#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/operators.h>
#include <sluice/cuda/step_pictures.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/colour/normalize.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/ops/decode/jpeg_input.h>
#include <sluice/ops/geometry/crop.h>
#include <sluice/ops/geometry/flip.h>
#include <sluice/ops/geometry/random_resized_crop.h>
#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/geometry/transpose.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/crop_regions.h>
#include <sluice/ops/kernels/erase.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/resize_plan.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/ops/occlusion/erase.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;
using Numbers = std::array<float, 4>;

void crop(Gather& gather, const Image& in, const Rectangle& region, Image& out) {
  kernels::check_region("crop", region, in);
  move_pixels(gather, in, cropped(pixels_of(in), region), region.height, region.width, {}, out);
}

void add_resize(Gather& gather, const Image& in, const kernels::Box& box,
                Interpolation interpolation, bool mirror, const PixelsOut& to, void* out) {
  ResizeJob job = resize_job(in.height(), in.width(), box, interpolation, mirror, to);
  place_resize(job, in.data(), in.row_stride(), out, gather.scratch(resize_scratch(job)));
  gather.launch_of_step<ResizeLaunch>().add(job);
}

PixelsOut normalized(const char* op, int height, int width, int channels, const Numbers& mean,
                     const Numbers& std, DType dtype, Layout layout, Tensor& out) {
  kernels::check_scale(op, mean, std, channels);
  out.create(
      layout == Layout::chw ? Shape{channels, height, width} : Shape{height, width, channels},
      dtype, layout);
  return normalized_out(height, width, channels, dtype, layout, mean, std);
}

bool add_geometry() {
  add_device_version(
      detail::crop_operator(),
      [](Gather& gather, const Image& in, const Rectangle& region, OutOfBounds what, Image& out) {
        const bool trim = what == OutOfBounds::trim;
        crop(gather, in, trim ? kernels::trimmed(region, in.height(), in.width()) : region, out);
      });
  add_device_version(
      detail::center_crop_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width, Image& out) {
        crop(gather, in, kernels::center_crop_region(in.height(), in.width(), height, width), out);
      });
  add_device_version(detail::flip_operator(), [](Gather& gather, const Image& in, bool horizontal,
                                                 bool vertical, Image& out) {
    kernels::check_pixels("flip", in);
    PixelsIn what = pixels_of(in);
    if (horizontal) what = mirrored(what, in.width());
    if (vertical) what = upside_down(what, in.height());
    move_pixels(gather, in, what, in.height(), in.width(), {}, out);
  });
  add_device_version(detail::transpose_operator(), [](Gather& gather, const Image& in, Image& out) {
    kernels::check_pixels("transpose", in);
    move_pixels(gather, in, transposed(pixels_of(in)), in.width(), in.height(), {}, out);
  });
  add_device_version(
      detail::resize_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width,
         std::int32_t shorter, Interpolation interpolation, ResizeMode mode, std::int32_t max_size,
         float start_y, float start_x, float end_y, float end_x, bool relative, Image& out) {
        kernels::check_pixels("resize", in);
        const auto [box, size] = kernels::plan_resize(
            {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
            in.height(), in.width());
        kernels::check_size("resize", size.height, size.width);
        out.create(size.height, size.width, in.channels());
        add_resize(gather, in, box, interpolation, false,
                   pixels_out(size.height, size.width, in.channels()), out.data());
      });
  return true;
}

// What follows from the size of a picture: the host knows it.
bool add_regions() {
  add_device_version(detail::random_region_operator(),
                     [](Gather&, Random& random, const Image& in, float min_area, float max_area,
                        float min_ratio, float max_ratio) {
                       return kernels::random_resized_crop_region(random, in.height(), in.width(),
                                                                  {.scale_low = min_area,
                                                                   .scale_high = max_area,
                                                                   .ratio_low = min_ratio,
                                                                   .ratio_high = max_ratio});
                     });
  add_device_version(detail::random_erasing_region_operator(),
                     [](Gather&, Random& random, const Image& in, float probability, float min_area,
                        float max_area, float min_ratio, float max_ratio) {
                       return kernels::random_erasing_region(random, in.height(), in.width(),
                                                             {.probability = probability,
                                                              .min_area = min_area,
                                                              .max_area = max_area,
                                                              .min_ratio = min_ratio,
                                                              .max_ratio = max_ratio});
                     });
  return true;
}

bool add_normalize() {
  add_device_version(
      detail::crop_mirror_normalize_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width, bool mirror,
         const Numbers& mean, const Numbers& std, DType dtype, Layout layout, Tensor& out) {
        const Rectangle middle =
            kernels::center_crop_region(in.height(), in.width(), height == 0 ? in.height() : height,
                                        width == 0 ? in.width() : width);
        PixelsIn what = cropped(pixels_of(in), middle);
        if (mirror) what = mirrored(what, middle.width);
        const PixelsOut to = normalized("crop_mirror_normalize", middle.height, middle.width,
                                        in.channels(), mean, std, dtype, layout, out);
        add_pixels(gather, pixels_job(what, to), in, out.bytes());
      });
  add_device_version(
      detail::resize_mirror_normalize_operator(),
      [](Gather& gather, const Image& in, std::int32_t height, std::int32_t width, bool mirror,
         const Numbers& mean, const Numbers& std, DType dtype, Layout layout,
         Interpolation interpolation, Tensor& out) {
        const PixelsOut to = normalized("resize_mirror_normalize", height, width, in.channels(),
                                        mean, std, dtype, layout, out);
        add_resize(gather, in, kernels::whole_box(in), interpolation, mirror, to, out.bytes());
      });
  return true;
}

// The pixels of a file that the host decodes for the device.
Image decode_on_host(BufferPool& pinned, SampleNotes& notes, const detail::JpegFile& file,
                     const std::optional<Rectangle>& region, const JpegOptions& options) {
  const BufferPoolScope scope(pinned);
  Image pixels;
  const JpegReport report = region ? decode_jpeg_region(file.bytes(), *region, options, pixels)
                                   : decode_jpeg_image(file.bytes(), options, pixels);
  detail::note_report(notes, report);
  if (!pixels.contiguous()) pixels = pixels.clone();  // a part of what had to be decoded
  return pixels;
}

// Whether the device decodes the file, and how. An index that learns is taught by the host when a
// file comes for the first time, so that less is to be done when it comes again.
bool plan_jpeg(JpegPlan& plan, const detail::JpegFile& file, const std::optional<Rectangle>& region,
               const JpegOptions& options) {
  try {
    std::optional<JpegIndexEntry> entry;
    JpegIndex* const index = file.bytes().index();
    if (index != nullptr) entry = index->find(digest_of(file.bytes(), file.bytes().content_hash()));
    if (!entry && index != nullptr && index->grows()) return false;
    return plan.make(file.bytes(), peek_jpeg(file.bytes()), entry ? &*entry : nullptr, region,
                     options);
  } catch (const Error&) {  // a damaged index, or no JPEG file: the host's decoder says so
    return false;
  }
}

void prepare(detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
             const std::optional<Rectangle>& region, const JpegOptions& options,
             PreparedJpeg& out) {
  out.planned = plan_jpeg(out.plan, file, region, options);
  if (out.planned) {
    (void)out.plan.fetch(file.bytes(), memory.device);
  } else {
    out.pixels = decode_on_host(memory.pinned, notes, file, region, options);
  }
}

void decode(Gather& gather, SampleNotes& notes, const detail::JpegFile& file,
            const PreparedJpeg& prepared, const std::optional<Rectangle>& region,
            const JpegOptions& options, Image& out) {
  const auto decode_here = [&] {
    prepared.planned = false;
    prepared.pixels = decode_on_host(gather.pinned(), notes, file, region, options);
  };
  if (gather.on_host()) return decode_here();  // it has come back
  auto& launch = gather.launch_of_step<JpegFilesLaunch>();
  if (prepared.planned) {
    const JpegPlan& plan = prepared.plan;
    out.create(plan.out_height(), plan.out_width(), plan.channels());
    if (launch.add(gather.sample(), prepared, file.bytes(), out)) return;
    decode_here();
  }
  const Image& pixels = prepared.pixels;
  out.create(pixels.height(), pixels.width(), pixels.channels());
  gather.will_upload(pixels.tensor().nbytes());
  launch.add_pixels(pixels, out);
}

bool add_decoders() {
  add_device_version(
      detail::decode_jpeg_operator(),
      [](detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
         ColorSpace color, bool turned, DamagePolicy damage, bool verify,
         JpegEntropyDecoder entropy, std::int32_t max_scans, std::int64_t max_output_bytes,
         PreparedJpeg& out) {
        prepare(memory, notes, file, std::nullopt,
                {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      },
      [](Gather& gather, SampleNotes& notes, const detail::JpegFile& file,
         const PreparedJpeg& prepared, ColorSpace color, bool turned, DamagePolicy damage,
         bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
         std::int64_t max_output_bytes, Image& out) {
        decode(gather, notes, file, prepared, std::nullopt,
               {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
  add_device_version(
      detail::decode_jpeg_region_operator(),
      [](detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
         ColorSpace color, bool turned, DamagePolicy damage, bool verify,
         JpegEntropyDecoder entropy, std::int32_t max_scans, std::int64_t max_output_bytes,
         const Rectangle& region, PreparedJpeg& out) {
        prepare(memory, notes, file, region,
                {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      },
      [](Gather& gather, SampleNotes& notes, const detail::JpegFile& file,
         const PreparedJpeg& prepared, ColorSpace color, bool turned, DamagePolicy damage,
         bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
         std::int64_t max_output_bytes, const Rectangle& region, Image& out) {
        decode(gather, notes, file, prepared, region,
               {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
  return true;
}

}  // namespace

bool add_device_operators() {
  static const bool once = add_geometry() && add_regions() && add_normalize() && add_decoders() &&
                           add_warps() && add_places() && add_colours() && add_filters() &&
                           add_covers() && add_compositions() && add_noises() && add_tensors() &&
                           add_reductions() && add_choices();
  return once;
}

}  // namespace sluice::device
