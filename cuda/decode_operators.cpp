// Decoding JPEG files on a device.
#include <sluice/cuda/jpeg_files.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/decode/jpeg_input.h>

#include <cstdint>
#include <optional>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;

// Decodes a file's pixels on the host for the device.
Image decode_on_host(BufferPool& pinned, SampleNotes& notes, const detail::JpegFile& file,
                     const std::optional<Rectangle>& region, const JpegOptions& options) {
  const BufferPoolScope scope(pinned);
  Image pixels;
  const JpegReport report = region ? decode_jpeg_region(file.bytes(), *region, options, pixels)
                                   : decode_jpeg_image(file.bytes(), options, pixels);
  detail::note_report(notes, report);
  if (!pixels.contiguous()) pixels = pixels.clone();  // a part of a larger decoded image
  return pixels;
}

// Plans decoding on the device. Returns false if the host must decode the file. A growing JPEG
// index learns a file when the host decodes it for the first time, which makes later decoding
// cheaper.
bool plan_jpeg(JpegPlan& plan, const detail::JpegFile& file, const std::optional<Rectangle>& region,
               const JpegOptions& options) {
  try {
    std::optional<JpegIndexEntry> entry;
    JpegIndex* const index = file.bytes().index();
    if (index != nullptr) entry = index->find(digest_of(file.bytes(), file.bytes().content_hash()));
    if (!entry && index != nullptr && index->grows()) return false;
    return plan.make(file.bytes(), peek_jpeg(file.bytes()), entry ? &*entry : nullptr, region,
                     options);
  } catch (const Error&) {  // a damaged index, or not a JPEG file: the host's decoder reports it
    return false;
  }
}

// Returns the engines that can decode the file as well, or null. Files with a JPEG index are not
// for them: the device reads only the needed parts of such a file, which the engines cannot. They
// do not notice truncation, so a file must have its end marker. They miss some damage, too, so
// `verify` excludes them.
JpegEngines* engines_for(Device& device, const JpegPlan& plan, const detail::JpegFile& file,
                         const JpegOptions& options) {
  if (options.verify) return nullptr;
  const std::span<const std::uint8_t> bytes = file.bytes();
  const JpegSample& sample = plan.sample();
  const bool whole = bytes.size() > 2 && bytes[bytes.size() - 2] == 0xff && bytes.back() == 0xd9;
  if (plan.intervals().empty() || sample.coded != 3 || sample.channels != 3 ||
      sample.orientation != 1 || !whole)
    return nullptr;
  JpegEngines* const engines = device.jpeg_engines();
  return engines != nullptr && engines->has_room() && engines->takes(bytes) ? engines : nullptr;
}

void prepare(detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
             const std::optional<Rectangle>& region, const JpegOptions& options,
             PreparedJpeg& out) {
  out.planned = plan_jpeg(out.plan, file, region, options);
  if (out.planned) {
    if (memory.decoder == Decoder::any)
      out.engines = engines_for(memory.device, out.plan, file, options);
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
  if (gather.on_host()) return decode_here();  // the device has returned the sample
  auto& launch = gather.launch_of_step<JpegFilesLaunch>();
  if (prepared.planned) {
    const JpegPlan& plan = prepared.plan;
    out.create(plan.out_height(), plan.out_width(), plan.channels());
    if (prepared.engines != nullptr &&
        launch.add_to_engines(gather, prepared, file.bytes(), region, out))
      return;
    if (launch.add(gather.sample(), prepared, file.bytes(), out)) return;
    decode_here();
  }
  const Image& pixels = prepared.pixels;
  out.create(pixels.height(), pixels.width(), pixels.channels());
  gather.will_upload(pixels.tensor().nbytes());
  launch.add_pixels(pixels, out);
}

}  // namespace

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

}  // namespace sluice::device
