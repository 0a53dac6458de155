#include <sluice/runtime/device.h>
#include <sluice/runtime/jpeg_engines.h>

namespace sluice {

bool JpegEngines::Batch::start(std::span<const File> files) {
  bool taken = false;
  try {
    taken = decode(*stream_, files);
    stream_->record(*over_);
  } catch (...) {
    abandon();
    throw;
  }
  return taken;
}

void JpegEngines::Batch::abandon() noexcept { sluice::drain_stream(*stream_, *over_); }

bool JpegEngines::has_room() const noexcept {
  constexpr int kPatience = 8;
  return refusals_.load(std::memory_order_relaxed) < kPatience &&
         under_way_.load(std::memory_order_relaxed) < places_;
}

bool JpegEngines::enter(const void* who) noexcept {
  if (!has_room()) return false;
  const void* filler = nullptr;
  if (!fills_.compare_exchange_strong(filler, who) && filler != who) return false;
  if (under_way_.fetch_add(1, std::memory_order_relaxed) < places_) return true;
  leave(1);
  return false;
}

void JpegEngines::filled(const void* who) noexcept {
  const void* filler = who;
  fills_.compare_exchange_strong(filler, nullptr);
}

void JpegEngines::note(bool refused) noexcept {
  if (refused) {
    refusals_.fetch_add(1, std::memory_order_relaxed);
  } else if (refusals_.load(std::memory_order_relaxed) != 0) {
    refusals_.store(0, std::memory_order_relaxed);
  }
}

}  // namespace sluice
