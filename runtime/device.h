// Device: a processor with memory of its own, which works through streams: queues of copies and
// kernels. There are two kinds: GPUs, and a stand-in on the host's threads for machines without one
// and for tests (see cuda/). What is written against these interfaces runs on both.
//
// Calls put work into a stream and return at once; an Event that was recorded behind it says when
// it is over. No call waits for a device.
//
// Ownership: streams, events and memory belong to their device, which outlives them. What a copy or
// a kernel reads and writes must live until the event behind it is over. Threads: a device may be
// used by any number at once, a stream or an event by one at a time. Errors: DeviceError; work that
// fails is told by the events behind it.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/memory_resource.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace sluice {

class DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& what, bool lost = false) : Error(what), lost_(lost) {}
  // Whether nothing more can be done with the device.
  bool device_lost() const { return lost_; }

 private:
  bool lost_;
};

// What CUDA launches: a __global__ function that takes the arguments as one structure, by value.
// Nothing is launched for no blocks.
struct CudaLaunch {
  const void* function = nullptr;
  unsigned blocks = 0, threads = 0;  // threads: of each block
};

// A function that does the work of a launch. `arguments` are bytes that both kinds get a copy of.
struct Kernel {
  const char* name;
  // All of the work, on the calling thread; pointers to device memory are those that it was given.
  void (*on_host)(const void* arguments);
  // Null where CUDA was not compiled.
  CudaLaunch (*on_cuda)(const void* arguments) = nullptr;
};

class JpegEngines;

class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  // Whether all work before the place where it was recorded last is over; true before it was
  // recorded. Throws DeviceError when something of it failed.
  virtual bool over() = 0;
};

class DeviceStream {
 public:
  virtual ~DeviceStream() = default;
  // From the host to the device, back, or within the device. Memory of the host is pinned.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(void* at, unsigned char value, std::size_t bytes) = 0;
  virtual void launch(const Kernel& kernel, std::span<const std::byte> arguments) = 0;
  virtual void record(DeviceEvent& event) = 0;
  // What is put into the stream from now on begins when the event, of any stream, is over.
  virtual void wait(DeviceEvent& event) = 0;
  // What is put into the stream between these two is a chain, which need not begin before the
  // second returns. Copies, fills and launches that often come in the same order, with other
  // arguments, cost less so: a GPU is told of them all at once (a CUDA graph). end_chain() says
  // whether it was; its errors are those of the chain. record(), wait() and native() end the chain,
  // too.
  virtual void begin_chain() {}
  virtual bool end_chain() { return false; }
  // What borrow() takes: a cudaStream_t, or the stand-in's own; null where there is none.
  virtual void* native() { return nullptr; }
};

class Device {
 public:
  virtual ~Device() = default;
  // "NVIDIA H200 (device 0)", for errors and drawings.
  virtual const std::string& name() const = 0;
  virtual int index() const = 0;
  virtual std::unique_ptr<DeviceStream> make_stream() = 0;
  // A stream that belongs to somebody else, who keeps it for as long as this is used.
  virtual std::unique_ptr<DeviceStream> borrow(void* native);
  virtual std::unique_ptr<DeviceEvent> make_event() = 0;
  // One that also notes when it was over, by the device's clock, which costs a little more; and the
  // milliseconds from one such event to a later one, both over; any number of threads may ask. A
  // device without a clock says 0.
  virtual std::unique_ptr<DeviceEvent> make_timed_event() { return make_event(); }
  virtual double ms_between(DeviceEvent& from, DeviceEvent& to) {
    (void)from, (void)to;
    return 0;
  }
  // The device's own memory, and memory of the host that it reads and writes by itself. Both live
  // as long as anybody has them.
  virtual const std::shared_ptr<MemoryResource>& memory() = 0;
  virtual const std::shared_ptr<MemoryResource>& pinned() = 0;
  // Whether kernels may read these bytes of the host's memory at the same address: all of them lie
  // in pinned memory, of this device or of whoever has registered it with CUDA.
  virtual bool reads(const void* at, std::size_t bytes) const {
    (void)at, (void)bytes;
    return false;
  }
  // See jpeg_engines.h; null where there are none, with the reason.
  virtual JpegEngines* jpeg_engines(std::string* why_none = nullptr) {
    if (why_none != nullptr) *why_none = name() + " has none";
    return nullptr;
  }
};

inline std::unique_ptr<DeviceStream> Device::borrow(void*) {
  throw DeviceError(name() + " takes no streams of others");
}

}  // namespace sluice
