#include <sluice/cuda/cuda_chain.h>
#include <sluice/cuda/cuda_device.h>
#include <sluice/cuda/jpeg/nvjpeg.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/process.h>

#include <map>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

namespace sluice::device {
namespace {

// The oldest compute capability that kernels can be compiled for.
constexpr int kOldestMajor = 7, kOldestMinor = 5;

// Does nothing. Its attributes exist only on GPUs that the kernels were compiled for.
__global__ void nothing() {}

std::string words_of(cudaError_t code) {
  return std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ")";
}

// True if CUDA fails all further calls after this error.
bool ends_all(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorDeviceUninitialized:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

// Makes the GPU the calling thread's current device, as long as the object lives.
class Current {
 public:
  explicit Current(int index) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = index;
    if (before_ != index) cudaSetDevice(index);
    index_ = index;
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    if (before_ != index_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  int index_ = 0;
};

// The data that streams, events and the device share.
struct Known {
  int index;
  std::string name;
  ForkGuard fork_guard;  // a child of fork() must not call CUDA, not even to free something

  // Throws an error of the form "what on <device>: CUDA's message".
  template <class Text>
  void check(cudaError_t code, const Text& what) const {
    if (code == cudaSuccess) return;
    (void)cudaGetLastError();  // or the next call on this thread would seem to fail, too
    fail(code, what, ends_all(code));
  }
  [[noreturn]] void fail(cudaError_t code, const std::string& what, bool lost) const {
    throw DeviceError(what + " on " + name + ": " + words_of(code) +
                          (lost ? "; the device is lost to this process" : ""),
                      lost);
  }
};
using KnownPtr = std::shared_ptr<const Known>;

class CudaEvent : public DeviceEvent {
 public:
  CudaEvent(KnownPtr device, bool timed) : device_(std::move(device)) {
    const Current current(device_->index);
    device_->check(
        cudaEventCreateWithFlags(&event_, timed ? cudaEventDefault : cudaEventDisableTiming),
        "making an event");
  }
  ~CudaEvent() override {
    if (device_->fork_guard.here()) cudaEventDestroy(event_);
  }
  bool over() override {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaSuccess) return true;
    (void)cudaGetLastError();
    if (code == cudaErrorNotReady) return false;
    device_->fail(code, "work", true);
  }
  cudaEvent_t get() const { return event_; }

 private:
  KnownPtr device_;
  cudaEvent_t event_ = nullptr;
};

class CudaStream : public DeviceStream {
  static constexpr const char* kCopies = "copies";

 public:
  explicit CudaStream(KnownPtr device) : device_(std::move(device)) {
    const Current current(device_->index);
    int lowest = 0, highest = 0;
    device_->check(cudaDeviceGetStreamPriorityRange(&lowest, &highest),
                   "querying stream priorities");
    // A network that trains on the same GPU has kernels that need all multiprocessors at once, and
    // wait for ours to end. Our kernels have the highest priority, so that they end sooner.
    device_->check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest),
                   "making a stream");
  }
  CudaStream(KnownPtr device, cudaStream_t of_others)
      : device_(std::move(device)), stream_(of_others), owns_(false) {}
  ~CudaStream() override {
    if (!device_->fork_guard.here()) return;
    const Current current(device_->index);
    chain_.give_back();
    if (owns_) cudaStreamDestroy(stream_);
  }

