// abandon(): the end of work that a device was given, and that nobody wants any more since some of
// it failed: memory that it uses must not go before.
//
// Ownership: none. Threads: as for the stream and the event. Errors: none are told.
#pragma once

#include <sluice/runtime/device.h>

namespace sluice {

// Waits until the device is through with what is in the stream, or is lost. The thread sleeps
// meanwhile, the longer the longer it takes. The event is recorded anew.
void abandon(DeviceStream& stream, DeviceEvent& event) noexcept;

}  // namespace sluice
