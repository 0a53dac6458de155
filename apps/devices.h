// `sluice devices`, and the device that --device chooses.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/runtime/device.h>

#include <memory>
#include <string>

namespace sluice::app {

// "cpu": null. "gpu": the first GPU. A number: that GPU. "stand-in": the one on the host's threads,
// for trying what runs on GPUs where there is none. Throws UsageError for anything else, and
// DeviceError where there is no such GPU.
std::shared_ptr<Device> chosen_device(const std::string& name);

// The same for plans that are drawn or saved and never run: it need not be there.
std::shared_ptr<Device> device_to_draw(const std::string& name);

// What --decoder says: "any", or else "exact".
Decoder chosen_decoder(const std::string& name);

// Where Decoder::any makes no difference, a line that says why; else empty. A null device is the
// host.
std::string why_exact(Decoder decoder, Device* device);

// Says which GPUs there are, and what JPEG engines they have. Returns the exit status.
int run_devices();

}  // namespace sluice::app
