#include <sluice/cuda/launches.h>

#include <cstdint>
#include <utility>

namespace sluice::device {

bool JpegFilesLaunch::add(detail::Sample& sample, const JpegPlan& plan,
                          std::span<const std::uint8_t> file, Image& out) {
  samples_.resize(batch_.size());
  samples_.push_back(&sample);
  return batch_.add(plan, file, {out.data(), out.row_stride()});
}

void JpegFilesLaunch::add_pixels(const Image& pixels, Image& out) {
  pixels_.push_back({pixels.data(), out.data(), pixels.tensor().nbytes()});
}

void JpegFilesLaunch::keep_pixels(Image pixels, Image& out) {
  kept_.push_back(std::move(pixels));
  add_pixels(kept_.back(), out);
}

void JpegFilesLaunch::clear() noexcept {
  batch_.clear();
  samples_.clear();
  pixels_.clear();
  kept_.clear();
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

void JpegFilesLaunch::check(detail::Gather& gather) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (memory_.damage[i] != 0) gather.take_back(*samples_[i]);
  }
}

}  // namespace sluice::device
