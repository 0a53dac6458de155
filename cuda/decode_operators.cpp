// Decoding JPEG files on a device.
#include <sluice/cuda/jpeg/batch.h>
#include <sluice/cuda/kernels/geometry.h>
#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/graph/exec/device_batch.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/jpeg_engines.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sluice::device {

// The host's preparation of a JPEG file before the GPU batch: a plan for decoding on the device,
// or else the pixels.
struct PreparedJpeg {
  JpegPlan plan;
  JpegEngines* engines = nullptr;  // may decode it instead, while they have room; null: none
  // Changed by the batch: if the device returns the file, the host decodes it after all.
  mutable bool planned = false;
  mutable Image pixels;          // pinned, contiguous
  mutable bool counted = false;  // as decoded by the device
  // Keeps the plan's memory for the next file.
  void release() noexcept {
    planned = counted = false;
    engines = nullptr;
    pixels.release();
  }
};

// Decodes the JPEG files of all samples of a GPU batch. Each file is decoded by the device's cores,
// by its JPEG engines, or by the host, whose pixels are copied to the device.
class JpegFilesLaunch : public detail::StepLaunch {
 public:
  ~JpegFilesLaunch() override { leave(); }
  // `prepared` and the file must live until the GPU batch is over. Return false if there is no room
  // for the file: on the device's cores, or with its engines.
  bool add(detail::Sample& sample, const PreparedJpeg& prepared, std::span<const std::uint8_t> file,
           Image& out);
  bool add_to_engines(detail::DeviceBatch& device_batch, const PreparedJpeg& prepared,
                      std::span<const std::uint8_t> file, const std::optional<Rectangle>& region,
                      Image& out);
  void add_pixels(const Image& pixels, Image& out);

  void clear() noexcept override;
  void write(detail::DeviceBatch& device_batch) override;
  void launch(DeviceStream& stream) override;
  void tell(DeviceStream& stream) override;
  void check(detail::DeviceBatch& device_batch) override;

 private:
  struct Pixels {
    const std::uint8_t* from;
    std::uint8_t* to;
    std::size_t bytes;
  };
  struct File {
    detail::Sample* sample;
    const detail::Step* step;
    const PreparedJpeg* prepared;
  };
  void leave() noexcept;

  std::vector<File> files_;  // of the batch, and perhaps one more
  std::vector<Pixels> pixels_;
  JpegBatch batch_;
  JpegBatch::Memory memory_;
  Buffer damage_;
  // Members for the JPEG engines.
  JpegEngines* engines_ = nullptr;  // where files may have been entered; null: nowhere
  const void* filler_ = nullptr;    // the DeviceBatch that enters files
  std::unique_ptr<JpegEngines::Batch> engine_batch_;
  std::vector<File> engine_files_;  // of engine_work_, and perhaps one more
  std::vector<JpegEngines::File> engine_work_;
  std::vector<CopyPixelsJob> cuts_;  // regions of the decoded images
  Batch<CopyPixelsJob> cut_;
  bool refused_ = false;
};

namespace {

using Note = void (*)(SampleNotes&);

// Counts an event for the sample's decoding step, at most once.
void count(detail::Sample& sample, const detail::Step& step, const PreparedJpeg& prepared,
           Note note) {
  if (std::exchange(prepared.counted, true)) return;  // counted before
  const detail::Step* const at = sample.running();
  sample.enter(&step);
  SampleNotes notes(sample, nullptr);
  note(notes);
  sample.enter(at);
}

}  // namespace

bool JpegFilesLaunch::add(detail::Sample& sample, const PreparedJpeg& prepared,
                          std::span<const std::uint8_t> file, Image& out) {
  files_.resize(batch_.size());
  files_.push_back({&sample, sample.running(), &prepared});
  return batch_.add(prepared.plan, file, {out.data(), out.row_stride()});
}

