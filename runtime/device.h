// Device: a processor with its own memory that executes streams: queues of copies and kernels.
// There are two kinds: GPUs, and a stand-in device on host threads, for machines without a GPU and
// for tests (see cuda/). Code written against these interfaces runs on both.
//
// Calls put work into a stream and return at once; a DeviceEvent that was recorded after it tells
// when it is over. No call waits for a device.
//
// Ownership: streams, events and memory belong to their device, which outlives them. Memory that a
// copy or a kernel uses must live until the event after it is over. Threads: any number may use a
// device at once; a stream or an event, one at a time. Errors: DeviceError; the events after failed
// work report its errors.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sluice {

class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& what, bool lost = false) : Error(what), lost_(lost) {}
  // True if the device cannot be used any more.
  bool device_lost() const { return lost_; }

 private:
  bool lost_;
};

// A CUDA launch: a __global__ function that takes the arguments as one structure, by value. With 0
// blocks nothing is launched.
struct CudaLaunch {
  const void* function = nullptr;
  unsigned blocks = 0, threads = 0;  // threads: per block
};

// DeviceGuard: makes a kernel's job depend on the branch that the device has chosen. Plain data,
// for the host and for kernels. The number of the branch stays in device memory until the launch is
// over.
struct DeviceGuard {
  const std::int32_t* taken = nullptr;  // device memory: the branch taken; null: always run
  std::int32_t branch = 0;              // run if this branch is taken
};

// The work of a launch. `arguments` are bytes; either kind of device gets a copy of them.
struct Kernel {
  const char* name;
  // Does all of the work on the calling thread. Pointers to device memory are passed unchanged.
  void (*on_host)(const void* arguments);
  // Null if CUDA was not compiled.
  CudaLaunch (*on_cuda)(const void* arguments) = nullptr;
};

class JpegEngines;

// A copy from pinned host memory to device memory.
struct DeviceCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  // True if all work before the last record() is over, or if it was never recorded. Throws
  // DeviceError if some of the work failed.
  virtual bool over() = 0;
};

class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  // From the host to the device, back, or within the device. Host memory must be pinned.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(void* at, unsigned char value, std::size_t bytes) = 0;
  // Enqueues many independent copies, which may run in any order. They are not part of a chain, and
  // may start before its work: so they must not overwrite what that uses.
  virtual void copy_all(std::span<const DeviceCopy> copies) {
    for (const DeviceCopy& each : copies) copy(each.to, each.from, each.bytes);
  }
  virtual void launch(const Kernel& kernel, std::span<const std::byte> arguments) = 0;
  virtual void record(DeviceEvent& event) = 0;
  // Work put into the stream from now on starts when the event, of any stream, is over.
  virtual void wait(DeviceEvent& event) = 0;
  // Work put into the stream between these two calls is a chain. It need not start before
  // end_chain() returns. Copies, fills and launches that often come in the same order, with other
  // arguments, then cost less: a GPU gets them all at once (a CUDA graph). end_chain() returns true
  // if it did; it throws the errors of the chain. record(), wait() and native() end the chain, too.
  virtual void begin_chain() {}
  virtual bool end_chain() { return false; }
  // The handle that borrow() takes: a cudaStream_t, or the stand-in device's own; null if there is
  // none.
  virtual void* native() { return nullptr; }
};

class Device {
 public:
  virtual ~Device() = default;
  // "NVIDIA H200 (device 0)", for errors and drawings.
  virtual const std::string& name() const = 0;
  virtual int index() const = 0;
  virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  // Wraps a stream that is owned elsewhere, and that must live as long as the result is used.
  virtual std::unique_ptr<DeviceStream> borrow(void* native);
  virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  // make_timed_event() makes an event that also records when it was over, by the device's clock; it
  // costs a little more. ms_between() returns the milliseconds from one such event to a later one,
  // both over, on any number of threads. A device without a clock returns 0.
  virtual std::unique_ptr<DeviceEvent> make_timed_event() { return make_event(); }
  virtual double ms_between(DeviceEvent& from, DeviceEvent& to) {
    (void)from, (void)to;
    return 0;
  }
  // The device's own memory, and host memory that the device reads and writes directly. Both live
  // as long as they have holders.
  virtual const std::shared_ptr<MemoryResource>& memory() = 0;
  virtual const std::shared_ptr<MemoryResource>& pinned() = 0;
  // True if kernels may read these bytes of host memory at the same address: all of them lie in
  // pinned memory of this device, or in memory that was registered with CUDA.
  virtual bool reads(const void* at, std::size_t bytes) const {
    (void)at, (void)bytes;
    return false;
  }
  // See jpeg_engines.h. Null if there are none; `why_none` then gets the reason.
  virtual JpegEngines* jpeg_engines(std::string* why_none = nullptr) {
    if (why_none != nullptr) *why_none = name() + " has none";
    return nullptr;
  }
};

inline std::unique_ptr<DeviceStream> Device::borrow(void*) {
  throw DeviceError(name() + " takes no streams of others");
}

// Waits for the end of device work that is not needed any more because some of it failed: until the
// device has finished the work in the stream, or is lost. Memory that the work uses must not be
// released before. The thread sleeps meanwhile, in growing intervals. Records the event again. Does
// not report errors.
void drain_stream(DeviceStream& stream, DeviceEvent& event) noexcept;

}  // namespace sluice
