#include <sluice/cuda/jpeg_files.h>
#include <sluice/cuda/uploads.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/decode/jpeg_input.h>

#include <utility>

namespace sluice::device {
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

bool JpegFilesLaunch::add_to_engines(detail::Gather& gather, const PreparedJpeg& prepared,
                                     std::span<const std::uint8_t> file,
                                     const std::optional<Rectangle>& region, Image& out) {
  const JpegPlan& plan = prepared.plan;
  JpegEngines::File work{file, out.data(), out.row_stride(), plan.stored_height(),
                         plan.stored_width()};
  engines_ = prepared.engines;
  filler_ = &gather;
  engine_files_.resize(engine_work_.size());
  engine_files_.push_back({&gather.sample(), gather.sample().running(), &prepared});
  engine_work_.reserve(engine_work_.size() + 1);
  cuts_.reserve(cuts_.size() + 1);
  if (!engines_->enter(filler_)) return false;
  try {
    if (engine_batch_ == nullptr) engine_batch_ = engines_->make_batch(gather.device());
    if (region) {
      work.stride = std::ptrdiff_t{work.width} * out.channels();
      work.pixels = reinterpret_cast<std::uint8_t*>(
          gather.scratch(static_cast<std::size_t>(work.stride * work.height)));
      PixelsJob cut = pixels_job(cropped(hwc_pixels(out.channels(), work.stride), *region),
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

void JpegFilesLaunch::write(detail::Gather& gather) {
  if (!cuts_.empty()) cut_ = upload_jobs(gather, cuts_);
  for (const JpegEngines::File& file : engine_work_) gather.will_upload(file.bytes.size());
  if (batch_.size() == 0) return;
  const detail::Gather::Upload upload = gather.upload(batch_.upload_bytes());
  const std::size_t damage = batch_.size() * sizeof(std::uint32_t);
  if (damage_.size() < damage) damage_ = gather.pinned().allocate(damage);
  gather.will_download(damage);
  gather.will_upload(batch_.fetched_bytes());
  batch_.fill_head(upload.host);
  gather.each(batch_.size(),
              [this, &upload](std::size_t i) { batch_.fill_sample(upload.host, i); });
  memory_ = {upload.host, upload.device, gather.scratch(batch_.scratch_bytes()),
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
  if (!refused_ && !cuts_.empty()) launch_pixels(stream, cut_);
}

void JpegFilesLaunch::tell(DeviceStream& stream) { batch_.enqueue_damage(stream, memory_); }

void JpegFilesLaunch::check(detail::Gather& gather) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const File& file = files_[i];
    if (memory_.damage[i] != 0) {
      gather.give_back(*file.sample, *file.step);
    } else {
      count(*file.sample, *file.step, *file.prepared, detail::note_on_device);
    }
  }
  for (std::size_t i = 0; i < engine_work_.size(); ++i) {
    const File& file = engine_files_[i];
    if (refused_) {
      gather.give_back(*file.sample, *file.step);
    } else {
      count(*file.sample, *file.step, *file.prepared, detail::note_on_engines);
    }
  }
  leave();
}

}  // namespace sluice::device
