// abandon(): waits for the end of device work that is not needed any more because some of it
// failed. Memory that the work uses must not be released before.
//
// Ownership: none. Threads: as for the stream and the event. Errors: none are reported.
#pragma once

#include <sluice/runtime/device.h>

namespace sluice {

// Waits until the device has finished the work in the stream, or is lost. The thread sleeps
// meanwhile, in growing intervals. Records the event again.
void abandon(DeviceStream& stream, DeviceEvent& event) noexcept;

}  // namespace sluice
