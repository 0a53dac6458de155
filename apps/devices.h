// `sluice devices`: lists the GPUs; and the functions that choose the device of --device.
#pragma once

#include <sluice/graph/options.h>
#include <sluice/runtime/device.h>

#include <memory>
#include <string>

namespace sluice::app {

// Returns null for "cpu", the first GPU for "gpu", that GPU for a number. "stand-in" is a device on
// the host's threads, for trying GPU pipelines without a GPU. Throws UsageError for anything else,
// and DeviceError if there is no such GPU.
std::shared_ptr<Device> chosen_device(const std::string& name);

// The same for plans that are drawn or saved but never run: the GPU need not exist.
std::shared_ptr<Device> device_to_draw(const std::string& name);

// The decoder of --decoder: "any", else "exact".
Decoder chosen_decoder(const std::string& name);

// If Decoder::any makes no difference, returns a line that says why; else empty. A null device is
// the host.
std::string why_exact(Decoder decoder, Device* device);

// Prints the GPUs and their JPEG engines. Returns the exit status.
int run_devices();

}  // namespace sluice::app
