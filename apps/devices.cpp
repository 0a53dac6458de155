#include "devices.h"

#include "usage.h"
#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>
#include <sluice/runtime/jpeg_engines.h>

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace sluice::app {

namespace {

constexpr int kNone = -1;
constexpr int kStandIn = -2;

// The number of a GPU, or one of these constants.
int number_of(const std::string& name) {
  if (name == "cpu") return kNone;
  if (name == "gpu") return 0;
  if (name == "stand-in") return kStandIn;
  int index = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, index);
  if (error != std::errc() || at != end || index < 0) {
    throw UsageError(fmt::format(
        "--device is '{}', but must be cpu, gpu, the number of a GPU, or stand-in", name));
  }
  return index;
}

std::shared_ptr<Device> stand_in() {
  constexpr std::size_t kBytes = std::size_t{4} << 30;
  return std::make_shared<device::HostDevice>(
      device::HostDevice::Options{.bytes = kBytes, .jpeg_places = 16});
}

}  // namespace

std::shared_ptr<Device> chosen_device(const std::string& name) {
  const int index = number_of(name);
  if (index == kNone) return nullptr;
  if (index == kStandIn) return stand_in();
  std::string why;
  if (const Gpus found = look_for_gpus(); found.gpus.empty()) {
    why = "no GPU can be used here, because " + found.why_none;
  } else {
    try {
      return gpu(index);
    } catch (const DeviceError& error) {
      why = error.what();
    }
  }
  throw DeviceError(
      fmt::format("--device {}: {}; or leave --device out, and all runs on the CPU (--device "
                  "stand-in is slow, and for trying)",
                  name, why));
}

Decoder chosen_decoder(const std::string& name) {
  return name == "any" ? Decoder::any : Decoder::exact;
}

std::string why_exact(Decoder decoder, Device* device) {
  if (decoder != Decoder::any) return {};
  constexpr const char* kBegin = "--decoder any makes no difference: ";
  if (device == nullptr) return fmt::format("{}all runs on the CPU\n", kBegin);
  std::string why_none;
  if (device->jpeg_engines(&why_none) != nullptr) return {};
  return fmt::format("{}{} has no JPEG engines that can be used: {}\n", kBegin, device->name(),
                     why_none);
}

std::shared_ptr<Device> device_to_draw(const std::string& name) {
  return number_of(name) == kNone ? nullptr : stand_in();
}

int run_devices() {
  const Gpus found = look_for_gpus();
  fmt::print("{}", to_string(found));
  for (const Gpu& one : found.gpus) {
    if (!one.why_not.empty()) continue;
    std::string why_none;
    const std::shared_ptr<Device> device = gpu(one.index);
    const JpegEngines* const engines = device->jpeg_engines(&why_none);
    fmt::print("device {}: {}\n", one.index,
               engines != nullptr ? engines->name() : "no JPEG engines: " + why_none);
  }
  return 0;
}

}  // namespace sluice::app