bool JpegFilesLaunch::add_to_engines(detail::DeviceBatch& device_batch,
                                     const PreparedJpeg& prepared,
                                     std::span<const std::uint8_t> file,
                                     const std::optional<Rectangle>& region, Image& out) {
  const JpegPlan& plan = prepared.plan;
  JpegEngines::File work{file, out.data(), out.row_stride(), plan.stored_height(),
                         plan.stored_width()};
  engines_ = prepared.engines;
  filler_ = &device_batch;
  engine_files_.resize(engine_work_.size());
  engine_files_.push_back({&device_batch.sample(), device_batch.sample().running(), &prepared});
  engine_work_.reserve(engine_work_.size() + 1);
  cuts_.reserve(cuts_.size() + 1);
  if (!engines_->enter(filler_)) return false;
  try {
    if (engine_batch_ == nullptr) engine_batch_ = engines_->make_batch(device_batch.device());
    if (region) {
      work.stride = std::ptrdiff_t{work.width} * out.channels();
      work.pixels = reinterpret_cast<std::uint8_t*>(
          device_batch.scratch(static_cast<std::size_t>(work.stride * work.height)));
      CopyPixelsJob cut = copy_pixels_job(cropped(hwc_pixels(out.channels(), work.stride), *region),
                                          pixels_out(out.height(), out.width(), out.channels()));
      place_pixels(cut, work.pixels, out.data());
      cuts_.push_back(cut);
    }
  } catch (const DeviceError&) {
    engines_->leave(1);
    throw;
  } catch (const Error&) {  // for example, no memory for a state: the cores decode the file
    engines_->leave(1);
    return false;
  } catch (...) {
    engines_->leave(1);
    throw;
  }
  engine_work_.push_back(work);
  return true;
}

void JpegFilesLaunch::add_pixels(const Image& pixels, Image& out) {
  pixels_.push_back({pixels.data(), out.data(), pixels.tensor().nbytes()});
}

void JpegFilesLaunch::leave() noexcept {
  if (engines_ == nullptr) return;
  engines_->filled(filler_);
  engines_->leave(static_cast<int>(engine_work_.size()));
  engines_ = nullptr;
  engine_work_.clear();
}

void JpegFilesLaunch::clear() noexcept {
  leave();
  batch_.clear();
  files_.clear();
  pixels_.clear();
  engine_files_.clear();
  cuts_.clear();
  cut_ = {};
  refused_ = false;
}

void JpegFilesLaunch::write(detail::DeviceBatch& device_batch) {
  if (!cuts_.empty()) cut_ = upload_jobs(device_batch, cuts_);
  for (const JpegEngines::File& file : engine_work_) device_batch.will_upload(file.bytes.size());
  if (batch_.size() == 0) return;
  const detail::DeviceBatch::Upload upload = device_batch.upload(batch_.upload_bytes());
  const std::size_t damage = batch_.size() * sizeof(std::uint32_t);
  if (damage_.size() < damage) damage_ = device_batch.pinned().allocate(damage);
  device_batch.will_download(damage);
  device_batch.will_upload(batch_.fetched_bytes());
  batch_.fill_head(upload.host);
  device_batch.each(batch_.size(),
                    [this, &upload](std::size_t i) { batch_.fill_sample(upload.host, i); });
  memory_ = {upload.host, upload.device, device_batch.scratch(batch_.scratch_bytes()),
             reinterpret_cast<std::uint32_t*>(damage_.data())};
}

void JpegFilesLaunch::launch(DeviceStream& stream) {
  const bool engines = !engine_work_.empty();
  if (engines) refused_ = !engine_batch_->start(engine_work_);
  if (engines_ != nullptr) engines_->filled(filler_);
  try {
    for (const Pixels& pixels : pixels_) stream.copy(pixels.to, pixels.from, pixels.bytes);
    batch_.enqueue_decode(stream, memory_);
    if (engines) engine_batch_->join(stream);
  } catch (...) {
    if (engines) engine_batch_->abandon();  // the stream does not wait for the engines
    throw;
  }
  if (!refused_ && !cuts_.empty()) launch_copy_pixels(stream, cut_);
}

void JpegFilesLaunch::tell(DeviceStream& stream) { batch_.enqueue_damage(stream, memory_); }

void JpegFilesLaunch::check(detail::DeviceBatch& device_batch) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const File& file = files_[i];
    if (memory_.damage[i] != 0) {
      device_batch.give_back(*file.sample, *file.step);
    } else {
      count(*file.sample, *file.step, *file.prepared, detail::note_on_device);
    }
  }
  for (std::size_t i = 0; i < engine_work_.size(); ++i) {
    const File& file = engine_files_[i];
    if (refused_) {
      device_batch.give_back(*file.sample, *file.step);
    } else {
      count(*file.sample, *file.step, *file.prepared, detail::note_on_engines);
    }
  }
  leave();
}

