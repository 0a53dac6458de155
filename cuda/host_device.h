// HostDevice: a device without a GPU, which runs kernels as their host functions. Each stream is a
// queue with its own thread. If `manual` is set, the test runs the queues instead, piece by piece
// and in any order.
//
// It is strict where a GPU is silent. The host cannot touch device memory: its addresses have no
// access rights, the memory lies elsewhere, and kernels reach it by device_view(). New memory holds
// 0xCD, and freed memory is gone. Every piece of work knows what happened before it: events that
// its stream has waited for, and those that the host had seen to be over. Using memory that another
// stream may still read or write is a DeviceError of the work. Freeing memory that may be in use is
// reported by violations(). Both are found in every interleaving of the threads.
//
// Faults: `fault` is called for each call, in the order of calls, and returns what happens to it.
//
// Ownership: streams and events refer to the device, which outlives them; memory keeps its storage
// alive. Threads: as Device says; step() for one stream from one thread at a time. Errors:
// DeviceError; std::bad_alloc when `bytes` of device memory are in use. An error of work is
// reported by the next event that is recorded in its stream, and by no later one. After a loss
// every call reports it, but only when all pieces of work that had begun have ended. In a child of
// fork() calls throw Error, and memory that is freed stays as it is.
#pragma once

#include <sluice/cuda/gpu.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sluice::device {

class HostDevice : public Device {
 public:
  enum class Fault : std::uint8_t {
    none,
    refused,  // the call throws
    failed,   // the work does nothing, and fails when its turn comes
    lost      // the same, and so does everything after it
  };
  struct Call {
    const char* what;     // "allocate", "copy", "copy_all", "fill", "launch", "record", "wait"
    const char* kernel;   // of a launch, else ""
    int stream;           // -1 for memory
    std::int64_t number;  // counts all calls to the device, from 0
  };
  struct Options {
    int index = 0;
    std::size_t bytes = std::size_t{1} << 28;
    bool manual = false;
    int jpeg_places = 0;  // how many files its JPEG engines hold at a time; 0: it has no engines
    std::function<Fault(const Call&)> fault = {};
    // Called before a piece of work begins, on the thread that does it. Use it to delay work.
    std::function<void(const Call&)> before = {};
  };

  HostDevice();
  explicit HostDevice(Options options);
  ~HostDevice() override;

  const std::string& name() const override;
  int index() const override;
  std::unique_ptr<DeviceStream> make_stream() override;
  // Accepts streams of this device only, which last as long as it does.
  std::unique_ptr<DeviceStream> borrow(void* native) override;
  std::unique_ptr<DeviceEvent> make_event() override;
  // Uses the host's steady clock; all events of this device are timed.
  double ms_between(DeviceEvent& from, DeviceEvent& to) override;
  const std::shared_ptr<MemoryResource>& memory() override;
  const std::shared_ptr<MemoryResource>& pinned() override;
  bool reads(const void* at, std::size_t bytes) const override;
  JpegEngines* jpeg_engines(std::string* why_none) override;

  // The number of streams made so far; they are numbered in that order.
  int streams() const;
  // Does the next piece of work of a stream of a manual device. Returns false if there is none, or
  // if it waits for an event that is not over.
  bool step(int stream);
  // The number of pieces of work of all streams that are not done yet.
  std::size_t pending() const;
  // The allocated device memory, in bytes.
  std::size_t bytes_in_use() const;
  // Errors of the host that no piece of work can report.
  std::vector<std::string> violations() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
  std::shared_ptr<MemoryResource> memory_, pinned_;
  std::unique_ptr<JpegEngines> engines_;  // null: none
};

}  // namespace sluice::device
