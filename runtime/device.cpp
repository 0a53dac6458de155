#include <sluice/runtime/device.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace sluice {
namespace {

using std::chrono::microseconds;
constexpr microseconds kShortest{20}, kLongest{1000};

// A device may fail to record, and still be working. If it fails for long, it is as good as lost.
void record(DeviceStream& stream, DeviceEvent& event) noexcept {
  constexpr int kTries = 1000;
  for (int tries = 0; tries < kTries; ++tries) {
    try {
      stream.record(event);
      return;
    } catch (const DeviceError& error) {
      if (error.device_lost()) return;  // work that has begun may still run
    } catch (...) {                     // no memory
    }
    std::this_thread::sleep_for(kLongest);
  }
}

}  // namespace

void drain_stream(DeviceStream& stream, DeviceEvent& event) noexcept {
  record(stream, event);
  try {
    for (microseconds pause = kShortest; !event.over(); pause = std::min(2 * pause, kLongest))
      std::this_thread::sleep_for(pause);
  } catch (...) {  // the event failed, and is over
  }
}

}  // namespace sluice
