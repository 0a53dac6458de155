#include <sluice/cuda/cuda_device.h>
#include <sluice/cuda/gpu.h>
#include <sluice/runtime/text.h>

#include <map>
#include <mutex>

#include <fmt/format.h>

namespace sluice {
namespace {

#if !defined(SLUICE_HAS_CUDA)
Gpus look() {
  Gpus none;
  none.why_none =
      "Sluice was built without CUDA; install a wheel whose version ends with +cu, or build it "
      "where nvcc is found";
  return none;
}
std::shared_ptr<Device> make(const Gpu&) { return nullptr; }
#else
Gpus look() { return device::look_for_cuda_devices(); }
std::shared_ptr<Device> make(const Gpu& gpu) { return device::make_cuda_device(gpu); }
#endif

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string to_text(const Gpu& gpu) {
  constexpr double kGib = 1024.0 * 1024 * 1024;
  return fmt::format("device {}: {}, {:.1f} GiB, compute capability {}.{}, {} multiprocessors{}",
                     gpu.index, gpu.name, static_cast<double>(gpu.bytes) / kGib, gpu.major,
                     gpu.minor, gpu.multiprocessors,
                     gpu.why_not.empty() ? "" : "; not used: " + gpu.why_not);
}

}  // namespace

Gpus look_for_gpus() { return look(); }

std::string to_string(const Gpus& found) {
  std::string text;
  for (const Gpu& gpu : found.gpus) text += to_text(gpu) + "\n";
  if (found.gpus.empty()) text += "no GPU: " + found.why_none + "\n";
  if (found.compiled != 0) {
    text += fmt::format("built with CUDA {}; the driver knows {}\n", version_text(found.compiled),
                        found.driver == 0 ? "none" : version_text(found.driver));
  }
  return text;
}

std::shared_ptr<Device> gpu(int index) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Device>> devices;
  const std::lock_guard lock(mutex);
  if (const auto known = devices.find(index); known != devices.end()) {
    if (std::shared_ptr<Device> device = known->second.lock()) return device;
  }
  const Gpus found = look();
  if (found.gpus.empty()) throw DeviceError("there is no GPU: " + found.why_none);
  if (index < 0 || index >= static_cast<int>(found.gpus.size())) {
    throw DeviceError(fmt::format("there is no device {}: this process sees {}, counted from 0",
                                  index, counted(found.gpus.size(), "GPU")));
  }
  const Gpu& wanted = found.gpus[static_cast<std::size_t>(index)];
  if (!wanted.why_not.empty())
    throw DeviceError(fmt::format("{} (device {}): {}", wanted.name, index, wanted.why_not));
  std::shared_ptr<Device> made = make(wanted);
  devices[index] = made;
  return made;
}

}  // namespace sluice
