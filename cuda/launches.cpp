#include <sluice/cuda/launches.h>

#include <cstdint>
#include <utility>

namespace sluice::device {

JpegPlan& JpegFilesLaunch::next_plan() {
  if (planned_ == plans_.size()) plans_.push_back(std::make_unique<JpegPlan>());
  return *plans_[planned_];
}

bool JpegFilesLaunch::add(detail::Sample& sample, std::span<const std::uint8_t> file, Image& out) {
  samples_.resize(batch_.size());
  samples_.push_back(&sample);
  if (!batch_.add(*plans_[planned_], file, {out.data(), out.row_stride()})) return false;
  ++planned_;
  return true;
}

void JpegFilesLaunch::add_pixels(Image pixels, Image& out) {
  std::uint8_t* const to = out.data();
  pixels_.push_back({std::move(pixels), to});
}

void JpegFilesLaunch::clear() noexcept {
  batch_.clear();
  samples_.clear();
  pixels_.clear();
  planned_ = 0;
}

void JpegFilesLaunch::write(detail::Gather& gather) {
  if (batch_.size() == 0) return;
  const detail::Gather::Upload upload = gather.upload(batch_.upload_bytes());
  const std::size_t damage = batch_.size() * sizeof(std::uint32_t);
  if (damage_.size() < damage) damage_ = gather.pinned().allocate(damage);
  gather.will_download(damage);
  batch_.fill(upload.host);
  memory_ = {upload.host, upload.device, gather.scratch(batch_.scratch_bytes()),
             reinterpret_cast<std::uint32_t*>(damage_.data())};
}

void JpegFilesLaunch::launch(DeviceStream& stream) {
  for (const Pixels& pixels : pixels_)
    stream.copy(pixels.to, pixels.from.data(), pixels.from.tensor().nbytes());
  batch_.enqueue_decode(stream, memory_);
}

void JpegFilesLaunch::check(detail::Gather& gather) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (memory_.damage[i] != 0) gather.take_back(*samples_[i]);
  }
}

}  // namespace sluice::device
