#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/ops/decode/jpeg_input.h>

#include <cstdint>
#include <utility>

namespace sluice::device {

void LevelsLaunch::add(const PictureIn& in, const PictureOut& out, LevelsFor what, float factor) {
  guards_.resize(maps_.size());
  guards_.push_back(guard());
  histograms_.resize(maps_.size());
  histograms_.push_back(histogram_job(in, what, factor));
  maps_.push_back(colour_job(in, out));
}

void LevelsLaunch::clear() noexcept {
  histograms_.clear();
  maps_.clear();
  guards_.clear();
  counted_ = {};
  mapped_ = {};
}

void LevelsLaunch::write(detail::Gather& gather) {
  if (maps_.empty()) return;
  const std::size_t samples = maps_.size();
  histograms_.resize(samples);
  counts_ = reinterpret_cast<std::uint32_t*>(
      gather.scratch(samples * kHistogram * sizeof(std::uint32_t)));
  auto* const tables = reinterpret_cast<std::uint8_t*>(gather.scratch(samples * kLevelTables));
  for (std::size_t i = 0; i < samples; ++i) {
    histograms_[i].counts = counts_ + i * kHistogram;
    histograms_[i].tables = tables + i * kLevelTables;
    change_by_tables(maps_[i], histograms_[i].tables);
  }
  counted_ = upload_jobs(gather, histograms_, guards_);
  mapped_ = upload_jobs(gather, maps_, guards_);
}

void LevelsLaunch::launch(DeviceStream& stream) {
  if (maps_.empty()) return;
  stream.fill(counts_, 0, maps_.size() * kHistogram * sizeof(std::uint32_t));
  launch_level_tables(stream, counted_);
  launch_colours(stream, mapped_);
}

bool JpegFilesLaunch::add(detail::Sample& sample, const PreparedJpeg& prepared,
                          std::span<const std::uint8_t> file, Image& out) {
  files_.resize(batch_.size());
  files_.push_back({&sample, sample.running(), &prepared});
  return batch_.add(prepared.plan, file, {out.data(), out.row_stride()});
}

void JpegFilesLaunch::add_pixels(const Image& pixels, Image& out) {
  pixels_.push_back({pixels.data(), out.data(), pixels.tensor().nbytes()});
}

void JpegFilesLaunch::clear() noexcept {
  batch_.clear();
  files_.clear();
  pixels_.clear();
}

void JpegFilesLaunch::write(detail::Gather& gather) {
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
  for (const Pixels& pixels : pixels_) stream.copy(pixels.to, pixels.from, pixels.bytes);
  batch_.enqueue_decode(stream, memory_);
}

void JpegFilesLaunch::tell(DeviceStream& stream) { batch_.enqueue_damage(stream, memory_); }

void JpegFilesLaunch::check(detail::Gather& gather) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const File& file = files_[i];
    if (memory_.damage[i] != 0) {
      gather.give_back(*file.sample, *file.step);
      continue;
    }
    if (std::exchange(file.prepared->counted, true)) continue;  // it came before
    const detail::Step* const at = file.sample->running();
    file.sample->enter(file.step);  // whose event it is
    SampleNotes notes(*file.sample, nullptr);
    detail::note_on_device(notes);
    file.sample->enter(at);
  }
}

}  // namespace sluice::device