  void copy(void* to, const void* from, std::size_t bytes) override {
    put(CudaWork::copy(to, from, bytes));
  }
  void fill(void* at, unsigned char value, std::size_t bytes) override {
    put(CudaWork::fill(at, value, bytes));
  }
  void copy_all(std::span<const DeviceCopy> copies) override {
    if (copies.empty()) return;
    const Current current(device_->index);
#if CUDART_VERSION >= 13000  // one call, which takes the CPU less time than one for each copy
    to_.clear();
    from_.clear();
    bytes_.clear();
    for (const DeviceCopy& each : copies) {
      to_.push_back(each.to);
      from_.push_back(each.from);
      bytes_.push_back(each.bytes);
    }
    cudaMemcpyAttributes same_for_all{};
    same_for_all.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    same_for_all.flags = cudaMemcpyFlagPreferOverlapWithCompute;
    std::size_t first = 0;
    device_->check(cudaMemcpyBatchAsync(to_.data(), from_.data(), bytes_.data(), copies.size(),
                                        &same_for_all, &first, 1, stream_),
                   kCopies);
#else
    for (const DeviceCopy& each : copies) {
      device_->check(
          cudaMemcpyAsync(each.to, each.from, each.bytes, cudaMemcpyHostToDevice, stream_),
          kCopies);
    }
#endif
  }
  void launch(const Kernel& kernel, std::span<const std::byte> arguments) override {
    if (kernel.on_cuda == nullptr) {
      throw DeviceError(std::string("the kernel '") + kernel.name + "' has no CUDA in this build");
    }
    put(CudaWork::launch(kernel, arguments));
  }
  void record(DeviceEvent& event) override {
    end_chain();
    const Current current(device_->index);
    device_->check(cudaEventRecord(static_cast<CudaEvent&>(event).get(), stream_),
                   "recording an event");
  }
  void wait(DeviceEvent& event) override {
    end_chain();
    const Current current(device_->index);
    device_->check(cudaStreamWaitEvent(stream_, static_cast<CudaEvent&>(event).get(), 0),
                   "waiting for an event");
  }
  void begin_chain() override {
    chain_.clear();
    in_chain_ = true;
  }
  bool end_chain() override {
    if (!std::exchange(in_chain_, false)) return false;
    const Current current(device_->index);
    const CudaChain::Begun begun = chain_.begin(stream_);
    device_->check(begun.code, begun.what);
    return begun.as_graph;
  }
  void* native() override {
    end_chain();
    return stream_;
  }

 private:
  void put(const CudaWork& work) {
    if (in_chain_) return chain_.add(work);
    if (work.empty()) return;
    const Current current(device_->index);
    const cudaError_t code = work.begin(stream_);
    if (code != cudaSuccess) device_->check(code, work.what());
  }

  KnownPtr device_;
  cudaStream_t stream_ = nullptr;
  const bool owns_ = true;
  CudaChain chain_;
  bool in_chain_ = false;
  // The arguments of cudaMemcpyBatchAsync().
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> bytes_;
};

// A GPU's JPEG engines. They stay until the process ends: CUDA may be gone by then, and nvJPEG
// does not survive that.
struct Engines {
  std::unique_ptr<NvjpegEngines> found;
  std::string why_none;
};
const Engines& engines_of(const Known& device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<int, Engines>;
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = all.try_emplace(device.index);
  if (is_new) {
    try {
      at->second.found = std::make_unique<NvjpegEngines>(
          open_nvjpeg(), device.index,
          [](int index) -> std::shared_ptr<void> { return std::make_shared<Current>(index); });
    } catch (const Error& error) {
      at->second.why_none = error.what();
    }
  }
  return at->second;
}

// The alignment of CUDA's allocations.
constexpr std::size_t kAligned = 256;

class CudaMemory : public MemoryResource {
 public:
  CudaMemory(KnownPtr device, MemoryKind kind)
      : MemoryResource({kind, device->index}), device_(std::move(device)) {}

  void* allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > kAligned) throw std::bad_alloc();
    const Current current(device_->index);
    void* at = nullptr;
    const bool pinned = place().kind == MemoryKind::pinned;
    const cudaError_t code =
        pinned ? cudaHostAlloc(&at, bytes, cudaHostAllocPortable) : cudaMalloc(&at, bytes);
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      throw none_left(device_->name, bytes, place().kind);
    }
    device_->check(code, pinned ? "getting pinned memory" : "getting memory");
    return at;
  }
  // Failures are ignored: they mean that the device is lost, or that the process ends.
  void deallocate(void* at, std::size_t, std::size_t) noexcept override {
    if (!device_->fork_guard.here()) return;
    const Current current(device_->index);
    const bool pinned = place().kind == MemoryKind::pinned;
    if ((pinned ? cudaFreeHost(at) : cudaFree(at)) != cudaSuccess) (void)cudaGetLastError();
  }

 private:
  KnownPtr device_;
};