namespace {

using detail::add_device_version;
using detail::DeviceBatch;

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
// cheaper. Packed JPEGs need no index.
bool plan_jpeg(JpegPlan& plan, const Bytes& file, const std::optional<Rectangle>& region,
               const JpegOptions& options) {
  try {
    std::optional<JpegIndexEntry> entry;
    JpegIndex* const index = is_packed_jpeg(file.prefix()) ? nullptr : file.index();
    if (index != nullptr) entry = index->find(digest_of(file, file.content_hash()));
    if (!entry && index != nullptr && index->grows()) return false;
    return plan.make(file, peek_jpeg(file), entry ? &*entry : nullptr, region, options);
  } catch (const Error&) {  // a damaged index, or not a JPEG file: the host's decoder reports it
    return false;
  }
}

// Returns the engines that can decode the file as well, or null. Files with a JPEG index are not
// for them: the device reads only the needed parts of such a file, which the engines cannot. They
// cannot decode packed JPEGs. They do not notice truncation, so a file must have its end marker.
// They miss some damage, too, so `verify` excludes them.
JpegEngines* engines_for(Device& device, const JpegPlan& plan, std::span<const std::uint8_t> bytes,
                         const JpegOptions& options) {
  if (options.verify || plan.intervals().empty()) return nullptr;
  const JpegSample& sample = plan.sample();
  const bool whole = bytes.size() > 2 && bytes[bytes.size() - 2] == 0xff && bytes.back() == 0xd9;
  if (sample.coded != 3 || sample.channels != 3 || sample.orientation != 1 || !whole)
    return nullptr;
  JpegEngines* const engines = device.jpeg_engines();
  return engines != nullptr && engines->has_room() && engines->takes(bytes) ? engines : nullptr;
}

void prepare(detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
             const std::optional<Rectangle>& region, const JpegOptions& options,
             PreparedJpeg& out) {
  out.planned = plan_jpeg(out.plan, file.bytes(), region, options);
  if (out.planned) {
    const std::span<const std::uint8_t> bytes = out.plan.bytes_of(file.bytes());
    if (memory.decoder == Decoder::any)
      out.engines = engines_for(memory.device, out.plan, bytes, options);
    (void)out.plan.fetch(bytes, memory.device);
  } else {
    out.pixels = decode_on_host(memory.pinned, notes, file, region, options);
  }
}

void decode(DeviceBatch& device_batch, SampleNotes& notes, const detail::JpegFile& file,
            const PreparedJpeg& prepared, const std::optional<Rectangle>& region,
            const JpegOptions& options, Image& out) {
  const auto decode_here = [&] {
    prepared.planned = false;
    prepared.pixels = decode_on_host(device_batch.pinned(), notes, file, region, options);
  };
  if (device_batch.on_host()) return decode_here();  // the device has returned the sample
  auto& launch = device_batch.launch_of_step<JpegFilesLaunch>();
  if (prepared.planned) {
    const JpegPlan& plan = prepared.plan;
    const std::span<const std::uint8_t> bytes = plan.bytes_of(file.bytes());
    out.create(plan.out_height(), plan.out_width(), plan.channels());
    if (prepared.engines != nullptr &&
        launch.add_to_engines(device_batch, prepared, bytes, region, out))
      return;
    if (launch.add(device_batch.sample(), prepared, bytes, out)) return;
    decode_here();
  }
  const Image& pixels = prepared.pixels;
  out.create(pixels.height(), pixels.width(), pixels.channels());
  device_batch.will_upload(pixels.tensor().nbytes());
  launch.add_pixels(pixels, out);
}

}  // namespace

void add_decoders() {
  add_device_version(
      detail::decode_jpeg_operator(),
      [](detail::DeviceMemory& memory, SampleNotes& notes, const detail::JpegFile& file,
         ColorSpace color, bool turned, DamagePolicy damage, bool verify,
         JpegEntropyDecoder entropy, std::int32_t max_scans, std::int64_t max_output_bytes,
         PreparedJpeg& out) {
        prepare(memory, notes, file, std::nullopt,
                {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      },
      [](DeviceBatch& device_batch, SampleNotes& notes, const detail::JpegFile& file,
         const PreparedJpeg& prepared, ColorSpace color, bool turned, DamagePolicy damage,
         bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
         std::int64_t max_output_bytes, Image& out) {
        decode(device_batch, notes, file, prepared, std::nullopt,
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
      [](DeviceBatch& device_batch, SampleNotes& notes, const detail::JpegFile& file,
         const PreparedJpeg& prepared, ColorSpace color, bool turned, DamagePolicy damage,
         bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
         std::int64_t max_output_bytes, const Rectangle& region, Image& out) {
        decode(device_batch, notes, file, prepared, region,
               {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
}

}  // namespace sluice::device
