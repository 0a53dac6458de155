#include <sluice/cuda/launches.h>

#include <cstdint>

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

}  // namespace sluice::device
