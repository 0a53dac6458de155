#include "devices.h"

#include "usage.h"
#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>

#include <charconv>
#include <cstddef>

#include <fmt/format.h>

namespace sluice::app {

std::shared_ptr<Device> chosen_device(const std::string& name) {
  if (name == "cpu") return nullptr;
  if (name == "gpu") return gpu(0);
  if (name == "stand-in") {
    constexpr std::size_t kBytes = std::size_t{4} << 30;
    return std::make_shared<device::HostDevice>(device::HostDevice::Options{.bytes = kBytes});
  }
  int index = 0;
  const char* const end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data(), end, index);
  if (error != std::errc() || at != end || index < 0) {
    throw UsageError(fmt::format(
        "--device is '{}', but must be cpu, gpu, the number of a GPU, or stand-in", name));
  }
  return gpu(index);
}

int run_devices() {
  fmt::print("{}", to_string(look_for_gpus()));
  return 0;
}

}  // namespace sluice::app