class CudaDevice : public Device {
 public:
  explicit CudaDevice(KnownPtr known)
      : known_(std::move(known)),
        memory_(std::make_shared<CudaMemory>(known_, MemoryKind::device)),
        pinned_(std::make_shared<CudaMemory>(known_, MemoryKind::pinned)) {}
  const std::string& name() const override { return known_->name; }
  int index() const override { return known_->index; }
  std::unique_ptr<DeviceStream> make_stream() override {
    return std::make_unique<CudaStream>(known_);
  }
  std::unique_ptr<DeviceStream> borrow(void* native) override {
    return std::make_unique<CudaStream>(known_, static_cast<cudaStream_t>(native));
  }
  std::unique_ptr<DeviceEvent> make_event() override {
    return std::make_unique<CudaEvent>(known_, false);
  }
  std::unique_ptr<DeviceEvent> make_timed_event() override {
    return std::make_unique<CudaEvent>(known_, true);
  }
  double ms_between(DeviceEvent& from, DeviceEvent& to) override {
    const Current current(known_->index);
    float ms = 0;
    known_->check(cudaEventElapsedTime(&ms, static_cast<CudaEvent&>(from).get(),
                                       static_cast<CudaEvent&>(to).get()),
                  "reading the clock");
    return static_cast<double>(ms);
  }
  const std::shared_ptr<MemoryResource>& memory() override { return memory_; }
  const std::shared_ptr<MemoryResource>& pinned() override { return pinned_; }
  bool reads(const void* at, std::size_t bytes) const override {
    if (bytes == 0 || !known_->fork_guard.here()) return false;
    const auto same_there = [](const void* byte) {
      cudaPointerAttributes known{};
      const bool asked = cudaPointerGetAttributes(&known, byte) == cudaSuccess;
      if (!asked) (void)cudaGetLastError();
      return asked && known.type == cudaMemoryTypeHost && known.devicePointer == byte;
    };
    const Current current(known_->index);
    return same_there(at) && same_there(static_cast<const std::byte*>(at) + bytes - 1);
  }
  JpegEngines* jpeg_engines(std::string* why_none) override {
    const Engines& engines = engines_of(*known_);
    if (why_none != nullptr) *why_none = engines.why_none;
    return engines.found.get();
  }

 private:
  KnownPtr known_;
  std::shared_ptr<MemoryResource> memory_, pinned_;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string why_none(cudaError_t code, int driver) {
  if (driver == 0) {
    return "there is no NVIDIA driver on this machine, or the process may not use it; install the "
           "driver, and give a container its GPUs";
  }
  if (code == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver knows CUDA " + version_text(driver) + ", and this build needs " +
           version_text(CUDART_VERSION) + "; install a newer driver";
  }
  if (code == cudaErrorNoDevice || code == cudaSuccess) {
    return "the NVIDIA driver shows this process no GPU; look at CUDA_VISIBLE_DEVICES, and give a "
           "container its GPUs";
  }
  return "CUDA cannot be used: " + words_of(code);
}

}  // namespace

Gpus look_for_cuda_devices() {
  Gpus found;
  found.compiled = CUDART_VERSION;
  if (cudaDriverGetVersion(&found.driver) != cudaSuccess) found.driver = 0;
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    count = 0;
  }
  if (count == 0) found.why_none = why_none(code, found.driver);
  for (int i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.index = i;
    cudaDeviceProp properties{};
    const cudaError_t asked = cudaGetDeviceProperties(&properties, i);
    if (asked != cudaSuccess) {
      (void)cudaGetLastError();
      gpu.name = "a GPU";
      gpu.why_not = words_of(asked);
    } else {
      gpu.name = properties.name;
      gpu.bytes = properties.totalGlobalMem;
      gpu.major = properties.major;
      gpu.minor = properties.minor;
      gpu.multiprocessors = properties.multiProcessorCount;
      if (gpu.major * 10 + gpu.minor < kOldestMajor * 10 + kOldestMinor) {
        gpu.why_not = "too old: compute capability " + std::to_string(gpu.major) + "." +
                      std::to_string(gpu.minor) + ", at least " + std::to_string(kOldestMajor) +
                      "." + std::to_string(kOldestMinor) + " is needed";
      }
    }
    found.gpus.push_back(std::move(gpu));
  }
  return found;
}

std::shared_ptr<Device> make_cuda_device(const Gpu& gpu) {
  auto known = std::make_shared<Known>();
  known->index = gpu.index;
  known->name = gpu.name + " (device " + std::to_string(gpu.index) + ")";
  {
    // CUDA initializes a GPU at its first use: do it here, and not in a stage.
    const Current current(gpu.index);
    known->check(cudaFree(nullptr), "beginning work");
    cudaFuncAttributes attributes{};
    const cudaError_t asked =
        cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&nothing));
    if (asked == cudaErrorNoKernelImageForDevice || asked == cudaErrorInvalidDeviceFunction) {
      (void)cudaGetLastError();
      const std::string capability = std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
      throw DeviceError(known->name + ": this build has no code for its compute capability " +
                            capability +
                            "; build on a machine with this GPU, or with --preset package",
                        false);
    }
    known->check(asked, "asking for a kernel");
  }
  return std::make_shared<CudaDevice>(std::move(known));
}

}  // namespace sluice::device
